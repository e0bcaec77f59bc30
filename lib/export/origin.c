// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/origin.h"

#include <time.h>

#include "analysis/balance/memory_lines.h"
#include "base/safe_text.h"
#include "report/json.h"

#define FNV_PRIME 0x100000001b3ULL

uint64_t export_hash(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *p = data, *end = p + size;

	for (; p < end; p++)
		hash = (hash ^ *p) * FNV_PRIME;
	return hash;
}

/* Includes the NUL, so that boundaries between texts count. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	return export_hash(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static uint64_t identity(const struct recording *rec)
{
	uint64_t hash = EXPORT_HASH;
	char number[24];

	hash = hash_text(hash, rec->uname);
	hash = hash_text(hash, rec->trace_id);
	hash = hash_text(hash, rec->cmdlines);
	snprintf(number, sizeof(number), "%" PRIu64, rec->file_bytes);
	hash = hash_text(hash, number);
	for (size_t i = 0; i < rec->nr_meta; i++) {
		hash = hash_text(hash, rec->meta[i].name);
		hash = hash_text(hash, rec->meta[i].text);
	}
	return hash;
}

static void copy_build_id(struct export_origin *o, const struct recording *rec)
{
	const struct recording_text *meta = recording_meta(rec, "build_id");
	size_t size = meta ? strspn(meta->text, "0123456789abcdef") : 0;

	if (!size || size >= sizeof(o->build_id))
		return;
	memcpy(o->build_id, meta->text, size);
	o->build_id[size] = '\0';
}

/* Reads "2026-11-22T21:45:00Z". */
static void read_start(struct export_origin *o, const struct recording *rec)
{
	const struct recording_text *meta =
		recording_meta(rec, RECORDING_META_WALL_CLOCK);
	struct tm said = { 0 }, real;

	if (!meta || !strptime(meta->text, "%Y-%m-%dT%H:%M:%SZ", &said) ||
	    said.tm_year < 70)
		return;
	real = said;
	real.tm_sec = 0;
	/* timegm() moves a day that its month does not have to the next month. */
	o->start = timegm(&real) + said.tm_sec;
	if (real.tm_mday != said.tm_mday)
		o->start = 0;
	else
		strftime(o->day, sizeof(o->day), "%Y-%m-%d", &said);
}

/* Appends @size bytes of a file, made safe, as a JSON string. */
static void put_text(struct strbuf *out, const char *text, size_t size)
{
	struct strbuf __auto_free safe = { 0 };

	safe_text_add(&safe, text, size);
	json_quote(out, strbuf_text(&safe));
	out->failed |= safe.failed;
}

/* Reads "key=value" lines. 0 or -ENOMEM. */
static int read_labels(struct export_origin *o, const struct recording *rec)
{
	const char *line = recording_meta_text(rec, RECORDING_META_LABELS), *comma = "{";
	struct strbuf __auto_free out = { 0 };
	size_t size, key;

	for (; *line; line += size + (line[size] != '\0')) {
		size = strcspn(line, "\n");
		key = strcspn(line, "=\n");
		if (!key || line[key] != '=')
			continue;
		strbuf_puts(&out, comma);
		put_text(&out, line, key);
		strbuf_puts(&out, ":");
		put_text(&out, line + key + 1, size - key - 1);
		comma = ",";
	}
	if (out.size)
		strbuf_puts(&out, "}");
	if (out.failed)
		return -ENOMEM;
	if (out.size)
		o->labels = strbuf_detach(&out);
	return 0;
}

/* The balance is that of the whole system, whatever was recorded. */
static int read_balance(struct export_origin *o, const struct recording *rec)
{
	struct strbuf __auto_free out = { 0 };
	int64_t figures[2][MEMORY_LINES], total[2];

	if (!memory_lines_known(rec))
		return 0;
	memory_lines_of(rec, recording_kernel_page_size(rec), figures, total);
	for (size_t i = 0; i < MEMORY_LINES; i++)
		strbuf_printf(&out, "%s\"%s\":[%" PRId64 ",%" PRId64 "]", i ? "," : "{",
			      memory_lines[i].name, figures[0][i], figures[1][i]);
	strbuf_puts(&out, "}");
	if (out.failed)
		return -ENOMEM;
	o->balance = strbuf_detach(&out);
	return 0;
}

int export_origin_init(struct export_origin *o, const struct recording *rec)
{
	*o = (struct export_origin){ 0 };
	snprintf(o->id, sizeof(o->id), "%016" PRIx64, identity(rec));
	copy_build_id(o, rec);
	read_start(o, rec);
	return read_labels(o, rec) ?: read_balance(o, rec);
}

void export_origin_free(struct export_origin *o)
{
	free(o->labels);
	free(o->balance);
	*o = (struct export_origin){ 0 };
}
