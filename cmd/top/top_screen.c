// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx top on a terminal.
 * In: reports, keys. Out: a screen.
 */
#include "cmd/top/top_screen.h"

#ifndef HAVE_NCURSES

bool top_screen_built(void)
{
	return false;
}

struct top_screen *top_screen_open(struct top *top)
{
	return NULL;
}

void top_screen_draw(struct top_screen *s)
{
}

bool top_screen_keys(struct top_screen *s)
{
	return true;
}

void top_screen_close(struct top_screen *s)
{
}

#else

#include <locale.h>
#include <poll.h>
#include <unistd.h>

/* Rows with nothing live disappear after this many intervals without an allocation. */
#define FADES	  10
/* The column at which the help explains a key. */
#define HELP_KEYS 14U

enum { PAIR_RED = 1, PAIR_GREEN };

static const char *const help_text[] = {
	"q, F10        quit",
	"Up, Down, Page Up, Page Down, Home, End",
	"              select a row; so does a click",
	"Enter         what the row consists of: callsites, callchains, lifetimes",
	"Backspace     go back",
	"/, n          search a name; the next one",
	"\\, F4         only rows whose name contains a text; Escape shows all",
	"g, G          group by the next, previous: callsite, cache, ...",
	"s, S          sort by the next, previous column; so does a click on it",
	"t             all kinds of memory, or one of them",
	"f             choose columns",
	"h             KiB and MiB, or exact bytes",
	"+, -          longer, shorter interval",
	"space         freeze the display; events are still counted",
	"p             pause recording; p again resumes",
	"w             record to -o FILE; w again stops",
	"?, F1         this help",
	NULL,
};

/* The keys on the last line, the most important ones first. */
static const char *const bar[] = {
	"q quit",    "? help",	"Enter open",	"Backspace back", "/ search",
	"\\ filter", "g group", "s sort",	"t memory",	  "space freeze",
	"f fields",  "h human", "+ - interval", "p pause",	  "w write",
};

bool top_screen_built(void)
{
	return true;
}

/* --- drawing ------------------------------------------------------------------------------- */

/* The attributes of "\033[31m"; @p is after the bracket. */
static attr_t attributes(const struct top_screen *s, const char *p)
{
	long code = strtol(p, NULL, 10);

	switch (code) {
	case 2:
		return A_DIM;
	case 31:
		return s->color ? (attr_t)COLOR_PAIR(PAIR_RED) : A_BOLD;
	case 32:
		return s->color ? (attr_t)COLOR_PAIR(PAIR_GREEN) : A_NORMAL;
	default:
		return A_NORMAL;
	}
}

/* Draws one line of text with colour codes, adding the attributes @all. The text is already safe
 * for a terminal.
 */
static void draw_line(const struct top_screen *s, int y, const char *line, size_t size,
		      attr_t all)
{
	const char *end = line + size;

	move(y, 0);
	attrset(all);
	while (line < end) {
		const char *code = memchr(line, '\033', (size_t)(end - line));
		const char *stop = code ? code : end;

		addnstr(line, (int)(stop - line));
		line = stop;
		if (!code)
			break;
		attrset(attributes(s, code + 2) | all);
		while (line < end && *line != 'm')
			line++;
		line += line < end;
	}
	for (int x = getcurx(stdscr); all & A_REVERSE && x < COLS && getcury(stdscr) == y;
	     x++)
		addch(' ');
	attrset(A_NORMAL);
	clrtoeol();
}

static void draw_plain(const struct top_screen *s, int y, const char *text)
{
	draw_line(s, y, text, strnlen(text, (size_t)COLS), A_NORMAL);
}

/* The selected row stands out; a row that ended is dim. */
static attr_t row_attributes(const struct top_screen *s, size_t row)
{
	const struct table *t = s->report->tables[0];
	const int rate = table_column(t, "rate"), live = table_column(t, "live");
	const struct cell *cells = t->cells + row * t->nr_columns;

	if (screen_by_lifetime(s) || row >= t->nr_rows)
		return A_NORMAL;
	if (row == s->at)
		return A_REVERSE;
	return cells[rate].u || cells[live].u ? A_NORMAL : A_DIM;
}

/* Draws the report's lines from line @y on, except rows that are scrolled out. Returns whether the
 * selected row was drawn.
 */
static bool draw_text(struct top_screen *s, int y, const char *text)
{
	const int bottom = LINES - 1;
	size_t rows = 0;
	bool skip = false, seen = false;

	memset(s->row_at, 0, sizeof(s->row_at));
	while (*text && y < bottom) {
		const char *end = strchrnul(text, '\n');
		const char *plain =
			*text == '\033' ? text + strcspn(text, "m") + 1 : text;
		bool is_row = *plain != '#';

		/* Lines that begin with '#' below a row go with it; those above all rows stay. */
		if (is_row)
			skip = rows++ < s->first;
		if (!rows) {
			s->header_y = y;
			snprintf(s->header, sizeof(s->header), "%.*s", (int)(end - plain),
				 plain);
		}
		seen |= is_row && !skip && rows == s->at + 1;
		if (!skip && y < SCREEN_LINES)
			s->row_at[y] = rows;
		if (!skip)
			draw_line(s, y++, text, (size_t)(end - text),
				  is_row ? row_attributes(s, rows - 1) : A_NORMAL);
		text = *end ? end + 1 : end;
	}
	for (; y < bottom; y++)
		draw_plain(s, y, "");
	return seen || s->at >= rows;
}

