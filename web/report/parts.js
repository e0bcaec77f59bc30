/*
 * Shorter bins for what is seen. In: the part of the time that is seen, and the selected range.
 * Out: requests to kmemx, from a served page; data whose bins are shorter there.
 */
const PART_WAIT = 120; /* ms without a change */
const BIN_PIXELS = 2; /* wider bins are divided */
const PART_BINS = 6000; /* REPORT_PART_BINS, minus one for each bin of the base */

/* A piece of the time: @nr parts of @long each, divided into bins of @width, of which the last may be shorter. */
function piece(start, long, width, nr) {
	return { start, long, width: Math.min(width, long), nr };
}

/* Divides bins so that one begins at @at. Other bins are @long. */
function cutPieces(pieces, at, long) {
	let i = pieces.findIndex((p) => at >= p.start && at < p.start + p.long * p.nr);
	if (i < 0) {
		if (at % long === 0)
			return;
		i = pieces.filter((p) => p.start < at).length;
		pieces.splice(i, 0, piece(at - at % long, long, long, 1));
	}
	const p = pieces[i], nr = Math.floor((at - p.start) / p.long), start = p.start + nr * p.long, end = start + p.long;
	const left = at - (at - start) % p.width, right = Math.min(left + p.width, end);
	if (left === at)
		return;
	const between = (from, to, width) => piece(from, to - from, width, 1);
	pieces.splice(i, 1, ...[{ ...p, nr }, between(start, left, p.width), between(left, at, p.width), between(at, right, p.width),
		between(right, end, p.width), { ...p, start: end, nr: p.nr - nr - 1 }].filter((one) => one.nr && one.long));
}

/* Where the bins of @pieces begin. */
function startsOf(pieces) {
	const starts = [];
	for (const { start, long, width, nr } of pieces)
		for (let i = 0; i < nr; i++)
			for (let at = 0; at < long; at += width)
				starts.push(start + i * long + at);
	return starts;
}

/* Merges the cells of the base whose bins have a number in @ofBase, and those of the part. */
function mergeCells(data, ofBase, part, ofPart) {
	const { base: { cells: c }, nrRows } = data, nr = c.bin.length + part.cells.bin.length, names = ["hit", "bytes", "waste", "net"];
	const cells = { end: new Uint32Array(nrRows), bin: new Uint16Array(nr) };
	for (const name of names)
		cells[name] = new Float64Array(nr);
	for (let row = 0, i = 0, k = 0, to = 0; row < nrRows; row++) {
		const unit = part.unit[row] - data.rows.unit[row];
		while (i < c.end[row] || k < part.cells.end[row]) {
			const a = i < c.end[row] ? ofBase[c.bin[i]] : Infinity, b = k < part.cells.end[row] ? ofPart[part.cells.bin[k]] : Infinity;
			if (a < 0) {
				i++;
				continue;
			}
			const from = a < b ? c : part.cells, at = a < b ? i++ : k++;
			cells.bin[to] = Math.min(a, b);
			for (const name of names)
				cells[name][to] = from[name][at];
			if (a > b)
				cells.bytes[to] += cells.hit[to] * unit;
			to++;
		}
		cells.end[row] = to;
	}
	return cells;
}

/* Gives @data the bins of @pieces, with @columns, and those of the base elsewhere. */
function layParts(data, pieces, columns) {
	const { base } = data, added = startsOf(pieces);
	const inside = (start) => pieces.some((p) => start >= p.start && start < p.start + p.long * p.nr);
	if (columns.rows.cells.length !== data.nrRows)
		throw new Error("these are other rows");
	const part = { cells: readCells(columns.cells, columns.rows), unit: columns.rows.unit };
	data.starts = Float64Array.from([...base.starts.filter((start) => !inside(start)), ...added]).sort();
	data.bins = data.starts.length;
	const ofBase = Int32Array.from(base.starts, (start) => inside(start) ? -1 : binAt(data, start));
	const ofPart = Int32Array.from(added, (start) => binAt(data, start));
	data.cells = mergeCells(data, ofBase, part, ofPart);
	data.marks = [...base.marks.map(([bin, ...numbers]) => [ofBase[bin], ...numbers]).filter(([bin]) => bin >= 0),
		...readMarks(columns.marks).map(([bin, ...numbers]) => [ofPart[bin], ...numbers])];
	data.laid = (data.laid || 0) + 1;
}

