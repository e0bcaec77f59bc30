/*
 * Callchains of both sides. In: rows with a value of each side. Out: boxes as wide as the larger
 * side; red if it grew, blue if it shrank, pale if that may be chance.
 */

function rgbOf(name) {
	const hex = styled(name).slice(1);
	return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)).join(" ");
}

class DiffFlame extends Flame {
	constructor(page, canvas, hover, path) {
		super(page, canvas, hover, path);
		this.ink = "ink";
	}

	/* Colours are relative to the largest change of all boxes. */
	lay() {
		const metric = this.page.metricOf(), { at } = this;
		this.rows = { change: metric.change, old: metric.old,
			sure: metric.change.map((change, row) => metric.mark[row] === PLAIN ? change : 0) };
		this.nodes = { change: [], old: [], sure: [] };
		this.rgb = { grew: rgbOf("grew"), shrank: rgbOf("shrank") };
		this.at = 0;
		super.lay();
		this.most = this.boxes.reduce((most, b) => Math.max(most, Math.abs(this.of("change", b.node))), 1);
		if (at) {
			this.at = at;
			super.lay();
		}
	}

	/* The sum of a node's rows, which may be negative. */
	of(name, node) {
		const known = this.nodes[name];
		if (node < 0)
			return 0;
		if (known[node] === undefined)
			known[node] = this.tree.sum(node, this.rows[name], -Infinity);
		return known[node];
	}

	/* Is at least half of the change significant or untested? */
	told(node) {
		return Math.abs(this.of("sure", node)) * 2 >= Math.abs(this.of("change", node));
	}

	colour(node) {
		const change = this.of("change", node);
		if (!change)
			return styled("rest");
		const part = Math.sqrt(Math.abs(change) / this.most);
		return "rgb(" + this.rgb[change > 0 ? "grew" : "shrank"] + " / " +
			(this.told(node) ? 0.3 + 0.45 * part : 0.1 + 0.08 * part).toFixed(3) + ")";
	}

	label(box, name) {
		const change = this.of("change", box.node);
		return change ? name + " " + changeText(change, this.page.bytes()) : name;
	}

	tell(box) {
		if (!box || box.node < 0) {
			super.tell(box);
			return;
		}
		const node = box.node, text = this.page.bytes() ? bytesText : wholeText;
		const old = this.of("old", node), change = this.of("change", node);
		this.hover.textContent = this.name(node) + ": " + text(old) + " before, " + text(old + change) +
			" after: " + changeText(change, this.page.bytes()) +
			(old ? " (" + (change > 0 ? "+" : "") + (100 * change / old).toFixed(1) + " %)" : "") +
			(change && !this.told(node) ? ", may be chance" : "");
	}
}
