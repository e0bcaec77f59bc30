/*
 * Numbers, times and elements. In: values. Out: text as kmemx prints it; elements that hold text.
 */
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

function wholeText(n) {
	return WHOLE.format(n);
}

function bytesText(n) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let unit = 0;
	while (Math.abs(n) >= 1024 && unit < units.length - 1) {
		n /= 1024;
		unit++;
	}
	return (unit ? n.toFixed(1) : n) + " " + units[unit];
}

function shareText(part, whole) {
	return whole ? (100 * part / whole).toFixed(2) + " %" : "";
}

/* At most @most characters: the beginning and the end of the text. */
function cutText(text, most) {
	const head = Math.ceil((most - 1) * 0.6);
	return text.length <= most ? text : text.slice(0, head) + "…" + text.slice(text.length - (most - 1 - head));
}

/* Cuts texts such that different ones stay different. */
function cutTexts(texts, most) {
	const whole = new Set(texts).size;
	for (; ; most *= 2) {
		const cut = texts.map((text) => cutText(text, most));
		if (new Set(cut).size === whole)
			return cut;
	}
}

/* The format of --time: seconds with nine digits, or the clock's own units. */
function stampText(data, stamp) {
	if (!data.ns)
		return String(stamp);
	return stamp / 1000000000n + "." + String(stamp % 1000000000n).padStart(9, "0");
}

