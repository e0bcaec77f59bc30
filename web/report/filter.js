/*
 * What the user types. In: words of the command line, such as callsite=alloc_*,getname order>=3,
 * and further text. Out: which rows pass; options for commands; the text to search for.
 */
const FILTER_WORDS = {
	callsite: { kinds: ALL_KINDS, texts: (data, row) => [data.rows.callsite[row]], option: "--callsite" },
	cache: { kinds: [SLAB], texts: (data, row) => [data.rows.cache[row]], option: "--cache" },
	order: { kinds: [PAGE], number: (data, row) => data.rows.order[row], option: "--order" },
	size: { kinds: ALL_KINDS, number: (data, row) => sizesOf(data)[row] },
	gfp: { kinds: [PAGE], test: gfpTest, option: "--gfp" },
	migratetype: { kinds: [PAGE], texts: (data, row) => [data.rows.type[row]] },
	process: { kinds: ALL_KINDS, texts: (data, row) => [data.rows.process[row]] },
	comm: { kinds: ALL_KINDS, texts: (data, row) => [data.rows.comm[row]], option: "--comm" },
	cgroup: { kinds: ALL_KINDS, texts: (data, row) => [data.rows.cgroup[row]] },
	entry: { kinds: ALL_KINDS, texts: (data, row) => [data.rows.entry[row]] },
	function: { kinds: ALL_KINDS, texts: chainOf },
};
/* A recording may lack these. */
const RECORDED = ["process", "comm", "cgroup"];
const COMPARE = {
	"=": (a, b) => a === b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, "<": (a, b) => a < b,
};

/* Does a name match one of "A,B*"? The text after a function's name may be missing. */
function globOf(list) {
	const parts = list.split(",").filter((part) => part).map((part) =>
		part.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*"));
	const all = new RegExp("^(" + parts.join("|") + ")$");
	return (text) => all.test(text) || all.test(text.replace(/ [[(].*$/, ""));
}

/* The names and the bits in a row's text of flags. */
function flagsOf(data, text) {
	const names = text === "none" ? [] : text.split("|");
	const known = names.map((name) => data.flags.find(({ brief }) => brief === name));
	const bits = names.reduce((all, name, i) => all | (known[i] ? known[i].mask : BigInt(name)), 0n);
	return { names: new Set(names), bits };
}

/*
 * Tests a row's flags as --gfp does: "A,B|C" is A, or B and C. A name with __ tests a bit; another
 * name tests whether the row shows it. null: a flag is unknown.
 */
function gfpTest(data, value) {
	const one = (word) => {
		const known = data.flags.find(({ name, brief }) => name === word || brief === word);
		if (word === "none")
			return ({ names }) => !names.size;
		if (/^0x[0-9a-f]{1,16}$/i.test(word))
			return ({ bits }) => (bits & BigInt(word)) === BigInt(word);
		if (known && known.name.startsWith("__"))
			return ({ bits }) => (bits & known.mask) === known.mask;
		return known ? ({ names }) => names.has(known.brief) : null;
	};
	const any = value.split(",").map((all) => all.split("|").map(one));
	if (any.flat().includes(null))
		return null;
	const passes = new Map();
	return (row) => {
		const name = data.rows.gfp[row];
		if (!passes.has(name)) {
			const flags = flagsOf(data, data.names[name]);
			passes.set(name, any.some((all) => all.every((test) => test(flags))));
		}
		return passes.get(name);
	};
}

/* Splits @text into conditions and a text to search for. A text that begins with / has none. */
function parseFilter(data, text) {
	const conditions = [];
	if (text.startsWith("/"))
		return { conditions, search: text, wrong: "" };
	let wrong = "";
	const rest = text.replace(/(^|\s)([a-z]+)(>=|<=|=|>|<)("[^"]*"|\S+)/g, (all, space, name, sign, value) => {
		const word = Object.hasOwn(FILTER_WORDS, name) ? FILTER_WORDS[name] : null;
		const plain = value.replaceAll("\"", "");
		if (!word)
			wrong = "There is no word " + name + ". Words: " + Object.keys(FILTER_WORDS).join(", ") + ".";
		else if (word.number ? !/^\d{1,9}$/.test(plain) : sign !== "=")
			wrong = name + sign + plain + ": " + (word.number ? "a number is expected." : "only = is possible.");
		else if (RECORDED.includes(name) && !data.rows[name].some((one) => one > 0))
			wrong = name + sign + plain + ": the page does not have it." + (name === "comm" ? " Try process=" + plain + "." : "");
		else if (word.test && !word.test(data, plain))
			wrong = name + sign + plain + ": the recording has no such flag. Flags: GFP_KERNEL, __GFP_ZERO, 0x400, A|B.";
		else
			conditions.push({ name, word, sign, value: plain });
		return " ";
	});
	return { conditions, search: rest.trim(), wrong };
}

/* 1 for each row that meets all conditions; null: there are no conditions. */
function passing(data, conditions) {
	if (!conditions.length)
		return null;
	const passes = new Uint8Array(data.nrRows).fill(1);
	for (const { word, sign, value } of conditions) {
		const known = word.texts ? data.names.map(globOf(value)) : null, test = word.test ? word.test(data, value) :
			word.number ? (row) => COMPARE[sign](word.number(data, row), Number(value)) :
			(row) => word.texts(data, row).some((name) => known[name]);
		for (let row = 0; row < data.nrRows; row++)
			if (!word.kinds.includes(data.rows.kind[row]) || !test(row))
				passes[row] = 0;
	}
	return passes;
}

/* Zero where a row does not pass. */
function onlyPassing(passes, sums) {
	if (passes)
		for (const metric in sums)
			sums[metric] = sums[metric].map((value, row) => passes[row] ? value : 0);
	return sums;
}

/*
 * The conditions as options of a command; null: a command cannot express them. All conditions on
 * the order must hold; a command would take several words of another option as alternatives.
 */
function filterOptions(data, conditions) {
	const most = data.rows.order.reduce((a, b) => Math.max(a, b), 0), words = conditions.map(({ name }) => name);
	const ranges = { "=": (n) => [n, n], ">=": (n) => [n, most], ">": (n) => [n + 1, most], "<=": (n) => [0, n],
		"<": (n) => [0, n - 1] };
	const orders = conditions.filter(({ name }) => name === "order").map(({ sign, value }) => ranges[sign](Number(value)));
	const low = Math.max(...orders.map(([a]) => a)), high = Math.min(...orders.map(([, b]) => b));
	if (conditions.some(({ word, name }, i) => !word.option || (name !== "order" && words.indexOf(name) !== i)) || low > high)
		return null;
	return conditions.filter(({ name }) => name !== "order").map(({ word, value }) => " " + word.option + " " + shellWord(value))
		.join("") + (orders.length ? " --order " + (low === high ? low : low + "-" + high) : "");
}
