// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the keys of kmemx top.
 * In: keys and clicks. Out: what the screen shows.
 */
#include "cmd/top/top.h"

#ifdef HAVE_NCURSES

#include "cmd/top/top_screen.h"

#include <ctype.h>
#include <stdarg.h>

/* The longest interval that keys set. */
#define INTERVAL_MAX_NS 600000000000ULL

/* Shows a key's result on the last line until the next key. */
static void __printf_fmt(2, 3) note(struct top_screen *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(s->note, sizeof(s->note), fmt, args);
	va_end(args);
}

static void select_first(struct top_screen *s)
{
	s->at = s->first = 0;
}

/* Do the recorded events have rows of that kind? */
static bool is_possible(const struct monitor_options *opts, enum subject_kind kind)
{
	return ANY(i, MEMORY_KINDS, opts->of[i] && grouping_has((enum memory)i, kind));
}

static void group(struct top_screen *s, long back)
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
	select_first(s);
	top_set_by(s->top, kind);
}

static void sort(struct top_screen *s, const struct sort_key *key)
{
	struct table *t = screen_table(s);

	s->sort = *key;
	s->top->view.sort = &s->sort;
	s->top->view.nr_sort = 1;
	if (t && s->top->frozen && !table_sort(t, &s->sort, 1))
		table_fill_shares(t);
}

static void choose_sort(struct top_screen *s, long back)
{
	static const unsigned int nr = 6; /* keys that every row has */

	s->sort_at = (s->sort_at + (back ? nr - 1 : 1)) % nr;
	sort(s, &(struct sort_key){ .name = top_sort_key(s->sort_at) });
}

/* Changes from all kinds of memory to the first alone, to the next one, and back. */
static void choose_memory(struct top_screen *s, long unused)
{
	const struct monitor_options *opts = &s->top->monitor.opts;
	int i, next = top_shown_alone(s->top) + 1;

	while (next < MEMORY_KINDS && !opts->of[next])
		next++;
	for (i = 0; i < MEMORY_KINDS; i++)
		s->top->view.side_hidden[i] = next < MEMORY_KINDS && i != next;
	select_first(s);
}

static void pause_or_go_on(struct top_screen *s, long unused)
{
	int ret = top_pause(s->top, !s->top->paused_at);

	if (ret)
		note(s, "cannot pause: %s", strerror(-ret));
}

static void write_or_end(struct top_screen *s, long unused)
{
	bool writing = s->top->write_fd >= 0;
	int ret = top_write(s->top);

	if (ret)
		note(s, "cannot write %.150s: %s", s->top->path, strerror(-ret));
	else if (writing)
		note(s, "wrote %.150s: kmemx stat -i FILE", s->top->path);
}

/* Makes the interval twice as long, or half as long. */
static void change_interval(struct top_screen *s, long longer)
{
	struct top *top = s->top;
	const uint64_t now = top->opts.interval_ns;

	if (longer && now <= INTERVAL_MAX_NS / 2)
		top->opts.interval_ns = now * 2;
	else if (!longer && now >= 2 * top->round_ns)
		top->opts.interval_ns = now / 2;
	note(s, "interval: %.4g s", (double)top->opts.interval_ns / 1e9);
}

/* The row's name: its text columns and the kind of memory. */
static void name_row(const struct table *t, size_t row, char name[CRUMB_MAX])
{
	const struct cell *cells = t->cells + row * t->nr_columns;
	const char *memory = "";
	size_t used = 0;

	for (size_t i = 0; i < t->nr_columns && used < CRUMB_MAX; i++) {
		const struct column *c = &t->columns[i];
		const char *space = used ? " " : "";

		if (!strcmp(c->name, "memory"))
			memory = cells[i].s;
		else if (c->unit == UNIT_NONE && !c->below && cells[i].type == CELL_TEXT)
			used += (size_t)snprintf(name + used, CRUMB_MAX - used, "%s%s",
						 space, cells[i].s);
		else if (c->unit == UNIT_NONE && !c->below)
			used += (size_t)snprintf(name + used, CRUMB_MAX - used,
						 "%s%s %lld", space, c->title,
						 (long long)cells[i].i);
	}
	if (used < CRUMB_MAX)
		snprintf(name + used, CRUMB_MAX - used, " (%s)", memory);
}

