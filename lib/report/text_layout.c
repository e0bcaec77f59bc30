// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text_layout.h"

#include "base/hash.h"
#include "report/text_cell.h"
#include "report/tree.h"

/**
 * struct text_tree_row - a row that text shows
 * @above: its parent; TREE_ROOT: none
 * @branch: it has siblings
 * @last: it is the last sibling
 */
struct text_tree_row {
	size_t above;
	bool branch, last;
};

/* Sets @branch and @last of all rows, whose @above is known. @below: scratch space with a number
 * for each row, plus one for the roots.
 */
static void find_branches(struct text_layout *l, size_t *below)
{
	const struct table *t = l->t;
	size_t above;

	for (size_t i = t->nr_rows; i; i--) {
		struct text_tree_row *row = &l->rows[i - 1];

		if (t->text_out ? t->text_out[i - 1] : i > table_text_rows(t))
			continue;
		above = row->above == TREE_ROOT ? t->nr_rows : row->above;
		row->last = !below[above]++;
	}
	for (size_t i = 0; i < t->nr_rows; i++) {
		above = l->rows[i].above;
		l->rows[i].branch = below[above == TREE_ROOT ? t->nr_rows : above] > 1;
	}
}

/* Reads the rows that text shows, if @t is a tree. 0 or -ENOMEM. */
static int read_tree(struct text_layout *l)
{
	const struct table *t = l->t;
	size_t *parents __auto_mem = NULL, *below __auto_mem = NULL;

	if (!t->tree)
		return 0;
	parents = tree_parents(t);
	below = calloc(t->nr_rows + 1, sizeof(*below));
	l->rows = calloc(t->nr_rows + 1, sizeof(*l->rows));
	if (!parents || !below || !l->rows)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_rows; i++)
		l->rows[i].above = parents[i];
	find_branches(l, below);
	return 0;
}

/* Width of a row's branch before its name; roots have no line above them. */
static size_t branch_width(const struct text_tree_row *row)
{
	return row->above == TREE_ROOT ? 2 : 3;
}

void text_layout_branches(const struct text_layout *l, const struct cell *cells,
			  struct strbuf *sb)
{
	const struct text_tree_row *row;
	size_t own, i, end;

	if (!l->rows)
		return;
	own = (size_t)(cells - l->t->cells) / l->t->nr_columns;
	for (i = own, end = sb->size; i != TREE_ROOT; i = l->rows[i].above) {
		row = &l->rows[i];
		end += row->branch ? branch_width(row) : 0;
	}
	strbuf_printf(sb, "%*s", (int)(end - sb->size), "");
	if (sb->failed)
		return;
	for (i = own; i != TREE_ROOT; i = l->rows[i].above) {
		row = &l->rows[i];
		if (!row->branch)
			continue;
		end -= branch_width(row);
		if (row->above == TREE_ROOT)
			sb->data[end] = i == own ? '-' : ' ';
		else if (i == own)
			sb->data[end] = row->last ? '`' : '|';
		else
			sb->data[end] = row->last ? ' ' : '|';
		if (i == own && row->above != TREE_ROOT)
			sb->data[end + 1] = '-';
	}
}

/* Minimum width of a column of wrapped text. */
#define WORDS_MIN 24
/* Names of up to this length, or half a line, get their width before other columns. */
#define NAMES_MIN 36

bool render_rounds(const struct render_options *opts, enum column_unit unit,
		   struct cell *cell)
{
	if (unit == UNIT_MOMENT) {
		if (!opts->since_start || cell->type != CELL_UINT ||
		    cell->u < opts->start)
			return false;
		cell->u -= opts->start;
		return true;
	}
	return (opts->human && unit != UNIT_TIME) ||
	       (opts->terminal && (unit == UNIT_NS || unit == UNIT_TIME));
}

