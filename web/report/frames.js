/*
 * Page frames over time. In: for each part of the page frames and each bin the number of live pages
 * and the callsite that has most of them. Out: a map: time from left to right, page frames
 * downward.
 */
const FRAMES_HIGH = 260;

/* The runs expanded to arrays of all parts and bins, part by part. */
function readFrames(raw, runs, bins) {
	if (!raw.first.length)
		return null;
	const nr = raw.first.length * raw.bins;
	const frames = { first: raw.first.map(BigInt), pages: raw.pages, bins: raw.bins, left: raw.left,
		site: new Uint32Array(nr), most: new Float64Array(nr), live: new Float64Array(nr),
		width: BigInt(raw.width), timeBins: bins };
	let at = 0;
	runs.bins.forEach((count, i) => {
		frames.site.fill(runs.site[i], at, at + count);
		frames.most.fill(runs.most[i], at, at + count);
		frames.live.fill(runs.pages[i], at, at + count);
		at += count;
	});
	return frames;
}

class Frames {
	constructor(page, canvas, hover, legend) {
		this.page = page;
		this.canvas = canvas;
		this.hover = hover;
		this.legend = legend;
		this.part = this.bin = -1;
		canvas.addEventListener("pointermove", (e) => this.at(this.cellAt(e)));
		canvas.addEventListener("pointerleave", () => this.at([-1, -1]));
		canvas.addEventListener("click", (e) => this.mark(this.cellAt(e)));
		canvas.addEventListener("keydown", (e) => this.key(e));
		if (page.data.frames)
			this.rank();
	}

