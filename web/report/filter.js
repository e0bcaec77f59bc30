/*
 * What the reader types. In: words of the command line, such as callsite=alloc_*,getname order>=3, and
 * further text. Out: which rows pass; options for commands; the text to search for.
 */
const FILTER_WORDS = {
	callsite: { kinds: [SLAB, PAGE], texts: (data, row) => [data.rows.callsite[row]], option: "--callsite" },
	cache: { kinds: [SLAB], texts: (data, row) => [data.rows.cache[row]], option: "--cache" },
	order: { kinds: [PAGE], number: (data, row) => data.rows.order[row], option: "--order" },
	migratetype: { kinds: [PAGE], texts: (data, row) => [data.rows.type[row]] },
	process: { kinds: [SLAB, PAGE], texts: (data, row) => [data.rows.process[row]] },
	cgroup: { kinds: [SLAB, PAGE], texts: (data, row) => [data.rows.cgroup[row]] },
	entry: { kinds: [SLAB, PAGE], texts: (data, row) => [data.rows.entry[row]] },
	function: { kinds: [SLAB, PAGE], texts: chainOf },
};
const COMPARE = {
	"=": (a, b) => a === b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, "<": (a, b) => a < b,
};

/* Does a name match one of "A,B*"? What stands behind a function's name need not be given. */
function globOf(list) {
	const parts = list.split(",").filter((part) => part).map((part) =>
		part.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*"));
	const all = new RegExp("^(" + parts.join("|") + ")$");
	return (text) => all.test(text) || all.test(text.replace(/ [[(].*$/, ""));
}

/* The conditions of @text, and the rest of it. A text in // is an expression. */
function parseFilter(text) {
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
		else
			conditions.push({ name, word, sign, value: plain });
		return " ";
	});
	return { conditions, search: rest.trim(), wrong };
}

/* 1 for each row that meets all conditions; null: there are none. */
function passing(data, conditions) {
	if (!conditions.length)
		return null;
	const passes = new Uint8Array(data.nrRows).fill(1);
	for (const { word, sign, value } of conditions) {
		const known = word.number ? null : data.names.map(globOf(value));
		for (let row = 0; row < data.nrRows; row++)
			if (!word.kinds.includes(data.rows.kind[row]) || !(word.number ?
				COMPARE[sign](word.number(data, row), Number(value)) :
				word.texts(data, row).some((name) => known[name])))
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

/* The conditions as options of a command; null: it has no such option. */
function filterOptions(data, conditions) {
	const most = data.rows.order.reduce((a, b) => Math.max(a, b), 0);
	const ranges = { "=": (n) => [n, n], ">=": (n) => [n, most], ">": (n) => [n + 1, most], "<=": (n) => [0, n],
		"<": (n) => [0, n - 1] };
	const options = conditions.map(({ word, sign, value }) => {
		if (!word.option)
			return null;
		if (!word.number)
			return " " + word.option + " " + shellWord(value);
		const [a, b] = ranges[sign](Number(value));
		return a > b ? null : " " + word.option + " " + (a === b ? a : a + "-" + b);
	});
	return options.includes(null) ? null : options.join("");
}
