// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: a tree as rings, in a picture.
 * In: rows. Out: SVG.
 */
#include <math.h>

#include "report/text_cell.h"
#include "report/web/rings.h"

/* Size of the picture; the rings are centred at (CENTER, CENTER). */
#define WIDTH	1300
#define HEIGHT	920
#define CENTER	460
#define LEGEND	960
#define COLOURS 12
#define ENTRIES 18
/* Narrower arcs are merged with their neighbours. */
#define LEAST	0.7
/* Width of a character relative to the font size: ASCII, and other characters. */
#define NARROW	0.56
#define FULL	1.0
/* Bold text is wider by this factor. */
#define BOLD	1.2
/* An arc must not end where it begins. */
#define WHOLE	(2 * M_PI - 1e-4)

/* The rings share the space between these radii, innermost first. */
#define INNER 92.0
#define OUTER 455.0
static const double shares[] = { 90, 82, 70, 56, 38, 27 };
#define RINGS ARRAY_SIZE(shares)

/* The colours are those of web/rings.css. */
static const char style[] =
	":root{--paper:#fff;--ink:#1d2430;--dim:#667080}"
	"@media(prefers-color-scheme:dark){:root{--paper:#14181f;--ink:#e6e9ee;--dim:#98a2b0}}"
	"text{font-family:system-ui,\"Segoe UI\",\"Noto Sans\",\"DejaVu Sans\",sans-serif;fill:var(--ink)}"
	".paper{fill:var(--paper)}.dim{fill:var(--dim)}.way{fill:none}"
	".arcs path{stroke:var(--paper);stroke-width:.7}"
	".labels text{text-anchor:middle}.labels .d0,.labels .d1{fill:#fff}"
	".number{text-anchor:end}"
	".c0{fill:#2f6db3}.c1{fill:#bf5b17}.c2{fill:#27864a}.c3{fill:#b5323c}.c4{fill:#7750ad}"
	".c5{fill:#0e7f86}.c6{fill:#b43a7f}.c7{fill:#83613c}.c8{fill:#4655b3}.c9{fill:#6b7415}"
	".c10{fill:#4f6d86}.c11{fill:#9a4f9e}.cx{fill:#7b828c}"
	".arcs .d1{fill-opacity:.9}.arcs .d2{fill-opacity:.55}.arcs .d3{fill-opacity:.42}"
	".arcs .d4{fill-opacity:.32}.arcs .d5{fill-opacity:.25}.arcs .few{fill-opacity:.14}";

/**
 * struct picture - a picture being drawn
 * @radii: where each ring begins, and where the last of @nr_rings ends
 * @arcs, @labels: of the rings; labels are drawn above all arcs
 * @nr_labels: number of labels along an arc
 */
struct picture {
	const struct rings_rows *r;
	double radii[RINGS + 1];
	uint32_t nr_rings;
	struct strbuf arcs, labels;
	unsigned int nr_labels;
};

/* A piece of a ring, clockwise from the top. */
struct arc {
	double inner, outer, from, to;
};

/* Rounds @f to one decimal, for %g. */
static double tenths(double f)
{
	return (double)lround(f * 10) / 10;
}

/* "6.0 %" */
static void add_share(struct strbuf *sb, uint64_t part, uint64_t all)
{
	strbuf_printf(sb, "%.1f %%", all ? tenths(100 * (double)part / (double)all) : 0);
}

static void add_point(struct strbuf *sb, const char *before, double radius, double angle)
{
	strbuf_printf(sb, "%s%g %g", before, tenths(CENTER + radius * sin(angle)),
		      tenths(CENTER - radius * cos(angle)));
}

static void add_turn(struct strbuf *sb, double radius, bool large, bool clockwise)
{
	strbuf_printf(sb, "A%g %g 0 %d %d", tenths(radius), tenths(radius), large,
		      clockwise);
}

