/*
 * Live memory over time. In: cells. Out: stacked areas of the largest groups, the allocation rate
 * below, peaks and the signs of marks.js; what was live at the moment under the pointer.
 */
const LAYERS = 7;
const MOMENTS = 16;
const LEGEND_TEXT = 44; /* characters of a name */
const LARGEST = 3; /* callsites at a moment */

/* Live bytes of each group at the end of @bin. */
function liveAt(data, groups, bin) {
	const c = data.cells, live = new Float64Array(groups.rows.length);
	for (let row = 0, i = 0; row < data.nrRows; row++) {
		const end = c.end[row], group = groups.of[row];
		if (group >= 0)
			for (; i < end && c.bin[i] <= bin; i++)
				live[group] += c.net[i];
		i = end;
	}
	return live;
}

/* A bin in words: what is live at its end, what was allocated in it, and the largest callsites. */
function momentText(page, bin) {
	const { data, kind } = page, groups = groupsOf(data, kind, "callsite"), live = liveAt(data, groups, bin);
	const sums = sumRows(data, bin, bin), long = binEnd(data, bin) - binStart(data, bin) + 1n;
	let hit = 0, bytes = 0;
	for (let row = 0; row < data.nrRows; row++)
		if (groups.of[row] >= 0) {
			hit += sums.hit[row];
			bytes += sums.bytes[row];
		}
	const all = live.reduce((sum, value) => sum + value, 0), second = data.ns && Number(long) / 1e9;
	const rate = (value, text) => data.ns ? " (" + text(Math.round(value / second)) + "/s)" : "";
	const most = Array.from(live.keys()).filter((i) => live[i] > 0).sort((a, b) => live[b] - live[a]).slice(0, LARGEST);
	return "At " + sinceText(data, binEnd(data, bin)) + ": " + bytesText(all) + " live; in the " + spanText(data, long) +
		" before " + wholeText(hit) + " allocations" + rate(hit, wholeText) + ", " + bytesText(bytes) +
		rate(bytes, bytesText) + most.map((i, n) => (n ? ", " : "; largest: ") +
		groupText(data, "callsite", groups.rows[i]) + " " + bytesText(live[i])).join("");
}

class Timeline {
	constructor(page, canvas, legend, moment) {
		this.page = page;
		this.canvas = canvas;
		this.legend = legend;
		this.moment = moment;
		this.columns = [];
		this.cursor = make("div", { id: "cursor", hidden: true });
		canvas.after(this.cursor);
		this.zoom = new Zoom(page, this, canvas);
		this.marks = new Marks(page);
		document.getElementById("signs").replaceChildren(...signLegend(page.data));
		canvas.addEventListener("pointermove", (e) => this.hover(e));
		canvas.addEventListener("pointerleave", () => this.hover(null));
	}

	/* The position of the pointer, as a fraction of what is seen. */
	partAt(e) {
		const box = this.canvas.getBoundingClientRect();
		return Math.max(0, Math.min((e.clientX - box.left - this.left) / (box.width - this.left), 1));
	}

	/* The place under the pointer. */
	placeAt(e) {
		return this.zoom.from + this.partAt(e) * this.zoom.seen;
	}

	binAt(e) {
		return Math.min(binOf(this.page.data, this.placeAt(e)), this.zoom.bins[1]);
	}

	/* Describes the moment under the pointer, or without one, the end of the range. */
	hover(e) {
		const bin = e ? this.binAt(e) : -1, found = this.columns.find((c) => bin >= c.first && bin < c.end);
		this.cursor.hidden = !found;
		if (found)
			this.cursor.style.left = e.clientX - this.canvas.getBoundingClientRect().left + "px";
		const { data, kind, passing, last } = this.page, { first, end, bin: at } = found || { first: last, end: last + 1, bin: last };
		const said = [first, end, at, kind, passing, data.laid].join(" ");
		if (this.said === said)
			return;
		this.said = said;
		const marks = marksText(data, first, end);
		this.moment.textContent = momentText(this.page, at) + (marks ? ". Here: " + marks : "");
	}

	/* Live bytes at the end of each bin, for the rows for which @wanted is true. */
	series(wanted) {
		const data = this.page.data, c = data.cells, net = new Float64Array(data.bins);
		for (let row = 0, i = 0; row < data.nrRows; row++) {
			const end = c.end[row];
			if (wanted(row))
				for (; i < end; i++)
					net[c.bin[i]] += c.net[i];
			i = end;
		}
		for (let i = 1; i < data.bins; i++)
			net[i] += net[i - 1];
		return net;
	}

