/*
 * Callchains as an icicle. In: callchains and their sums. Out: a box for each function, as wide as
 * the sum of it and the functions below it; a click zooms in, the path leads back.
 */

/* Narrower boxes are merged with their neighbours. */
const NARROW = 1.5;

/*
 * The functions of all rows of @kind, as numbers of names. Row rows[i] has those from start[i], the
 * callsite, outward to before start[i + 1]. Without a recorded callchain, a slab object's callsite
 * is below its cache.
 */
function chainsOf(data, kind) {
	const none = data.names.indexOf("[no stack]");
	let nr = 0;
	for (const one of data.rows.kind)
		nr += one === kind ? 1 : 0;
	const chains = { rows: new Uint32Array(nr), start: new Uint32Array(nr + 1), names: null };
	const bare = (node) => data.nodeName[node] === none && data.up[node] >= 0;
	for (let row = 0, i = 0, at = 0; row < data.nrRows; row++) {
		if (data.rows.kind[row] !== kind)
			continue;
		const node = data.rows.node[row];
		chains.rows[i] = row;
		chains.start[++i] = at += data.depth[node] - (bare(node) && kind !== SLAB);
	}
	chains.names = new Uint32Array(chains.start[nr]);
	for (let i = 0; i < nr; i++) {
		let node = data.rows.node[chains.rows[i]], at = chains.start[i + 1];
		if (bare(node)) {
			if (kind === SLAB)
				chains.names[--at] = data.rows.cache[chains.rows[i]];
			node = data.up[node];
		}
		for (; node >= 0; node = data.up[node])
			chains.names[--at] = data.nodeName[node];
	}
	return chains;
}

/*
 * A tree of functions, from the outermost inward or from the callsites outward. Number 0 is the
 * root. Nodes are opened on demand, as most are too narrow to be drawn.
 */
class Tree {
	constructor(data, kind, inward, chains) {
		const nr = (this.chains = chains || chainsOf(data, kind)).rows.length;
		this.inward = inward;
		this.name = [-1];
		this.up = [-1];
		this.depth = [0];
		this.below = [null];
		/* The chains, sorted so that each node has those from first to end. */
		this.order = new Uint32Array(nr);
		this.first = [0];
		this.end = [nr];
		for (let i = 0; i < nr; i++)
			this.order[i] = i;
		/* While a node is being opened: its chains, their next names, and the new nodes by
		 * name.
		 */
		this.chainsOfNode = new Uint32Array(nr);
		this.namesOfNode = new Uint32Array(nr);
		this.found = new Uint32Array(data.names.length);
	}

	/* The next name of each chain of a node; 0: the chain ends, as no function has name 0. */
	namesBelow(node) {
		const { start, names } = this.chains, { order, inward, chainsOfNode, namesOfNode } = this;
		const depth = this.depth[node], first = this.first[node], nr = this.end[node] - first;
		for (let k = 0; k < nr; k++) {
			const i = chainsOfNode[k] = order[first + k];
			const at = inward ? start[i + 1] - 1 - depth : start[i] + depth;
			namesOfNode[k] = at >= start[i] && at < start[i + 1] ? names[at] : 0;
		}
		return nr;
	}

	/* Adds a node for each distinct name; its end holds the number of its chains for now.
	 * Returns how many chains end at @node.
	 */
	addBelow(node, nr) {
		const { found, end, namesOfNode } = this;
		let ended = 0;
		for (let k = 0; k < nr; k++) {
			const name = namesOfNode[k];
			if (!name) {
				ended++;
			} else if (found[name]) {
				end[found[name]]++;
			} else {
				found[name] = this.name.length;
				this.name.push(name);
				this.up.push(node);
				this.depth.push(this.depth[node] + 1);
				this.below.push(null);
				this.first.push(0);
				end.push(1);
			}
		}
		return ended;
	}

	/* The nodes below @node, which are made by the first call. */
	open(node) {
		if (this.below[node])
			return this.below[node];
		const { order, found, first, end, chainsOfNode, namesOfNode } = this, next = this.name.length;
		const nr = this.namesBelow(node), below = [];
		let bare = first[node], at = bare + this.addBelow(node, nr);
		for (let child = next; child < this.name.length; child++) {
			const last = at + end[child];
			first[child] = end[child] = at;
			at = last;
		}
		for (let k = 0; k < nr; k++)
			order[namesOfNode[k] ? end[found[namesOfNode[k]]]++ : bare++] = chainsOfNode[k];
		for (let child = next; child < this.name.length; child++) {
			found[this.name[child]] = 0;
			below.push(child);
		}
		return this.below[node] = below;
	}

