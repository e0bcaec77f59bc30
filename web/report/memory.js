/*
 * All memory over time, by the kernel's counters. In: bytes of each line of the balance at some moments.
 * Out: stacked areas of the lines that changed most; what each had at the moment under the pointer.
 */
const MEMORY_HIGH = 190;
const FREE_LINES = 2; /* the first ones, which are not drawn */

/* The lines; null: the recording does not have them. */
function readLines(raw, kernel) {
	const lines = raw.lines.map(([name, ...bytes]) => ({ text: raw.names[name], bytes: bytes.map((b) => Math.max(0, b)) }));
	for (const line of lines) {
		line.least = Math.min(...line.bytes);
		line.span = Math.max(...line.bytes) - line.least;
	}
	return lines.length && kernel.moments.length > 1 ? lines : null;
}

class Memory {
	constructor(page) {
		this.page = page;
		this.whole = false;
		this.at = -1;
		this.canvas = document.getElementById("memory");
		this.canvas.addEventListener("pointermove", (e) => this.point(this.momentAt(e)));
		this.canvas.addEventListener("pointerleave", () => this.point(-1));
		this.canvas.addEventListener("keydown", (e) => this.key(e));
	}

	/* The lines that changed most, each with its own colour, and the others as one. */
	layers() {
		const used = this.page.data.lines.slice(FREE_LINES);
		const ranked = used.filter((line) => line.span || this.whole).sort((a, b) => b.span - a.span);
		const layers = ranked.slice(0, LAYERS).map((line, n) => ({ ...line, colour: "c" + n }));
		const others = ranked.slice(LAYERS).filter((line) => line.least + line.span);
		if (others.length) {
			const bytes = others[0].bytes.map((_, i) => others.reduce((sum, line) => sum + line.bytes[i], 0));
			layers.push({ text: others.length + " others", bytes, least: others.reduce((sum, line) => sum + line.least, 0),
				colour: "rest" });
		}
		return layers;
	}

	place(i) {
		const { data } = this.page, { moments } = data.kernel;
		return this.left + this.wide * Number(moments[i] - data.first) / data.long / data.places;
	}

	momentAt(e) {
		const x = e.clientX - this.canvas.getBoundingClientRect().left, { moments } = this.page.data.kernel;
		return moments.reduce((best, _, i) => Math.abs(this.place(i) - x) < Math.abs(this.place(best) - x) ? i : best, 0);
	}

	key(e) {
		const last = this.page.data.kernel.moments.length - 1, step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		if (step)
			this.point(this.at < 0 ? (step < 0 ? last : 0) : Math.max(0, Math.min(this.at + step, last)));
		else if (e.key === "Escape")
			this.point(-1);
		else
			return;
		e.preventDefault();
	}

	point(at) {
		if (at === this.at)
			return;
		this.at = at;
		this.paint();
	}

	/* What each line has at moment @i, and its change since the first one, as text. */
	text(i) {
		const { data } = this.page, change = (bytes) => (bytes < 0 ? "−" : "+") + bytesText(Math.abs(bytes));
		const free = data.lines.slice(0, FREE_LINES).reduce((sum, line) => sum + line.bytes[i], 0);
		return "At " + sinceText(data, data.kernel.moments[i]) + ": " + this.drawn.map(({ text, bytes }) =>
			text + " " + bytesText(bytes[i]) + " (" + change(bytes[i] - bytes[0]) + ")").join(", ") + "; free " + bytesText(free) + ".";
	}

	draw() {
		const { data } = this.page, place = document.getElementById("memory-part");
		place.hidden = !data.lines;
		if (place.hidden || !place.open)
			return;
		document.getElementById("memory-bar").replaceChildren(choice("Memory's lines",
			[[false, "What changed", "Each line above its least value"], [true, "All that is used"]], this.whole, (whole) => {
				this.whole = whole;
				this.draw();
			}));
		this.drawn = this.layers();
		document.getElementById("memory-legend").replaceChildren(...this.drawn.map(({ text, colour }) =>
			legendItem(colour, text)));
		this.table();
		this.paint();
	}

	table() {
		const { data } = this.page, { moments } = data.kernel, step = Math.ceil(moments.length / MOMENTS);
		const lines = data.lines.filter((line) => line.least + line.span);
		const row = (first, scope, cells) => make("tr", {}, make("th", { scope }, first), ...cells);
		document.getElementById("memory-table").replaceChildren(
			row("At", "col", lines.map((line) => make("th", { scope: "col" }, line.text))),
			...moments.map((_, i) => i).filter((i) => i % step === 0 || i === moments.length - 1).map((i) =>
				row(sinceText(data, moments[i]), "row", lines.map((line) =>
					make("td", { className: "number" }, wholeText(line.bytes[i]))))));
	}

	paint() {
		const { data } = this.page, { moments } = data.kernel, layers = this.drawn;
		const { to, width, height } = prepareCanvas(this.canvas, MEMORY_HIGH + scaled(20));
		const left = this.left = scaled(66), bottom = height - scaled(20);
		this.wide = width - left;
		const value = (layer, i) => layer.bytes[i] - (this.whole ? 0 : layer.least);
		const sums = moments.map((_, i) => layers.reduce((sum, layer) => sum + value(layer, i), 0));
		const most = Math.max(1, ...sums), y = (bytes) => bottom - (bottom - 8) * bytes / most;
		const base = new Float64Array(moments.length);
		for (const layer of layers) {
			to.beginPath();
			moments.forEach((_, i) => to.lineTo(this.place(i), y(base[i])));
			for (let i = moments.length - 1; i >= 0; i--) {
				base[i] += value(layer, i);
				to.lineTo(this.place(i), y(base[i]));
			}
			to.closePath();
			to.fillStyle = styled(layer.colour);
			to.fill();
			to.strokeStyle = styled("paper");
			to.lineWidth = 0.5;
			to.stroke();
		}
		this.scale(to, most, y, width, bottom);
		const i = this.at < 0 ? moments.length - 1 : this.at;
		if (this.at >= 0) {
			to.strokeStyle = styled("ink");
			to.beginPath();
			to.moveTo(this.place(i), 0);
			to.lineTo(this.place(i), bottom);
			to.stroke();
		}
		document.getElementById("memory-hover").textContent = this.text(i);
	}

	scale(to, most, y, width, bottom) {
		const { data } = this.page, { left } = this;
		bytesAxis(to, most, y, left, width);
		to.textAlign = "left";
		to.fillText(sinceText(data, data.first), left, bottom + scaled(12));
		to.textAlign = "right";
		to.fillText(sinceText(data, data.last), width, bottom + scaled(12));
	}
}
