/*
 * The table. In: groups of rows. Out: an HTML table that sorts by its columns, with the groups that
 * pass the filter; a click on a row marks it everywhere.
 */
const TABLE_ROWS = 100;
const COLUMNS_SHOWN = ["bytes", "hit", "waste", "live", "likely", "peak"];
/* Metrics that are shown together. */
const COLUMN_SETS = [["retained", "freed", "through"], END_METRICS];

class Table {
	constructor(page, place) {
		this.page = page;
		this.place = place;
		this.sort = null; /* null: the page's metric */
		this.up = false;
		this.rows = TABLE_ROWS;
	}

	columnsOf() {
		const { kind, metric } = this.page, more = COLUMN_SETS.find((set) => set.includes(metric)) || [];
		/* A narrow page has only the shown metric, and allocations. */
		if (innerWidth <= 600)
			return [...new Set([metric, "bytes", "hit"])];
		return Object.keys(METRICS).filter((m) => (m !== "waste" || kind === SLAB) &&
			(m === metric || m === this.sort || more.includes(m) || COLUMNS_SHOWN.includes(m)));
	}

	/* Numbers of groups in the chosen order. */
	sorted(groups, some) {
		const key = this.sort || this.page.metric, sign = this.up ? -1 : 1, values = groups[key];
		if (key !== "text")
			return some.sort((a, b) => sign * (values[b] - values[a]) || groups.rows[a] - groups.rows[b]);
		const texts = new Map(some.map((i) => [i, groups.text(i)]));
		return some.sort((a, b) => sign * (texts.get(a) < texts.get(b) ? -1 : texts.get(a) > texts.get(b) ? 1 : 0));
	}

	head(title) {
		const tr = make("tr");
		const add = (key, text, help) => {
			const current = (this.sort || this.page.metric) === key;
			const th = make("th", { scope: "col", className: key === "text" ? "" : "number",
				"aria-sort": current ? (this.up === (key !== "text") ? "ascending" : "descending") : "none" });
			th.append(make("button", { type: "button", title: help, onclick: () => {
				this.up = current ? !this.up : false;
				this.sort = key;
				this.draw();
			} }, text + (current ? (this.up === (key !== "text") ? " ▲" : " ▼") : "")));
			tr.append(th);
		};
		for (const metric of this.columns)
			add(metric, METRICS[metric].title, METRICS[metric].help);
		tr.append(make("th", { scope: "col", className: "number" }, "%"));
		add("text", title, "");
		return make("thead", {}, tr);
	}

	row(groups, i, total) {
		const page = this.page, key = groups.keys[i], value = groups[page.metric][i];
		const tr = markableRow(page.marked === key, () => page.mark(key));
		for (const m of this.columns)
			tr.append(make("td", { className: "number", title: METRICS[m].bytes ? bytesText(groups[m][i]) : "" },
				wholeText(groups[m][i])));
		const share = make("td", { className: "number share" }, shareText(value, total));
		share.style.backgroundSize = (total > 0 ? 100 * Math.max(value, 0) / total : 0) + "% 100%";
		tr.append(share, make("td", { className: "name" }, groups.text(i)));
		return tr;
	}

	draw() {
		const page = this.page, by = page.by;
		const all = new Groups(page.data, page.sums, page.kind, by);
		if (by === "matrix") {
			this.place.replaceChildren(heatMap(page, all));
			return;
		}
		const match = matcher(page.filter), columns = this.columns = this.columnsOf(), seen = [];
		for (let i = 0; i < all.nr; i++)
			if (columns.some((m) => all[m][i]) && (!match || match(all.text(i))))
				seen.push(i);
		const some = this.sorted(all, seen).slice(0, this.rows), total = all.total(page.metric);
		const shown = some.reduce((sum, i) => sum + all[page.metric][i], 0);
		const body = make("tbody", {}, ...some.map((i) => this.row(all, i, total)));
		const foot = make("p", { className: "note" }, some.length + " of " + all.nr + " rows, " +
			(shareText(shown, total) || "0 %") + " of " + METRICS[page.metric].help.toLowerCase() + " (" +
			wholeText(total) + ")");
		if (seen.length > some.length)
			foot.append(" ", make("button", { type: "button", onclick: () => {
				this.rows *= 10;
				this.draw();
			} }, "More"));
		this.place.replaceChildren(make("div", { className: "scroll" },
			make("table", { className: "rows" }, this.head(GROUPS[by].title), body)), foot);
	}
}

/* Pages by order and migratetype: the more, the stronger the colour. */
function heatMap(page, groups) {
	const data = page.data, metric = page.metric;
	const orders = new Set(), types = new Set(), values = new Map();
	groups.rows.forEach((row, i) => {
		const order = data.rows.order[row], type = data.rows.type[row];
		orders.add(order);
		types.add(type);
		values.set(order + "|" + type, groups[metric][i]);
	});
	const most = Math.max(1, ...values.values());
	const columns = [...types].sort((a, b) => data.names[a] < data.names[b] ? -1 : 1);
	const head = make("tr", {}, make("th", { scope: "col" }, "Order"),
		...columns.map((t) => make("th", { scope: "col", className: "number" }, data.names[t])));
	const body = make("tbody");
	for (const order of [...orders].sort((a, b) => a - b)) {
		const tr = make("tr", {}, make("th", { scope: "row", className: "number" }, String(order)));
		for (const type of columns) {
			const value = values.get(order + "|" + type) || 0;
			const td = make("td", { className: "number heat" }, value ? wholeText(value) : "-");
			td.style.setProperty("--heat", value > 0 ? (0.08 + 0.62 * Math.sqrt(value / most)).toFixed(3) : "0");
			tr.append(td);
		}
		body.append(tr);
	}
	return make("div", { className: "scroll" },
		make("table", { className: "heatmap" }, make("thead", {}, head), body));
}
