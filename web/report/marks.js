/*
 * Events on the timeline, and the time axis. In: losses, failures, ends of tasks, OOM kills, marks
 * of the user. Out: signs on the drawing, their legend, words for a part of the time; times at even
 * steps.
 */
const SIGNS = [
	{ sign: "▼", title: "Lost events" },
	{ sign: "×", title: "Failed allocations" },
	{ sign: "△", title: "End of a task" },
	{ sign: "◆", title: "Killed by the OOM killer" },
	{ sign: "⚑", title: "Mark of the user" },
];
const LOST = 0, FAILED = 1, FIRST_EVENT = 2;
const NAMES_SAID = 3;
const TICK_ROOM = 96; /* pixels */

/* Events with their places. */
function readEvents(raw, data) {
	return raw.events.map(([ts, kind, name]) => ({ place: Number(BigInt(ts) - data.first) / data.long, kind, name }));
}

/* Which signs the page has. */
function signsOf(data) {
	const seen = SIGNS.map(() => false);
	for (const [, lost, gaps, failed] of data.marks) {
		seen[LOST] = seen[LOST] || lost > 0 || gaps > 0;
		seen[FAILED] = seen[FAILED] || failed > 0;
	}
	for (const { kind } of data.events)
		seen[FIRST_EVENT + kind] = true;
	return seen;
}

function signLegend(data) {
	const seen = signsOf(data);
	return SIGNS.map(({ sign, title }, i) => {
		const left = i >= FIRST_EVENT ? data.eventsLeft[i - FIRST_EVENT] : 0;
		return seen[i] && make("li", {}, make("span", { className: i > FIRST_EVENT + 1 || i === FIRST_EVENT ? "sign" :
			"sign loud" }, sign), title + (left ? " (" + wholeText(left) + " later ones are not shown)" : ""));
	}).filter((item) => item);
}

/* What happened in the bins @first up to @end, in words; "": nothing. */
function marksText(data, first, end) {
	const words = [], sums = [0, 0, 0], of = SIGNS.slice(FIRST_EVENT).map(() => []);
	for (const [bin, ...numbers] of data.marks)
		if (bin >= first && bin < end)
			numbers.forEach((n, i) => {
				sums[i] += n;
			});
	for (const { place, kind, name } of data.events) {
		const bin = binOf(data, place);
		if (bin >= first && bin < end)
			of[kind].push(data.names[name]);
	}
	const several = (n, one, many) => wholeText(n) + " " + (n === 1 ? one : many);
	const named = (names) => names.slice(0, NAMES_SAID).join(", ") +
		(names.length > NAMES_SAID ? " and " + wholeText(names.length - NAMES_SAID) + " more" : "");
	if (sums[0])
		words.push(several(sums[0], "event lost", "events lost"));
	if (sums[1])
		words.push(several(sums[1], "gap of unknown length", "gaps of unknown length"));
	if (sums[2])
		words.push(several(sums[2], "failed allocation", "failed allocations"));
	if (of[0].length)
		words.push(several(of[0].length, "task ended", "tasks ended") + ": " + named(of[0]));
	if (of[1].length)
		words.push("killed by the OOM killer: " + named(of[1]));
	if (of[2].length)
		words.push((of[2].length > 1 ? "marks: " : "mark: ") + named(of[2].map((text) => "“" + text + "”")));
	return words.join("; ");
}

/* The step of the times on an axis of @span ns, at most @most: 1, 2 or 5 times a power of ten. */
function tickStep(span, most) {
	const least = Math.max(1, span / Math.max(1, most)), zeros = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((n) => n * zeros).find((step) => step >= least * (1 - 1e-9));
}

/* The time @at since the first event, as precise as @step. */
function tickText(data, at, step) {
	if (!data.ns)
		return "+" + wholeText(at);
	const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]].find(([n]) => n <= Math.max(at, step));
	return "+" + (at / size).toFixed(Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9))) + " " + unit;
}

class Marks {
	constructor(page) {
		this.page = page;
	}

	/* Writes the times below the drawing. */
	times(to, x, left, width, height) {
		const { data, zoom } = this.page, { long } = data, start = zoom.from * long, end = zoom.to * long;
		const step = tickStep(end - start, Math.floor((width - left) / scaled(TICK_ROOM)));
		to.textAlign = "center";
		to.beginPath();
		for (let at = Math.ceil(start / step) * step; at <= end; at += step) {
			const place = Math.round(x(at / long)) + 0.5, text = tickText(data, at, step);
			const half = to.measureText(text).width / 2;
			to.moveTo(place, height - scaled(21));
			to.lineTo(place, height - scaled(16));
			to.fillText(text, Math.max(left + half, Math.min(place, width - half)), height - scaled(8));
		}
		to.stroke();
	}

	/* Draws a sign at @at, unless the same one is already there. */
	sign(to, kind, at, y) {
		const key = kind + " " + Math.round(at / 6);
		if (this.taken.has(key))
			return;
		this.taken.add(key);
		to.fillText(SIGNS[kind].sign, at, y);
	}

	draw(to, xOf, bottom) {
		const { data, zoom } = this.page, x = (bin) => xOf(placeOf(data, bin));
		this.taken = new Set();
		to.textAlign = "center";
		to.font = "bold " + fontOf(12);
		to.fillStyle = styled("loud");
		for (const [bin, lost, gaps, failed] of data.marks) {
			const at = (x(bin) + x(bin + 1)) / 2;
			if (lost || gaps) {
				to.globalAlpha = 0.25;
				to.fillRect(x(bin), 14, Math.max(2, x(bin + 1) - x(bin)), bottom - 14);
				to.globalAlpha = 1;
				this.sign(to, LOST, at, 7);
			}
			if (failed)
				this.sign(to, FAILED, at, bottom + 7);
		}
		for (const { place, kind } of data.events)
			if (place >= zoom.from && place < zoom.to)
				this.event(to, kind, xOf(place), bottom);
	}

	/* Many tasks end, so only the other events get a line. */
	event(to, kind, at, bottom) {
		to.strokeStyle = to.fillStyle = styled(kind === 1 ? "loud" : "ink");
		this.sign(to, FIRST_EVENT + kind, at, kind ? 20 : bottom + 6);
		if (!kind)
			return;
		to.beginPath();
		to.moveTo(at, 28);
		to.lineTo(at, bottom);
		to.lineWidth = 1;
		to.stroke();
	}
}