/* Quotes one word of a shell command. */
function shellWord(text) {
	return /^[\w@%+=:,.\/-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
}

/* A time span, which is a BigInt, as text. */
function spanText(data, span) {
	if (!data.ns)
		return span + " ticks";
	const ns = Number(span);
	return ns < 1e6 ? (ns / 1e3).toFixed(1) + " us" : ns < 1e9 ? (ns / 1e6).toFixed(2) + " ms" : (ns / 1e9).toFixed(3) + " s";
}

/* Time since the first event. */
function sinceText(data, stamp) {
	return "+" + (data.ns ? spanText(data, stamp - data.first) : stamp - data.first);
}

/* Makes an element with properties, attributes and children, which are elements or text. */
function make(name, properties, ...children) {
	const e = document.createElement(name);
	for (const key in properties) {
		if (key.startsWith("aria-") || key.startsWith("data-"))
			e.setAttribute(key, properties[key]);
		else
			e[key] = properties[key];
	}
	e.append(...children);
	return e;
}

/* Makes an item of a legend: a box in the style sheet's @colour, and a text. */
function legendItem(colour, text, title = text) {
	const box = make("span", { className: "box" });
	box.style.background = styled(colour);
	return make("li", { title }, box, text);
}

/* Makes a table's row that a click, Enter or a space marks. */
function markableRow(marked, mark) {
	return make("tr", { tabIndex: 0, className: marked ? "marked" : "", onclick: mark, onkeydown: (e) => {
		if (e.key === "Enter" || e.key === " ") {
			e.preventDefault();
			mark();
		}
	} });
}

/* Makes a row of buttons, one of them pressed. @choices: [value, text, title]. */
function choice(label, choices, current, pick) {
	const group = make("span", { className: "choice", role: "group", "aria-label": label });
	for (const [value, text, title] of choices) {
		group.append(make("button", {
			type: "button", title: title || "", "aria-pressed": String(value === current),
			"data-value": String(value), onclick: () => pick(value),
		}, text));
	}
	return group;
}

/* Makes a function that matches text against the user's search: a substring, or /an expression/.
 * null: everything matches.
 */
function matcher(words) {
	if (!words)
		return null;
	if (words.length > 2 && words.startsWith("/") && words.endsWith("/")) {
		try {
			const expression = new RegExp(words.slice(1, -1));
			return (text) => expression.test(text);
		} catch {
			return () => false;
		}
	}
	const lower = words.toLowerCase();
	return (text) => text.toLowerCase().includes(lower);
}

/* Dots per CSS pixel of drawings for paper. */
const PAPER_SCALE = 3;

function onPaper() {
	return document.documentElement.classList.contains("paper");
}

/* Sizes a canvas to its place, in device pixels; drawing uses CSS pixels. */
function prepareCanvas(canvas, height) {
	const width = canvas.parentElement.clientWidth;
	const scale = onPaper() ? PAPER_SCALE : window.devicePixelRatio || 1;
	canvas.style.height = height + "px";
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	const to = canvas.getContext("2d");
	to.setTransform(scale, 0, 0, scale, 0, 0);
	to.clearRect(0, 0, width, height);
	to.textBaseline = "middle";
	return { to, width, height };
}

/* The style sheet's colour @name. */
function styled(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/* Scales to the reader's font size. */
function scaled(px) {
	return Math.round(px * parseFloat(getComputedStyle(document.documentElement).fontSize) / 16);
}

function fontOf(px) {
	return scaled(px) + "px system-ui, \"DejaVu Sans\", sans-serif";
}

/* Draws lines from @left to @width at none, half and all of @most bytes, and writes the bytes. */
function bytesAxis(to, most, y, left, width) {
	to.font = fontOf(11);
	to.fillStyle = styled("dim");
	to.strokeStyle = styled("line");
	to.lineWidth = 1;
	to.textAlign = "right";
	for (const part of [0, 0.5, 1]) {
		const line = Math.round(y(most * part)) + 0.5;
		to.beginPath();
		to.moveTo(left, line);
		to.lineTo(width, line);
		to.stroke();
		to.fillText(bytesText(Math.round(most * part)), left - 6, line);
	}
}

/* Resolves when the drawing is on the screen. A hidden page gets no frames. */
function nextFrame() {
	return new Promise((done) => {
		if (document.hidden)
			done();
		else
			requestAnimationFrame(() => setTimeout(done));
	});
}

/*
 * A button that switches between light and dark. Until it is pressed the page follows the browser,
 * by a media rule of the style sheet. The button changes that rule's condition.
 */
function switchLight(system, draw) {
	const rules = [...document.styleSheets[0].cssRules].filter((rule) =>
		rule.media && rule.media.mediaText.includes("prefers-color-scheme"));
	let dark = system.matches, chosen = false;
	const button = make("button", { type: "button", id: "theme", onclick: () => {
		chosen = true;
		show(!dark);
	} });
	const show = (now) => {
		dark = now;
		button.textContent = dark ? "Light" : "Dark";
		button.title = "Show the page " + (dark ? "light" : "dark");
		if (chosen) {
			for (const rule of rules)
				rule.media.mediaText = dark ? "all" : "not all";
			document.documentElement.style.colorScheme = dark ? "dark" : "light";
		}
		draw();
	};
	system.addEventListener("change", () => show(chosen ? dark : system.matches));
	document.querySelector("header").prepend(button);
	show(dark);
}

/* Draws now, and whenever the size or the colours change. */
function keepDrawn(page) {
	const root = document.documentElement;
	switchLight(matchMedia("(prefers-color-scheme: dark)"), () => page.draw());
	addEventListener("resize", () => page.draw());
	addEventListener("beforeprint", () => {
		root.classList.add("paper");
		page.draw();
	});
	addEventListener("afterprint", () => {
		root.classList.remove("paper");
		page.draw();
	});
}

/* Shows the banner: the first line says what everything is based on; loud lines warn. */
function showTrust(banner) {
	document.getElementById("trust").replaceChildren(...banner.map((line) => make("p",
		{ className: line.startsWith("!") ? "loud" : "" }, line.replace(/^!/, ""))));
}

/* Copies an element's text. If the page may not use the clipboard, at least selects the text. */
async function copyText(element, button) {
	try {
		await navigator.clipboard.writeText(element.textContent);
		button.textContent = "Copied";
	} catch {
		getSelection().selectAllChildren(element);
		button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
	}
}
