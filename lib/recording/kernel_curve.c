// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/kernel_curve.h"

#include "base/number.h"

#define TIMES	 "times "
#define NAME_MAX 255

/* --- moments --------------------------------------------------------------------------------- */

void kernel_curve_drop(struct kernel_curve *c, unsigned int i)
{
	size_t after = c->nr - i - 1;

	memmove(&c->times[i], &c->times[i + 1], after * sizeof(c->times[0]));
	for (size_t k = 0; k < c->series.nr; k++) {
		uint64_t *at = &c->series.of[k].at[i];

		memmove(at, at + 1, after * sizeof(*at));
	}
	c->nr--;
}

void kernel_curve_halve(struct kernel_curve *c)
{
	for (unsigned int i = 1; i < c->nr; i++)
		kernel_curve_drop(c, i);
}

void kernel_curve_clip(struct kernel_curve *c, uint64_t first, uint64_t last)
{
	unsigned int i = c->nr;

	while (i--) {
		if (c->times[i] < first || c->times[i] > last)
			kernel_curve_drop(c, i);
	}
}

bool kernel_curve_begin(struct kernel_curve *c, uint64_t time)
{
	if (c->nr && time <= c->times[c->nr - 1])
		return false;
	if (c->nr == KERNEL_CURVE_MOMENTS)
		kernel_curve_halve(c);
	for (size_t k = 0; k < c->series.nr; k++)
		c->series.of[k].at[c->nr] = KERNEL_CURVE_NONE;
	c->times[c->nr++] = time;
	return true;
}

/* --- counters -------------------------------------------------------------------------------- */

/* The key of a counter; its size, 0 if the name is too long. */
static size_t make_key(char key[NAME_MAX + 3], enum kernel_counter from, const char *name,
		       size_t name_len)
{
	if (!name_len || name_len > NAME_MAX)
		return 0;
	key[0] = (char)from;
	key[1] = ' ';
	memcpy(key + 2, name, name_len);
	return name_len + 2;
}

/* The series of that key, created without values; NULL: no memory. */
static struct kernel_series *series_of(struct kernel_curve *c, const char *key,
				       size_t size)
{
	const size_t known = c->series.nr;
	struct kernel_series *series = KEYED_ITEM_OF(&c->series, key, size);

	for (unsigned int i = 0; c->series.nr > known && i < KERNEL_CURVE_MOMENTS; i++)
		series->at[i] = KERNEL_CURVE_NONE;
	return series;
}

int kernel_curve_add(struct kernel_curve *c, enum kernel_counter from, const char *name,
		     size_t name_len, uint64_t value)
{
	char key[NAME_MAX + 3];
	size_t size = make_key(key, from, name, name_len);
	struct kernel_series *series;
	uint64_t *at;

	if (!c->nr || !size ||
	    (c->series.nr == KERNEL_CURVE_SERIES &&
	     !intern_find(&c->series.keys, key, size)))
		return 0;
	series = series_of(c, key, size);
	if (!series)
		return -ENOMEM;
	at = &series->at[c->nr - 1];
	*at = *at == KERNEL_CURVE_NONE ? value : *at + value;
	*at = SMALLER(*at, KERNEL_CURVE_MAX);
	return 0;
}

const struct kernel_series *kernel_curve_find(const struct kernel_curve *c,
					      enum kernel_counter from, const char *name)
{
	char key[NAME_MAX + 3];
	size_t size = make_key(key, from, name, strlen(name));
	uint32_t id = size ? intern_find(&c->series.keys, key, size) : 0;

	return id ? &c->series.of[id - 1] : NULL;
}

bool kernel_curve_sum(const struct kernel_curve *c, enum kernel_counter from,
		      const char *name, struct kernel_series *sum)
{
	const struct kernel_series *series = kernel_curve_find(c, from, name);

	for (unsigned int i = 0; series && i < c->nr; i++)
		sum->at[i] += series->at[i] == KERNEL_CURVE_NONE ? 0 : series->at[i];
	return series;
}

void kernel_curve_free(struct kernel_curve *c)
{
	KEYED_FREE(&c->series);
	*c = (struct kernel_curve){ 0 };
}

/* --- text ------------------------------------------------------------------------------------ */

static void format_run(struct strbuf *out, char mark, unsigned int *run)
{
	if (*run)
		strbuf_printf(out, "%c%u", mark, *run);
	*run = 0;
}