class Parts {
	constructor(page) {
		this.page = page;
		this.note = document.getElementById("parts");
	}

	/* Bins of a pixel for what is seen, and half of that on both sides; null: the page has
	 * them.
	 */
	view() {
		const { zoom, data } = this.page, all = data.places * data.long, seen = zoom.offset(zoom.to) - zoom.offset(zoom.from);
		const wide = Math.max(1, zoom.canvas.clientWidth - (zoom.timeline.left || 0));
		if (data.long * wide / seen <= BIN_PIXELS)
			return null;
		const from = Math.max(0, zoom.offset(zoom.from) - Math.floor(seen / 2)), to = Math.min(all, zoom.offset(zoom.to) + Math.floor(seen / 2));
		return { from, to, width: Math.max(1, Math.floor(seen / wide), Math.ceil((to - from + 2 * data.long) / PART_BINS)), wide, seen };
	}

	/* The pieces to request: bins of the view, and bins that begin and end with the range. */
	pieces() {
		const { range, data } = this.page, { long } = data, view = this.view(), pieces = [];
		if (view) {
			const first = Math.floor(view.from / long) * long, end = Math.ceil(view.to / long) * long;
			if (end - first > 4 * long) {
				pieces.push(piece(first, long, view.width, (end - first) / long));
			} else {
				const width = Math.max(1, Math.ceil((view.to - view.from) / PART_BINS), Math.floor(view.seen / view.wide));
				const cuts = [view.from, view.to];
				for (let at = first; at <= end; at += long)
					cuts.push(at);
				cuts.sort((a, b) => a - b);
				cuts.slice(1).forEach((to, i) => {
					const from = cuts[i], seen = from >= view.from && to <= view.to;
					if (to > from)
						pieces.push(piece(from, to - from, seen ? width : long, 1));
				});
			}
		}
		for (const edge of range || [])
			if (edge < data.places * long)
				cutPieces(pieces, edge, long);
		return pieces;
	}

	/* Is a visible bin too wide, or does the range begin or end within a bin? */
	needed() {
		const { page } = this, { data, zoom, range } = page, view = this.view();
		if (range && (data.starts[page.first] !== range[0] || endOf(data, page.last) !== range[1]))
			return true;
		if (!view)
			return false;
		const [first, last] = zoom.bins;
		for (let bin = first; bin <= last; bin++) {
			const long = endOf(data, bin) - data.starts[bin];
			if (long > 1 && long * view.wide / view.seen > BIN_PIXELS)
				return true;
		}
		return false;
	}

	later() {
		if (!this.page.data.partColumns)
			return;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.ask(), PART_WAIT);
	}

	/* Without an answer, keeps the page's bins, says so, and asks again after the next change.
	 */
	async ask() {
		const { page } = this, pieces = this.needed() ? this.pieces() : [];
		const words = pieces.map((p) => [p.start, p.long, p.width, p.nr].join()).join(";");
		if (!words)
			this.say("");
		if (!words || words === this.asked || words === this.laid)
			return;
		this.asked = words;
		try {
			const answer = await fetch(location.pathname + "?part=" + words);
			if (!answer.ok)
				throw new Error("kmemx has no shorter times here");
			const bytes = new Uint8Array(await answer.arrayBuffer());
			if (this.asked !== words)
				return;
			layParts(page.data, pieces, readColumns(bytes, page.data.partColumns));
			this.laid = words;
			this.say("");
			page.relaid();
		} catch (error) {
			if (this.asked === words)
				this.say(error instanceof TypeError ? "kmemx does not answer any more" : error.message);
		}
		if (this.asked === words)
			this.asked = null;
	}

	say(problem) {
		this.note.hidden = !problem;
		this.note.textContent = problem && problem + ": times are as exact as the page has them.";
	}
}
