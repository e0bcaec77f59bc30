/*
 * The address keeps what is shown. In: the page's choices, or an address. Out: the part of the address
 * behind #, with the times and words of the command line; the choices. An address is untrusted.
 */
const STATE_WAIT = 150; /* ms; browsers limit how often an address may change */

function timeText(data, first, last) {
	return stampText(data, binStart(data, first)) + "," + stampText(data, binEnd(data, last));
}

/* The time that is seen, which need not begin with a bin. */
function seenText(data, zoom) {
	const end = data.first + BigInt(zoom.offset(zoom.to)) - 1n;
	return stampText(data, data.first + BigInt(zoom.offset(zoom.from))) + "," +
		stampText(data, zoom.to === data.places && data.last > end ? data.last : end);
}

/* Reads a time as stampText() writes it, since the first bin; NaN if the text is not a time. */
function offsetOfText(data, text) {
	const parts = /^(\d{1,20})(?:\.(\d{1,9}))?$/.exec(text);
	if (!parts || (parts[2] && !data.ns))
		return NaN;
	const stamp = data.ns ? BigInt(parts[1]) * 1000000000n + BigInt((parts[2] || "").padEnd(9, "0")) : BigInt(parts[1]);
	return stamp < data.first ? 0 : Math.min(Number(stamp - data.first), data.places * data.long - 1);
}

/* The times of "START,STOP", the end not included; null: it is something else. If bins cannot
 * become shorter, they begin and end with bins.
 */
function rangeOfText(data, text) {
	const times = (text || "").split(",").map((part) => offsetOfText(data, part));
	if (times.length !== 2 || !(times[0] <= times[1]))
		return null;
	return data.partColumns ? [times[0], times[1] + 1] : [data.starts[binAt(data, times[0])], endOf(data, binAt(data, times[1]))];
}

const MEMORY_WORDS = ["slab", "page", "vmalloc", "percpu"];

/* The page's choices as text; @elsewhere: for a page of another time, so without times. */
function stateText(page, elsewhere) {
	const { data, zoom } = page, words = new URLSearchParams();
	const add = (name, value, usual) => {
		if (value !== usual)
			words.set(name, value);
	};
	if (!page.whole() && !elsewhere)
		words.set("range", timeText(data, page.first, page.last));
	if (!zoom.all && !elsewhere)
		words.set("zoom", seenText(data, zoom));
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

/* Sets the page's choices; those that the address lacks get their defaults. */
function readState(page, text) {
	const { data, zoom } = page, words = new URLSearchParams(text), all = [0, data.places * data.long];
	const one = (name, all, usual) => all.includes(words.get(name)) ? words.get(name) : usual;
	const range = rangeOfText(data, words.get("range")) || all;
	const seen = (rangeOfText(data, words.get("zoom")) || all).map((offset) => offset / data.long);
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
	page.chooseTime(range[0] === all[0] && range[1] === all[1] ? null : range);
	zoom.show(seen[0], seen[1] - seen[0]);
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
			/* a page inside another one cannot change its address */
		}
	}
}