static void format_values(struct strbuf *out, const uint64_t *at, unsigned int nr)
{
	unsigned int same = 0, none = 0;
	uint64_t last = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (at[i] == KERNEL_CURVE_NONE) {
			format_run(out, '=', &same);
			none++;
			continue;
		}
		format_run(out, '.', &none);
		if (at[i] == last) {
			same++;
			continue;
		}
		format_run(out, '=', &same);
		strbuf_printf(out, "%c%" PRIu64, at[i] > last ? '+' : '-',
			      at[i] > last ? at[i] - last : last - at[i]);
		last = at[i];
	}
	format_run(out, '=', &same);
	format_run(out, '.', &none);
	strbuf_puts(out, "\n");
}

void kernel_curve_format(const struct kernel_curve *c, struct strbuf *out)
{
	strbuf_puts(out, TIMES);
	format_values(out, c->times, c->nr);
	for (size_t k = 0; k < c->series.nr; k++) {
		strbuf_printf(out, "%s ", kernel_curve_name(c, k));
		format_values(out, c->series.of[k].at, c->nr);
	}
}

/* Reads at most KERNEL_CURVE_MOMENTS values up to @max. Returns their number; -1: damaged. */
static int read_values(const char *text, uint64_t max, uint64_t *at)
{
	uint64_t last = 0, number;
	unsigned int nr = 0;
	char mark;

	while (*text && *text != '\n') {
		mark = *text++;
		if (number_read(&text, NULL, 10, max, &number))
			return -1;
		if (mark == '+' || mark == '-') {
			if (mark == '+' ? number > max - last : number > last)
				return -1;
			last = mark == '+' ? last + number : last - number;
			mark = '=';
			number = 1;
		}
		if ((mark != '=' && mark != '.') || number > KERNEL_CURVE_MOMENTS - nr)
			return -1;
		while (number--)
			at[nr++] = mark == '=' ? last : KERNEL_CURVE_NONE;
	}
	return (int)nr;
}

/* Reads "s NAME VALUES" of the line. 0 or -ENOMEM; a damaged line is counted. */
static int read_line(struct kernel_curve *c, const char *line)
{
	static const char counters[] = { KERNEL_SLAB, KERNEL_MEMINFO, KERNEL_VMSTAT,
					 KERNEL_ZONEINFO, KERNEL_BUDDY };
	struct kernel_series *series, values;
	size_t name = memchr(counters, line[0], sizeof(counters)) && line[1] == ' '
			      ? strcspn(line + 2, " \n")
			      : 0;

	if (!name || name > NAME_MAX || line[name + 2] != ' ' ||
	    c->series.nr == KERNEL_CURVE_SERIES ||
	    intern_find(&c->series.keys, line, name + 2) ||
	    read_values(line + name + 3, KERNEL_CURVE_MAX, values.at) != (int)c->nr) {
		c->damaged++;
		return 0;
	}
	series = series_of(c, line, name + 2);
	if (!series)
		return -ENOMEM;
	memcpy(series->at, values.at, c->nr * sizeof(values.at[0]));
	return 0;
}

/* Are there times, each later than the one before? */
static bool are_times(const uint64_t *times, int nr)
{
	return nr > 0 &&
	       !ANY(i, nr,
		    times[i] == KERNEL_CURVE_NONE || (i && times[i] <= times[i - 1]));
}

int kernel_curve_read(struct kernel_curve *c, const char *text)
{
	int nr, ret = 0;

	if (strncmp(text, TIMES, strlen(TIMES)) != 0)
		return -EBADMSG;
	/* A clock of nanoseconds since 1970 reaches 2^63 in 2262. */
	nr = read_values(text + strlen(TIMES), INT64_MAX, c->times);
	if (!are_times(c->times, nr))
		return -EBADMSG;
	c->nr = (unsigned int)nr;
	while (!ret && *(text = text_next_line(text)))
		ret = read_line(c, text);
	return ret;
}

int kernel_curve_of(struct kernel_curve *c, const struct recording *rec)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_CURVE);
	int ret = item ? kernel_curve_read(c, item->text) : -ENOENT;
	uint64_t first, last;

	/* A part that was made by an older kmemx has the curve of the whole. */
	if (!ret && recording_part(rec, &first, &last))
		kernel_curve_clip(c, first, last);
	return ret || c->nr ? ret : -ENOENT;
}
