/*
 * The table. In: rows with a value of each side. Out: an HTML table that sorts by its columns; a click
 * on a row marks it in the flame graph.
 */
const TABLE_ROWS = 100;

/* What the table's rows are. */
function tableTitle(table) {
	return table.stacks ? "callchain" : table.by;
}

class DiffTable {
	constructor(page, place) {
		this.page = page;
		this.place = place;
		this.sort = "abs";
		this.up = false;
		this.rows = TABLE_ROWS;
	}

	columns() {
		return [["old", "Old"], ["new", "New"], ["change", "Change"], ["pct", "%"], ["abs", "Test"],
			["text", tableTitle(this.page.table)]];
	}

	value(row, key) {
		const m = this.page.metricOf();
		return key === "abs" ? Math.abs(m.change[row]) : key === "pct" ?
			(m.old[row] ? m.change[row] / m.old[row] : m.change[row] ? Infinity : 0) : m[key][row];
	}

	sorted(rows) {
		const { table } = this.page, sign = this.up ? -1 : 1, key = this.sort;
		if (key === "text")
			return rows.sort((a, b) => sign * (table.text(a) < table.text(b) ? -1 : 1));
		const values = new Map(rows.map((row) => [row, this.value(row, key)]));
		return rows.sort((a, b) => values.get(a) === values.get(b) ? a - b :
			sign * (values.get(b) - values.get(a) > 0 ? 1 : -1));
	}

	head() {
		const tr = make("tr");
		for (const [key, text] of this.columns()) {
			const current = this.sort === key, ascending = this.up === (key !== "text");
			tr.append(make("th", { scope: "col", className: key === "text" || key === "abs" ? "" : "number",
				"aria-sort": current ? (ascending ? "ascending" : "descending") : "none" },
			make("button", { type: "button", "data-value": key, onclick: () => {
				this.up = current ? !this.up : false;
				this.sort = key;
				this.draw();
			} }, text[0].toUpperCase() + text.slice(1) + (current ? (ascending ? " ▲" : " ▼") : ""))));
		}
		return make("thead", {}, tr);
	}

	row(row, most) {
		const { page } = this, m = page.metricOf(), change = m.change[row];
		const number = (text) => make("td", { className: "number" }, text);
		const cell = number((change > 0 ? "+" : "") + wholeText(change));
		cell.classList.add("share", change > 0 ? "grew" : "shrank");
		cell.style.backgroundSize = 100 * Math.abs(change) / most + "% 100%";
		const text = page.table.text(row);
		const tr = markableRow(page.marked === text, () => page.mark(text));
		if (m.mark[row] !== PLAIN)
			tr.classList.add("chance");
		tr.append(number(wholeText(m.old[row])), number(wholeText(m.new[row])), cell,
			number(m.old[row] ? (change > 0 ? "+" : "") + (100 * change / m.old[row]).toFixed(1) : m.new[row] ? "new" : ""),
			make("td", { className: "told" }, markText(page.table, page.metric, row)), make("td", { className: "name" }, text));
		return tr;
	}

	draw() {
		const { page } = this, { table } = page, m = page.metricOf();
		const match = matcher(page.filter), all = [];
		for (let row = 0; row < table.nrRows; row++)
			if (m.larger[row] && (!match || match(table.text(row))))
				all.push(row);
		const some = this.sorted(all).slice(0, this.rows);
		const most = all.reduce((value, row) => Math.max(value, Math.abs(m.change[row])), 1);
		const foot = make("p", { className: "note" }, some.length + " of " + table.nrRows + " rows" +
			(table.left ? ", and " + wholeText(table.left) + " lesser ones that the page leaves out" : "") + ".");
		if (all.length > some.length)
			foot.append(" ", make("button", { type: "button", onclick: () => {
				this.rows *= 10;
				this.draw();
			} }, "More"));
		this.place.replaceChildren(make("div", { className: "scroll" }, make("table", { className: "rows" },
			this.head(), make("tbody", {}, ...some.map((row) => this.row(row, most))))), foot);
	}
}