	/* The maximum of each row's live bytes. */
	mostOf() {
		const { data } = this.page, c = data.cells;
		if (!data.mostLive)
			data.mostLive = new Float64Array(data.nrRows);
		else
			return data.mostLive;
		for (let row = 0, i = 0; row < data.nrRows; row++) {
			let live = 0, most = 0;
			for (const end = c.end[row]; i < end; i++) {
				live += c.net[i];
				if (live > most)
					most = live;
			}
			data.mostLive[row] = most;
		}
		return data.mostLive;
	}

	/* Numbers of groups, sorted by the sum of their rows' maxima, each at its own time. */
	ranked(groups) {
		const most = this.mostOf(), sums = new Float64Array(groups.rows.length);
		for (let row = 0; row < groups.of.length; row++)
			if (groups.of[row] >= 0)
				sums[groups.of[row]] += most[row];
		return Array.from(sums.keys()).sort((a, b) => sums[b] - sums[a]);
	}

	/* Reserves the colours of the largest callsites, whatever is shown first. */
	reserve() {
		const { data, slots } = this.page;
		for (const kind of data.kinds) {
			const groups = groupsOf(data, kind, "callsite");
			slots.choose(this.ranked(groups).slice(0, LAYERS).map((group) => groupText(data, "callsite", groups.rows[group])), true);
		}
	}

	/* The largest groups, and the others as one. */
	layers() {
		const { data, kind, by } = this.page, c = data.cells, groups = groupsOf(data, kind, by);
		const all = this.ranked(groups), hit = new Float64Array(data.bins);
		const place = new Uint8Array(groups.rows.length).fill(LAYERS);
		const nets = Array.from({ length: LAYERS + 1 }, () => new Float64Array(data.bins));
		all.slice(0, LAYERS).forEach((group, n) => {
			place[group] = n;
		});
		for (let row = 0, i = 0; row < data.nrRows; row++) {
			const end = c.end[row], group = groups.of[row];
			if (group >= 0) {
				const net = nets[place[group]];
				for (; i < end; i++) {
					net[c.bin[i]] += c.net[i];
					hit[c.bin[i]] += c.hit[i];
				}
			}
			i = end;
		}
		for (const net of nets)
			for (let i = 1; i < data.bins; i++)
				net[i] += net[i - 1];
		const texts = all.slice(0, LAYERS).map((group) => groupText(data, by, groups.rows[group]));
		const colours = this.page.slots.choose(texts);
		const layers = texts.map((text, n) => ({ key: groups.keys[all[n]], net: nets[n], text,
			colour: "c" + colours.get(text) }));
		if (all.length > LAYERS)
			layers.push({ key: null, net: nets[LAYERS], text: all.length - LAYERS + " others", colour: "rest" });
		const totals = nets[LAYERS].slice();
		for (const net of nets.slice(0, LAYERS))
			for (let i = 0; i < data.bins; i++)
				totals[i] += net[i];
		return { layers, hit, totals };
	}

	group(key) {
		const { data, kind, by } = this.page, { of, keys } = groupsOf(data, kind, by), group = keys.indexOf(key);
		return this.series((row) => of[row] === group);
	}

	/* The caches of the marked row, or all of them. */
	caches() {
		const { data, by, marked } = this.page, rows = data.rows, names = new Set();
		for (let row = 0; row < data.nrRows; row++)
			if (rows.kind[row] === SLAB && (marked === null || groupKey(data, by, row) === marked))
				names.add(rows.cache[row]);
		return names;
	}

	/*
	 * The changes of the kernel's counts of these caches, added to what was live at the first
	 * moment: [place, bytes]. For a marked row only if it is a cache, because a cache's count
	 * includes the objects of all callsites. Nothing for pages.
	 */
	kernel(net) {
		const { data, kind, by, marked } = this.page, { moments, curves } = data.kernel;
		const names = kind === SLAB ? [...this.caches()].filter((name) => curves.has(name)) : [];
		const place = (i) => Number(moments[i] - data.first) / data.long;
		if (!names.length || data.passes || (marked !== null && by !== "cache"))
			return [];
		const inside = moments.map((_, i) => i).filter((i) => place(i) >= 0 && place(i) <= data.places);
		const at = (i) => names.reduce((sum, name) => sum + curves.get(name)[i], 0);
		if (!inside.length)
			return [];
		const first = inside[0], base = net[binOf(data, place(first))] - at(first);
		return inside.map((i) => [place(i), Math.max(0, base + at(i))]);
	}

	/* The layers depend on kind and grouping, not on the range. */
	current() {
		const { page } = this, name = [page.kind, page.by, page.data.laid, page.passing].join(" ");
		if (this.name !== name) {
			this.name = name;
			this.made = this.layers();
		}
		return this.made;
	}

