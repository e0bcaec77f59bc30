/*
 * Live memory over time. In: a series per recording. Out: a line for each, all from the same start;
 * those of the old side are dashed.
 */
class DiffTimeline {
	constructor(page, canvas, legend) {
		Object.assign(this, { page, canvas, legend });
	}

	draw() {
		const { data, kind } = this.page, name = kind === PAGE ? "page" : "slab";
		const runs = data.runs.filter((run) => run[name] && run[name].length);
		const { to, width, height } = prepareCanvas(this.canvas, 170 + scaled(20));
		const left = scaled(66), bottom = height - scaled(20);
		const most = Math.max(1, ...runs.map((run) => Math.max(...run[name])));
		const clock = runs.every((run) => run.ns);
		/* Without a clock that counts time, all recordings get the same length. */
		const long = clock ? Math.max(1, ...runs.map((run) => run.end[run.end.length - 1])) : 1;
		this.axis(to, { most, long, clock, left, width, bottom });
		for (const run of runs) {
			const end = clock ? long : run.end[run.end.length - 1];
			let x = left;
			to.beginPath();
			to.moveTo(x, bottom);
			run[name].forEach((bytes, i) => {
				const y = bottom - (bottom - 8) * bytes / most;
				to.lineTo(x, y);
				x = left + (width - left) * run.end[i] / end;
				to.lineTo(x, y);
			});
			to.strokeStyle = styled(run.side ? "grew" : "shrank");
			to.setLineDash(run.side ? [] : [6, 3]);
			to.lineWidth = runs.length > 2 ? 1 : 2;
			to.stroke();
		}
		to.setLineDash([]);
		this.show(runs);
	}

	axis(to, { most, long, clock, left, width, bottom }) {
		bytesAxis(to, most, (bytes) => bottom - (bottom - 8) * bytes / most, left, width);
		to.fillText(clock ? "+" + (long / 1e9).toFixed(3) + " s" : "the end of each", width, bottom + scaled(12));
		to.textAlign = "left";
		to.fillText("live bytes, since the first event", left, bottom + scaled(12));
	}

	show(runs) {
		this.legend.replaceChildren(...[0, 1].map((side) => {
			const line = make("span", { className: side ? "line" : "line dashed" });
			const files = runs.filter((run) => run.side === side).map((run) => run.file);
			line.style.borderColor = styled(side ? "grew" : "shrank");
			return make("li", { title: files.join(", ") }, line, (side ? "new: " : "old: ") + files.join(", "));
		}));
	}
}