static void add_outline(struct strbuf *sb, const struct arc *a)
{
	bool large = a->to - a->from > M_PI;

	if (a->to - a->from > WHOLE) {
		/* Draw a full ring as two halves. */
		const struct arc first = { a->inner, a->outer, a->from, a->from + M_PI };
		const struct arc second = { a->inner, a->outer, a->from + M_PI,
					    a->from + WHOLE };

		add_outline(sb, &first);
		add_outline(sb, &second);
		return;
	}
	add_point(sb, "M", a->outer, a->from);
	add_turn(sb, a->outer, large, true);
	add_point(sb, " ", a->outer, a->to);
	add_point(sb, "L", a->inner, a->to);
	add_turn(sb, a->inner, large, false);
	add_point(sb, " ", a->inner, a->from);
	strbuf_puts(sb, "Z");
}

/* --- labels ------------------------------------------------------------------------------ */

/* Approximate width of @text in a font of size 1. */
static double text_width(const char *text)
{
	double width = 0;

	for (; *text; text++) {
		if (!(*text & 0x80))
			width += NARROW;
		else if ((*text & 0xc0) == 0xc0)
			width += FULL;
	}
	return width;
}

/* Letters are upright in the upper half; in the lower half the path is reversed. */
static void label_along(struct picture *p, const struct arc *a, const char *name,
			double font, uint32_t ring)
{
	double middle = (a->from + a->to) / 2, radius = (a->inner + a->outer) / 2;
	bool down = middle > M_PI / 2 && middle < 3 * M_PI / 2;
	double to = a->to - a->from > WHOLE ? a->from + WHOLE : a->to;
	struct strbuf *sb = &p->labels;

	radius += down ? 0.35 * font : -0.35 * font;
	strbuf_printf(sb, "<path class=\"way\" id=\"l%u\" d=\"", ++p->nr_labels);
	add_point(sb, "M", radius, down ? to : a->from);
	add_turn(sb, radius, to - a->from > M_PI, !down);
	add_point(sb, " ", radius, down ? a->from : to);
	strbuf_printf(
		sb,
		"\"/><text class=\"d%u\" font-size=\"%g\"><textPath href=\"#l%u\" startOffset=\"50%%\">",
		ring, tenths(font), p->nr_labels);
	rings_text(sb, name);
	strbuf_puts(sb, "</textPath></text>\n");
}

/* Text runs outwards on the right half, inwards on the left. @a is the space available. */
static void label_outwards(struct picture *p, const struct arc *a, const char *name,
			   double font, uint32_t ring)
{
	double middle = (a->from + a->to) / 2, turn = middle * 180 / M_PI - 90;
	struct strbuf *sb = &p->labels;

	strbuf_printf(sb, "<text class=\"d%u\" font-size=\"%g", ring, tenths(font));
	add_point(sb, "\" dy=\".35em\" transform=\"translate(", (a->inner + a->outer) / 2,
		  middle);
	strbuf_printf(sb, ")rotate(%g)\">", tenths(turn > 90 ? turn - 180 : turn));
	rings_text(sb, name);
	strbuf_puts(sb, "</text>\n");
}

static void add_label(struct picture *p, const struct arc *a, const char *name,
		      uint32_t ring)
{
	double font = ring < 2 ? 14 : ring < 3 ? 12.5 : 11, wide = a->outer - a->inner;
	double length = (a->to - a->from) * (a->inner + a->outer) / 2, size;
	struct arc room = *a;

	if ((a->to - a->from) * a->outer < font * 1.2)
		return;
	size = text_width(name) * font;
	/* A line of text fits only from this radius outwards. */
	room.inner = fmax(a->inner + 4, font * 1.1 / (a->to - a->from));
	room.outer -= 4;
	if (length > size + 12 && wide > font + 4)
		label_along(p, a, name, font, ring);
	else if (room.outer - room.inner > size)
		label_outwards(p, &room, name, font, ring);
}

/* --- arcs -------------------------------------------------------------------------------- */

static void add_title(struct strbuf *sb, const char *name, uint64_t size, uint64_t all)
{
	strbuf_puts(sb, "<title>");
	rings_text(sb, name);
	strbuf_puts(sb, ": ");
	text_bytes(sb, size, " ");
	strbuf_puts(sb, ", ");
	add_share(sb, size, all);
	strbuf_puts(sb, "</title>");
}

