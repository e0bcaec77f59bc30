/*
 * The data of the page. In: #data, JSON made by web_report_html.c in lib/report; #columns, numbers
 * made by web_columns.c. Out: rows and cells as typed arrays, and sums over a range of bins. Names
 * are untrusted text: nothing here turns them into markup.
 */

/* enum web_figure of web_report.h */
const FIGURES = [Uint8Array, Uint16Array, Uint32Array, Int8Array, Int16Array, Int32Array, Float64Array];
const BIG_ENDIAN = !new Uint8Array(new Uint16Array([1]).buffer)[0];

/* Reads the columns @names, [group, name], from @bytes, in order. Numbers are little-endian. */
function readColumns(bytes, names) {
	const view = new DataView(bytes.buffer), groups = {};
	let at = 0;
	for (const [group, name] of names) {
		const nr = view.getUint32(at, true), Figures = FIGURES[view.getUint32(at + 4, true)];
		const size = Figures.BYTES_PER_ELEMENT;
		at += 8;
		for (let i = 0; BIG_ENDIAN && i < nr; i++)
			bytes.subarray(at + i * size, at + (i + 1) * size).reverse();
		groups[group] = groups[group] || {};
		groups[group][name] = new Figures(bytes.buffer, at, nr);
		at += Math.ceil(nr * size / 8) * 8;
	}
	return groups;
}

/* A column that has only zeros is written without figures. */
function figuresOf(column, nr) {
	return column.length ? column : new Uint8Array(nr);
}

/* Cells of the rows, one row after the other. */
function readCells(raw, rows) {
	const end = new Uint32Array(rows.cells.length), cells = { end };
	let nr = 0;
	for (let row = 0; row < end.length; row++)
		end[row] = nr += rows.cells[row]; /* after the row's last cell */
	for (const name in raw)
		cells[name] = figuresOf(raw[name], nr);
	return cells;
}

/* In which bins memory was allocated and ended; a bin of stays is @bins other bins long. */
function readStays(raw, bins) {
	const nr = raw.row.length, row = new Uint32Array(nr);
	for (let i = 0, at = 0; i < nr; i++)
		row[i] = at += raw.row[i];
	return { bins, row, begin: raw.begin, length: raw.bins, bytes: raw.bytes };
}

/* What is live at the end: by kind and grouping, then by key. */
function readEnds(raw) {
	const ends = new Map();
	for (const [kind, cache, name, least, most, likely] of raw) {
		const by = kind + (cache ? "cache" : "callsite");
		if (!ends.has(by))
			ends.set(by, new Map());
		ends.get(by).set(name, { least, most, likely });
	}
	return ends;
}

/* The kernel's own counts: by cache, bytes at each of the moments. */
function readCurves(raw) {
	const curves = new Map();
	for (const [name, bytes, ...counts] of raw.curves)
		curves.set(name, counts.map((count) => count * bytes));
	return { moments: raw.moments.map(BigInt), curves };
}

/* Bins with losses or failures. */
function readMarks({ bin, lost, gaps, failed }) {
	return Array.from(bin, (at, i) => [at, lost[i], gaps[i], failed[i]]);
}

/* Bins begin at @starts, in units of the clock since the first one. A place is a time in bins of
 * @base, which have one length; parts.js makes some of @bins shorter.
 */
function readData(raw, columns) {
	const time = raw.time, rows = columns.rows, long = Number(time.width);
	const data = {
		file: raw.file, input: raw.input, window: raw.window, served: raw.served === 1, names: raw.names, facts: raw.facts, rows,
		nrRows: rows.kind.length, cells: readCells(columns.cells, rows), marks: readMarks(columns.marks),
		merged: raw.merged, bins: time.bins, places: time.bins, long, starts: Float64Array.from({ length: time.bins }, (_, i) => i * long),
		ns: time.ns === 1, first: BigInt(time.first), last: BigInt(time.last), width: BigInt(time.width),
		peaks: time.peaks.map(BigInt), liveAtPeak: time.live, partColumns: raw.parts ? raw.columns.filter((column) => column[2]) : null,
	};
	data.base = { starts: data.starts, cells: data.cells, marks: data.marks };
	rows.most = new Float64Array(data.nrRows);
	rows.likely = new Float64Array(data.nrRows);
	for (let row = 0; row < data.nrRows; row++) {
		rows.most[row] = rows.least[row] + rows.range[row];
		rows.likely[row] = rows.most[row] - rows.unlikely[row];
	}
	data.events = readEvents(raw, data);
	data.eventsLeft = raw.left;
	data.flags = raw.flags.map(([name, brief, mask]) => ({ name: raw.names[name], brief: raw.names[brief], mask: BigInt(mask) }));
	data.stays = readStays(columns.stays, time.stay);
	data.ends = readEnds(raw.ends);
	data.kernel = readCurves(raw);
	data.lines = readLines(raw, data.kernel);
	data.frames = readFrames(raw.frames, columns.runs, time.bins);
	readNodes(data, columns.nodes);
	data.dirs = raw.dirs;
	if (columns.names.dir.length)
		data.dirOf = [0, ...columns.names.dir];
	data.kinds = ALL_KINDS.filter((kind) => rows.kind.includes(kind));
	data.usualKind = [PAGE, ...data.kinds].find((kind) => data.kinds.includes(kind));
	return data;
}

