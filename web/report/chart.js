/*
 * Callchains in order of time. In: cells of the rows that pass the filter. Out: for each moment,
 * the functions that allocated most, the outermost first; neighbouring boxes of one function are
 * merged. A click on a box selects its time.
 */
const CHART_COLUMN = 5; /* minimum width in pixels */

class Chart extends Flame {
	constructor(page, canvas, hover) {
		super(page, canvas, hover, null);
		this.legend = null;
		this.here = null; /* the box selected with keys */
	}

	treeOf() {
		return this.page.flame.treeOf();
	}

	showPath() {}

	/* For each column, the numbers of the chains that allocated in it, and their amounts. */
	columnsOf(chains) {
		const { data, metric, zoom } = this.page, { cells: c, rows, passes } = data, count = metric === "hit";
		const [first, last] = zoom.bins;
		const columns = Array.from({ length: this.nr }, () => []);
		chains.rows.forEach((row, chain) => {
			if (passes && !passes[row])
				return;
			for (let i = row ? c.end[row - 1] : 0, column = -1; i < c.end[row] && c.bin[i] <= last; i++) {
				const at = Math.max(Math.floor(placeOf(data, c.bin[i]) / this.step) - this.begin, c.bin[i] < first ? -1 : 0);
				if (at < 0 || !c.hit[i])
					continue;
				const amount = count ? c.hit[i] : c.bytes[i] + c.hit[i] * rows.unit[row], all = columns[at];
				if (at === column)
					all[all.length - 1].amount += amount;
				else
					all.push({ chain, amount });
				column = at;
			}
		});
		return columns;
	}

	/* The child of @node with most of @items, its sum, and its items; null: all end here. */
	largest(node, items) {
		const { tree } = this, { start, names } = tree.chains, depth = tree.depth[node], sums = new Map();
		const nameOf = ({ chain: i }) => {
			const at = tree.inward ? start[i + 1] - 1 - depth : start[i] + depth;
			return at >= start[i] && at < start[i + 1] ? names[at] : 0;
		};
		for (const item of items) {
			const name = nameOf(item);
			if (name)
				sums.set(name, (sums.get(name) || 0) + item.amount);
		}
		if (!sums.size)
			return null;
		const name = [...sums.keys()].reduce((best, one) => sums.get(one) > sums.get(best) ? one : best);
		return { node: tree.open(node).find((child) => tree.name[child] === name), value: sums.get(name),
			items: items.filter((item) => nameOf(item) === name) };
	}

	x(place) {
		const { zoom } = this.page;
		return this.left + this.wide * (place - zoom.from) / zoom.seen;
	}

	/* Columns begin at multiples of their width, so that they stay when the time moves. */
	lay() {
		const { zoom, data } = this.page, last = [];
		this.left = scaled(66);
		this.wide = this.canvas.parentElement.clientWidth - this.left;
		this.high = Math.max(18, parseFloat(fontOf(18)));
		this.step = columnOf(data, zoom, this.wide / CHART_COLUMN);
		this.begin = Math.floor(zoom.from / this.step);
		this.nr = Math.ceil(zoom.to / this.step) - this.begin;
		this.boxes = [];
		this.columnsOf(this.tree.chains).forEach((all, column) => {
			let part = { node: 0, items: all }, depth = 0;
			const sum = all.reduce((total, item) => total + item.amount, 0);
			for (; (part = this.largest(part.node, part.items)); depth++) {
				let box = last[depth];
				if (!box || box.node !== part.node || box.end !== column) {
					box = last[depth] = { node: part.node, depth, first: column, end: column, value: 0, of: 0 };
					this.boxes.push(box);
				}
				box.end++;
				box.value += part.value;
				box.of += sum;
			}
			last.length = depth;
		});
		for (const box of this.boxes) {
			box.x = Math.max(this.left, this.x((this.begin + box.first) * this.step));
			box.width = this.x(Math.min(placeOf(data, this.bins(box)[1] + 1), zoom.to)) - box.x;
			box.y = box.depth * this.high;
		}
		this.height = this.boxes.reduce((most, box) => Math.max(most, box.y + this.high), this.high) + scaled(22);
		this.here = null;
	}

	/* The first and the last bin of a box. */
	bins(box) {
		const { data, zoom } = this.page;
		return binsBetween(data, Math.max((this.begin + box.first) * this.step, 0),
			Math.min((this.begin + box.end) * this.step, zoom.to));
	}

	paint() {
		super.paint();
		const to = this.canvas.getContext("2d"), { page } = this;
		to.fillStyle = styled("dim");
		to.strokeStyle = styled("line");
		to.lineWidth = 1;
		to.font = fontOf(11);
		page.timeline.marks.times(to, (place) => this.x(place), this.left, this.left + this.wide, this.height);
		to.save();
		to.beginPath();
		to.rect(this.left, 0, this.wide, this.height);
		to.clip();
		page.timeline.range(to, (place) => this.x(place), this.height - scaled(20));
		to.restore();
		if (this.here) {
			to.strokeStyle = styled("ink");
			to.lineWidth = 2;
			to.strokeRect(this.here.x + 1, this.here.y + 1, Math.max(2, this.here.width - 2), this.high - 3);
		}
	}

	tell(box) {
		if (!box) {
			this.hover.textContent = this.found() || (this.boxes.length ? "" : "Nothing was allocated here.");
			return;
		}
		const { data, metric } = this.page, [first, last] = this.bins(box), text = metric === "hit" ? wholeText : bytesText;
		this.hover.textContent = this.name(box.node) + ": " + text(box.value) + " of " + text(box.of) + (metric === "hit" ?
			" allocations" : "") + " from " + sinceText(data, binStart(data, first)) + " to " +
			sinceText(data, binEnd(data, last)) + ", " + shareText(box.value, box.of);
	}

	/* A click selects the time of a box. */
	zoom(node, box) {
		this.page.zoom.remember();
		this.page.choose(...this.bins(box));
	}

	/* Arrows go to another box, Enter selects its time, Escape goes back. */
	key(e) {
		const { here } = this, step = { ArrowLeft: -1, ArrowRight: 1 }[e.key], down = { ArrowUp: -1, ArrowDown: 1 }[e.key];
		const beside = (box) => step > 0 ? box.first >= here.end : box.end <= here.first;
		if (e.key === "Escape") {
			this.page.zoom.back();
		} else if (e.key === "Enter" && here) {
			this.zoom(here.node, here);
		} else if (step || down) {
			const near = !here ? this.boxes : this.boxes.filter((box) => step ? box.depth === here.depth && beside(box) :
				box.depth === here.depth + down && box.first < here.end && box.end > here.first);
			this.here = (step < 0 && here ? near[near.length - 1] : near[0]) || here;
			this.paint();
			this.tell(this.here);
		} else {
			return;
		}
		e.preventDefault();
	}
}