/* Sets the colour of root number @place and of the rows below it. */
static void set_colour(char colour[16], const char *name, unsigned int place)
{
	if (*name == '(')
		snprintf(colour, 16, "cx");
	else
		snprintf(colour, 16, "c%u", place % COLOURS);
}

/* The rows being drawn: siblings from number @row up to @end, and everything below. */
struct span {
	uint32_t row, end;
	double at;   /* where the next row begins */
	double turn; /* angle per byte */

	uint64_t left; /* bytes of rows that are too narrow */
};

static void add_arc(struct picture *p, const struct rings_row *row, const struct arc *a,
		    const char *colour)
{
	strbuf_printf(&p->arcs, "<path class=\"%s d%u\" d=\"", colour, row->depth);
	add_outline(&p->arcs, a);
	strbuf_puts(&p->arcs, "\">");
	add_title(&p->arcs, row->name, row->size, p->r->total);
	strbuf_puts(&p->arcs, "</path>\n");
	add_label(p, a, row->name, row->depth);
}

/* Draws one arc for all rows that are too narrow for their own. */
static void add_few(struct picture *p, uint32_t ring, const struct span *s,
		    const char *colour)
{
	const struct arc a = { p->radii[ring], p->radii[ring + 1], s->at,
			       s->at + (double)s->left * s->turn };

	if ((a.to - a.from) * a.outer < LEAST)
		return;
	strbuf_printf(&p->arcs, "<path class=\"%s few\" d=\"", colour);
	add_outline(&p->arcs, &a);
	strbuf_puts(&p->arcs, "\"/>\n");
}

/* Draws root number @place and everything below it. */
static void add_root(struct picture *p, uint32_t root, struct span *at,
		     unsigned int place)
{
	const struct rings_row *rows = p->r->rows;
	struct span stack[RINGS + 1] = { 0 };
	unsigned int depth = 0;
	char colour[16];

	set_colour(colour, rows[root].name, place);
	stack[0] = (struct span){ root, rows[root].behind, at->at, at->turn,
				  rows[root].size };
	for (;;) {
		struct span *s = &stack[depth];
		const struct rings_row *row = &rows[s->row];
		struct arc a = { p->radii[depth], p->radii[depth + 1], s->at, 0 };

		a.to = s->row < s->end ? s->at + (double)row->size * s->turn : 0;
		if (s->row >= s->end || (a.to - a.from) * a.outer < LEAST) {
			if (depth)
				add_few(p, depth, s, colour);
			if (!depth--)
				break;
			continue;
		}
		add_arc(p, row, &a, colour);
		s->left -= SMALLER(row->size, s->left);
		s->at = a.to;
		s->row = row->behind;
		if (depth + 1 < p->nr_rings && row->behind > (uint32_t)(row - rows) + 1) {
			depth++;
			stack[depth] =
				(struct span){ (uint32_t)(row - rows) + 1, row->behind,
					       a.from, s->turn, row->size };
		}
	}
}

/* The fewer the rings, the wider they are. */
static void share_radii(struct picture *p)
{
	double whole = 0;

	for_each(row, p->r->rows, p->r->nr)
		p->nr_rings = LARGER(p->nr_rings, row->depth + 1);
	p->nr_rings = SMALLER(p->nr_rings, RINGS);
	for (uint32_t i = 0; i < p->nr_rings; i++)
		whole += shares[i];
	p->radii[0] = INNER;
	for (uint32_t i = 0; i < p->nr_rings; i++)
		p->radii[i + 1] = p->radii[i] + (OUTER - INNER) * shares[i] / whole;
}

static void add_rings(struct picture *p)
{
	const struct rings_rows *r = p->r;
	struct span at = { .turn = r->total ? 2 * M_PI / (double)r->total : 0 };
	unsigned int place = 0;

	share_radii(p);
	for (uint32_t i = 0; i < r->nr; i = r->rows[i].behind) {
		add_root(p, i, &at, place++);
		at.at += (double)r->rows[i].size * at.turn;
	}
}

/* --- text beside the rings ------------------------------------------------------------------ */

static void add_text(struct strbuf *sb, const char *attributes, double x, double y,
		     const char *text)
{
	strbuf_printf(sb, "<text %s x=\"%g\" y=\"%g\">", attributes, tenths(x),
		      tenths(y));
	rings_text(sb, text);
	strbuf_puts(sb, "</text>\n");
}

