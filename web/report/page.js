/*
 * The page. In: its data, the user's choices. Out: all parts show the same choice.
 */
const VIEWS = [["flame", "Flame graph"], ["chart", "Flame chart", "In order of time: what allocated most at each moment"],
	["sandwich", "Sandwich", "A function, with its callers above and its callees below"],
	["tree", "Tree", "A table that opens row by row"], ["heat", "Heat maps", "Time and sizes, time and lifetimes"]];

class Page {
	constructor(data) {
		this.data = data;
		this.kind = data.usualKind;
		this.metric = "bytes";
		this.by = "callsite";
		this.typed = this.filter = "";
		this.conditions = [];
		this.passing = "[]"; /* the conditions as text */
		this.due = new Set();
		this.marked = null;
		this.first = 0;
		this.last = data.bins - 1;
		this.range = null;
		this.byId = (id) => document.getElementById(id);
		this.path = make("nav", { "aria-label": "Where in the callchains", "aria-live": "polite" });
		this.timeline = new Timeline(this, this.byId("timeline"), this.byId("legend"),
			this.byId("moment"));
		this.zoom = this.timeline.zoom;
		this.parts = new Parts(this);
		this.slots = new Slots();
		this.timeline.reserve();
		this.flame = new Flame(this, this.byId("flame"), this.byId("hover"), this.path);
		this.chart = new Chart(this, this.byId("chart"), this.byId("hover"));
		this.view = "flame";
		this.focus = 0;
		this.halves = [new Half(this, this.byId("callers"), this.byId("hover"), true),
			new Half(this, this.byId("callees"), this.byId("hover"), false)];
		this.branches = new Branches(this, this.byId("tree"));
		this.heats = [new Heat(this, this.byId("heat-sizes"), this.byId("heat-sizes-hover"), false),
			new Heat(this, this.byId("heat-lives"), this.byId("heat-lives-hover"), true)];
		this.table = new Table(this, this.byId("table"));
		this.frames = new Frames(this, this.byId("frames"), this.byId("frames-hover"),
			this.byId("frames-legend"));
		this.memory = new Memory(this);
		this.byId("memory-part").addEventListener("toggle", () => this.memory.draw());
		this.byId("timeline-part").addEventListener("toggle", () => this.timeline.draw());
		this.byId("frames-part").addEventListener("toggle", () => this.frames.draw());
		this.search = make("input", { type: "search", placeholder: "/ Search, or callsite=NAME order>=3",
			title: "A part of a name, /an expression/, or conditions: " + Object.keys(FILTER_WORDS).join(", "),
			"aria-label": "Search and filter", oninput: () => {
				const before = this.passing;
				this.type(this.search.value);
				this.later(before === this.passing ? "found" : "draw");
			} });
		this.byId("who-bar").append(this.search);
		document.addEventListener("keydown", (e) => {
			if (e.key !== "/" || e.ctrlKey || e.altKey || e.metaKey || document.activeElement.matches("input"))
				return;
			e.preventDefault();
			this.search.focus();
			this.search.select();
		});
		this.byId("flame").parentElement.before(this.path);
		this.state = new State(this);
		this.bars();
		readState(this, location.hash.slice(1));
	}

	/* Takes what the user typed: conditions for rows, and what to search for. */
	type(text) {
		const { conditions, search, wrong } = parseFilter(this.data, text), { data } = this;
		this.typed = text;
		this.filter = search;
		this.wrong = wrong;
		if (JSON.stringify(conditions) === this.passing)
			return;
		this.passing = JSON.stringify(conditions);
		this.conditions = conditions;
		data.passes = passing(data, conditions);
		data.groups = new Map();
		this.summed = this.marked = null;
	}

	/* Shows how much meets the conditions. */
	showFilter() {
		const { data } = this, place = this.byId("filtered"), metric = METRICS[this.metric];
		const sum = (sums) => sums[this.metric].reduce((all, value, row) =>
			data.rows.kind[row] === this.kind ? all + Math.max(0, value) : all, 0);
		place.hidden = !this.wrong && !data.passes;
		if (place.hidden)
			return;
		const only = this.conditions.map(({ name, sign, value }) => name + sign + value).join(" ");
		place.textContent = this.wrong + (data.passes ? (this.wrong ? " " : "") + "Only " + only + ": " +
			shareText(sum(this.sums), sum(this.allSums())) + " of " + metric.help.toLowerCase() + "." : "");
	}

	bytes() {
		return METRICS[this.metric].bytes;
	}

