/*
 * The part of the time that is seen. In: wheel, fingers, drags and keys on the timeline. Out: what
 * is seen, from place @from to place @to; the range that the page selects; the steps back.
 */
const LEAST_SEEN = 8; /* bins */
const ZOOM_STEP = 1.3;
const LEAST_DRAG = 4; /* pixels; less is a click */
const ONE_WHEEL = 600; /* ms; wheel events closer together are one step */
const STEPS_KEPT = 50;

class Zoom {
	constructor(page, timeline, canvas) {
		this.page = page;
		this.timeline = timeline;
		this.canvas = canvas;
		this.from = 0;
		this.to = page.data.places;
		this.steps = [];
		this.wheeled = 0;
		this.fingers = new Map();
		this.start = null; /* of a drag: the position, and the time where its bin begins */
		canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
		canvas.addEventListener("pointerdown", (e) => this.down(e));
		canvas.addEventListener("pointermove", (e) => this.move(e));
		for (const end of ["pointerup", "pointercancel"])
			canvas.addEventListener(end, (e) => this.up(e));
		canvas.addEventListener("dblclick", () => this.toSelection());
		canvas.addEventListener("keydown", (e) => this.key(e));
	}

	get all() {
		return this.from === 0 && this.to === this.page.data.places;
	}

	/* The bins that are seen, at least in part. */
	get bins() {
		const { data } = this.page, last = binOf(data, this.to);
		return [binOf(data, this.from), placeOf(data, last) < this.to ? last : last - 1];
	}

	/* The least that can be seen: some bins, or if these can be divided, a tick on two pixels.
	 */
	get least() {
		const { data } = this.page, ticks = Math.ceil((this.canvas.clientWidth || 1) / 2);
		return Math.min(LEAST_SEEN, data.places, data.partColumns ? ticks / data.long : data.places);
	}

	/* The length of the first visible bin. */
	get bin() {
		const { data } = this.page, bin = binOf(data, this.from);
		return placeOf(data, bin + 1) - placeOf(data, bin);
	}

	/* The time of a place, since the first bin. */
	offset(place) {
		return Math.round(place * this.page.data.long);
	}

	get seen() {
		return this.to - this.from;
	}

	/* Shows @nr places from @from on, as closely as possible: whole bins, or if bins can become
	 * shorter, whole units of the clock.
	 */
	show(from, nr) {
		const { places, long, partColumns } = this.page.data, unit = partColumns ? 1 / long : 1;
		const whole = (place) => unit === 1 ? Math.round(place) : Math.round(place * long) / long;
		const seen = Math.max(this.least, Math.min(Math.max(unit, whole(nr)), places));
		this.from = Math.max(0, Math.min(whole(from), whole(places - seen)));
		this.to = Math.min(whole(this.from + seen), places);
		this.page.later("seen");
	}

	/* Zooms by a factor; what is at @place stays where it is. */
	by(factor, place) {
		const nr = Math.max(this.least, this.seen * factor);
		this.show(place - (place - this.from) * nr / this.seen, nr);
	}

	/* What + and - zoom around: the selection, if it is seen. */
	middle() {
		const { page } = this, selected = (placeOf(page.data, page.first) + placeOf(page.data, page.last + 1)) / 2;
		return !page.whole() && selected >= this.from && selected <= this.to ? selected : (this.from + this.to) / 2;
	}

	pan(places) {
		this.show(this.from + places, this.seen);
	}

	/* Moves what is seen if @bin is not in it. */
	reveal(bin) {
		const place = placeOf(this.page.data, bin);
		if (place < this.from || place >= this.to)
			this.show(place - this.seen / 2, this.seen);
	}

	/* Remembers this view, to which Escape returns. */
	remember() {
		this.steps.push([this.from, this.seen, this.page.range]);
		if (this.steps.length > STEPS_KEPT)
			this.steps.shift();
	}

	back() {
		const [from, nr, range] = this.steps.pop() || [0, this.page.data.places, null];
		this.show(from, nr);
		this.page.chooseTime(range);
	}

	whole() {
		this.remember();
		this.show(0, this.page.data.places);
	}

	/* Shows the selection; a single bin with those around it. */
	toSelection() {
		const { first, last, data } = this.page, from = placeOf(data, first), to = placeOf(data, last + 1);
		this.remember();
		if (last > first)
			this.show(from, to - from);
		else
			this.by(1 / 4, (from + to) / 2);
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
		this.start = this.fingers.size === 1 ? { x: e.clientX, from: this.page.data.starts[this.timeline.binAt(e)], drag: false } : null;
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
			this.select(binAt(this.page.data, this.start.from), this.timeline.binAt(e));
		}
	}

	/* Zooms so that what was under each finger stays there. */
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
		const bin = start && binAt(page.data, start.from), inside = start && bin >= page.first && bin <= page.last;
		if (start && !start.drag && e.type === "pointerup" && (!inside || page.whole())) {
			this.remember();
			this.select(bin, bin);
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
			this.pan(step * (e.shiftKey ? this.bin : Math.max(this.bin, this.seen / 10)));
		} else if (factor) {
			this.remember();
			this.by(factor, this.middle());
		} else if (e.key === "0") {
			this.whole();
		} else if (e.key === "Enter") {
			this.remember();
			this.select(...this.bins);
		} else if (e.key === "Escape") {
			this.back();
		} else {
			return;
		}
		e.preventDefault();
	}
}
