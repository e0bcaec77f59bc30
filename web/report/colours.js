/*
 * Colours of functions. In: names, and their directories if known. Out: the style sheet's colour of
 * each name, and a legend.
 */
const FUNCTION_COLOURS = 6;

/* Colours of callsites and other rows; functions have lighter ones, with text on them. */
const SLOTS = 7;

function hashOf(text) {
	let hash = 7;
	for (let i = 0; i < text.length; i++)
		hash = hash * 31 + text.charCodeAt(i) >>> 0;
	return hash;
}

/*
 * The colour of each name. It follows from the name, so it is the same in all views and on all
 * pages. Only the largest names of a drawing get another one if theirs is taken.
 */
class Slots {
	constructor() {
		this.of = new Map();
	}

	/* Different colours for at most SLOTS names, the largest first. @keep: remember them. */
	choose(names, keep) {
		const chosen = new Map(), taken = new Set();
		const take = (name, slot) => {
			while (taken.has(slot))
				slot = (slot + 1) % SLOTS;
			taken.add(slot);
			chosen.set(name, slot);
			if (keep && !this.of.has(name))
				this.of.set(name, slot);
		};
		for (const name of names)
			if (this.of.has(name) && !taken.has(this.of.get(name)))
				take(name, this.of.get(name));
		for (const name of names)
			if (!chosen.has(name))
				take(name, hashOf(name) % SLOTS);
		return chosen;
	}

	slot(name) {
		return this.of.has(name) ? this.of.get(name) : hashOf(name) % SLOTS;
	}
}

/* The subsystem of a function: the top directory of the kernel's source, or its module. */
function subsystemOf(data, name) {
	const dir = data.dirOf && data.dirOf[name] ? data.dirs[data.dirOf[name]] : "";
	const module = data.names[name].match(/\[([^\]]*)\]( \(inlined\))?$/);
	return dir ? dir.split("/")[0] : module ? "[" + module[1] + "]" : "";
}

/*
 * The subsystems of a tree, the largest first. A few have their own colour, which never changes.
 */
class Subsystems {
	constructor(data, chains, values) {
		const { rows, start, names } = chains, weights = new Float64Array(data.names.length);
		for (let i = 0; i < rows.length; i++)
			for (let at = start[i]; at < start[i + 1]; at++)
				weights[names[at]] += Math.max(0, values[rows[i]]);
		const sums = new Map();
		this.of = data.names.map((name, i) => weights[i] ? subsystemOf(data, i) : "");
		this.of.forEach((subsystem, i) => {
			if (subsystem)
				sums.set(subsystem, (sums.get(subsystem) || 0) + weights[i]);
		});
		this.ranked = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a) || (a < b ? -1 : 1));
	}

	/* The style sheet's name of the colour. */
	colour(name) {
		const rank = this.ranked.indexOf(this.of[name]);
		return rank >= 0 && rank < FUNCTION_COLOURS ? "f" + rank : "rest";
	}

	/* Items of the legend's list. */
	legend() {
		const list = this.ranked.slice(0, FUNCTION_COLOURS).map((subsystem, i) => legendItem("f" + i, subsystem));
		return [...list, legendItem("rest", this.ranked.length > FUNCTION_COLOURS ? "others, or not known" : "not known")];
	}
}
