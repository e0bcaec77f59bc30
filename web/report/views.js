/*
 * Other views of the callchains. In: callchains and their sums. Out: the sandwich of a function, with its
 * callers above and its callees below; a table of functions that opens row by row.
 */
const BRANCHES = 40; /* rows below a row, until the user wants more */

/*
 * Those of @chains that contain @name, from its outermost occurrence on: outward to its callers, or inward
 * to what it called. A chain that contains it twice counts once.
 */
function chainsThrough(chains, name, outward) {
	const { rows, start, names } = chains, through = { rows: [], start: [0], names: [] };
	for (let i = 0; i < rows.length; i++) {
		const at = names.subarray(start[i], start[i + 1]).lastIndexOf(name);
		if (at < 0)
			continue;
		through.rows.push(rows[i]);
		for (let k = outward ? start[i] + at : start[i], end = outward ? start[i + 1] : start[i] + at + 1; k < end; k++)
			through.names.push(names[k]);
		through.start.push(through.names.length);
	}
	return through;
}

/* One half of a sandwich. A click on a function shows the sandwich of that function. */
class Half extends Flame {
	constructor(page, canvas, hover, outward) {
		super(page, canvas, hover, null);
		this.legend = null;
		this.inward = !outward;
		this.upward = outward;
	}

	treeOf() {
		const { page } = this, name = page.kind + "|" + page.focus;
		if (this.made !== name) {
			this.made = name;
			const all = page.flame.chains(page.kind);
			this.mine = new Tree(page.data, page.kind, this.inward, chainsThrough(all, page.focus, this.upward));
		}
		return this.mine;
	}

	zoom(node) {
		if (node > 0)
			this.page.focusOn(this.tree.name[node]);
	}

	showPath() {}

	/* Shares are of the whole memory, as in the other views. */
	whole() {
		return this.page.flame.total();
	}

	lay() {
		super.lay();
		/* The root is not a function. */
		this.boxes = this.boxes.filter((box) => box.node);
		this.height -= this.high;
		for (const box of this.boxes) {
			box.y -= this.high;
			if (this.upward)
				box.y = this.height - box.y - this.high;
		}
	}
}

/* A table of functions; a row opens those below it. */
class Branches {
	constructor(page, place) {
		this.page = page;
		this.place = place;
		this.opened = new Map();
	}

	/* Nodes that are open, by tree, and how many rows are shown below each. */
	openOf(tree) {
		if (!this.opened.has(tree))
			this.opened.set(tree, new Map());
		return this.opened.get(tree);
	}

	draw() {
		const { page } = this, { flame } = page, tree = flame.treeOf(), open = this.openOf(tree);
		const values = page.sums[page.metric], total = tree.sum(0, values, 0), rows = [];
		const value = new Map(), valueOf = (node) => {
			if (!value.has(node))
				value.set(node, tree.sum(node, values, 0));
			return value.get(node);
		};
		const add = (node) => {
			const below = tree.open(node).filter((child) => valueOf(child) > 0).sort((a, b) => valueOf(b) - valueOf(a));
			if (node)
				rows.push(this.row(tree, node, below, valueOf, total));
			if (node && !open.has(node))
				return;
			const nr = open.get(node) || BRANCHES;
			below.slice(0, nr).forEach(add);
			if (below.length > nr)
				rows.push(this.more(tree, node, below.length - nr, nr));
		};
		add(0);
		const head = make("tr", {}, ...[METRICS[page.metric].title, "Self", "%"].map((text) =>
			make("th", { scope: "col", className: "number" }, text)), make("th", { scope: "col" }, "Function"));
		this.place.replaceChildren(make("table", { className: "rows tree" }, make("thead", {}, head),
			make("tbody", {}, ...rows)));
	}

	toggle(tree, node, nr) {
		const open = this.openOf(tree);
		if (nr || !open.has(node))
			open.set(node, nr || BRANCHES);
		else
			open.delete(node);
		this.draw();
		const again = this.place.querySelector("[data-node=\"" + node + "\"]");
		if (again)
			again.focus();
	}

	row(tree, node, below, valueOf, total) {
		const open = this.openOf(tree).has(node), name = this.page.data.names[tree.name[node]];
		const self = valueOf(node) - below.reduce((sum, child) => sum + valueOf(child), 0);
		const label = make("td", { className: "name" }, below.length ? make("button", { type: "button",
			"data-node": String(node), "aria-expanded": String(open), onclick: () => this.toggle(tree, node) },
		(open ? "▾ " : "▸ ") + name) : make("span", { className: "leaf" }, name));
		label.style.paddingLeft = Math.min(tree.depth[node] - 1, 24) * 1.1 + 0.4 + "rem";
		return make("tr", {}, make("td", { className: "number" }, wholeText(valueOf(node))),
			make("td", { className: "number" }, wholeText(self)),
			make("td", { className: "number" }, shareText(valueOf(node), total)), label);
	}

	more(tree, node, left, nr) {
		const td = make("td", { colSpan: 4 }, make("button", { type: "button",
			onclick: () => this.toggle(tree, node, nr * 10) }, left + " more"));
		return make("tr", {}, td);
	}
}
