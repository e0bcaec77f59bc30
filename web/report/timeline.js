/*
 * Live memory over time. In: cells. Out: stacked areas of the largest groups, the allocation rate
 * below, losses and failures as marks; a range chosen with the pointer or the keys.
 */
const LAYERS = 7;
const MOMENTS = 16;

class Timeline {
	constructor(page, canvas, legend) {
		this.page = page;
		this.canvas = canvas;
		this.legend = legend;
		this.from = null; /* start of a drag */
		this.edge = 1; /* the end of the range that the keys move */
		canvas.addEventListener("pointerdown", (e) => {
			this.from = this.binAt(e);
			canvas.setPointerCapture(e.pointerId);
			this.choose(this.from, this.from);
		});
		canvas.addEventListener("pointermove", (e) => {
			if (this.from !== null)
				this.choose(this.from, this.binAt(e));
		});
		canvas.addEventListener("pointerup", () => {
			this.from = null;
		});
		canvas.addEventListener("keydown", (e) => this.key(e));
	}

	binAt(e) {
		const box = this.canvas.getBoundingClientRect();
		const bin = Math.floor((e.clientX - box.left - this.left) / (box.width - this.left) * this.page.data.bins);
		return Math.max(0, Math.min(bin, this.page.data.bins - 1));
	}

	choose(a, b) {
		this.page.choose(Math.min(a, b), Math.max(a, b));
	}

	/* Arrow keys move the range, with Shift its end; Escape selects all of the time. */
	key(e) {
		const page = this.page, last = page.data.bins - 1;
		const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
		if (e.key === "Escape") {
			page.choose(0, last);
		} else if (step && e.shiftKey) {
			page.choose(page.first, Math.max(page.first, Math.min(page.last + step, last)));
		} else if (step && page.first + step >= 0 && page.last + step <= last) {
			page.choose(page.first + step, page.last + step);
		} else if (!step) {
			return;
		}
		e.preventDefault();
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
		const layers = all.slice(0, LAYERS).map((group, n) => ({ key: groups.keys[group], net: nets[n],
			text: groupText(data, by, groups.rows[group]) }));
		if (all.length > LAYERS)
			layers.push({ key: null, net: nets[LAYERS], text: all.length - LAYERS + " others" });
		return { layers, hit };
	}

