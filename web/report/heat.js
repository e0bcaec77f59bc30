/*
 * Heat maps: time from left to right, and upward the size of what was allocated, or how long it lived.
 * In: cells and stays of the rows that pass the filter. Out: maps; a rectangle of the first one selects the
 * range and filters by size; of the second one, the range, and it names the largest callsites.
 */
const HEAT_COLUMN = 7; /* minimum width in pixels */
const HEAT_ROW = 15;
const NEVER = 32; /* the row for memory not seen freed, above all others */

/* Bytes of a row's allocations; the mean, where they differ. */
function sizesOf(data) {
	if (!data.sizes) {
		const { hit, bytes } = sumRows(data, 0, data.bins - 1);
		data.sizes = bytes.map((sum, row) => hit[row] ? Math.round(sum / hit[row]) : 0);
	}
	return data.sizes;
}

/* Rows are powers of two. Row 6 has sizes of 64 to 127 bytes. Lifetimes: row 0 ends in the same
 * bin, row 1 in the next one, row 2 two or three later.
 */
function sizeRow(size) {
	return size ? Math.floor(Math.log2(size)) : 0;
}

function lifeRow(bins) {
	return bins ? Math.floor(Math.log2(bins)) + 1 : 0;
}

class Heat {
	constructor(page, canvas, hover, lives) {
		this.page = page;
		this.canvas = canvas;
		this.words = hover;
		this.lives = lives;
		this.corner = this.other = null;
		canvas.addEventListener("pointerdown", (e) => this.down(e));
		canvas.addEventListener("pointermove", (e) => this.move(e));
		canvas.addEventListener("pointerup", (e) => this.up(e));
		canvas.addEventListener("pointercancel", () => this.cancel());
		canvas.addEventListener("pointerleave", () => this.say(null));
		canvas.addEventListener("keydown", (e) => this.key(e));
	}

	wanted(row) {
		const { data, kind } = this.page;
		return data.rows.kind[row] === kind && (!data.passes || data.passes[row]);
	}

	/* What the map adds up, as arrays: row of the page, place, row of the map, amount. */
	items() {
		const { page } = this, name = [page.kind, page.metric === "hit", !this.lives && page.data.laid, page.passing].join(" ");
		if (this.name !== name) {
			const row = [], place = [], at = [], amount = [];
			this.name = name;
			this.each((...item) => {
				row.push(item[0]);
				place.push(item[1]);
				at.push(item[2]);
				amount.push(item[3]);
			});
			this.made = { nr: row.length, row: new Uint32Array(row), place: new Float64Array(place), at: new Uint8Array(at),
				amount: new Float64Array(amount) };
		}
		return this.made;
	}

	/* Finds the items, which takes long. Lifetimes are known only to a bin of stays. */
	each(take) {
		const { page } = this, { data } = page, { stays } = data, c = this.lives ? data.base.cells : data.cells, count = page.metric === "hit" && !this.lives;
		const sizes = sizesOf(data), left = this.lives ? new Map() : null;
		for (let row = 0, i = 0; row < data.nrRows; row++) {
			const end = c.end[row], unit = data.rows.unit[row], at = sizeRow(sizes[row]);
			if (this.wanted(row))
				for (; i < end; i++) {
					const bytes = c.bytes[i] + c.hit[i] * unit;
					if (left && bytes) {
						const key = row * data.places + Math.floor(c.bin[i] / stays.bins);
						left.set(key, (left.get(key) || 0) + bytes);
					} else if (!left && c.hit[i]) {
						take(row, placeOf(data, c.bin[i]), at, count ? c.hit[i] : bytes);
					}
				}
			i = end;
		}
		if (!left)
			return;
		for (let i = 0; i < stays.row.length; i++) {
			const key = stays.row[i] * data.places + stays.begin[i];
			if (!left.has(key))
				continue;
			left.set(key, left.get(key) - stays.bytes[i]);
			take(stays.row[i], stays.begin[i] * stays.bins, lifeRow(stays.length[i]), stays.bytes[i]);
		}
		for (const [key, bytes] of left)
			if (bytes)
				take(Math.floor(key / data.places), key % data.places * stays.bins, NEVER, bytes);
	}