size_t text_layout_cell(const struct text_layout *l, const struct text_column *c,
			const struct cell *row, struct strbuf *sb)
{
	const struct cell *cell = row + c->index;
	enum column_unit unit = c->column->unit;
	struct cell quotient = { .type = CELL_NONE }, spelled = *cell;
	size_t head;

	strbuf_reset(sb);
	if (c->column->histogram || c->column->series) {
		if (cell->type == CELL_TEXT && c->column->series)
			spark_series(cell->s, sb);
		else if (cell->type == CELL_TEXT)
			spark_levels(&c->spark, cell->s, sb);
		return sb->size;
	}
	if (c->branches)
		text_layout_branches(l, row, sb);
	if (c->column->change && text_cell_sign(cell) > 0)
		strbuf_puts(sb, "+");
	if (c->column->spell && cell->type == CELL_TEXT)
		spelled.s = c->column->spell(cell->s);
	text_cell(sb, &spelled, unit, render_rounds(l->opts, unit, &spelled), "");
	head = sb->size;
	if (c->mark >= 0 && row[c->mark].type == CELL_TEXT)
		text_cell(sb, &row[c->mark], UNIT_NONE, false, "");
	if (c->per < 0)
		return head;
	if (cell->type == CELL_UINT && row[c->per].type == CELL_UINT && row[c->per].u)
		quotient = cell_uint(cell->u / row[c->per].u);
	strbuf_puts(sb, "/");
	text_cell(sb, &quotient, unit, render_rounds(l->opts, unit, &quotient), "");
	return head;
}

static size_t title_without_per(const struct text_column *c)
{
	return c->per < 0 ? strlen(c->column->title) : strcspn(c->column->title, "/");
}

size_t text_layout_title(const struct text_layout *l, const struct text_column *c)
{
	return l->per ? strlen(c->column->title) : title_without_per(c);
}

size_t text_layout_tail(const struct text_layout *l, const struct text_column *c)
{
	return c->per < 0 || l->per ? c->tail : 0;
}

size_t text_layout_width(const struct text_layout *l, const struct text_column *c)
{
	size_t width = c->head + text_layout_tail(l, c);
	size_t title = text_layout_title(l, c);

	return LARGER(title, width);
}

static void measure(struct text_layout *l, struct text_column *c)
{
	const struct table *t = l->t;
	size_t i, head;

	/* A histogram's axis fits all rows that are shown. */
	for (i = table_text_next(t, 0); c->column->histogram && i < t->nr_rows;
	     i = table_text_next(t, i + 1))
		spark_fit(&c->spark, table_text(t, i, (int)c->index));
	for (i = table_text_next(t, 0); i < t->nr_rows; i = table_text_next(t, i + 1)) {
		const struct cell *row = &t->cells[i * t->nr_columns];

		head = text_layout_cell(l, c, row, &l->cell);
		c->head = LARGER(c->head, head);
		c->tail = LARGER(c->tail, l->cell.size - head);
		if (row[c->index].type == CELL_TEXT && c->column->unit == UNIT_NONE)
			c->text = true;
	}
}

static void take(struct text_layout *l, size_t index)
{
	const struct column *col = &l->t->columns[index];
	struct text_column *c = &l->columns[l->nr++];

	*c = (struct text_column){ .column = col,
				   .index = index,
				   .branches = col->last && l->rows };
	c->per = col->per ? table_column(l->t, col->per) : -1;
	c->mark = col->mark ? table_column(l->t, col->mark) : -1;
	l->has_per |= c->per >= 0;
	measure(l, c);
	c->widest = c->head;
}

#define TURN_LAST 8

/* The column's turn in a line: 0 for figures; 1, 2, ... for what rows stand for, if those are
 * several columns, in the user's order; TURN_LAST for a column marked @last.
 */
static unsigned int turn_of(const struct table *t, const struct column *col)
{
	const char *word = t->by && strchr(t->by, ',') ? t->by : "";
	size_t size;

	for (unsigned int turn = 1; *word && turn < TURN_LAST; turn++) {
		size = strcspn(word, ",");
		if (strlen(col->name) == size && !strncmp(col->name, word, size))
			return turn;
		word += size + (word[size] == ',');
	}
	return col->last ? TURN_LAST : 0;
}

/* Collects the columns that text shows, by their turn, and shares after the column that they refer
 * to.
 */
static void collect(struct text_layout *l)
{
	const struct table *t = l->t;

	for (unsigned int turn = 0; turn <= TURN_LAST; turn++) {
		for (size_t i = 0; i < t->nr_columns; i++) {
			const struct column *col = &t->columns[i];

			if (col->hidden || col->below || col->remark || col->part ||
			    turn_of(t, col) != turn)
				continue;
			take(l, i);
			for (size_t k = 0; (int)i == t->share && k < t->nr_columns; k++) {
				if (t->columns[k].part && !t->columns[k].hidden)
					take(l, k);
			}
		}
	}
}