static void add_entry(struct strbuf *sb, const struct rings_row *row, uint64_t total,
		      unsigned int place)
{
	struct strbuf __auto_free text = { 0 };
	double y = 170 + 34 * place;
	char colour[16];

	set_colour(colour, row->name, place);
	strbuf_printf(
		sb,
		"<rect class=\"%s\" x=\"%d\" y=\"%g\" width=\"15\" height=\"15\" rx=\"3\"/>\n",
		colour, LEGEND, tenths(y - 13));
	text_shorten(&text, row->name, strlen(row->name), 18);
	add_text(sb, "font-size=\"17\"", LEGEND + 26, y, strbuf_text(&text));
	strbuf_reset(&text);
	text_bytes(&text, row->size, " ");
	add_text(sb, "class=\"number\" font-size=\"17\"", LEGEND + 246, y,
		 strbuf_text(&text));
	strbuf_reset(&text);
	add_share(&text, row->size, total);
	add_text(sb, "class=\"number dim\" font-size=\"17\"", LEGEND + 320, y,
		 strbuf_text(&text));
	sb->failed |= text.failed;
}

/* Writes the description. Text in parentheses gets a line of its own. */
static void add_what(struct strbuf *sb, const char *what)
{
	const char *more = strstr(what, " (");
	struct strbuf __auto_free text = { 0 };

	strbuf_add(&text, what, more ? (size_t)(more - what) : strlen(what));
	add_text(sb, "class=\"dim\" font-size=\"17\"", LEGEND, more ? 98 : 102,
		 strbuf_text(&text));
	if (more)
		add_text(sb, "class=\"dim\" font-size=\"15\"", LEGEND, 120, more + 1);
	sb->failed |= text.failed;
}

static void add_head(struct strbuf *sb, const struct rings_rows *r,
		     const struct rings_options *o)
{
	struct strbuf __auto_free text = { 0 };
	double font;
	char how[64];

	strbuf_printf(
		sb,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
		WIDTH, HEIGHT);
	rings_text(sb, o->title);
	strbuf_puts(sb, ": ");
	rings_text(sb, o->what);
	strbuf_printf(
		sb,
		"</title>\n<style>%s</style>\n<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n",
		style, WIDTH, HEIGHT);
	text_shorten(&text, o->title, strlen(o->title), 40);
	font = fmin(23, (WIDTH - LEGEND - 20) / (text_width(strbuf_text(&text)) * BOLD));
	snprintf(how, sizeof(how), "font-weight=\"650\" font-size=\"%g\"", tenths(font));
	add_text(sb, how, LEGEND, 70, strbuf_text(&text));
	add_what(sb, o->what);
	strbuf_reset(&text);
	text_bytes(&text, r->total, " ");
	add_text(sb, "text-anchor=\"middle\" font-size=\"26\" font-weight=\"650\"",
		 CENTER, CENTER + 9, strbuf_text(&text));
	sb->failed |= text.failed;
}

int rings_svg(const struct table *t, const struct rings_options *o,
	      const struct render_out *out)
{
	struct rings_rows rows;
	struct picture p = { .r = &rows };
	struct strbuf __auto_free head = { 0 };
	int ret = rings_rows_init(&rows, t, o);

	if (!ret) {
		add_head(&head, &rows, o);
		for (uint32_t i = 0, nr = 0; i < rows.nr && nr < ENTRIES;
		     i = rows.rows[i].behind)
			add_entry(&head, &rows.rows[i], rows.total, nr++);
		strbuf_puts(&head, "<g class=\"arcs\">\n");
		add_rings(&p);
		strbuf_puts(&p.arcs, "</g>\n<g class=\"labels\">\n");
		strbuf_puts(&p.labels, "</g>\n</svg>\n");
	}
	ret = render_flush(&head, out, ret);
	ret = render_flush(&p.arcs, out, ret);
	ret = render_flush(&p.labels, out, ret);
	strbuf_free(&p.arcs);
	strbuf_free(&p.labels);
	rings_rows_free(&rows);
	return ret;
}
