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

/* Finds which rows are branches, once their @above is known. @below: scratch space with a number
 * for each row, plus one for the roots.
 */
static void find_branches(struct text_tree *tree, size_t *below)
{
	const struct table *t = tree->t;
	size_t above;

	for (size_t i = t->nr_rows; i; i--) {
		struct text_tree_row *row = &tree->rows[i - 1];

		if (!table_text_has(t, i - 1))
			continue;
		above = row->above == TREE_ROOT ? t->nr_rows : row->above;
		row->last = !below[above]++;
	}
	for (size_t i = 0; i < t->nr_rows; i++) {
		above = tree->rows[i].above;
		tree->rows[i].branch = below[above == TREE_ROOT ? t->nr_rows : above] > 1;
	}
}

/* Reads the rows that text shows, if @t is a tree. 0 or -ENOMEM. */
static int read_tree(struct text_tree *tree, const struct table *t)
{
	size_t *parents __auto_mem = NULL, *below __auto_mem = NULL;

	*tree = (struct text_tree){ .t = t };
	if (!t->tree)
		return 0;
	parents = tree_parents(t);
	below = calloc(t->nr_rows + 1, sizeof(*below));
	tree->rows = calloc(t->nr_rows + 1, sizeof(*tree->rows));
	if (!parents || !below || !tree->rows)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_rows; i++)
		tree->rows[i].above = parents[i];
	find_branches(tree, below);
	return 0;
}

/* Width of a row's branch before its name; roots have no line above them. */
static size_t branch_width(const struct text_tree_row *row)
{
	return row->above == TREE_ROOT ? 2 : 3;
}

void text_tree_lead(const struct text_tree *tree, const struct cell *cells,
		    struct strbuf *sb)
{
	const struct text_tree_row *row;
	size_t own, i, end;