	/* The sums of the map's fields, by row and column. */
	lay(wide) {
		const { zoom, data } = this.page, least = data.stays.bins, most = wide / HEAT_COLUMN;
		this.step = this.lives ? Math.ceil(zoom.seen / Math.max(1, most) / least) * least : columnOf(data, zoom, most);
		this.begin = Math.floor(zoom.from / this.step);
		this.columns = Math.ceil(zoom.to / this.step) - this.begin;
		this.sums = new Map();
		const { nr, place, at, amount } = this.items(), sums = [];
		for (let i = 0; i < nr; i++) {
			const column = Math.floor(place[i] / this.step) - this.begin;
			if (column < 0 || column >= this.columns)
				continue;
			if (!sums[at[i]])
				this.sums.set(at[i], sums[at[i]] = new Float64Array(this.columns));
			sums[at[i]][column] += amount[i];
		}
		/* Adds the rows without a sum, too. */
		const keys = [...this.sums.keys()].filter((key) => key !== NEVER), low = Math.min(...keys), high = Math.max(...keys);
		this.rows = keys.length ? Array.from({ length: high - low + 1 }, (_, i) => low + i) : [];
		if (this.sums.has(NEVER))
			this.rows.push(NEVER);
	}

	rowText(at) {
		const { data } = this.page;
		if (!this.lives)
			return bytesText(2 ** at).replace(".0", "");
		return at === NEVER ? "not freed" : "< " + roughText(data, this.lifeOf(at + 1));
	}

	x(place) {
		const { zoom } = this.page;
		return this.left + this.wide * (place - zoom.from) / zoom.seen;
	}

	draw() {
		this.left = scaled(66);
		this.high = scaled(HEAT_ROW);
		this.lay(this.canvas.parentElement.clientWidth - this.left);
		const { to, width, height } = prepareCanvas(this.canvas, Math.max(1, this.rows.length) * this.high + scaled(22));
		this.wide = width - this.left;
		const most = [...this.sums.values()].reduce((max, row) => row.reduce((a, b) => Math.max(a, b), max), 1);
		const heat = styled("map-colour");
		to.font = fontOf(11);
		this.rows.forEach((at, n) => {
			const y = (this.rows.length - 1 - n) * this.high, sums = this.sums.get(at);
			to.fillStyle = styled("dim");
			to.textAlign = "right";
			to.fillText(this.rowText(at), this.left - 6, y + this.high / 2);
			to.fillStyle = styled("mark");
			to.fillRect(this.left, y, this.wide, this.high - 1);
			for (let i = 0; sums && i < this.columns; i++)
				if (sums[i] > 0) {
					const from = Math.max(this.left, this.x((this.begin + i) * this.step));
					to.fillStyle = "rgb(" + heat + " / " + Math.round(15 + 85 * Math.sqrt(sums[i] / most)) + "%)";
					to.fillRect(from, y, Math.max(1, this.x((this.begin + i + 1) * this.step) - from - 0.5), this.high - 1);
				}
		});
		to.fillStyle = styled("dim");
		to.strokeStyle = styled("line");
		to.lineWidth = 1;
		this.page.timeline.marks.times(to, (place) => this.x(place), this.left, width, height);
		this.frame(to);
		this.say(null);
	}

	/* Draws the chosen rectangle. */
	frame(to) {
		if (!this.corner)
			return;
		const { columns, rows } = this.box();
		const top = (this.rows.length - 1 - rows[1]) * this.high, x = this.x((this.begin + columns[0]) * this.step);
		to.strokeStyle = styled("ink");
		to.lineWidth = 2;
		to.strokeRect(Math.max(this.left, x), top + 1, this.x((this.begin + columns[1] + 1) * this.step) - Math.max(this.left, x),
			(rows[1] - rows[0] + 1) * this.high - 2);
	}

	/* The first and last column and row of the rectangle. */
	box() {
		const order = (a, b) => [Math.min(a, b), Math.max(a, b)];
		return { columns: order(this.corner[0], this.other[0]), rows: order(this.corner[1], this.other[1]) };
	}

	fieldAt(e) {
		const box = this.canvas.getBoundingClientRect(), { zoom } = this.page;
		const place = zoom.from + (e.clientX - box.left - this.left) / this.wide * zoom.seen;
		const column = Math.max(0, Math.min(Math.floor(place / this.step) - this.begin, this.columns - 1));
		const row = this.rows.length - 1 - Math.floor((e.clientY - box.top) / this.high);
		return [column, Math.max(0, Math.min(row, this.rows.length - 1))];
	}

	/* The bins of columns, within the recording. */
	bins([first, last]) {
		const { data } = this.page;
		return binsBetween(data, Math.max(0, (this.begin + first) * this.step), Math.min((this.begin + last + 1) * this.step, data.places));
	}

	/* Bytes or allocations in the rectangle. */
	sum({ columns, rows }) {
		let sum = 0;
		for (let n = rows[0]; n <= rows[1]; n++)
			for (let i = columns[0]; i <= columns[1]; i++)
				sum += this.sums.has(this.rows[n]) ? this.sums.get(this.rows[n])[i] : 0;
		return sum;
	}