/* Would the rows mean nothing without this column? */
static bool is_needed(const struct table *t, const struct text_column *c)
{
	const struct column *col = c->column;

	return c->tells || (col->last && !col->drop) || table_ordered_by(t, col->name) ||
	       (t->by && !strcmp(t->by, col->name));
}

/* Leaves out the columns with the largest @drop, or else, if @all may leave, the last one without
 * it. One column always stays. False: only others remain.
 */
static bool drop_columns(struct text_layout *l, unsigned int turn, bool all)
{
	struct text_column *first = NULL;
	size_t left = 0;

	for_each(c, l->columns, l->nr) {
		left += !c->out;
		if (!c->out && !is_needed(l->t, c) && (all || c->column->drop) &&
		    (!first || c->column->drop >= first->column->drop))
			first = c;
	}
	if (!first || left == 1)
		return false;
	for (size_t i = l->nr; left > 1 && i--;) {
		struct text_column *c = &l->columns[i];

		if (c->out || is_needed(l->t, c) ||
		    c->column->drop != first->column->drop ||
		    (c != first && !c->column->drop))
			continue;
		c->out = true;
		c->turn = turn;
		left--;
	}
	return true;
}

/* Finds the last column that is not out. Returns its offset in the line. */
static size_t last_begins(struct text_layout *l)
{
	size_t used = TEXT_LEAD;

	l->last = l->nr;
	for (size_t i = 0; i < l->nr; i++) {
		if (l->columns[i].out)
			continue;
		if (l->last < l->nr)
			used += text_layout_width(l, &l->columns[l->last]) + TEXT_GAP;
		l->last = i;
	}
	return used;
}

size_t text_layout_line(struct text_layout *l)
{
	return l->nr ? last_begins(l) + text_layout_width(l, &l->columns[l->last]) : 0;
}

static bool fits(struct text_layout *l, size_t width)
{
	size_t used = last_begins(l), wanted;
	const struct text_column *last = &l->columns[l->last];

	wanted = text_layout_width(l, last);
	if (last->column->words && wanted > WORDS_MIN)
		wanted = WORDS_MIN;
	return used + wanted <= width;
}

/* Names longer than @room do not widen their column: they get a line of their own. */
static void limit_names(struct text_layout *l, size_t room)
{
	struct text_column *last = &l->columns[l->last];
	const struct table *t = l->t;
	size_t i, size;

	if (!last->text || last->column->words || last->head <= room)
		return;
	last->head = 0;
	for (i = table_text_next(t, 0); i < t->nr_rows; i = table_text_next(t, i + 1)) {
		size = text_layout_cell(l, last, &t->cells[i * t->nr_columns], &l->cell);
		if (size <= room && size > last->head)
			last->head = size;
	}
}

/* Makes the line fit if lines of their own for long names are enough: better than no figures. */
static void limit_more(struct text_layout *l, size_t width)
{
	size_t used = last_begins(l), head = l->columns[l->last].head;

	limit_names(l, less(width, used));
	if (!fits(l, width))
		l->columns[l->last].head = head;
}

static void set_out(struct text_layout *l, unsigned int turn, bool out)
{
	for (size_t i = 0; i < l->nr; i++) {
		if (l->columns[i].turn == turn)
			l->columns[i].out = out;
	}
}

static void choose(struct text_layout *l, size_t width)
{
	unsigned int turn = 0;
	size_t used;

	l->per = true;
	for (size_t i = 0; i < l->nr; i++) {
		l->columns[i].out = false;
		l->columns[i].turn = 0;
		l->columns[i].head = l->columns[i].widest;
	}
	if (fits(l, width))
		return;
	limit_names(l, width / 2 > NAMES_MIN ? width / 2 : NAMES_MIN);
	l->per = !l->has_per;
	while (!fits(l, width) && drop_columns(l, turn + 1, false))
		turn++;
	if (!fits(l, width))
		limit_more(l, width);
	while (!fits(l, width) && drop_columns(l, turn + 1, true))
		turn++;
	used = last_begins(l);
	limit_names(l, less(width, used));
	/* Some columns may fit after all; try those that left last first. */
	for (; turn; turn--) {
		set_out(l, turn, false);
		if (!fits(l, width))
			set_out(l, turn, true);
	}
	if (!l->per) {
		l->per = true;
		l->per = fits(l, width);
	}
}