	if (!tree->rows)
		return;
	own = (size_t)(cells - tree->t->cells) / tree->t->nr_columns;
	for (i = own, end = sb->size; i != TREE_ROOT; i = tree->rows[i].above) {
		row = &tree->rows[i];
		end += row->branch ? branch_width(row) : 0;
	}
	strbuf_printf(sb, "%*s", (int)(end - sb->size), "");
	if (sb->failed)
		return;
	for (i = own; i != TREE_ROOT; i = tree->rows[i].above) {
		row = &tree->rows[i];
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

/* A column of wrapped text must be at least this wide. */
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

size_t text_layout_cell(const struct text_column *c, const struct cell *row,
			struct strbuf *sb)
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
	if (c->tree)
		text_tree_lead(c->tree, row, sb);
	if (c->column->change && text_cell_sign(cell) > 0)
		strbuf_puts(sb, "+");
	if (c->column->spell && cell->type == CELL_TEXT)
		spelled.s = c->column->spell(cell->s);
	text_cell(sb, &spelled, unit, render_rounds(c->opts, unit, &spelled), "");
	head = sb->size;
	if (c->mark >= 0 && row[c->mark].type == CELL_TEXT)
		text_cell(sb, &row[c->mark], UNIT_NONE, false, "");
	if (c->per < 0)
		return head;
	if (cell->type == CELL_UINT && row[c->per].type == CELL_UINT && row[c->per].u)
		quotient = cell_uint(cell->u / row[c->per].u);
	strbuf_puts(sb, "/");
	text_cell(sb, &quotient, unit, render_rounds(c->opts, unit, &quotient), "");
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

	return title > width ? title : width;
}

/* Scratch space for cells that are only measured. */
struct measure {
	const struct table *t;
	struct strbuf sb;
	const struct render_options *opts;
};

/* Fits the axis to all rows that are shown. */
static void fit_spark(const struct table *t, struct text_column *c)
{
	size_t nr = table_text_end(t), i;

	for (i = 0; i < nr; i++) {
		const struct cell *cell = &t->cells[i * t->nr_columns + c->index];

		if (cell->type == CELL_TEXT && table_text_has(t, i))
			spark_fit(&c->spark, cell->s);
	}
}

static void measure(struct measure *m, struct text_column *c)
{
	const struct cell *row = m->t->cells;
	size_t nr = table_text_end(m->t), i, head;

	if (c->column->histogram)
		fit_spark(m->t, c);
	for (i = 0; i < nr; i++, row += m->t->nr_columns) {
		if (!table_text_has(m->t, i))
			continue;
		head = text_layout_cell(c, row, &m->sb);
		if (head > c->head)
			c->head = head;
		if (m->sb.size - head > c->tail)
			c->tail = m->sb.size - head;
		if (row[c->index].type == CELL_TEXT && c->column->unit == UNIT_NONE)
			c->text = true;
	}
}

static void take(struct text_layout *l, struct measure *m, size_t index)
{
	const struct column *col = &m->t->columns[index];
	struct text_column *c = &l->columns[l->nr++];

	*c = (struct text_column){ .column = col, .index = index, .opts = m->opts };
	c->per = col->per ? table_column(m->t, col->per) : -1;
	c->mark = col->mark ? table_column(m->t, col->mark) : -1;
	if (col->last && l->tree.rows)
		c->tree = &l->tree;
	l->has_per |= c->per >= 0;
	measure(m, c);
	c->widest = c->head;
}

#define TURN_LAST 8

/* When the column's turn in a line is: figures; what rows stand for, if that is several things, in
 * the order in which the user asked for them; what is marked last.
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
static void collect(struct text_layout *l, struct measure *m)
{
	const struct table *t = m->t;

	for (unsigned int turn = 0; turn <= TURN_LAST; turn++) {
		for (size_t i = 0; i < t->nr_columns; i++) {
			const struct column *col = &t->columns[i];

			if (col->hidden || col->below || col->remark || col->part ||
			    turn_of(t, col) != turn)
				continue;
			take(l, m, i);
			for (size_t k = 0; (int)i == t->share && k < t->nr_columns; k++) {
				if (t->columns[k].part && !t->columns[k].hidden)
					take(l, m, k);
			}
		}
	}
}

/* Is @name the first of the keys in "order, -hit"? */
static bool orders_rows(const struct table *t, const char *name)
{
	const char *key = t->sorted_by ? t->sorted_by : "";
	size_t size;

	key += strspn(key, "+-");
	size = strcspn(key, ",");
	return size == strlen(name) && !strncmp(key, name, size);
}

/* Columns without which the rows mean nothing. */
static bool is_needed(const struct table *t, const struct text_column *c)
{
	const struct column *col = c->column;

	return c->tells || (col->last && !col->leaves) || orders_rows(t, col->name) ||
	       (t->by && !strcmp(t->by, col->name));
}

/* Leaves out the next column: all columns that leave together, or one of the unranked ones, which
 * leave after all others. False: only needed columns remain.
 */
static bool leave(struct text_layout *l, const struct table *t, unsigned int turn)
{
	struct text_column *first = NULL;

	for (size_t i = 0; i < l->nr; i++) {
		struct text_column *c = &l->columns[i];

		if (!c->out && !is_needed(t, c) &&
		    (!first || c->column->leaves >= first->column->leaves))
			first = c;
	}
	for (size_t i = 0; first && i < l->nr; i++) {
		struct text_column *c = &l->columns[i];

		if (c->out || is_needed(t, c) ||
		    c->column->leaves != first->column->leaves ||
		    (c != first && !c->column->leaves))
			continue;
		c->out = true;
		c->turn = turn;
	}
	return first != NULL;
}

/* Finds the last column. Returns its offset in the line. */
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
	size_t used = last_begins(l);

