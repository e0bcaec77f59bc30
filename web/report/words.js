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

/* As --time takes it: seconds with nine digits, or the clock's own units. */
function stampText(data, stamp) {
	if (!data.ns)
		return String(stamp);
	return stamp / 1000000000n + "." + String(stamp % 1000000000n).padStart(9, "0");
}

/* One word of a shell's command. */
function shellWord(text) {
	return /^[\w@%+=:,.\/-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
}

/* From the first event on. */
function sinceText(data, stamp) {
	if (!data.ns)
		return "+" + (stamp - data.first);
	const ns = Number(stamp - data.first);
	return ns < 1e6 ? "+" + (ns / 1e3).toFixed(1) + " us" :
		ns < 1e9 ? "+" + (ns / 1e6).toFixed(2) + " ms" : "+" + (ns / 1e9).toFixed(3) + " s";
}

/* An element with properties, classes and children, which are elements or text. */
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

/* A row of buttons of which one is pressed. @choices: [value, text, title]. */
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

/* Does text match what the user looks for: a part of it, or /an expression/? NULL: all do. */
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

/* A canvas as large as its place, in the screen's own pixels; what is drawn counts in CSS pixels. */
function prepareCanvas(canvas, height) {
	const width = canvas.parentElement.clientWidth;
	const scale = window.devicePixelRatio || 1;
	canvas.style.height = height + "px";
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	const to = canvas.getContext("2d");
	to.setTransform(scale, 0, 0, scale, 0, 0);
	to.clearRect(0, 0, width, height);
	to.textBaseline = "middle";
	return { to, width, height };
}

/* The colour that the style sheet calls @name. */
function styled(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/* As large as the reader wants text to be. */
function scaled(px) {
	return Math.round(px * parseFloat(getComputedStyle(document.documentElement).fontSize) / 16);
}

function fontOf(px) {
	return scaled(px) + "px system-ui, \"DejaVu Sans\", sans-serif";
}

/* When what has been drawn is on the screen. A page that nobody sees has no frames. */
function nextFrame() {
	return new Promise((done) => {
		if (document.hidden)
			done();
		else
			requestAnimationFrame(() => setTimeout(done));
	});
}

/*
 * A button that makes a light page dark, and back. Until it is pressed the page is as the browser is:
 * that is a rule of the style sheet, of which the button changes when it holds.
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

/* Draws now, and when the place or the colours change. Paper is light. */
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

/* The first line says what all stands on; the loud ones what is wrong with it. */
function showTrust(banner) {
	document.getElementById("trust").replaceChildren(...banner.map((line) => make("p",
		{ className: line.startsWith("!") ? "loud" : "" }, line.replace(/^!/, ""))));
}

/* Where the clipboard is closed to a page of a file, the text is selected at least. */
async function copyText(element, button) {
	try {
		await navigator.clipboard.writeText(element.textContent);
		button.textContent = "Copied";
	} catch {
		getSelection().selectAllChildren(element);
		button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
	}
}
