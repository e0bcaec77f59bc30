// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: explains the short words in a table.
 * In: words with their meanings, rows. Out: a line that explains the words in the rows.
 */
#include <string.h>

#include "base/array.h"
#include "report/table.h"

void table_add_legend(struct table *t, const char *word, const char *meaning)
{
	const struct cell cells[] = { cell_text(t, word), cell_text(t, meaning) };

	if (t->failed || array_reserve(&t->legend, &t->legend_capacity, t->nr_legend + 1,
				       sizeof(*t->legend))) {
		t->failed = true;
		return;
	}
	t->legend[t->nr_legend++] = (struct legend_item){ cells[0].s, cells[1].s };
}

/* Is @word one of the words in @text, which are separated by '|'? */
static bool has_word(const char *text, const char *word)
{
	size_t size = strlen(word);

	for (;;) {
		size_t len = strcspn(text, "|");

		if (len == size && !memcmp(text, word, size))
			return true;
		if (!text[len])
			return false;
		text += len + 1;
	}
}

static bool is_used(const struct table *t, size_t column, size_t nr_rows,
		    const char *word)
{
	const char *last = NULL;

	for (size_t row = 0; row < nr_rows; row++) {
		const struct cell *cell = &t->cells[row * t->nr_columns + column];

		/* Equal texts have the same address. */
		if (cell->type != CELL_TEXT || cell->s == last)
			continue;
		if (has_word(cell->s, word))
			return true;
		last = cell->s;
	}
	return false;
}

bool table_legend(const struct table *t, size_t nr_rows, struct strbuf *out)
{
	int column = t->legend_of ? table_column(t, t->legend_of) : -1;
	bool any = false;

	for (size_t i = 0; column >= 0 && i < t->nr_legend; i++) {
		const struct legend_item *item = &t->legend[i];

		if (!is_used(t, (size_t)column, nr_rows, item->word))
			continue;
		if (!any)
			strbuf_printf(out, "%s:", t->legend_title);
		strbuf_printf(out, "%s%s %s", any ? "  " : " ", item->word,
			      item->meaning);
		any = true;
	}
	return any;
}