static void drop_filter(struct top_screen *s, long unused)
{
	*s->filter = '\0';
	s->top->view.filter = NULL;
}

static void open_row(struct top_screen *s, long unused)
{
	struct monitor *m = &s->top->monitor;
	struct screen_crumb *crumb = &s->crumbs[m->nr_open];
	const struct table *t = screen_table(s);
	uint32_t of = 0;
	unsigned int side = 0;
	int ret = -ENOENT;

	if (!t || s->at >= t->nr_rows || m->by_lifetime)
		return;
	name_row(t, s->at, crumb->name);
	if (top_find(m, t, s->at, &side, &of))
		ret = monitor_open(m, side, of);
	if (ret == -ENOENT) {
		note(s, "%s: nothing is left of it", crumb->name);
		return;
	}
	if (top_fail(s->top, ret))
		return;
	crumb->at = s->at;
	crumb->first = s->first;
	select_first(s);
	s->top->frozen = false;
	drop_filter(s, 0);
}

static void go_back(struct top_screen *s, long unused)
{
	struct monitor *m = &s->top->monitor;
	const struct screen_crumb *crumb;

	if (!m->nr_open)
		return;
	crumb = &s->crumbs[m->nr_open - 1];
	s->at = crumb->at;
	s->first = crumb->first;
	s->top->frozen = false;
	top_fail(s->top, monitor_close(m));
}

/* Selects the first row from row @from on, and then from the top, whose name has the text. */
static void search(struct top_screen *s, size_t from)
{
	const struct table *t = screen_table(s);

	for (size_t i = 0; t && *s->search && i < t->nr_rows; i++) {
		const size_t row = (from + i) % t->nr_rows;

		if (!top_passes(t, t->cells + row * t->nr_columns, s->search))
			continue;
		s->at = row;
		return;
	}
	if (*s->search)
		note(s, "no row has '%s'", s->search);
}

void screen_type(struct top_screen *s, int key)
{
	const bool filters = s->typing == TYPING_FILTER;
	char *text = filters ? s->filter : s->search;
	size_t size = strlen(text);

	if (key == KEY_ESCAPE)
		*text = '\0';
	if (key == KEY_ESCAPE || key == '\n' || key == '\r' || key == KEY_ENTER) {
		s->typing = TYPING_NOTHING;
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		if (size)
			text[size - 1] = '\0';
	} else if (key > 0 && key < 127 && isprint(key) && size + 1 < TYPED_MAX) {
		text[size] = (char)key;
		text[size + 1] = '\0';
	}
	*s->note = '\0';
	if (!filters) {
		search(s, s->at);
		return;
	}
	s->top->view.filter = *s->filter ? s->filter : NULL;
	select_first(s);
}

/* The offset at which @title ends in the header line, or 0 if it is not there. Titles are separated
 * by blanks.
 */
static int title_end(const char *header, const char *title)
{
	const size_t size = strlen(title);

	for (const char *p = header; (p = strstr(p, title)); p++) {
		if (p > header && p[-1] == ' ' && (!p[size] || p[size] == ' '))
			return (int)(p - header) + (int)size;
	}
	return 0;
}

/* The column at @x: the first one whose title ends to its right. */
static const struct column *column_at(const struct top_screen *s, int x)
{
	const struct table *t = screen_table(s);
	const struct column *at = NULL;
	int end = INT32_MAX;

	for (size_t i = 0; i < t->nr_columns; i++) {
		const int ends = title_end(s->header, t->columns[i].title);

		if (x < ends && ends < end) {
			at = &t->columns[i];
			end = ends;
		}
	}
	return at;
}

static void sort_by(struct top_screen *s, const struct column *c)
{
	const bool again = s->top->view.nr_sort &&
			   !strcmp(s->top->view.sort[0].name, c->name) &&
			   s->sort.direction == SORT_DEFAULT;
	const char *key;

	for (unsigned int i = 0; (key = top_sort_key(i)); i++) {
		if (!strcmp(key, c->name))
			sort(s, &(struct sort_key){ .name = key,
						    .direction = again ? SORT_ASCENDING
								       : SORT_DEFAULT });
	}
}