	/* The sandwich shows the function that is marked or zoomed to, or that allocates most. */
	see(view) {
		const { flame } = this;
		this.view = view;
		if (this.by === "callsite" && this.marked !== null)
			this.focus = this.marked;
		else if (flame.tree && flame.at)
			this.focus = flame.tree.name[flame.at];
		this.draw();
	}

	focusOn(name) {
		this.focus = name;
		this.draw();
	}

	/* Sets the function of the sandwich to the largest callsite if no callchain has it. */
	findFocus() {
		const { names } = this.flame.chains(this.kind);
		if (this.focus && names.includes(this.focus))
			return;
		const groups = new Groups(this.data, this.sums, this.kind, "callsite"), values = groups[this.metric];
		const most = values.reduce((best, value, i) => value > values[best] ? i : best, 0);
		this.focus = groups.nr ? groups.keys[most] : 0;
	}

	showView() {
		const { view } = this, sandwich = view === "sandwich";
		for (const [id, shown] of [["flame-part", view === "flame"], ["chart-part", view === "chart"], ["callers-part", sandwich],
			["callees-part", sandwich], ["tree", view === "tree"], ["heat", view === "heat"]])
			this.byId(id).hidden = !shown;
		this.path.hidden = view !== "flame";
		if (view === "flame") {
			this.flame.draw();
		} else if (sandwich) {
			this.findFocus();
			for (const half of this.halves)
				half.draw();
			this.byId("focus").textContent = "Callers above, callees below: " + this.data.names[this.focus] + ", " +
				(this.bytes() ? bytesText : wholeText)(this.halves[0].value(0)) + ", " +
				shareText(this.halves[0].value(0), this.flame.total()) + " of all. Click a function to go to it.";
		} else if (view === "chart") {
			this.chart.draw();
		} else if (view === "heat") {
			for (const heat of this.heats)
				heat.draw();
		} else {
			this.branches.draw();
		}
	}

	/* Replaces the conditions on a number by a range, which has a lower end if @bounded. */
	filterBy(name, [low, high], bounded) {
		const rest = this.typed.replace(new RegExp("(^|\\s)" + name + "[<>=]+\\S*", "g"), " ").trim();
		this.search.value = (rest + (bounded ? " " + name + ">=" + low : "") + " " + name + "<=" + high).trim();
		this.type(this.search.value);
	}

	/* The function that a marked row stands for. */
	markedName() {
		return this.marked !== null && this.by === "callsite" ? this.data.names[this.marked] : null;
	}

	markedText() {
		const groups = groupsOf(this.data, this.kind, this.by);
		return groupText(this.data, this.by, groups.rows[groups.keys.indexOf(this.marked)]);
	}

	/* The key of the row with that text; null: no row has it. */
	keyOf(text) {
		const groups = groupsOf(this.data, this.kind, this.by);
		const place = groups.rows.findIndex((row) => groupText(this.data, this.by, row) === text);
		return place < 0 ? null : groups.keys[place];
	}

	mark(key) {
		this.marked = this.marked === key ? null : key;
		this.draw();
	}

	/* Chooses the range of bins that the whole page shows. */
	choose(first, last) {
		const { data } = this, all = first === 0 && last === data.bins - 1;
		this.chooseTime(all ? null : [data.starts[first], endOf(data, last)]);
	}

	/* Chooses the range, with all bins that it touches, by times since the first bin; null:
	 * all.
	 */
	chooseTime(range) {
		const { data } = this, first = range ? binAt(data, range[0]) : 0, last = range ? binAt(data, range[1] - 1) : data.bins - 1;
		this.range = range;
		if (first === this.first && last === this.last)
			return;
		this.first = first;
		this.last = last;
		this.summed = null;
		this.later("draw");
	}

	/* The data's bins have changed. */
	relaid() {
		this.first = -1;
		this.summed = null;
		this.chooseTime(this.range);
	}

	/* The sums of the rows over the range. */
	get sums() {
		return this.summed = this.summed || onlyPassing(this.data.passes, this.allSums());
	}

	allSums() {
		const { data, first, last } = this;
		return Object.assign(sumRows(data, first, last), sumStays(data, ...stayRange(data, first, last)));
	}

	whole() {
		return !this.range;
	}

	/* Draws with the next frame. @what: "draw" for everything, "seen" or "found". */
	later(what) {
		this.due.add(what);
		if (!this.waiting)
			this.waiting = requestAnimationFrame(() => {
				const names = this.due.has("draw") ? ["draw"] : [...this.due];
				this.waiting = null;
				this.due.clear();
				for (const name of names)
					this[name]();
			});
	}

