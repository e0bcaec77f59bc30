/*
 * The page. In: its data, the user's choices. Out: all parts show the same choice.
 */
class DiffPage {
	constructor(data) {
		this.data = data;
		this.memory = data.kinds[data.kinds.length - 1];
		this.metric = data.main;
		this.by = null;
		this.filter = "";
		this.marked = null;
		this.byId = (id) => document.getElementById(id);
		this.path = make("nav", { "aria-label": "Where in the callchains", "aria-live": "polite" });
		this.timeline = new DiffTimeline(this, this.byId("timeline"), this.byId("legend"));
		this.flame = new DiffFlame(this.view(), this.byId("flame"), this.byId("hover"), this.path);
		this.tableOf = new DiffTable(this, this.byId("table"));
		this.search = make("input", { type: "search", placeholder: "Search: name or /expression/",
			"aria-label": "Search", oninput: () => {
				this.filter = this.search.value;
				this.flame.draw();
				this.tableOf.draw();
			} });
		this.byId("flame").parentElement.before(this.path);
		this.showCommand();
		showTrust(data.banner);
	}

	get kind() {
		return this.memory;
	}

	/* Tables of the memory that is shown; the flame graph uses the one by callchain. */
	tables() {
		return this.data.tables.filter((t) => t.kind === this.memory);
	}

	stacks() {
		return this.tables().find((t) => t.stacks);
	}

	get table() {
		return this.tables().find((t) => t.name === this.by) || this.tables()[0];
	}

	metricOf() {
		return this.table.metrics[this.metric];
	}

	bytes() {
		return this.data.metrics.find((m) => m.name === this.metric).bytes === 1;
	}

	/* The flame graph's view of the page: one table; the larger side is drawn. */
	view() {
		const page = this;
		return {
			kind: PAGE, metric: "larger",
			get table() { return page.stacks(); },
			get data() { return page.stacks().data; },
			get sums() { return page.stacks().metrics[page.metric]; },
			get filter() { return page.filter; },
			metricOf: () => page.stacks().metrics[page.metric],
			bytes: () => page.bytes(),
			markedName: () => page.marked,
		};
	}

	mark(text) {
		this.marked = this.marked === text ? null : text;
		this.draw();
	}

	set(name, value) {
		this[name] = value;
		if (name === "memory") {
			this.by = this.marked = null;
			this.flame.tree = null;
		}
		if (!this.metricOf().known)
			this.metric = this.data.main;
		this.draw();
	}

	bars() {
		const { data } = this, names = ["Slab objects", "Pages"];
		const known = data.metrics.filter((m) => this.table.metrics[m.name].known);
		this.byId("kind-bar").replaceChildren(
			choice("Memory", data.kinds.map((k) => [k, names[k]]), this.memory, (k) => this.set("memory", k)));
		this.byId("who-bar").replaceChildren(
			choice("Figure", known.map((m) => [m.name, m.title]), this.metric, (m) => this.set("metric", m)),
			choice("Rows", this.tables().map((t) => [t.name, tableTitle(t)[0].toUpperCase() + tableTitle(t).slice(1)]),
				this.table.name, (name) => this.set("by", name)),
			choice("Callchains", [[true, "From the outermost function"], [false, "From the callsite"]],
				this.flame.inward, (inward) => {
					this.flame.turn(inward);
					this.draw();
				}),
			this.search);
	}

	/* What the colours mean. */
	scale() {
		const box = (colour, alpha, text) => {
			const item = legendItem(colour, text);
			item.firstChild.style.opacity = alpha;
			return item;
		};
		this.byId("scale").replaceChildren(box("grew", 0.75, "grew"), box("shrank", 0.75, "shrank"),
			box("grew", 0.2, "pale: may be chance, or what was lost"), make("li", {}, this.data.tested ?
				"Tested: Mann-Whitney, corrected for the number of rows." :
				"Not tested: each side needs four recordings or more (kmemx record --repeat)."));
	}

	showCommand() {
		const code = make("code", {}, this.data.command);
		this.byId("command").replaceChildren("The same numbers: ", code, " ", make("button", {
			type: "button", onclick: (e) => copyText(code, e.target) }, "Copy"));
	}

	draw() {
		const focus = document.activeElement && document.activeElement.dataset.value;
		this.bars();
		this.scale();
		this.timeline.draw();
		this.flame.trees = this.stacks().trees;
		this.flame.draw();
		this.tableOf.draw();
		if (focus && document.activeElement === document.body) {
			const again = document.querySelector("[data-value=\"" + CSS.escape(focus) + "\"]");
			if (again)
				again.focus();
		}
	}
}

async function start() {
	const raw = await readJson(document.getElementById("data"));
	document.querySelector("main").hidden = false;
	const page = new DiffPage(readDiff(raw));
	keepDrawn(page);
}

start().catch((error) => {
	document.getElementById("problem").textContent = "This page cannot be shown: " + error.message;
});