	/* The sum of a node's rows. Values below @least count as @least. */
	sum(node, values, least) {
		const { rows } = this.chains, end = this.end[node];
		let sum = 0;
		for (let k = this.first[node]; k < end; k++) {
			const value = values[rows[this.order[k]]];
			sum += value < least ? least : value;
		}
		return sum;
	}
}

class Flame {
	constructor(page, canvas, hover, path) {
		this.page = page;
		this.canvas = canvas;
		this.upward = false;
		this.legend = document.getElementById("flame-legend"); /* not on all pages */
		this.hover = hover;
		this.path = path;
		this.trees = new Map();
		this.at = 0;
		this.boxes = [];
		this.inward = true;
		this.ink = "box-ink";
		canvas.addEventListener("click", (e) => {
			const box = this.boxAt(e);
			if (box && box.node >= 0)
				this.zoom(box.node, box);
		});
		canvas.addEventListener("pointermove", (e) => this.tell(this.boxAt(e)));
		canvas.addEventListener("pointerleave", () => this.tell(null));
		canvas.addEventListener("keydown", (e) => this.key(e));
	}

	/* Up goes back, down to the largest function below, left and right to the neighbours. */
	key(e) {
		const tree = this.tree, up = tree.up[this.at];
		const beside = up < 0 ? [0] : this.sorted(tree.open(up));
		const place = beside.indexOf(this.at);
		const next = { ArrowUp: up, Escape: 0, ArrowDown: this.sorted(tree.open(this.at))[0],
			ArrowLeft: beside[place - 1], ArrowRight: beside[place + 1] }[e.key];
		if (next === undefined || next < 0)
			return;
		e.preventDefault();
		this.zoom(next);
	}

	boxAt(e) {
		const box = this.canvas.getBoundingClientRect();
		const x = e.clientX - box.left, y = e.clientY - box.top;
		return this.boxes.find((b) => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + this.high);
	}

	zoom(node) {
		this.at = node;
		this.draw();
	}

	turn(inward) {
		this.inward = inward;
		this.at = 0;
	}

	name(node) {
		return node ? this.page.data.names[this.tree.name[node]] : "all";
	}

	/* The shown metric's sum of a node's rows. */
	value(node) {
		const known = this.sums[node];
		return known >= 0 ? known : this.sums[node] = this.tree.sum(node, this.values, 0);
	}

	/* Sorts @nodes, the largest first. */
	sorted(nodes) {
		return nodes.sort((a, b) => this.value(b) - this.value(a) || a - b);
	}

	tell(box) {
		const all = this.whole(), at = this.value(this.at);
		if (!box) {
			this.hover.textContent = this.found();
			return;
		}
		const text = (this.page.bytes() ? bytesText : wholeText);
		const name = box.node < 0 ? "others, each too narrow to draw" : this.name(box.node);
		const { dirs, dirOf } = this.page.data, dir = box.node > 0 && dirOf && dirs[dirOf[this.tree.name[box.node]]];
		this.hover.textContent = name + (dir ? " (" + dir + ")" : "") + ": " + text(box.value) + ", " + shareText(box.value, all) +
			" of all" + (this.at ? ", " + shareText(box.value, at) + " of what is shown" : "");
	}

	/* The sum of what the search has found, each callchain counted once. */
	found() {
		if (!this.match)
			return "";
		const { rows, start, names } = this.tree.chains, all = this.page.data.names;
		const hit = all.map((name) => this.match(name));
		let value = 0;
		for (let i = 0; i < rows.length; i++) {
			let at = start[i];
			while (at < start[i + 1] && !hit[names[at]])
				at++;
			if (at < start[i + 1])
				value += Math.max(0, this.values[rows[i]]);
		}
		return "Found: " + shareText(value, this.value(0)) + " (" +
			(this.page.bytes() ? bytesText : wholeText)(value) + ")";
	}

	treeOf() {
		const { page, inward } = this, name = page.kind + String(inward);
		if (!this.trees.has(name)) {
			const other = this.trees.get(page.kind + String(!inward));
			this.trees.set(name, new Tree(page.data, page.kind, inward, other && other.chains));
		}
		return this.trees.get(name);
	}

	chains(kind) {
		const known = this.trees.get(kind + "true") || this.trees.get(kind + "false");
		return known ? known.chains : chainsOf(this.page.data, kind);
	}

	/* What shares are relative to. */
	whole() {
		return this.value(0);
	}

	/* The sum of all callchains. */
	total() {
		return this.treeOf().sum(0, this.page.sums[this.page.metric], 0);
	}