	/* Draws what a search changes. */
	found() {
		this.showView();
		this.table.draw();
		this.showFilter();
		this.state.changed();
	}

	/* Draws what depends on the part of the time that is seen. */
	seen() {
		this.timeline.draw();
		if (this.view === "heat" || this.view === "chart")
			this.showView();
		this.byId("whole").disabled = this.whole() && this.zoom.all;
		if (this.data.served)
			this.byId("detail").disabled = !this.part();
		this.state.changed();
		this.parts.later();
	}

	set(name, value) {
		this[name] = value;
		if (!groupingsOf(this.data, this.kind).includes(this.by))
			this.by = "callsite";
		if (this.metric === "waste" && this.kind !== SLAB)
			this.metric = "bytes";
		if (name !== "metric")
			this.marked = null;
		this.draw();
	}

	toPeak() {
		this.metric = "peak";
		const bin = peakBin(this.data, this.kind);
		this.zoom.remember();
		this.zoom.reveal(bin);
		this.choose(bin, bin);
		this.draw();
	}

	bars() {
		const { data, zoom } = this;
		const step = (id, text, title, act) => make("button", { type: "button", id, title, "aria-label": title,
			onclick: () => {
				zoom.remember();
				act();
			} }, text);
		this.byId("time-bar").replaceChildren(
			choice("Memory", data.kinds.map((k) => [k, KINDS[k]]), this.kind, (k) => this.set("kind", k)),
			make("button", { type: "button", id: "peak", onclick: () => this.toPeak() }, "Jump to peak"),
			step("closer", "+", "Zoom in", () => zoom.by(1 / ZOOM_STEP ** 2, zoom.middle())),
			step("wider", "−", "Zoom out", () => zoom.by(ZOOM_STEP ** 2, zoom.middle())),
			make("button", { type: "button", id: "whole", disabled: this.whole() && zoom.all, onclick: () => {
				zoom.whole();
				this.choose(0, data.bins - 1);
			} }, "Whole time"));
		if (data.served)
			this.byId("time-bar").append(...this.partButtons());
		/* The search field must not be replaced, as it would lose the focus. */
		for (const old of [...this.byId("who-bar").children])
			if (old !== this.search)
				old.remove();
		this.byId("who-bar").prepend(
			choice("Figure", Object.keys(METRICS).filter((m) => m !== "waste" || this.kind === SLAB)
				.map((m) => [m, METRICS[m].title, METRICS[m].help]), this.metric, (m) => this.set("metric", m)),
			choice("Rows", groupingsOf(data, this.kind)
				.map((g) => [g, GROUPS[g].title]), this.by, (g) => this.set("by", g)),
			choice("View", VIEWS, this.view, (view) => this.see(view)),
			choice("Callchains", [[true, "From the outermost function"], [false, "From the callsite"]],
				this.flame.inward, (inward) => {
					this.flame.turn(inward);
					this.draw();
				}));
	}

	/* The part of the time that a page with more detail would have: what is selected, or else what is seen. */
	part() {
		const { zoom } = this;
		return this.whole() ? zoom.all ? null : zoom.bins : [this.first, this.last];
	}

	/* A served page requests others from kmemx; the browser's back button returns to it. */
	partButtons() {
		const { data } = this, go = (time) => {
			clearTimeout(this.state.timer);
			this.state.write();
			location.assign(location.pathname + time + "#" + stateText(this, true));
		};
		return [make("button", { type: "button", id: "detail", disabled: !this.part(),
			title: "Reads this part of the recording again, for a page with shorter times and more callchains",
			onclick: () => {
				const part = this.part();
				if (part)
					go("?time=" + timeText(data, ...part));
			} }, "Range in detail"),
		...location.search ? [make("button", { type: "button", id: "all", onclick: () => go("") }, "All of the recording")] : []];
	}

