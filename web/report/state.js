/*
 * The address keeps what is shown. In: the page's choices, or an address. Out: the part of the address
 * behind #, with the times and words of the command line; the choices. An address is untrusted.
 */
const STATE_WAIT = 150; /* ms; browsers limit how often an address may change */

function timeText(data, first, last) {
	return stampText(data, binStart(data, first)) + "," + stampText(data, binEnd(data, last));
}

/* The bin of a time as stampText() writes it; NaN: it is none. */
function binOfText(data, text) {
	const parts = /^(\d{1,20})(?:\.(\d{1,9}))?$/.exec(text);
	if (!parts || (parts[2] && !data.ns))
		return NaN;
	const stamp = data.ns ? BigInt(parts[1]) * 1000000000n + BigInt((parts[2] || "").padEnd(9, "0")) : BigInt(parts[1]);
	const bin = stamp < data.first ? 0n : (stamp - data.first) / data.width;
	return bin < BigInt(data.bins) ? Number(bin) : data.bins - 1;
}

/* The bins of "START,STOP"; NULL: it is something else. */
function binsOfText(data, text) {
	const bins = (text || "").split(",").map((part) => binOfText(data, part));
	return bins.length === 2 && bins[0] <= bins[1] ? bins : null;
}

const MEMORY_WORDS = ["slab", "page", "vmalloc", "percpu"];

/* For a page of another time: without times. */
function stateText(page, elsewhere) {
	const { data, zoom } = page, words = new URLSearchParams();
	const add = (name, value, usual) => {
		if (value !== usual)
			words.set(name, value);
	};
	if (!page.whole() && !elsewhere)
		words.set("range", timeText(data, page.first, page.last));
	if (!zoom.all && !elsewhere)
		words.set("zoom", timeText(data, zoom.from, zoom.to - 1));
	add("memory", MEMORY_WORDS[page.kind], MEMORY_WORDS[data.usualKind]);
	add("figure", page.metric, "bytes");
	add("by", page.by, "callsite");
	add("from", page.flame.inward ? "callers" : "callees", "callers");
	add("view", page.view, "flame");
	if (page.view === "sandwich" && page.focus)
		words.set("function", data.names[page.focus]);
	add("f", page.typed, "");
	if (page.marked !== null)
		words.set("mark", page.markedText());
	return words.toString().replaceAll("%2C", ",");
}

/* What the address does not say is as usual. */
function readState(page, text) {
	const { data, zoom } = page, words = new URLSearchParams(text), last = data.bins - 1;
	const one = (name, all, usual) => all.includes(words.get(name)) ? words.get(name) : usual;
	const range = binsOfText(data, words.get("range")) || [0, last];
	const seen = binsOfText(data, words.get("zoom")) || [0, last];
	const usual = MEMORY_WORDS[data.usualKind];
	page.kind = MEMORY_WORDS.indexOf(one("memory", data.kinds.map((k) => MEMORY_WORDS[k]), usual));
	page.metric = one("figure", Object.keys(METRICS).filter((m) => m !== "waste" || page.kind === SLAB), "bytes");
	page.by = one("by", groupingsOf(data, page.kind), "callsite");
	page.flame.turn(one("from", ["callers", "callees"], "callers") === "callers");
	page.view = one("view", VIEWS.map(([view]) => view), "flame");
	page.focus = Math.max(0, data.names.indexOf(words.get("function") || ""));
	page.search.value = words.get("f") || "";
	page.type(page.search.value);
	page.marked = words.has("mark") ? page.keyOf(words.get("mark")) : null;
	page.choose(...range);
	zoom.show(seen[0], seen[1] - seen[0] + 1);
}

/* Changes the address a little after the page has changed. */
class State {
	constructor(page) {
		this.page = page;
		/* write() may have changed the address again. */
		addEventListener("hashchange", (e) => {
			readState(page, new URL(e.newURL).hash.slice(1));
			page.draw();
		});
	}

	changed() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.write(), STATE_WAIT);
	}

	write() {
		const text = stateText(this.page);
		try {
			history.replaceState(null, "", "#" + text);
		} catch {
			/* a page inside of another one: its address stays */
		}
	}
}