static int render(const struct top_screen *s, struct strbuf *text)
{
	const struct render_options options = { .width = (unsigned int)COLS,
						.wide = s->top->opts.form.wide,
						.color = true,
						.human = s->top->opts.form.human,
						.terminal = true,
						.all_notes = true,
						.utf8 = MB_CUR_MAX > 1,
						.summary = SUMMARY_NONE };
	const struct render_out out = { render_append, text };
	struct table *t = screen_table(s);

	if (t)
		table_limit_text(t, s->first + (LINES > 4 ? (size_t)LINES - 4 : 1));
	for (size_t i = 0; t && !screen_by_lifetime(s) && i < SCREEN_FIELDS; i++)
		t->columns[i].hidden = s->hidden[i];
	return render_text(s->report, &options, &out);
}

static void draw_report(struct top_screen *s, int y)
{
	const struct table *t = screen_table(s);
	bool again = true;

	if (t && s->at >= t->nr_rows)
		s->at = t->nr_rows ? t->nr_rows - 1 : 0;
	s->first = SMALLER(s->first, s->at);
	/* Rows may have several lines: scroll until the selected one is visible. */
	while (again) {
		struct strbuf __auto_free text = { 0 };

		again = !render(s, &text) && !text.failed &&
			!draw_text(s, y, strbuf_text(&text)) && s->first < s->at;
		s->first += again;
	}
}

/* Draws a line of the help; text that does not fit continues below, at column HELP_KEYS. Returns
 * the next free line of the screen.
 */
static int draw_wrapped(const struct top_screen *s, int y, const char *text)
{
	size_t keys = 0, room = (size_t)COLS, size;
	char line[160];

	do {
		size = strlen(text);
		if (size > room && room > HELP_KEYS)
			for (size = room; size > 1 && text[size] != ' ';)
				size--;
		snprintf(line, sizeof(line), "%*s%.*s", (int)keys, "", (int)size, text);
		draw_plain(s, y++, line);
		text += size + (text[size] == ' ');
		keys = HELP_KEYS;
		room = (size_t)COLS > 2 * keys ? (size_t)COLS - keys : SIZE_MAX;
	} while (*text && y < LINES - 1);
	return y;
}

static void draw_help(const struct top_screen *s)
{
	int y = 1;

	for (int i = 0; y < LINES - 1 && help_text[i]; i++)
		y = draw_wrapped(s, y, help_text[i]);
	for (; y < LINES - 1; y++)
		draw_plain(s, y, "");
}

static void draw_fields(const struct top_screen *s)
{
	const struct table *t = screen_table(s);
	char line[160];

	draw_plain(s, 1, "Up, Down, space: show a column or not; Enter: done");
	for (int i = 0; t && i < SCREEN_FIELDS && i + 2 < LINES - 1; i++) {
		const struct column *c = &t->columns[i];

		snprintf(line, sizeof(line), "[%c] %-12s %.120s",
			 s->hidden[i] ? ' ' : 'x', c->title, c->help ? c->help : "");
		draw_line(s, i + 2, line, strnlen(line, (size_t)COLS),
			  (unsigned int)i == s->field ? A_REVERSE : A_NORMAL);
	}
	for (int y = SCREEN_FIELDS + 2; y < LINES - 1; y++)
		draw_plain(s, y, "");
}

/* Draws the opened rows, outermost first. */
static void draw_crumbs(const struct top_screen *s)
{
	const struct monitor *m = &s->top->monitor;
	struct strbuf __auto_free line = { 0 };

	for (unsigned int i = 0; i < m->nr_open; i++)
		strbuf_printf(&line, "%s%s", i ? " > " : "", s->crumbs[i].name);
	strbuf_printf(&line, " > %s",
		      m->by_lifetime		    ? "lifetimes"
		      : m->opts.by == SUBJECT_STACK ? "callchains"
						    : "callsites");
	draw_line(s, 1, strbuf_text(&line), strnlen(strbuf_text(&line), (size_t)COLS),
		  A_BOLD);
}