	group(key) {
		const { data, kind, by } = this.page;
		const rows = new Uint8Array(data.nrRows);
		for (let row = 0; row < data.nrRows; row++)
			rows[row] = data.rows.kind[row] === kind && groupKey(data, by, row) === key;
		return this.series((row) => rows[row]);
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
	 * By how much the kernel's counts of these caches changed, from what was live at the first moment
	 * on: [place in bins, bytes]. Of marked rows only those by cache: the count of a cache has all
	 * callsites' objects. Nothing for pages.
	 */
	kernel(net) {
		const { data, kind, by, marked } = this.page, { moments, curves } = data.kernel;
		const names = kind === SLAB ? [...this.caches()].filter((name) => curves.has(name)) : [];
		const place = (i) => Number(moments[i] - data.first) / Number(data.width);
		if (!names.length || (marked !== null && by !== "cache"))
			return [];
		const inside = moments.map((_, i) => i).filter((i) => place(i) >= 0 && place(i) <= data.bins);
		const at = (i) => names.reduce((sum, name) => sum + curves.get(name)[i], 0);
		if (!inside.length)
			return [];
		const first = inside[0], base = net[Math.min(Math.floor(place(first)), data.bins - 1)] - at(first);
		return inside.map((i) => [place(i), Math.max(0, base + at(i))]);
	}

	/* The layers depend on kind and grouping, not on the range. */
	current() {
		const name = this.page.kind + this.page.by;
		if (this.name !== name) {
			this.name = name;
			this.made = this.layers();
		}
		return this.made;
	}

	draw() {
		const page = this.page, data = page.data, { layers, hit } = this.current();
		const { to, width, height } = prepareCanvas(this.canvas, 168 + scaled(62));
		const bottom = height - scaled(62), left = this.left = scaled(66), wide = width - left;
		const sums = new Float64Array(data.bins);
		for (const layer of layers)
			for (let i = 0; i < data.bins; i++)
				sums[i] += layer.net[i];
		const marked = page.marked !== null ? this.group(page.marked) : null;
		const kernel = this.kernel(marked || sums);
		const most = Math.max(1, ...sums, ...kernel.map(([, bytes]) => bytes));
		const x = (bin) => left + wide * bin / data.bins;
		const y = (bytes) => bottom - (bottom - 14) * bytes / most;
		const base = new Float64Array(data.bins);

		this.axis(to, most, x, y, width, height);
		layers.forEach((layer, n) => {
			to.beginPath();
			for (let i = 0; i < data.bins; i++) {
				to.lineTo(x(i), y(base[i]));
				to.lineTo(x(i + 1), y(base[i]));
			}
			for (let i = data.bins - 1; i >= 0; i--) {
				base[i] += layer.net[i];
				to.lineTo(x(i + 1), y(base[i]));
				to.lineTo(x(i), y(base[i]));
			}
			to.closePath();
			to.fillStyle = layer.key === null ? styled("rest") : styled("c" + n);
			to.fill();
			to.strokeStyle = styled("paper");
			to.lineWidth = 0.5;
			to.stroke();
		});
		if (marked)
			this.line(to, marked, x, y);
		this.dashes(to, kernel, x, y);
		this.rate(to, hit, x, bottom, height);
		this.marks(to, x, y, bottom);
		this.range(to, x, height - scaled(18));
		this.show(layers, kernel.length > 0);
		if (document.getElementById("timeline-part").open)
			this.table(layers);
	}

	/* The same numbers for those who cannot see the drawing. */
	table(layers) {
		const data = this.page.data, step = Math.ceil(data.bins / MOMENTS), rows = [];
		const row = (first, scope, tag, texts) => rows.push(make("tr", {}, make("th", { scope }, first),
			...texts.map((text) => make(tag, tag === "th" ? { scope: "col" } : { className: "number" }, text))));
		row("At", "col", "th", layers.map((layer) => layer.text));
		for (let bin = step - 1; bin < data.bins; bin += step)
			row(sinceText(data, binStart(data, bin + 1)), "row", "td",
				layers.map((layer) => wholeText(layer.net[bin])));
		document.getElementById("timeline-table").replaceChildren(...rows);
	}

	axis(to, most, x, y, width, height) {
		const data = this.page.data;
		to.font = fontOf(11);
		to.fillStyle = styled("dim");
		to.strokeStyle = styled("line");
		to.lineWidth = 1;
		to.textAlign = "right";
		for (const part of [0, 0.5, 1]) {
			const line = Math.round(y(most * part)) + 0.5;
			to.beginPath();
			to.moveTo(x(0), line);
			to.lineTo(width, line);
			to.stroke();
			to.fillText(bytesText(Math.round(most * part)), x(0) - 6, line);
		}
		to.fillText("allocs", x(0) - 6, height - scaled(40));
		to.textAlign = "left";
		to.fillText(sinceText(data, data.first), x(0), height - scaled(8));
		to.textAlign = "right";
		to.fillText(sinceText(data, data.last), width, height - scaled(8));
	}

	/* The line of the user's marked row. */
	line(to, net, x, y) {
		to.beginPath();
		net.forEach((bytes, i) => {
			to.lineTo(x(i), y(bytes));
			to.lineTo(x(i + 1), y(bytes));
		});
		to.strokeStyle = styled("ink");
		to.lineWidth = 2;
		to.stroke();
	}

	/* The kernel's own curve. */
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

	rate(to, hit, x, top, height) {
		const most = Math.max(1, ...hit), room = 30, foot = height - scaled(22);
		to.fillStyle = styled("dim");
		hit.forEach((nr, i) => {
			if (nr)
				to.fillRect(x(i), foot - room * nr / most, Math.max(1, x(1) - x(0) - 0.3), room * nr / most);
		});
	}

	marks(to, x, y, bottom) {
		const data = this.page.data;
		to.textAlign = "center";
		to.font = "bold " + fontOf(12);
		for (const [bin, lost, gaps, failed] of data.marks) {
			const at = (x(bin) + x(bin + 1)) / 2;
			to.fillStyle = styled("loud");
			if (lost || gaps) {
				to.globalAlpha = 0.25;
				to.fillRect(x(bin), 14, Math.max(2, x(1) - x(0)), bottom - 14);
				to.globalAlpha = 1;
				to.fillText("▼", at, 7);
			}
			if (failed)
				to.fillText("×", at, bottom + 7);
		}
		if (data.kinds.length) {
			const bin = data.peakBins[this.page.kind];
			const at = (x(bin) + x(bin + 1)) / 2;
			to.strokeStyle = styled("ink");
			to.setLineDash([3, 3]);
			to.lineWidth = 1;
			to.beginPath();
			to.moveTo(at, 14);
			to.lineTo(at, bottom);
			to.stroke();
			to.setLineDash([]);
			to.fillStyle = styled("ink");
			to.font = fontOf(11);
			to.fillText("peak", Math.max(x(0) + 14, Math.min(at, x(data.bins) - 14)), 7);
		}
	}

	/* Dims everything outside the range. */
	range(to, x, bottom) {
		const page = this.page, end = page.data.bins;
		if (page.first === 0 && page.last === end - 1)
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
		this.legend.replaceChildren(...layers.map((layer, n) => {
			const box = make("span", { className: "box" });
			box.style.background = styled(layer.key === null ? "rest" : "c" + n);
			return make("li", { title: layer.text }, box, layer.text);
		}), ...kernel ? [dashes] : []);
	}
}