	/* The callsites that held most for the longest time get a colour. */
	rank() {
		const { site, most } = this.page.data.frames, sums = new Map();
		for (let i = 0; i < site.length; i++)
			if (site[i])
				sums.set(site[i], (sums.get(site[i]) || 0) + most[i]);
		this.ranked = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a));
	}

	choose() {
		const { data, slots } = this.page, top = this.ranked.slice(0, LAYERS);
		const chosen = slots.choose(top.map((site) => data.names[site]));
		this.colourOf = new Map(top.map((site) => [site, "c" + chosen.get(data.names[site])]));
	}

	cellAt(e) {
		const frames = this.page.data.frames, box = this.canvas.getBoundingClientRect();
		const bin = Math.floor((e.clientX - box.left - this.left) / (box.width - this.left) * this.bins());
		const part = Math.floor((e.clientY - box.top) / this.high);
		return bin < 0 || bin >= frames.bins || part < 0 || part >= frames.first.length ? [-1, -1] : [part, bin];
	}

	/* The number of map bins in the time of the timeline; the last one may be partial. */
	bins() {
		const { data } = this.page;
		return data.places * data.long / Number(data.frames.width);
	}

	key(e) {
		const frames = this.page.data.frames;
		const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key];
		if (e.key === "Enter" || e.key === " ")
			this.mark([this.part, this.bin]);
		else if (e.key === "Escape")
			this.at([-1, -1]);
		else if (step)
			this.at([Math.max(0, Math.min(this.part + step[0], frames.first.length - 1)),
				Math.max(0, Math.min(this.bin + step[1], frames.bins - 1))]);
		else
			return;
		e.preventDefault();
	}

	/* A click marks the callsite, like a click on its row. */
	mark([part, bin]) {
		const frames = this.page.data.frames;
		const site = part < 0 ? 0 : frames.site[part * frames.bins + bin];
		if (!site)
			return;
		if (this.page.kind !== PAGE || this.page.by !== "callsite") {
			this.page.kind = PAGE;
			this.page.by = "callsite";
			this.page.marked = null;
		}
		this.page.mark(site);
	}

	at([part, bin]) {
		if (part === this.part && bin === this.bin)
			return;
		this.part = part;
		this.bin = bin;
		this.hover.textContent = part < 0 ? "" : this.text(part, bin);
		this.paint();
	}

	text(part, bin) {
		const { data } = this.page, frames = data.frames, i = part * frames.bins + bin;
		const first = frames.first[part], last = first + BigInt(frames.pages) - 1n;
		const end = data.first + BigInt(bin + 1) * frames.width - 1n;
		return "Page frames 0x" + first.toString(16) + " to 0x" + last.toString(16) + " at " +
			sinceText(data, end > data.last ? data.last : end) + ": " + wholeText(frames.live[i]) + " of " +
			wholeText(frames.pages) + " pages live" + (frames.site[i] ? ", " + wholeText(frames.most[i]) +
			" of " + data.names[frames.site[i]] : "");
	}

	draw() {
		const { data, kind } = this.page, frames = data.frames;
		const place = document.getElementById("frames-part");
		place.hidden = !frames || kind !== PAGE;
		if (place.hidden || !place.open)
			return;
		this.choose();
		this.paint();
		const shown = [...this.colourOf].map(([site, colour]) => [colour, data.names[site]]);
		if (this.ranked.length > LAYERS)
			shown.push(["rest", this.ranked.length - LAYERS + " others"]);
		const texts = cutTexts(shown.map(([, text]) => text), LEGEND_TEXT);
		this.legend.replaceChildren(...shown.map(([colour, text], n) => legendItem(colour, texts[n], text)));
		document.getElementById("frames-note").textContent = "Each row is " + wholeText(frames.pages) +
			" page frames; frames that were never allocated have no row. The colour is that of the callsite that " +
			"held most of the row: the stronger, the more of its pages were live." + (frames.left ? " " +
			wholeText(frames.left) + " pages in further pageblocks are not on the map." : "");
	}

	paint() {
		const { data } = this.page, frames = data.frames, parts = frames.first.length;
		this.high = Math.max(1, Math.min(14, FRAMES_HIGH / parts));
		const { to, width } = prepareCanvas(this.canvas, Math.ceil(this.high * parts) + scaled(20));
		const left = this.left = scaled(66), wide = (width - left) / this.bins(), bottom = this.high * parts;
		const colours = new Map([...this.colourOf].map(([site, name]) => [site, styled(name)]));
		const rest = styled("rest"), marked = this.page.by === "callsite" ? this.page.marked : null;
		to.fillStyle = styled("mark");
		to.fillRect(left, 0, width - left, bottom);
		for (let part = 0; part < parts; part++) {
			for (let bin = 0, end; bin < frames.bins; bin = end) {
				const i = part * frames.bins + bin, x = Math.round(left + bin * wide);
				for (end = bin + 1; end < frames.bins && frames.live[i + end - bin] === frames.live[i] &&
					frames.site[i + end - bin] === frames.site[i];)
					end++;
				if (!frames.live[i])
					continue;
				to.globalAlpha = (0.3 + 0.7 * Math.sqrt(Math.min(1, frames.live[i] / frames.pages))) *
					(marked !== null && frames.site[i] !== marked ? 0.25 : 1);
				to.fillStyle = colours.get(frames.site[i]) || rest;
				to.fillRect(x, part * this.high, Math.min(Math.round(left + end * wide), width) - x,
					this.high > 3 ? this.high - 0.5 : this.high);
			}
		}
		to.globalAlpha = 1;
		this.scale(to, left, width, bottom);
		if (this.part >= 0) {
			to.strokeStyle = styled("ink");
			to.lineWidth = 1.5;
			to.strokeRect(left + this.bin * wide, this.part * this.high, wide, this.high);
		}
	}

	scale(to, left, width, bottom) {
		const { data } = this.page, first = data.frames.first;
		to.font = fontOf(11);
		to.fillStyle = styled("dim");
		to.textAlign = "right";
		to.fillText("0x" + first[0].toString(16), left - 6, scaled(7));
		if (bottom > 30)
			to.fillText("0x" + first[first.length - 1].toString(16), left - 6, bottom - 6);
		to.textAlign = "left";
		to.fillText(sinceText(data, data.first), left, bottom + scaled(12));
		to.textAlign = "right";
		to.fillText(sinceText(data, data.last), width, bottom + scaled(12));
	}
}
