"use strict";
/*
 * Draws a tree as rings. In: the JSON in #data: "rows", each [depth, size, name], children after
 * their parent, the largest first; names are untrusted text. Out: the rings of one row, at first
 * the root: a click on an arc zooms in, the path above leads back.
 */
(() => {
	const data = JSON.parse(document.getElementById("data").textContent);
	const svg = document.getElementById("rings");
	const hover = document.getElementById("hover");
	const SVG = "http://www.w3.org/2000/svg";
	/* The rings share the space between these radii, innermost first. */
	const INNER = 92, OUTER = 455;
	const SHARES = [90, 82, 70, 56, 38, 27];
	/* Narrower arcs are merged with their neighbours. */
	const LEAST = 0.7;
	const COLOURS = 12;
	const LIST = 24;

	/* Row 0 is the root. */
	const rows = [{ size: data.total, name: data.title, up: -1, below: [], levels: 0 }];
	const above = [0];
	for (const [depth, size, name] of data.rows) {
		const up = above[depth];
		above[depth + 1] = rows.length;
		rows[up].below.push(rows.length);
		rows.push({ size, name, up, below: [], levels: 0 });
	}
	for (let i = rows.length - 1; i > 0; i--)
		rows[rows[i].up].levels = Math.max(rows[rows[i].up].levels, rows[i].levels + 1);

	let current = 0;
	let marked = [];
	let radii = [];

	function element(name, attributes, parent) {
		const e = document.createElementNS(SVG, name);
		for (const key in attributes)
			e.setAttribute(key, attributes[key]);
		parent.appendChild(e);
		return e;
	}

	function bytes(n) {
		const units = ["B", "KiB", "MiB", "GiB", "TiB"];
		let unit = 0;
		while (n >= 1024 && unit < units.length - 1) {
			n /= 1024;
			unit++;
		}
		return (unit ? n.toFixed(1) : n) + " " + units[unit];
	}

	function share(part, whole) {
		return whole ? (100 * part / whole).toFixed(1) + " %" : "";
	}

	/* Each child of the shown row has its own colour, which its descendants share. */
	function colour(row, place) {
		return rows[row].name.startsWith("(") ? "cx" : "c" + place % COLOURS;
	}

	function path(row) {
		const names = [];
		for (let i = row; i > 0; i = rows[i].up)
			names.unshift(rows[i].name);
		return names;
	}

	/* --- where the view is ---------------------------------------------------------- */

	/* The row in the page's address, as far as it exists. */
	function addressed() {
		let row = 0;
		for (const part of location.hash.slice(1).split("/").filter(Boolean)) {
			let name = part;
			try {
				name = decodeURIComponent(part);
			} catch {
				/* keep the text as it is; it names no row */
			}
			const next = rows[row].below.find(i => rows[i].name === name);
			if (next === undefined)
				return row;
			row = next;
		}
		return row;
	}

	function go(row) {
		location.hash = path(row).map(encodeURIComponent).join("/");
	}

	/* --- rings ---------------------------------------------------------------------- */

	/* The fewer the rings, the wider they are. */
	function share_radii(levels) {
		const shares = SHARES.slice(0, levels);
		const whole = shares.reduce((sum, part) => sum + part, 0);
		radii = [INNER];
		for (const part of shares)
			radii.push(radii[radii.length - 1] + (OUTER - INNER) * part / whole);
	}

	function point(radius, angle) {
		return (radius * Math.sin(angle)).toFixed(1) + " " + (-radius * Math.cos(angle)).toFixed(1);
	}

	/* Draws a full ring as two halves: an arc must not end where it begins. */
	function arc(inner, outer, from, to) {
		if (to - from > 2 * Math.PI - 1e-4) {
			const middle = from + Math.PI;
			return arc(inner, outer, from, middle) + arc(inner, outer, middle, from + 2 * Math.PI - 1e-4);
		}
		const large = to - from > Math.PI ? 1 : 0;
		return `M${point(outer, from)}A${outer} ${outer} 0 ${large} 1 ${point(outer, to)}` +
			`L${point(inner, to)}A${inner} ${inner} 0 ${large} 0 ${point(inner, from)}Z`;
	}

	const canvas = document.createElement("canvas").getContext("2d");

	function width(text, font) {
		canvas.font = font + "px " + getComputedStyle(document.body).fontFamily;
		return canvas.measureText(text).width;
	}

	/* Writes a name along the arc if it is long enough, else outwards if it is wide enough. */
	function label(row, ring, from, to, labels) {
		const inner = radii[ring], outer = radii[ring + 1];
		const radius = (inner + outer) / 2, middle = (from + to) / 2;
		const font = ring < 2 ? 14 : ring < 3 ? 12.5 : 11;
		const length = (to - from) * radius;
		if ((to - from) * outer < font * 1.2)
			return;
		const size = width(rows[row].name, font);
		/* A line of text fits only from this radius outwards. */
		const begin = Math.max(inner + 4, font * 1.1 / (to - from));
		const attributes = { class: "d" + ring, "font-size": font };
		if (length > size + 12 && outer - inner > font + 4) {
			const down = middle > Math.PI / 2 && middle < 3 * Math.PI / 2;
			const base = radius + (down ? 0.35 : -0.35) * font;
			const ends = down ? [to, from] : [from, to];
			const large = to - from > Math.PI ? 1 : 0;
			/* The two ends of a full ring must differ. */
			if (to - from > 2 * Math.PI - 1e-4)
				ends[1] += down ? 1e-3 : -1e-3;
			const id = "l" + row;
			element("path", { id, fill: "none", class: "way",
				d: `M${point(base, ends[0])}A${base} ${base} 0 ${large} ${down ? 0 : 1} ${point(base, ends[1])}` },
				element("defs", {}, labels));
			const text = element("text", attributes, labels);
			element("textPath", { href: "#" + id, startOffset: "50%" }, text).textContent = rows[row].name;
		} else if (outer - 4 - begin > size) {
			let turn = middle * 180 / Math.PI - 90;
			if (turn > 90)
				turn -= 180;
			const [x, y] = point((begin + outer - 4) / 2, middle).split(" ");
			const text = element("text", { ...attributes, dy: "0.35em",
				transform: `translate(${x} ${y}) rotate(${turn.toFixed(1)})` }, labels);
			text.textContent = rows[row].name;
		}
	}

	function draw_below(row, ring, from, to, inherited, arcs, labels) {
		if (ring >= radii.length - 1 || !rows[row].size)
			return;
		const inner = radii[ring], outer = radii[ring + 1];
		const turn = (to - from) / rows[row].size;
		let at = from, narrow = rows[row].size;
		rows[row].below.forEach((i, place) => {
			const next = at + rows[i].size * turn;
			if ((next - at) * outer < LEAST)
				return;
			const own = ring ? inherited : colour(i, place);
			element("path", { d: arc(inner, outer, at, next), class: `${own} d${ring}` +
				(rows[i].below.length ? " below" : ""), "data-row": i }, arcs);
			label(i, ring, at, next, labels);
			draw_below(i, ring + 1, at, next, own, arcs, labels);
			at = next;
			narrow -= rows[i].size;
		});
		if (rows[row].below.length && narrow * turn * outer > LEAST)
			element("path", { d: arc(inner, outer, at, to), class: (inherited || "cx") + " few" }, arcs);
	}

	function draw() {
		const row = rows[current];
		svg.replaceChildren();
		share_radii(row.levels);
		const arcs = element("g", {}, svg), labels = element("g", {}, svg);
		draw_below(current, 0, 0, 2 * Math.PI, "", arcs, labels);
		const middle = element("circle", { r: INNER - 2, class: current ? "up" : "" }, svg);
		if (current) {
			middle.addEventListener("click", () => go(row.up));
			element("title", {}, middle).textContent = "back to " + (rows[row.up].name || data.title);
		}
		element("text", { class: "total", dy: "0.1em" }, svg).textContent = bytes(row.size);
		element("text", { class: "of", dy: "2em" }, svg).textContent =
			current ? share(row.size, data.total) + " of all" : "in all";
	}

	/* --- the path, the list ---------------------------------------------------------- */

	function show_path() {
		const nav = document.getElementById("path");
		const way = [];
		nav.replaceChildren();
		for (let i = current; i >= 0; i = rows[i].up)
			way.unshift(i);
		way.forEach((i, place) => {
			const button = document.createElement("button");
			if (place) {
				const slash = document.createElement("span");
				slash.textContent = "/";
				nav.appendChild(slash);
			}
			button.textContent = i ? rows[i].name : "all";
			button.disabled = i === current;
			button.addEventListener("click", () => go(i));
			nav.appendChild(button);
		});
	}

	function list_row(table, colour, name, size) {
		const tr = table.insertRow();
		const chip = tr.insertCell();
		if (colour)
			element("rect", { width: 13, height: 13, rx: 3, class: colour },
				element("svg", { viewBox: "0 0 13 13" }, chip));
		for (const [text, kind] of [[name, "name"], [bytes(size), "number"],
			[share(size, rows[current].size), "number"]]) {
			const td = tr.insertCell();
			td.textContent = text;
			td.className = kind;
		}
		return tr;
	}

	function show_list() {
		const table = document.getElementById("list");
		const below = rows[current].below;
		let rest = 0;
		table.replaceChildren();
		below.forEach((i, place) => {
			if (place >= LIST) {
				rest += rows[i].size;
				return;
			}
			const tr = list_row(table, colour(i, place), rows[i].name, rows[i].size);
			tr.dataset.row = i;
			if (rows[i].below.length) {
				tr.className = "below";
				tr.tabIndex = 0;
			}
		});
		if (below.length > LIST)
			list_row(table, "", `${below.length - LIST} more`, rest).className = "rest";
	}

	/* --- the pointer ----------------------------------------------------------------- */

	function unmark() {
		for (const e of marked)
			e.classList.remove("marked");
		marked = [];
		hover.textContent = "";
	}

	function mark(row) {
		unmark();
		for (const e of document.querySelectorAll(`[data-row="${row}"]`)) {
			e.classList.add("marked");
			marked.push(e);
		}
		const r = rows[row];
		hover.textContent = `${path(row).join("/")}: ${r.size.toLocaleString("en")} bytes, ` +
			`${bytes(r.size)}, ${share(r.size, data.total)} of all`;
	}

	function pointed(event) {
		const e = event.target.closest("[data-row]");
		return e ? Number(e.dataset.row) : -1;
	}

	for (const e of [svg, document.getElementById("list")]) {
		e.addEventListener("mouseover", event => {
			const row = pointed(event);
			if (row >= 0)
				mark(row);
			else
				unmark();
		});
		e.addEventListener("mouseleave", unmark);
		e.addEventListener("click", event => {
			const row = pointed(event);
			if (row >= 0 && rows[row].below.length)
				go(row);
		});
	}
	document.addEventListener("keydown", event => {
		const row = event.key === "Enter" ? pointed(event) : -1;
		if (row >= 0 && rows[row].below.length)
			go(row);
		if ((event.key === "Escape" || event.key === "Backspace") && current)
			go(rows[current].up);
	});

	function show() {
		current = addressed();
		unmark();
		draw();
		show_path();
		show_list();
	}

	addEventListener("hashchange", show);
	show();
})();