	/* The filter option for a marked row, unless the page already has one. */
	only() {
		const option = { callsite: "--callsite", cache: "--cache" }[this.by];
		const words = filterOptions(this.data, this.conditions) || "";
		if (this.marked === null || !option || this.data.input.includes(option))
			return words;
		const name = this.data.names[this.marked].replace(/ [[(].*$/, "");
		return words + (/^[\w.+-]+$/.test(name) ? " " + option + " " + name : "");
	}

	/* The grouping, for kmemx peak, which has fewer of them. */
	peakBy() {
		const { option } = GROUPS[this.by];
		return option.startsWith("--by") ? " " + option : "";
	}

	/* The command that prints what is live at the end of @bin. */
	liveCommand(bin) {
		const { data } = this, kind = KIND_OPTIONS[this.kind], end = stampText(data, binEnd(data, bin));
		return data.window ? this.statCommand(0, bin, " --live") : "kmemx peak " + data.input + " " + kind +
			this.peakBy() + this.only() + " --at " + end;
	}

	statCommand(first, last, options) {
		return "kmemx stat " + this.data.input + " " + KIND_OPTIONS[this.kind] + " " + GROUPS[this.by].option +
			options + this.only() + " --time " + timeText(this.data, first, last);
	}

	/* The commands that print the same numbers: the first one's, minus or plus the others'. */
	commands() {
		const { data, metric, first, last } = this, [a, b] = stayRange(data, first, last);
		const window = data.window ? " --time " + shellWord(data.window) : "";
		if (metric === "peak")
			return [["", "kmemx peak " + data.input + " " + KIND_OPTIONS[this.kind] + this.peakBy() + " -s bytes_seen" + window]];
		if (END_METRICS.includes(metric))
			return [["", "kmemx stat " + data.input + " " + KIND_OPTIONS[this.kind] + " " + GROUPS[this.by].option +
				this.only() + " -s net" + window]];
		if (metric === "live")
			return [["", this.liveCommand(last)]];
		if (metric === "retained")
			return [["", this.statCommand(a, b, " --live")]];
		if (metric === "through")
			return [["", this.liveCommand(b)], [" minus ", this.statCommand(a, b, " --live")]];
		const stat = this.statCommand(first, last, "");
		return metric !== "freed" ? [["", stat]] : [["", stat], ...first ? [[" plus ", this.liveCommand(first - 1)]] : [],
			[" minus ", this.liveCommand(last)]];
	}

	/* If callchains were attributed from a sample, a command for a part of the time knows only
	 * that part's.
	 */
	sameness() {
		const data = this.data;
		if (filterOptions(data, this.conditions) === null || (this.conditions.length && this.metric === "peak"))
			return "The same numbers without the filter, which commands do not have: ";
		const chains = this.by === "stack" || data.input.includes("--skip-func ");
		const part = !this.whole();
		const ranged = !["peak", ...END_METRICS].includes(this.metric) && this.commands().some(([, text]) => text.includes(" --time "));
		return data.facts.stacks_attributed && chains && part && ranged ?
			"About the same numbers (by the callchains of this time alone): " : "The same numbers: ";
	}

	showCommand() {
		const { data, first, last } = this, [a, b] = stayRange(data, first, last);
		this.byId("command").replaceChildren(this.sameness(), ...this.commands().flatMap(([word, text]) => {
			const code = make("code", {}, text);
			return [word, code, " ", make("button", { type: "button", onclick: (e) => copyText(code, e.target) },
				"Copy as command")];
		}));
		const wider = STAY_METRICS.includes(this.metric) && (a !== first || b !== last) ? "; " +
			METRICS[this.metric].title.toLowerCase() + " is known for " + sinceText(data, binStart(data, a)) + " to " +
			sinceText(data, binEnd(data, b)) : "";
		this.byId("range").textContent = "Range: " + sinceText(data, binStart(data, this.first)) + " to " +
			sinceText(data, binEnd(data, this.last)) + " (" + stampText(data, binStart(data, this.first)) +
			" to " + stampText(data, binEnd(data, this.last)) + ")" + wider;
	}

	draw() {
		const focus = document.activeElement && document.activeElement.dataset.value;
		this.bars();
		if (focus && document.activeElement === document.body) {
			const again = document.querySelector(".choice [data-value=\"" + CSS.escape(focus) + "\"]");
			if (again)
				again.focus();
		}
		this.timeline.draw();
		this.frames.draw();
		this.memory.draw();
		this.showCommand();
		this.found();
		this.parts.later();
	}
}

/* The top of the page is shown while the numbers are still being unpacked. */
async function start() {
	const byId = (id) => document.getElementById(id);
	const columns = readBytes(byId("columns"));
	const raw = await readJson(byId("data"));
	showTrust(raw.banner);
	byId("summary").textContent = raw.summary.replace(/^(# ?|  )/gm, "").trim();
	document.querySelector("main").hidden = false;
	const page = new Page(readData(raw, readColumns(await columns, raw.columns)));
	page.timeline.draw();
	await nextFrame();
	keepDrawn(page);
}

start().catch((error) => {
	document.getElementById("problem").textContent = "This page cannot be shown: " + error.message;
});