/* Sets @key to what @row shows in the columns of names, and below it. */
static void row_names(struct text_layout *l, const struct cell *row, struct strbuf *key)
{
	strbuf_reset(key);
	for_each(c, l->columns, l->nr) {
		if (c->out || c->column->unit != UNIT_NONE)
			continue;
		text_layout_cell(l, c, row, &l->cell);
		strbuf_add(key, strbuf_text(&l->cell), l->cell.size + 1);
	}
	for (size_t i = 0; i < l->t->nr_columns; i++) {
		if (l->t->columns[i].below && row[i].type == CELL_TEXT)
			strbuf_add(key, row[i].s, strlen(row[i].s) + 1);
	}
}

/* The narrowest column left out that holds names and differs in two rows; NULL: none does. */
static struct text_column *telling(struct text_layout *l, const struct cell *a,
				   const struct cell *b)
{
	struct text_column *best = NULL;

	for_each(c, l->columns, l->nr) {
		const struct cell *x = a + c->index, *y = b + c->index;
		bool same = x->type == y->type &&
			    (x->type == CELL_TEXT ? !strcmp(x->s, y->s) : x->u == y->u);

		if (c->out && !same && c->column->unit == UNIT_NONE &&
		    (!best || text_layout_width(l, c) < text_layout_width(l, best)))
			best = c;
	}
	return best;
}

/* Finds a hidden column whose values differ in two rows that look alike. NULL: all rows can be told
 * apart, no hidden column tells them apart, or memory ran out.
 */
static struct text_column *find_telling(struct text_layout *l)
{
	const struct table *t = l->t;
	size_t shown = 0;
	size_t *rows __auto_mem = /* the first row of each key */
		calloc(table_text_rows(t) + 1, sizeof(*rows));
	struct text_column *found = NULL;
	struct intern keys = { 0 };
	struct strbuf __auto_free key = { 0 };

	for (size_t i = table_text_next(t, 0); rows && i < t->nr_rows && !found;
	     i = table_text_next(t, i + 1)) {
		const struct cell *row = &t->cells[i * t->nr_columns];
		uint32_t id;

		row_names(l, row, &key);
		id = intern_id(&keys, strbuf_text(&key), key.size);
		if (id > shown)
			rows[shown++] = i;
		else if (id)
			found = telling(l, &t->cells[rows[id - 1] * t->nr_columns], row);
	}
	intern_free(&keys);
	return found;
}

/* Like choose(), but keeps columns that tell rows apart if leaving out figures makes room. */
static void choose_telling(struct text_layout *l, size_t width)
{
	struct text_column *c;

	choose(l, width);
	while (!l->rows && (c = find_telling(l))) {
		c->tells = true;
		choose(l, width);
		if (fits(l, width))
			continue;
		c->tells = false;
		choose(l, width);
		break;
	}
}

int text_layout_init(struct text_layout *l, const struct table *t,
		     const struct render_options *opts)
{
	size_t nr = t->nr_columns ? t->nr_columns : 1, used;
	size_t width = opts->wide ? 0 : opts->width;
	int err;

	*l = (struct text_layout){ t, opts, .per = true, .room = SIZE_MAX };
	l->columns = calloc(nr, sizeof(*l->columns));
	err = l->columns ? read_tree(l) : -ENOMEM;
	if (!err)
		collect(l);
	if (!err && width && l->nr)
		choose_telling(l, width);
	if (!err && l->nr) {
		used = last_begins(l);
		if (width)
			l->room = less(width, used);
	}
	return l->cell.failed ? -ENOMEM : err;
}

size_t text_layout_hidden(const struct text_layout *l, struct strbuf *sb)
{
	size_t nr = 0;

	if (!l->per) {
		strbuf_puts(sb, "Per");
		nr++;
	}
	for_each(c, l->columns, l->nr) {
		if (c->out)
			strbuf_printf(sb, "%s%.*s", nr++ ? ", " : "",
				      (int)title_without_per(c), c->column->title);
	}
	return nr;
}

void text_layout_free(struct text_layout *l)
{
	free(l->columns);
	free(l->rows);
	strbuf_free(&l->cell);
	*l = (struct text_layout){ .columns = NULL };
}