	/*
	 * Chooses the bins that are drawn: all, or if they are narrower than a pixel, of several
	 * the one in which most is live. Columns begin at multiples of their width, so that they
	 * stay when the time moves.
	 */
	cut(totals, hit, wide) {
		const { data } = this.page, step = columnOf(data, this.zoom, wide), [first, last] = this.zoom.bins;
		const columnAt = (bin) => Math.floor(placeOf(data, bin) / step);
		let bin = first;
		for (this.columns = []; bin > 0 && columnAt(bin - 1) === columnAt(first);)
			bin--;
		for (let column = null; bin < data.bins && (bin <= last || columnAt(bin) === column.at); bin++) {
			const at = columnAt(bin);
			if (!column || column.at !== at)
				this.columns.push(column = { at, first: bin, bin, hit: 0 });
			column.end = bin + 1;
			column.hit += hit[bin];
			if (totals[bin] > totals[column.bin])
				column.bin = bin;
		}
	}

	draw() {
		const page = this.page, { layers, hit, totals } = this.current(), { from, to: until, seen } = this.zoom, { data } = page;
		const { to, width, height } = prepareCanvas(this.canvas, 168 + scaled(62));
		const bottom = height - scaled(62), left = this.left = scaled(66), wide = width - left;
		this.cut(totals, hit, wide);
		const marked = page.marked !== null ? this.group(page.marked) : null;
		const kernel = this.kernel(marked || totals);
		const most = this.columns.reduce((max, c) => Math.max(max, totals[c.bin]), kernel.reduce((max, [place, bytes]) =>
			place >= from && place <= until ? Math.max(max, bytes) : max, 1));
		const xOf = (place) => left + wide * (place - from) / seen, x = (bin) => xOf(placeOf(data, bin));
		const y = (bytes) => bottom - (bottom - 14) * bytes / most;

		this.axis(to, most, xOf, y, width, height);
		to.save();
		to.beginPath();
		to.rect(left, 0, wide, height);
		to.clip();
		this.areas(to, layers, x, y);
		if (marked)
			this.line(to, marked, x, y);
		this.dashes(to, kernel, xOf, y);
		this.rate(to, x, height);
		this.marks.draw(to, xOf, bottom);
		this.peaks(to, xOf, bottom);
		this.range(to, xOf, height - scaled(18));
		to.restore();
		this.thumb(to, left, wide, height);
		this.show(layers, kernel.length > 0);
		this.hover(null);
		if (document.getElementById("timeline-part").open)
			this.table(layers);
	}

