// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx top on a terminal.
 * In: reports, keys. Out: a screen.
 */
#include "cmd/top/top.h"

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

#include <ctype.h>
#include <curses.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/row/memory_words.h"

/* Size of a filter that is being typed. */
#define FILTER_MAX 64

#define KEY_ESCAPE 27

enum { PAIR_RED = 1, PAIR_GREEN };

/**
 * struct top_screen - the terminal
 * @report: what is shown; NULL if nothing yet
 * @first: number of rows scrolled out at the top
 * @sort: the key that the user chose, one of top_sort_key(); @top->view points to it
 * @typing: keys go to @filter
 * @help: the help is shown
 * @note: the result of the last key
 */
struct top_screen {
	struct top *top;
	SCREEN *terminal;
	struct report *report;
	size_t first;
	struct sort_key sort;
	unsigned int sort_at, by_at;
	bool typing, help, color;
	char filter[FILTER_MAX];
	char note[256];
};

static const char *const help_text[] = {
	"q          quit",
	"g, G       group by the next, previous: callsite, cache, ...",
	"s, S       sort by the next, previous column",
	"t          all kinds of memory, or one of them",
	"/          filter rows by name; Escape shows all rows",
	"space, f   freeze the display; events are still counted",
	"p          pause recording; p again resumes",
	"w          record to -o FILE; w again stops",
	"Up, Down, Page Up, Page Down, Home",
	"           scroll",
	"?, h       this help",
	NULL,
};

bool top_screen_built(void)
{
	return true;
}

/* --- drawing ------------------------------------------------------------------------------- */