	return l->nr ? used + text_layout_width(l, &l->columns[l->last]) : 0;
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
static void limit_names(struct text_layout *l, struct measure *m, size_t room)
{
	struct text_column *last = &l->columns[l->last];
	const struct cell *row = m->t->cells;
	size_t nr = table_text_end(m->t), i, size;

	if (!last->text || last->column->words || last->head <= room)
		return;
	last->head = 0;
	for (i = 0; i < nr; i++, row += m->t->nr_columns) {
		if (!table_text_has(m->t, i))
			continue;
		size = text_layout_cell(last, row, &m->sb);
		if (size <= room && size > last->head)
			last->head = size;
	}
}

static void set_out(struct text_layout *l, unsigned int turn, bool out)
{
	for (size_t i = 0; i < l->nr; i++) {
		if (l->columns[i].turn == turn)
			l->columns[i].out = out;
	}
}

static void choose(struct text_layout *l, struct measure *m, size_t width)
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
	limit_names(l, m, width / 2 > NAMES_MIN ? width / 2 : NAMES_MIN);
	l->per = !l->has_per;
	while (!fits(l, width) && leave(l, m->t, turn + 1))
		turn++;
	used = last_begins(l);
	limit_names(l, m, width > used ? width - used : 0);
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

/* Appends to @key what @row shows in the columns that hold names, not figures, and below it. */
static void row_names(const struct text_layout *l, struct measure *m,
		      const struct cell *row, struct strbuf *key)
{
	strbuf_reset(key);
	for (size_t i = 0; i < l->nr; i++) {
		const struct text_column *c = &l->columns[i];

		if (c->out || c->column->unit != UNIT_NONE)
			continue;
		text_layout_cell(c, row, &m->sb);
		strbuf_add(key, strbuf_text(&m->sb), m->sb.size + 1);
	}
	for (size_t i = 0; i < m->t->nr_columns; i++) {
		if (m->t->columns[i].below && row[i].type == CELL_TEXT)
			strbuf_add(key, row[i].s, strlen(row[i].s) + 1);
	}
}

/* The narrowest column left out that holds names and differs in two rows; NULL: none does. */
static struct text_column *telling(struct text_layout *l, const struct cell *a,
				   const struct cell *b)
{
	struct text_column *best = NULL;

	for (size_t i = 0; i < l->nr; i++) {
		struct text_column *c = &l->columns[i];
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
static struct text_column *find_telling(struct text_layout *l, struct measure *m)
{
	const struct table *t = m->t;
	size_t nr = table_text_end(t), shown = 0;
	size_t *rows __auto_mem =
		calloc(nr + 1, sizeof(*rows)); /* of each different key */
	struct text_column *found = NULL;
	struct intern keys = { 0 };
	struct strbuf __auto_free key = { 0 };

	for (size_t i = 0; rows && i < nr && !found; i++) {
		const struct cell *row = &t->cells[i * t->nr_columns];
		uint32_t id;

		if (!table_text_has(t, i))
			continue;
		row_names(l, m, row, &key);
		id = intern_id(&keys, strbuf_text(&key), key.size);
		if (id > shown)
			rows[shown++] = i;
		else if (id)
			found = telling(l, &t->cells[rows[id - 1] * t->nr_columns], row);
	}
	intern_free(&keys);
	return found;
}

/* As choose(). A column that tells rows apart stays if the figures that leave make room. */
static void choose_telling(struct text_layout *l, struct measure *m, size_t width)
{
	struct text_column *c;

	choose(l, m, width);
	while (!l->tree.rows && (c = find_telling(l, m))) {
		c->tells = true;
		choose(l, m, width);
		if (fits(l, width))
			continue;
		c->tells = false;
		choose(l, m, width);
		break;
	}
}

int text_layout_init(struct text_layout *l, const struct table *t,
		     const struct render_options *opts)
{
	size_t nr = t->nr_columns ? t->nr_columns : 1, used;
	struct measure m = { .t = t, .opts = opts };
	size_t width = opts->wide ? 0 : opts->width;
	int err;

	*l = (struct text_layout){ .per = true, .room = SIZE_MAX };
	l->columns = calloc(nr, sizeof(*l->columns));
	err = l->columns ? read_tree(&l->tree, t) : -ENOMEM;
	if (!err)
		collect(l, &m);
	if (!err && width && l->nr)
		choose_telling(l, &m, width);
	if (!err && l->nr) {
		used = last_begins(l);
		if (width)
			l->room = width > used ? width - used : 0;
	}
	if (m.sb.failed)
		err = -ENOMEM;
	strbuf_free(&m.sb);
	return err;
}

size_t text_layout_hidden(const struct text_layout *l, struct strbuf *sb)
{
	size_t nr = 0;

	if (!l->per) {
		strbuf_puts(sb, "Per");
		nr++;
	}
	for (size_t i = 0; i < l->nr; i++) {
		const struct text_column *c = &l->columns[i];

		if (c->out)
			strbuf_printf(sb, "%s%.*s", nr++ ? ", " : "",
				      (int)title_without_per(c), c->column->title);
	}
	return nr;
}

void text_layout_free(struct text_layout *l)
{
	free(l->columns);
	free(l->tree.rows);
	*l = (struct text_layout){ .columns = NULL };
}