	/* Draws pixels: a browser takes ten times as long for paths with so many corners. */
	areas(to, layers, x, y) {
		const { width, height } = to.canvas, { a: scale } = to.getTransform();
		const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer);
		const paints = layers.map(({ net, colour }) => {
			to.fillStyle = styled(colour);
			return { net, pixel: new Uint32Array(Uint8Array.from([1, 3, 5, 7], (at) =>
				at < 7 ? parseInt(to.fillStyle.slice(at, at + 2), 16) : 255).buffer)[0] };
		});
		for (const { first, end, bin } of this.columns) {
			const from = Math.max(0, Math.round(x(first) * scale)), until = Math.min(Math.round(x(end) * scale), width);
			let sum = 0, foot = Math.round(y(0) * scale);
			for (const { net, pixel } of paints) {
				const top = Math.max(0, Math.round(y(sum += net[bin]) * scale));
				for (; foot > top; foot--)
					for (let at = (foot - 1) * width + from, last = at + until - from; at < last; at++)
						pixels[at] = pixel;
			}
		}
		this.picture = this.picture || document.createElement("canvas");
		Object.assign(this.picture, { width, height });
		this.picture.getContext("2d").putImageData(image, 0, 0);
		to.drawImage(this.picture, 0, 0, width / scale, height / scale);
	}

	/* Shows the same numbers to those who cannot see the drawing. */
	table(layers) {
		const { data } = this.page, [first, last] = this.zoom.bins, step = Math.ceil((last + 1 - first) / MOMENTS), rows = [];
		const row = (first, scope, tag, texts) => rows.push(make("tr", {}, make("th", { scope }, first),
			...texts.map((text) => make(tag, tag === "th" ? { scope: "col" } : { className: "number" }, text))));
		const marked = signsOf(data).includes(true), marks = (text) => marked ? [text] : [];
		row("At", "col", "th", [...layers.map((layer) => layer.text), ...marks("Until then")]);
		for (let bin = first + step - 1; bin <= last; bin += step)
			row(sinceText(data, binStart(data, bin + 1)), "row", "td", [...layers.map((layer) => wholeText(layer.net[bin])),
				...marks(marksText(data, bin + 1 - step, bin + 1))]);
		document.getElementById("timeline-table").replaceChildren(...rows);
	}

	axis(to, most, x, y, width, height) {
		bytesAxis(to, most, y, this.left, width);
		to.fillText("allocs", this.left - 6, height - scaled(40));
		this.marks.times(to, x, this.left, width, height);
	}

	/* Shows which part of the time is seen. */
	thumb(to, left, wide, height) {
		const { places } = this.page.data, { from, seen, all } = this.zoom;
		if (all)
			return;
		to.fillStyle = styled("line");
		to.fillRect(left, height - 2, wide, 2);
		to.fillStyle = styled("ink");
		to.fillRect(left + wide * from / places, height - 2, Math.max(3, wide * seen / places), 2);
	}

	/* Draws the line of the row that the user marked. */
	line(to, net, x, y) {
		to.beginPath();
		for (const { first, end, bin } of this.columns) {
			to.lineTo(x(first), y(net[bin]));
			to.lineTo(x(end), y(net[bin]));
		}
		to.strokeStyle = styled("ink");
		to.lineWidth = 2;
		to.stroke();
	}

	/* Draws the kernel's own curve, dashed. */
	dashes(to, kernel, x, y) {
		to.beginPath();
		for (const [place, bytes] of kernel)
			to.lineTo(x(place), y(bytes));
		to.strokeStyle = styled("ink");
		to.lineWidth = 1.5;
		to.setLineDash([6, 3]);
		to.stroke();
		to.setLineDash([]);
	}

	rate(to, x, height) {
		const { columns } = this, most = columns.reduce((max, c) => Math.max(max, c.hit), 1);
		const room = 30, foot = height - scaled(22);
		to.fillStyle = styled("dim");
		for (const { first, end, hit } of columns)
			if (hit)
				to.fillRect(x(first), foot - room * hit / most, Math.max(1, x(end) - x(first) - 0.3), room * hit / most);
	}

	/* Marks the peak of each allocator, darker for the one that is shown. */
	peaks(to, xOf, bottom) {
		const { data, kind } = this.page, { from, to: until } = this.zoom;
		const others = data.kinds.filter((other) => other !== kind && other <= PAGE);
		to.font = fontOf(11);
		to.lineWidth = 1;
		to.setLineDash([3, 3]);
		const taken = [];
		for (const one of [kind, ...others]) {
			const bin = peakBin(data, one), text = one === kind ? "peak" : "peak of " + KINDS[one].toLowerCase();
			const middle = (placeOf(data, bin) + placeOf(data, bin + 1)) / 2, at = xOf(middle);
			if (middle < from || middle >= until)
				continue;
			const half = to.measureText(text).width / 2 + 3;
			const place = Math.max(xOf(from) + half, Math.min(at, xOf(until) - half));
			to.strokeStyle = to.fillStyle = styled(one === kind ? "ink" : "dim");
			to.beginPath();
			to.moveTo(at, 14);
			to.lineTo(at, bottom);
			to.stroke();
			to.textAlign = "center";
			if (!taken.some(([a, b]) => place + half > a && place - half < b))
				to.fillText(text, place, 7);
			taken.push([place - half, place + half]);
		}
		to.setLineDash([]);
	}

	/* Dims everything outside the range. */
	range(to, xOf, bottom) {
		const { page } = this, { data } = page, x = (bin) => xOf(placeOf(data, bin)), end = data.bins;
		if (page.whole())
			return;
		to.fillStyle = styled("veil");
		to.fillRect(x(0), 0, x(page.first) - x(0), bottom);
		to.fillRect(x(page.last + 1), 0, x(end) - x(page.last + 1), bottom);
		to.strokeStyle = styled("ink");
		to.lineWidth = 1;
		to.strokeRect(x(page.first), 0.5, x(page.last + 1) - x(page.first), bottom - 1);
	}

	show(layers, kernel) {
		const what = this.page.marked !== null ? "The kernel's count" : "The kernel's count of all these";
		const dashes = make("li", { title: "Its change since it was read first, in bytes of objects" },
			make("span", { className: "box dashes" }), what);
		const texts = cutTexts(layers.map((layer) => layer.text), LEGEND_TEXT);
		this.legend.replaceChildren(...layers.map(({ colour, text }, n) => legendItem(colour, texts[n], text)),
			...kernel ? [dashes] : []);
	}
}
