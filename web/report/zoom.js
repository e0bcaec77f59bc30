/*
 * The part of the time that is seen. In: wheel, fingers, drags and keys on the timeline. Out: the bins
 * from @from up to @to, which are seen; the range of them that the page selects; the steps back.
 */
const LEAST_SEEN = 8; /* bins */
const ZOOM_STEP = 1.3;
const LEAST_DRAG = 4; /* pixels; less is a click */
const ONE_WHEEL = 600; /* ms; wheel events closer than that are one step */
const STEPS_KEPT = 50;

class Zoom {
	constructor(page, timeline, canvas) {
		this.page = page;
		this.timeline = timeline;
		this.canvas = canvas;
		this.from = 0;
		this.to = page.data.bins;
		this.steps = [];
		this.wheeled = 0;
		this.fingers = new Map();
		this.start = null; /* of a drag: where, in which bin */
		canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
		canvas.addEventListener("pointerdown", (e) => this.down(e));
		canvas.addEventListener("pointermove", (e) => this.move(e));
		for (const end of ["pointerup", "pointercancel"])
			canvas.addEventListener(end, (e) => this.up(e));
		canvas.addEventListener("dblclick", () => this.toSelection());
		canvas.addEventListener("keydown", (e) => this.key(e));
	}

	get all() {
		return this.from === 0 && this.to === this.page.data.bins;
	}

	get seen() {
		return this.to - this.from;
	}

	/* Shows @nr bins from @from on, or as near to that as the time allows. */
	show(from, nr) {
		const bins = this.page.data.bins;
		const seen = Math.max(Math.min(LEAST_SEEN, bins), Math.min(Math.round(nr), bins));
		this.from = Math.max(0, Math.min(Math.round(from), bins - seen));
		this.to = this.from + seen;
		this.page.later(false);
	}

	/* Zooms by a factor; what is at @place, in bins, stays where it is. */
	by(factor, place) {
		const nr = Math.max(LEAST_SEEN, this.seen * factor);
		this.show(place - (place - this.from) * nr / this.seen, nr);
	}

	/* What + and - zoom around: the selection, if it is seen. */
	middle() {
		const { page } = this, selected = (page.first + page.last + 1) / 2;
		return !page.whole() && selected >= this.from && selected <= this.to ? selected : (this.from + this.to) / 2;
	}

	pan(bins) {
		this.show(this.from + bins, this.seen);
	}

	/* Moves what is seen, if it does not have @bin. */
	reveal(bin) {
		if (bin < this.from || bin >= this.to)
			this.show(bin - this.seen / 2, this.seen);
	}

	/* Escape comes back to here. */
	remember() {
		const { first, last } = this.page;
		this.steps.push([this.from, this.seen, first, last]);
		if (this.steps.length > STEPS_KEPT)
			this.steps.shift();
	}

	back() {
		const last = this.page.data.bins - 1;
		const [from, nr, a, b] = this.steps.pop() || [0, last + 1, 0, last];
		this.show(from, nr);
		this.page.choose(a, b);
	}

	whole() {
		this.remember();
		this.show(0, this.page.data.bins);
	}

	/* A single bin is rather a place than a range: it is seen with those around it. */
	toSelection() {
		const { first, last } = this.page, nr = last - first + 1;
		this.remember();
		if (nr > 1)
			this.show(first, nr);
		else
			this.by(1 / 4, first + 0.5);
	}

	wheel(e) {
		e.preventDefault();
		if (e.timeStamp - this.wheeled > ONE_WHEEL)
			this.remember();
		this.wheeled = e.timeStamp;
		const lines = (e.deltaMode ? 16 : 1) / 100;
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			this.pan((e.deltaX || e.deltaY) * lines * this.seen / 10);
		else
			this.by(ZOOM_STEP ** Math.max(-3, Math.min(e.deltaY * lines, 3)), this.timeline.placeAt(e));
	}

	down(e) {
		if (e.button)
			return;
		this.canvas.setPointerCapture(e.pointerId);
		this.fingers.set(e.pointerId, e);
		this.start = this.fingers.size === 1 ? { x: e.clientX, bin: this.timeline.binAt(e), drag: false } : null;
		if (this.fingers.size === 2) {
			this.remember();
			this.grip = [...this.fingers.values()].map((finger) => this.timeline.placeAt(finger));
		}
	}

	move(e) {
		if (this.fingers.has(e.pointerId))
			this.fingers.set(e.pointerId, e);
		if (this.fingers.size === 2) {
			this.pinch();
		} else if (this.start && (this.start.drag || Math.abs(e.clientX - this.start.x) >= LEAST_DRAG)) {
			if (!this.start.drag)
				this.remember();
			this.start.drag = true;
			this.select(this.start.bin, this.timeline.binAt(e));
		}
	}

	/* What was under each finger stays there. */
	pinch() {
		const at = [...this.fingers.values()].map((finger) => this.timeline.partAt(finger));
		const [a, b] = this.grip, apart = at[1] - at[0];
		if (Math.abs(apart) < 0.01 || (b - a) / apart <= 0)
			return;
		const nr = (b - a) / apart;
		this.show(a - at[0] * nr, nr);
	}

	/* A click beside the selection selects a bin. */
	up(e) {
		const { page, start } = this;
		this.fingers.delete(e.pointerId);
		this.start = null;
		const inside = start && start.bin >= page.first && start.bin <= page.last;
		if (start && !start.drag && e.type === "pointerup" && (!inside || page.whole())) {
			this.remember();
			this.select(start.bin, start.bin);
		}
	}

	select(a, b) {
		this.page.choose(Math.min(a, b), Math.max(a, b));
	}

	key(e) {
		const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		const factor = { "+": 1 / ZOOM_STEP, "=": 1 / ZOOM_STEP, "-": ZOOM_STEP }[e.key];
		if (e.ctrlKey || e.altKey || e.metaKey)
			return;
		if (step) {
			this.pan(e.shiftKey ? step : step * Math.max(1, this.seen / 10));
		} else if (factor) {
			this.remember();
			this.by(factor, this.middle());
		} else if (e.key === "0") {
			this.whole();
		} else if (e.key === "Enter") {
			this.remember();
			this.select(this.from, this.to - 1);
		} else if (e.key === "Escape") {
			this.back();
		} else {
			return;
		}
		e.preventDefault();
	}
}