	draw() {
		const page = this.page, tree = this.treeOf();
		if (tree !== this.tree)
			this.at = 0;
		this.tree = tree;
		this.values = page.sums[page.metric];
		this.sums = [];
		this.match = matcher(page.filter);
		this.subsystems = page.data.dirOf ? tree.subsystems = tree.subsystems ||
			new Subsystems(page.data, tree.chains, this.values) : null;
		this.lay();
		this.paint();
		if (this.legend)
			this.showLegend();
		this.tell(null);
		this.showPath();
	}

	/* Places each function's box: those above the shown function are as wide as it. */
	lay() {
		const { tree } = this, width = this.canvas.parentElement.clientWidth;
		const above = [];
		this.high = Math.max(18, parseFloat(fontOf(18)));
		this.boxes = [];
		for (let node = this.at; node >= 0; node = tree.up[node])
			above.unshift(node);
		above.forEach((node, i) => this.boxes.push({ node, x: 0, y: i * this.high, width, value: this.value(node) }));
		const scale = this.value(this.at) ? width / this.value(this.at) : 0;
		const todo = [{ node: this.at, x: 0, y: above.length * this.high }];
		while (todo.length) {
			const { node, x, y } = todo.pop();
			let next = x, rest = 0;
			const wide = tree.open(node).filter((child) => {
				const enough = this.value(child) * scale >= NARROW;
				rest += enough ? 0 : this.value(child);
				return enough;
			});
			for (const child of this.sorted(wide)) {
				const value = this.value(child);
				this.boxes.push({ node: child, x: next, y, width: value * scale, value });
				todo.push({ node: child, x: next, y: y + this.high });
				next += value * scale;
			}
			if (rest * scale >= NARROW)
				this.boxes.push({ node: -1, x: next, y, width: rest * scale, value: rest });
		}
		this.height = this.boxes.reduce((most, b) => Math.max(most, b.y + this.high), 0);
	}

	/*
	 * All functions of a directory or module have the same colour. If no directories are known,
	 * functions outside modules are coloured by name.
	 */
	colour(node) {
		if (node <= 0)
			return styled("rest");
		if (this.subsystems)
			return this.rank[this.subsystems.colour(this.tree.name[node])];
		const name = this.name(node), module = name.match(/\[([^\]]*)\]( \(inlined\))?$/);
		return this.light[this.page.slots.slot(module ? module[1] : name)];
	}

	paint() {
		const { to } = prepareCanvas(this.canvas, this.height + 2);
		const ink = styled(this.ink), marked = this.page.markedName();
		this.light = Array.from({ length: SLOTS }, (_, n) => styled("l" + n));
		this.rank = { rest: styled("rest") };
		for (let n = 0; n < FUNCTION_COLOURS; n++)
			this.rank["f" + n] = styled("f" + n);
		to.font = fontOf(12);
		for (const box of this.boxes) {
			const name = box.node < 0 ? "" : this.name(box.node);
			const hit = box.node > 0 && ((this.match && this.match(name)) || name === marked);
			to.fillStyle = hit ? styled("hit") : this.colour(box.node);
			to.globalAlpha = this.match && !hit ? 0.45 : 1;
			to.fillRect(box.x, box.y, Math.max(box.width - 0.6, 0.6), this.high - 1);
			if (name.endsWith(" (inlined)")) {
				to.fillStyle = ink;
				to.fillRect(box.x, box.y + this.high - 3, Math.max(box.width - 0.6, 0.6), 1);
			}
			if (box.width > 28) {
				to.fillStyle = hit ? styled("hit-ink") : ink;
				this.write(to, this.label(box, name), box);
			}
			to.globalAlpha = 1;
		}
	}

	label(box, name) {
		return name;
	}

	showLegend() {
		const inlined = this.page.data.names.some((name) => name.endsWith(" (inlined)"));
		this.legend.replaceChildren(...this.subsystems ? this.subsystems.legend() : [],
			...inlined ? [make("li", {}, make("span", { className: "inlined" }), "inlined")] : []);
	}

	/* Writes as much of the name as fits: its beginning and its end. */
	write(to, name, box) {
		const room = box.width - 8, wide = to.measureText(name).width;
		const fits = wide > room ? Math.floor(name.length * room / wide) - 1 : name.length;
		if (fits > 1)
			to.fillText(cutText(name, fits), box.x + 4, box.y + this.high / 2);
	}

	showPath() {
		const nodes = [];
		for (let node = this.at; node >= 0; node = this.tree.up[node])
			nodes.unshift(node);
		this.path.replaceChildren(...nodes.map((node) => make("button", { type: "button",
			disabled: node === this.at, onclick: () => this.zoom(node) }, this.name(node))));
	}
}
