/*
 * The data of a page about two sides. In: #data, JSON made by web_diff_html.c in lib/report. Out:
 * tables with a value of each side for each row.
 */

/* enum web_diff_mark, and changes that losses alone may account for. */
const PLAIN = 0, CHANCE = 1, TOO_FEW = 2, ADDED_UP = 3, WITHIN_LOSSES = 4;

/* The figures of a metric, row by row. -1: unbounded. */
function readMetric(raw) {
	const metric = { old: raw.old, new: raw.new, q: raw.q, mark: raw.mark, known: raw.old.some((f) => f !== null) };
	metric.change = raw.new.map((f, i) => f - raw.old[i]);
	metric.larger = raw.new.map((f, i) => Math.max(f, raw.old[i]));
	metric.mark = raw.mark.map((mark, i) => raw.uncertainty[i] && metric.change[i] &&
		(raw.uncertainty[i] < 0 || Math.abs(metric.change[i]) <= raw.uncertainty[i]) ? WITHIN_LOSSES : mark);
	return metric;
}

function readTable(data, raw) {
	const table = { name: raw.name, by: raw.by, of: raw.of, left: raw.left, nrRows: raw.of.length,
		kind: raw.name.startsWith("page") ? PAGE : SLAB, stacks: raw.by === "stack", metrics: {} };
	for (const name in raw.metrics)
		table.metrics[name] = readMetric(raw.metrics[name]);
	/* What the flame graph needs: the same names, one kind. */
	table.data = { names: data.names, up: data.up, depth: data.depth, nodeName: data.nodeName, nrRows: table.nrRows,
		rows: { kind: new Uint8Array(table.nrRows).fill(PAGE), node: raw.of } };
	table.trees = new Map();
	table.text = (row) => table.stacks ?
		chainOf(table.data, row).map((n) => data.names[n]).join(" < ") : data.names[table.of[row]];
	return table;
}

function readDiff(raw) {
	const data = { banner: raw.banner, command: raw.command, tested: raw.tested === 1, main: raw.main,
		metrics: raw.metrics, runs: raw.runs, names: raw.names };
	readNodes(data, raw.nodes);
	data.tables = raw.tables.map((table) => readTable(data, table));
	data.kinds = [SLAB, PAGE].filter((kind) => data.tables.some((t) => t.kind === kind));
	return data;
}

/* What a mark says about a change. */
function markText(table, metric, row) {
	const m = table.metrics[metric];
	switch (m.change[row] ? m.mark[row] : PLAIN) {
	case CHANCE:
		return "not significant" + (m.q[row] === null ? "" : ", q " + m.q[row].toPrecision(2));
	case TOO_FEW:
		return "too few runs";
	case ADDED_UP:
		return "not tested";
	case WITHIN_LOSSES:
		return "within the losses";
	default:
		return m.q[row] === null || !m.change[row] ? "" : "q " + m.q[row].toPrecision(2);
	}
}

/* A change as text, with its sign. */
function changeText(value, bytes) {
	const text = (bytes ? bytesText : wholeText)(Math.abs(value));
	return (value > 0 ? "+" : value < 0 ? "-" : "") + text;
}