/* Draws what is chosen: rows, sort key, filter, pause. */
static void draw_title(const struct top_screen *s)
{
	const struct top *top = s->top;
	const int alone = top_shown_alone(top);
	struct strbuf __auto_free line = { 0 };

	strbuf_printf(&line, "kmemx top  by %s",
		      screen_by_lifetime(s) ? "lifetime"
					    : subjects_word(top->monitor.opts.by));
	if (!screen_by_lifetime(s))
		strbuf_printf(&line, ", sorted by %s",
			      top->view.nr_sort ? top->view.sort[0].name : "rate");
	if (alone >= 0)
		strbuf_printf(&line, ", %s only", memory_words((enum memory)alone)->word);
	if (top->view.filter)
		strbuf_printf(&line, ", with '%s'", top->view.filter);
	if (top->paused_at)
		strbuf_puts(&line, "  PAUSED");
	if (top->frozen)
		strbuf_puts(&line, "  FROZEN");
	if (top->write_fd >= 0)
		strbuf_printf(&line, "  writing %s", top->path);
	move(0, 0);
	attrset(A_REVERSE);
	addnstr(strbuf_text(&line), COLS);
	for (int x = getcurx(stdscr); x < COLS && getcury(stdscr) == 0; x++)
		addch(' ');
	attrset(A_NORMAL);
}

/* Draws as many keys as fit. */
static void draw_keys(const struct top_screen *s)
{
	struct strbuf __auto_free line = { 0 };
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bar); i++) {
		const size_t size = strlen(bar[i]);
		const bool back = !strncmp(bar[i], "Backspace", 9);
		const bool open = !strncmp(bar[i], "Enter", 5);

		if ((back && !s->top->monitor.nr_open) ||
		    (open && screen_by_lifetime(s)) ||
		    used + size + 2 * (used > 0) > (size_t)COLS)
			continue;
		strbuf_printf(&line, "%s%s", used ? "  " : "", bar[i]);
		used += size + 2 * (used > 0);
	}
	draw_plain(s, LINES - 1, strbuf_text(&line));
}

static void draw_bottom(const struct top_screen *s)
{
	const bool filter = s->typing == TYPING_FILTER;
	char line[TYPED_MAX + 16];

	if (s->typing)
		snprintf(line, sizeof(line), "%s: %s", filter ? "filter" : "search",
			 filter ? s->filter : s->search);
	if (s->typing || *s->note)
		draw_plain(s, LINES - 1, s->typing ? line : s->note);
	else
		draw_keys(s);
}

static void draw(struct top_screen *s)
{
	const bool opened = s->top->monitor.nr_open;

	if (s->help)
		draw_help(s);
	else if (s->fields)
		draw_fields(s);
	else if (opened)
		draw_crumbs(s);
	if (s->report && !s->help && !s->fields)
		draw_report(s, 1 + opened);
	draw_title(s);
	draw_bottom(s);
	refresh();
}

void top_screen_draw(struct top_screen *s)
{
	const struct monitor *m = &s->top->monitor;
	struct report *r;

	if (monitor_gone(m)) {
		snprintf(s->note, sizeof(s->note), "%s: nothing is left of it",
			 s->crumbs[m->nr_open - 1].name);
		s->at = s->first = 0;
		top_set_by(s->top, m->open[0].grouping.kind);
	}
	if (!s->top->frozen || !s->report) {
		r = top_make_report(s->top);
		if (r) {
			report_free(s->report);
			s->report = r;
		}
	}
	draw(s);
}

/* Is the terminal gone? Then poll() always reports input, but there is none. */
static bool is_gone(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&fd, 1, 0) > 0 && fd.revents & (POLLHUP | POLLERR | POLLNVAL);
}

bool top_screen_keys(struct top_screen *s)
{
	bool any = false;
	int key;

	while ((key = getch()) != ERR) {
		any = true;
		if (key == KEY_RESIZE)
			clear();
		else if (s->typing)
			screen_type(s, key);
		else if (key == 'q' || key == 'Q' || key == KEY_F(10))
			return true;
		else if (s->help)
			s->help = false;
		else {
			*s->note = '\0';
			screen_press(s, key);
		}
	}
	if (any)
		top_screen_draw(s);
	return is_gone();
}

/* --- opening and closing ------------------------------------------------------------------- */

struct top_screen *top_screen_open(struct top *top)
{
	const char *none = getenv("NO_COLOR"), *color = top->opts.form.color;
	struct top_screen *s = calloc(1, sizeof(*s));
	enum subject_kind kind = SUBJECT_NONE;

	if (!s)
		return NULL;
	s->top = top;
	top->view.fades = FADES;
	while (grouping_word(s->by_at, &kind) && kind != top->monitor.opts.by)
		s->by_at++;
	setlocale(LC_CTYPE, "");
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal) {
		free(s);
		return NULL;
	}
	set_escdelay(50);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	s->color = has_colors() && (color ? strcmp(color, "never") : !(none && *none));
	if (s->color) {
		start_color();
		use_default_colors();
		init_pair(PAIR_RED, COLOR_RED, -1);
		init_pair(PAIR_GREEN, COLOR_GREEN, -1);
	}
	return s;
}

void top_screen_close(struct top_screen *s)
{
	if (!s)
		return;
	if (!is_gone())
		endwin();
	delscreen(s->terminal);
	setlocale(LC_CTYPE, "C");
	report_free(s->report);
	free(s);
}

#endif