/* The last bin for which @where returns at most @limit. */
function lastBin(data, limit, where) {
	let low = 0;
	for (let end = data.bins; end - low > 1;) {
		const middle = (low + end) >> 1;
		if (where(middle) <= limit)
			low = middle;
		else
			end = middle;
	}
	return low;
}

/* The bin of a time since the first bin; binOf(): the bin of a place. */
function binAt(data, offset) {
	return lastBin(data, offset, (bin) => data.starts[bin]);
}

function binOf(data, place) {
	return lastBin(data, place, (bin) => placeOf(data, bin));
}

/* The place where a bin begins. */
function placeOf(data, bin) {
	return bin < data.bins ? data.starts[bin] / data.long : data.places;
}

/* The time since the first bin where a bin ends. */
function endOf(data, bin) {
	return bin + 1 < data.bins ? data.starts[bin + 1] : data.places * data.long;
}

/* The bins that begin between the places @from and @to: at least the one that has @from. */
function binsBetween(data, from, to) {
	const begin = binOf(data, from), first = placeOf(data, begin) < from && begin + 1 < data.bins ? begin + 1 : begin;
	const end = binOf(data, to), last = placeOf(data, end) < to ? end : end - 1;
	return [first, Math.max(first, last)];
}

/* The length of a drawing's column, in places, if @nr columns cover what is seen: a multiple of the
 * base's bins, or if they are longer than a column, at least the current bin.
 */
function columnOf(data, zoom, nr) {
	const long = zoom.seen / Math.max(1, nr), bin = binOf(data, zoom.from);
	return long >= 1 ? Math.ceil(long) : Math.max(long, placeOf(data, bin + 1) - placeOf(data, bin));
}

function peakBin(data, kind) {
	return binAt(data, Number(data.peaks[kind] - data.first));
}

/* @first to @last, or a few more bins: the bins of stays, which are longer, must be whole. */
function stayRange(data, first, last) {
	const { bins } = data.stays, begin = Math.floor(placeOf(data, first) / bins) * bins;
	const end = Math.min(Math.floor(Math.floor(placeOf(data, last)) / bins) * bins + bins, data.places);
	return [binOf(data, begin), (end < data.places ? binOf(data, end) : data.bins) - 1];
}

/*
 * What lived through the bins @first to @last: live before and at their end. What is retained:
 * allocated in them and live at their end. Both are sums less what ended in these bins.
 */
function sumStays(data, first, last) {
	const { bins, row, begin, length, bytes } = data.stays, c = data.cells, nr = data.nrRows;
	const retained = new Float64Array(nr), through = new Float64Array(nr);
	for (let at = 0, i = 0; at < nr; at++)
		for (const end = c.end[at]; i < end; i++) {
			const bin = c.bin[i], born = c.bytes[i] + c.hit[i] * data.rows.unit[at];
			if (bin < first) {
				through[at] += c.net[i];
			} else if (bin <= last) {
				retained[at] += born;
				through[at] -= born - c.net[i];
			}
		}
	const a = placeOf(data, first) / bins, b = Math.floor(placeOf(data, last) / bins);
	for (let i = 0; i < row.length; i++)
		if (begin[i] >= a && begin[i] + length[i] <= b) {
			retained[row[i]] -= bytes[i];
			through[row[i]] += bytes[i];
		}
	return { retained, through };
}

/*
 * Sums of each row over the bins @first to @last: its allocations and ends in them, and its live memory at
 * the end of the last one, including what was allocated before @first.
 */
function sumRows(data, first, last) {
	const c = data.cells, nr = data.nrRows;
	const sums = {
		hit: new Float64Array(nr), bytes: new Float64Array(nr), waste: new Float64Array(nr),
		live: new Float64Array(nr), freed: new Float64Array(nr), peak: data.rows.peak,
		least: data.rows.least, most: data.rows.most, likely: data.rows.likely,
	};
	for (let row = 0, i = 0; row < nr; row++) {
		let hit = 0, bytes = 0, waste = 0, live = 0, net = 0;
		for (const end = c.end[row]; i < end; i++) {
			const bin = c.bin[i];
			if (bin > last) {
				i = end;
				break;
			}
			live += c.net[i];
			if (bin < first)
				continue;
			hit += c.hit[i];
			bytes += c.bytes[i];
			waste += c.waste[i];
			net += c.net[i];
		}
		sums.hit[row] = hit;
		sums.bytes[row] = bytes + hit * data.rows.unit[row];
		sums.waste[row] = waste;
		sums.live[row] = live;
		sums.freed[row] = sums.bytes[row] - net;
	}
	return sums;
}

/* A bin's first and last moment, in units of the clock. The last bin includes everything later. */
function binStart(data, bin) {
	return data.first + BigInt(bin < data.bins ? data.starts[bin] : data.places * data.long);
}

function binEnd(data, bin) {
	const end = binStart(data, bin + 1) - 1n;
	return bin === data.bins - 1 && data.last > end ? data.last : end;
}
