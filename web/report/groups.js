/*
 * Rows added up by a common property. In: sums of rows. Out: groups, the largest first.
 */

const KINDS = ["Slab objects", "Pages", "vmalloc", "Per-CPU memory"];
const KIND_OPTIONS = ["--slab", "--page", "--vmalloc", "--percpu-memory"];

/* The groupings of tables, the kinds of memory that have them, and their options of kmemx stat. */
const GROUPS = {
	callsite: { title: "Callsite", kinds: ALL_KINDS, option: "--caller" },
	stack: { title: "Callchain", kinds: ALL_KINDS, option: "--by stack" },
	cache: { title: "Cache", kinds: [SLAB], option: "--by cache" },
	process: { title: "Process", kinds: ALL_KINDS, option: "--by process" },
	comm: { title: "Task", kinds: ALL_KINDS, option: "--by comm" },
	cgroup: { title: "Control group", kinds: ALL_KINDS, option: "--by cgroup" },
	entry: { title: "Entry", kinds: ALL_KINDS, option: "--by entry" },
	line: { title: "Source line", kinds: ALL_KINDS, option: "--by line" },
	request: { title: "Order, migratetype, GFP flags", kinds: [PAGE], option: "--caller" },
	matrix: { title: "Order × migratetype", kinds: [PAGE], option: "--caller" },
};

/* The groupings of @kind for which there are names. */
function groupingsOf(data, kind) {
	return Object.keys(GROUPS).filter((by) => GROUPS[by].kinds.includes(kind) &&
		(!data.rows[by] || data.rows[by].some((name) => name > 0)));
}

const METRICS = {
	bytes: { title: "Allocated", help: "Bytes allocated in the range", bytes: true },
	hit: { title: "Count", help: "Allocations in the range", bytes: false },
	waste: { title: "Waste", help: "Bytes allocated beyond the requested sizes", bytes: true },
	live: { title: "Live", help: "Bytes not seen freed at the end of the range", bytes: true },
	retained: { title: "Retained", help: "Bytes allocated in the range and not seen freed at its end", bytes: true },
	freed: { title: "Freed", help: "Bytes freed in the range, whenever they were allocated", bytes: true },
	through: { title: "Lived through", help: "Bytes live before the range and at its end", bytes: true },
	likely: { title: "End", help: "The best estimate of the bytes live at the end of the recording", bytes: true },
	least: { title: "End, least", help: "Bytes that must be live at the end of the recording", bytes: true },
	most: { title: "End, most", help: "Bytes that can be live at the end of the recording", bytes: true },
	peak: { title: "At the peak", help: "Bytes not seen freed at the peak of this kind of memory", bytes: true },
};

/* Metrics of the recording's end, whatever the range is. */
const END_METRICS = ["likely", "least", "most"];

/* Metrics of stayRange(), which may be wider than the range. */
const STAY_METRICS = ["retained", "through"];

/* The key of a row, and its text. */
function groupKey(data, by, row) {
	const r = data.rows;
	switch (by) {
	case "stack":
		return r.node[row];
	case "cache":
	case "process":
	case "comm":
	case "cgroup":
	case "entry":
	case "line":
		return r[by][row];
	case "request":
		return r.order[row] + "|" + r.type[row] + "|" + r.gfp[row];
	case "matrix":
		return r.order[row] + "|" + r.type[row];
	default:
		return r.callsite[row];
	}
}

function groupText(data, by, row) {
	const r = data.rows;
	switch (by) {
	case "stack":
		return chainOf(data, row).map((n) => data.names[n]).join(" < ");
	case "cache":
	case "process":
	case "comm":
	case "cgroup":
	case "entry":
	case "line":
		return data.names[r[by][row]];
	case "request":
		return "order " + r.order[row] + ", " + data.names[r.type[row]] + ", " +
			data.names[r.gfp[row]];
	case "matrix":
		return "order " + r.order[row] + ", " + data.names[r.type[row]];
	default:
		return data.names[r.callsite[row]];
	}
}

/* The group of each row of @kind that passes, -1: none, and one row of each group. */
function groupsOf(data, kind, by) {
	const name = kind + by;
	data.groups = data.groups || new Map();
	if (data.groups.has(name))
		return data.groups.get(name);
	const of = new Int32Array(data.nrRows).fill(-1), rows = [], keys = new Map();
	for (let row = 0; row < data.nrRows; row++) {
		if (data.rows.kind[row] !== kind || (data.passes && !data.passes[row]))
			continue;
		const key = groupKey(data, by, row);
		let group = keys.get(key);
		if (group === undefined) {
			keys.set(key, group = rows.length);
			rows.push(row);
		}
		of[row] = group;
	}
	const groups = { of, rows, keys: [...keys.keys()] };
	data.groups.set(name, groups);
	return groups;
}

/* Groups of the rows of @kind by number, with the sums of all metrics. */
class Groups {
	constructor(data, sums, kind, by) {
		const { of, rows, keys } = groupsOf(data, kind, by);
		Object.assign(this, { data, by, rows, keys, nr: rows.length });
		for (const metric in METRICS) {
			const values = sums[metric], total = this[metric] = new Float64Array(rows.length);
			for (let row = 0; row < of.length; row++)
				if (of[row] >= 0)
					total[of[row]] += values[row];
		}
		/* A group may have more live at the end than the sum of its rows. */
		const ends = !data.passes && data.ends.get(kind + by);
		keys.forEach((key, i) => {
			const end = ends && ends.get(key);
			if (end) {
				this.least[i] = end.least;
				this.most[i] = end.most;
				this.likely[i] = end.likely;
			}
		});
	}

	/* The sum of all groups. */
	total(metric) {
		return this[metric].reduce((sum, value) => sum + value, 0);
	}

	text(i) {
		return groupText(this.data, this.by, this.rows[i]);
	}
}