static int append(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

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

/* Draws one line of text with colour codes. The text is already safe for a terminal. */
static void draw_line(const struct top_screen *s, int y, const char *line, size_t size)
{
	const char *end = line + size;

	move(y, 0);
	attrset(A_NORMAL);
	while (line < end) {
		const char *code = memchr(line, '\033', (size_t)(end - line));
		const char *stop = code ? code : end;

		addnstr(line, (int)(stop - line));
		line = stop;
		if (!code)
			break;
		attrset(attributes(s, code + 2));
		while (line < end && *line != 'm')
			line++;
		line += line < end;
	}
	attrset(A_NORMAL);
	clrtoeol();
}

/* Draws the lines of the report, except rows that are scrolled out. */
static void draw_text(const struct top_screen *s, const char *text)
{
	int y = 1, bottom = LINES - 1;
	size_t rows = 0;
	bool skip = false;

	while (*text && y < bottom) {
		const char *end = strchrnul(text, '\n');
		const char *plain =
			*text == '\033' ? text + strcspn(text, "m") + 1 : text;

		/* Lines that begin with '#' below a row go with it; those above all rows stay. */
		if (*plain != '#')
			skip = rows++ < s->first;
		if (!skip)
			draw_line(s, y++, text, (size_t)(end - text));
		text = *end ? end + 1 : end;
	}
	for (; y < bottom; y++)
		draw_line(s, y, "", 0);
}

static void draw_report(const struct top_screen *s)
{
	const struct render_options options = { .width = (unsigned int)COLS,
						.wide = s->top->opts.form.wide,
						.color = true,
						.human = s->top->opts.form.human,
						.terminal = true,
						.all_notes = true,
						.utf8 = MB_CUR_MAX > 1,
						.summary = SUMMARY_NONE };
	struct strbuf text = { 0 };
	const struct render_out out = { append, &text };

	if (s->report->nr_tables)
		table_limit_text(s->report->tables[0],
				 s->first + (LINES > 4 ? (size_t)LINES - 4 : 1));
	if (!render_text(s->report, &options, &out) && !text.failed)
		draw_text(s, strbuf_text(&text));
	strbuf_free(&text);
}

static void draw_help(const struct top_screen *s)
{
	int y;

	for (y = 1; y < LINES - 1 && help_text[y - 1]; y++)
		draw_line(s, y, help_text[y - 1], strlen(help_text[y - 1]));
	for (; y < LINES - 1; y++)
		draw_line(s, y, "", 0);
}

/* The only kind of memory that is shown; -1: all are. */
static int shown_alone(const struct top *top)
{
	const bool *hidden = top->view.side_hidden;
	int i, shown = 0, last = 0;

	for (i = 0; i < MEMORY_KINDS; i++) {
		shown += !hidden[i];
		last = hidden[i] ? last : i;
	}
	return shown == 1 ? last : -1;
}

/* Draws what is chosen: rows, sort key, filter, pause. */
static void draw_title(const struct top_screen *s)
{
	const struct top *top = s->top;
	const int alone = shown_alone(top);
	struct strbuf line = { 0 };

	strbuf_printf(&line, "kmemx top  by %s, sorted by %s", monitor_by(&top->monitor),
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
	strbuf_free(&line);
}

static void draw_bottom(const struct top_screen *s)
{
	char line[sizeof(s->note) + FILTER_MAX];

	if (s->typing)
		snprintf(line, sizeof(line), "filter: %s", s->filter);
	else
		snprintf(
			line, sizeof(line), "%s",
			*s->note
				? s->note
				: "q quit  ? help  g group  s sort  t memory  / filter  space freeze  p pause  w write");
	draw_line(s, LINES - 1, line, strnlen(line, (size_t)COLS));
}

static void draw(const struct top_screen *s)
{
	if (s->help)
		draw_help(s);
	else if (s->report)
		draw_report(s);
	draw_title(s);
	draw_bottom(s);
	refresh();
}

void top_screen_draw(struct top_screen *s)
{
	struct report *r;

	if (!s->top->frozen || !s->report) {
		r = top_make_report(s->top);
		if (r) {
			report_free(s->report);
			s->report = r;
		}
	}
	draw(s);
}

/* --- keys ---------------------------------------------------------------------------------- */

/* Do the recorded events have rows of that kind? */
static bool is_possible(const struct monitor_options *opts, enum subject_kind kind)
{
	bool possible = false;
	int i;

	for (i = 0; i < MEMORY_KINDS; i++)
		possible |= opts->of[i] && grouping_has((enum memory)i, kind);
	return possible;
}

static void group(struct top_screen *s, bool back)
{
	enum subject_kind kind;
	unsigned int nr = 0;

	while (grouping_word(nr, &kind))
		nr++;
	/* Skip kinds of rows that the recorded events do not have. */
	do {
		s->by_at = (s->by_at + (back ? nr - 1 : 1)) % nr;
		grouping_word(s->by_at, &kind);
	} while (!is_possible(&s->top->monitor.opts, kind));
	s->first = 0;
	top_set_by(s->top, kind);
}

static void choose_sort(struct top_screen *s, bool back)
{
	static const unsigned int nr = 6; /* keys that every row has */
	struct table *t = s->report && s->report->nr_tables ? s->report->tables[0] : NULL;

	s->sort_at = (s->sort_at + (back ? nr - 1 : 1)) % nr;
	s->sort = (struct sort_key){ .name = top_sort_key(s->sort_at) };
	s->top->view.sort = &s->sort;
	s->top->view.nr_sort = 1;
	if (t && s->top->frozen && !table_sort(t, &s->sort, 1))
		table_fill_shares(t);
}

/* Changes from all kinds of memory to the first alone, to the next one, and back. */
static void choose_memory(struct top_screen *s)
{
	const struct monitor_options *opts = &s->top->monitor.opts;
	int i, next = shown_alone(s->top) + 1;

	while (next < MEMORY_KINDS && !opts->of[next])
		next++;
	for (i = 0; i < MEMORY_KINDS; i++)
		s->top->view.side_hidden[i] = next < MEMORY_KINDS && i != next;
	s->first = 0;
}

static void pause_or_go_on(struct top_screen *s)
{
	int ret = top_pause(s->top, !s->top->paused_at);

	if (ret)
		snprintf(s->note, sizeof(s->note), "cannot pause: %s", strerror(-ret));
}

static void write_or_end(struct top_screen *s)
{
	bool writing = s->top->write_fd >= 0;
	int ret = top_write(s->top);

	if (ret)
		snprintf(s->note, sizeof(s->note), "cannot write %.150s: %s",
			 s->top->path, strerror(-ret));
	else if (writing)
		snprintf(s->note, sizeof(s->note), "wrote %.150s: kmemx stat -i FILE",
			 s->top->path);
}

static void set_filter(struct top_screen *s)
{
	s->top->view.filter = *s->filter ? s->filter : NULL;
	s->first = 0;
}

static void type(struct top_screen *s, int key)
{
	size_t size = strlen(s->filter);

	if (key == KEY_ESCAPE)
		*s->filter = '\0';
	if (key == KEY_ESCAPE || key == '\n' || key == '\r' || key == KEY_ENTER) {
		s->typing = false;
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		if (size)
			s->filter[size - 1] = '\0';
	} else if (key > 0 && key < 127 && isprint(key) && size + 1 < FILTER_MAX) {
		s->filter[size] = (char)key;
		s->filter[size + 1] = '\0';
	}
	set_filter(s);
}

static void scroll_by(struct top_screen *s, long rows)
{
	size_t nr = s->report && s->report->nr_tables ? s->report->tables[0]->nr_rows : 0;

	if (rows < 0)
		s->first -= s->first < (size_t)-rows ? s->first : (size_t)-rows;
	else
		s->first += (size_t)rows;
	if (s->first >= nr)
		s->first = nr ? nr - 1 : 0;
}

static bool press_scroll(struct top_screen *s, int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		scroll_by(s, -1);
		return true;
	case KEY_DOWN:
	case 'j':
		scroll_by(s, 1);
		return true;
	case KEY_PPAGE:
		scroll_by(s, -(LINES / 2));
		return true;
	case KEY_NPAGE:
		scroll_by(s, LINES / 2);
		return true;
	case KEY_HOME:
		s->first = 0;
		return true;
	default:
		return false;
	}
}

static void press(struct top_screen *s, int key)
{
	if (press_scroll(s, key))
		return;
	switch (key) {
	case 'g':
	case 'G':
		group(s, key == 'G');
		break;
	case 's':
	case 'S':
		choose_sort(s, key == 'S');
		break;
	case 't':
		choose_memory(s);
		break;
	case '/':
		s->typing = true;
		break;
	case KEY_ESCAPE:
		*s->filter = '\0';
		set_filter(s);
		break;
	case ' ':
	case 'f':
		s->top->frozen = !s->top->frozen;
		break;
	case 'p':
		pause_or_go_on(s);
		break;
	case 'w':
		write_or_end(s);
		break;
	case '?':
	case 'h':
		s->help = true;
		break;
	default:
		break;
	}
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
			type(s, key);
		else if (key == 'q' || key == 'Q')
			return true;
		else if (s->help)
			s->help = false;
		else {
			*s->note = '\0';
			press(s, key);
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