static void move_by(struct top_screen *s, long rows)
{
	const struct table *t = screen_table(s);
	const size_t nr = t ? t->nr_rows : 0;

	if (rows < 0)
		s->at -= s->at < (size_t)-rows ? s->at : (size_t)-rows;
	else
		s->at += (size_t)rows;
	if (s->at >= nr)
		s->at = nr ? nr - 1 : 0;
}

/* A click on a title sorts, on a row selects it, on the selected row opens it. */
static void click(struct top_screen *s, long unused)
{
	MEVENT at;
	const struct column *c;
	size_t row;

	if (getmouse(&at) != OK || !screen_table(s) || screen_by_lifetime(s))
		return;
	if (at.bstate & (BUTTON4_PRESSED | BUTTON5_PRESSED)) {
		move_by(s, at.bstate & BUTTON4_PRESSED ? -3 : 3);
		return;
	}
	if (!(at.bstate & BUTTON1_PRESSED))
		return;
	row = at.y >= 0 && at.y < SCREEN_LINES ? s->row_at[at.y] : 0;
	c = at.y == s->header_y ? column_at(s, at.x) : NULL;
	if (c)
		sort_by(s, c);
	else if (row && row - 1 == s->at)
		open_row(s, 0);
	else if (row)
		s->at = row - 1;
}

static void move_by_pages(struct top_screen *s, long halves)
{
	move_by(s, halves * (LINES / 2));
}

static void begin_typing(struct top_screen *s, long what)
{
	s->typing = (enum screen_typing)what;
	if (what == TYPING_SEARCH)
		*s->search = '\0';
}

static void search_next(struct top_screen *s, long unused)
{
	search(s, s->at + 1);
}

static void show_fields(struct top_screen *s, long unused)
{
	s->fields = !screen_by_lifetime(s);
}

static void show_help(struct top_screen *s, long unused)
{
	s->help = true;
}

static void change_units(struct top_screen *s, long unused)
{
	s->top->opts.form.human = !s->top->opts.form.human;
}

static void freeze(struct top_screen *s, long unused)
{
	s->top->frozen = !s->top->frozen;
}

/* Up to three keys for each action; 0 if fewer. */
static const struct {
	int keys[3];
	void (*act)(struct top_screen *s, long arg);
	long arg;
} acts[] = {
	{ { KEY_UP, 'k' }, move_by, -1 },
	{ { KEY_DOWN, 'j' }, move_by, 1 },
	{ { KEY_PPAGE }, move_by_pages, -1 },
	{ { KEY_NPAGE }, move_by_pages, 1 },
	{ { KEY_HOME }, move_by, -INT32_MAX },
	{ { KEY_END }, move_by, INT32_MAX },
	{ { KEY_ENTER, '\r', '\n' }, open_row },
	{ { KEY_BACKSPACE, 127, '\b' }, go_back },
	{ { KEY_MOUSE }, click },
	{ { '/', KEY_F(3) }, begin_typing, TYPING_SEARCH },
	{ { 'n' }, search_next },
	{ { '\\', KEY_F(4) }, begin_typing, TYPING_FILTER },
	{ { KEY_ESCAPE }, drop_filter },
	{ { 'f' }, show_fields },
	{ { 'h' }, change_units },
	{ { '?', KEY_F(1) }, show_help },
	{ { 'g' }, group, false },
	{ { 'G' }, group, true },
	{ { 's' }, choose_sort, false },
	{ { 'S' }, choose_sort, true },
	{ { 't' }, choose_memory },
	{ { '+' }, change_interval, true },
	{ { '-' }, change_interval, false },
	{ { ' ' }, freeze },
	{ { 'p' }, pause_or_go_on },
	{ { 'w' }, write_or_end },
};

/* Handles a key in the list of columns. */
static void press_field(struct top_screen *s, int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		s->field -= s->field > 0;
		break;
	case KEY_DOWN:
	case 'j':
		s->field += s->field + 1 < SCREEN_FIELDS;
		break;
	case ' ':
		s->hidden[s->field] = !s->hidden[s->field];
		break;
	default:
		s->fields = false;
		break;
	}
}

void screen_press(struct top_screen *s, int key)
{
	if (s->fields) {
		press_field(s, key);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(acts) && key; i++) {
		const int *k = acts[i].keys;

		if (key == k[0] || key == k[1] || key == k[2])
			acts[i].act(s, acts[i].arg);
	}
}

#endif