	/* Says what is in a field, or in the rectangle. */
	say(field) {
		const { data, metric } = this.page, box = field ? { columns: [field[0], field[0]], rows: [field[1], field[1]] } :
			this.corner && this.box();
		if (!box || !this.rows.length) {
			this.words.textContent = this.rows.length ? "Drag a rectangle to select it." : "Nothing was allocated here.";
			return;
		}
		const [first, last] = this.bins(box.columns), [low, high] = box.rows.map((n) => this.rows[n]), sum = this.sum(box);
		const what = this.lives ? this.livesText(low, high) : rangeText(low, high);
		this.words.textContent = sinceText(data, binStart(data, first)) + " to " + sinceText(data, binEnd(data, last)) + ", " +
			what + ": " + (metric === "hit" && !this.lives ? wholeText(sum) + " allocations" : wholeText(sum) + " bytes") +
			(this.lives && !field ? this.largest(box) : "");
	}

	/* The lifetimes of some rows of the map, as text. */
	livesText(low, high) {
		const { data } = this.page, [from, to] = [this.lifeOf(low), this.lifeOf(high + 1)].map((span) => roughText(data, span));
		if (high === NEVER)
			return low === NEVER ? "not seen freed" : "lived about " + from + " or longer, or not seen freed";
		return (low > 1 ? "lived " + from + " to " + to : "lived less than " + to) + ", to a bin";
	}

	/* The shortest life in a row of the map, approximately: lives are known to a bin. */
	lifeOf(at) {
		const { data } = this.page;
		return at ? data.width * BigInt(data.stays.bins) * 2n ** BigInt(at - 1) : 0n;
	}

	/* The largest callsites in a rectangle, as text. */
	largest({ columns, rows }) {
		const { data } = this.page, [first, end] = [columns[0], columns[1] + 1].map((column) => (this.begin + column) * this.step);
		const sums = new Map();
		const wanted = new Set(this.rows.slice(rows[0], rows[1] + 1));
		const { nr, row, place, at, amount } = this.items();
		for (let i = 0; i < nr; i++) {
			const site = data.rows.callsite[row[i]];
			if (place[i] >= first && place[i] < end && wanted.has(at[i]))
				sums.set(site, (sums.get(site) || 0) + amount[i]);
		}
		return [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a)).slice(0, LARGEST + 2).map((site, n) =>
			(n ? ", " : "; ") + data.names[site] + " " + bytesText(sums.get(site))).join("");
	}

	down(e) {
		if (e.button || !this.rows.length)
			return;
		this.canvas.setPointerCapture(e.pointerId);
		this.corner = this.other = this.fieldAt(e);
		this.dragged = true;
	}

	move(e) {
		if (!this.rows.length)
			return;
		if (this.dragged) {
			this.other = this.fieldAt(e);
			this.draw();
		} else {
			this.say(this.fieldAt(e));
		}
	}

	up() {
		if (!this.dragged)
			return;
		this.dragged = false;
		this.select();
	}

	cancel() {
		this.dragged = false;
		this.corner = null;
		this.draw();
	}

	select() {
		const { page } = this, { columns, rows } = this.box();
		page.zoom.remember();
		if (!this.lives)
			page.filterBy("size", [2 ** this.rows[rows[0]], 2 ** (this.rows[rows[1]] + 1) - 1], this.rows[rows[0]] > 0);
		page.choose(...this.bins(columns));
		if (!this.lives)
			this.corner = null; /* the filter leaves other rows */
		page.draw();
	}

	/* Arrows go to another field, with Shift they enlarge the rectangle; Enter selects. */
	key(e) {
		const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
		if (!this.rows.length || !(step || (this.corner && (e.key === "Enter" || e.key === "Escape"))))
			return;
		e.preventDefault();
		if (e.key === "Enter") {
			this.select();
			return;
		}
		if (e.key === "Escape") {
			this.cancel();
			return;
		}
		const [column, row] = this.other && this.corner ? this.other : [0, 0];
		this.other = [Math.max(0, Math.min(column + step[0], this.columns - 1)),
			Math.max(0, Math.min(row + step[1], this.rows.length - 1))];
		if (!this.corner || !e.shiftKey)
			this.corner = this.other;
		this.draw();
	}
}

/* A time span with three digits. */
function roughText(data, span) {
	const [number, unit] = spanText(data, span).split(" ");
	return Number(Number(number).toPrecision(3)) + " " + unit;
}

/* The sizes of some rows of the map, as text. */
function rangeText(low, high) {
	return wholeText(2 ** low) + " to " + wholeText(2 ** (high + 1) - 1) + " bytes each";
}
