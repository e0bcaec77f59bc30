// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/opening.h"

#include "base/array.h"
#include "base/number.h"

/* Moves *@at past a hexadecimal number of at most OPENING_FRAME_MAX and the character @end. */
static bool take_hex(const char **at, char end, uint64_t *value)
{
	const char *p = *at;

	if (number_read(&p, NULL, 16, OPENING_FRAME_MAX, value) || *p != end)
		return false;
	*at = p + 1;
	return true;
}

/* 1: a run was added; 0: the line is damaged; -ENOMEM. */
static int add_run(struct opening *o, const char **at)
{
	uint64_t skip, nr, name, next = 0;

	if (o->nr)
		next = o->runs[o->nr - 1].first + o->runs[o->nr - 1].nr;
	if (!take_hex(at, ' ', &skip) || !take_hex(at, ' ', &nr) ||
	    !take_hex(at, '\n', &name) || !nr || !name || name > o->nr_names ||
	    next + skip + nr > OPENING_FRAME_MAX)
		return 0;
	if (ARRAY_ADD(o->runs, o->nr,
		      (struct opening_run){ next + skip, nr, (uint32_t)name }))
		return -ENOMEM;
	return 1;
}

int opening_read(struct opening *o, const char *text)
{
	int ret = 1;

	while (*text && ret > 0) {
		size_t len = strcspn(text, "\n");

		if (*text != '=') {
			ret = add_run(o, &text);
			continue;
		}
		if (ARRAY_ADD(o->names, o->nr_names,
			      (struct opening_name){ text + 1, len - 1 }))
			return -ENOMEM;
		text += len + (text[len] == '\n');
	}
	return ret < 0 ? ret : 0;
}

uint32_t opening_find(const struct opening *o, uint64_t frame)
{
	/* The first run that does not end before the frame. */
	size_t at = COUNT_FIRST(i, o->nr, o->runs[i].first + o->runs[i].nr <= frame);

	return at < o->nr && o->runs[at].first <= frame ? o->runs[at].name : 0;
}

void opening_free(struct opening *o)
{
	free(o->runs);
	free(o->names);
	*o = (struct opening){ 0 };
}
