// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * study (internal): a recording of the previous boot, saved by trace-cmd.
 * In: an open recording. Out: its symbols at their addresses during that boot.
 */
#include "study/study_last_boot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/last_boot.h"

/* The text after "INSTANCE:"; NULL: memory ran out. The caller frees it. */
static char *info_text(const struct recording_option *option)
{
	const char *data = (const char *)option->data;
	const char *colon = memchr(data, ':', option->size);
	size_t skip = colon ? (size_t)(colon - data) + 1 : 0;

	return strndup(data + skip, option->size - skip);
}

/* Replaces the recording's symbols; an empty text removes them. */
static void set_symbols(struct recording *rec, struct strbuf *text)
{
	recording_forget_kallsyms(rec);
	rec->kallsyms_size = text->size;
	rec->kallsyms = strbuf_detach(text);
}

static void tell(const struct study *s, const struct last_boot *last)
{
	if (last->kind == LAST_BOOT_UNKNOWN)
		log_msg(&s->log, LOG_WARN,
			"the events are from an earlier boot whose kernel address is unknown: the symbols are not used\n  Give the symbols of that boot with --kallsyms FILE, or --vmlinux FILE");
	else
		log_msg(&s->log, LOG_WARN,
			"the events are from an earlier boot; symbols of the boot after it were relocated (modules: %u relocated, %u left out)\n  They are right if both boots ran the same kernel",
			last->nr_modules, last->nr_dropped);
}

int study_last_boot(struct study *s)
{
	const struct recording_option *option = recording_last_boot(s->rec);
	const struct recording_text *modules =
		recording_meta(s->rec, RECORDING_META_MODULES);
	const struct symbol_text kallsyms = { s->rec->kallsyms, s->rec->kallsyms_size };
	struct strbuf moved = { 0 };
	struct last_boot last;
	char *info;
	int err;

	if (!option || !kallsyms.size)
		return 0;
	info = info_text(option);
	err = info ? last_boot_symbols(info, &kallsyms, modules ? modules->text : NULL,
				       &moved, &last)
		   : -ENOMEM;
	if (!err && last.kind != LAST_BOOT_NONE && last.kind != LAST_BOOT_SAME) {
		tell(s, &last);
		set_symbols(s->rec, &moved);
	}
	strbuf_free(&moved);
	free(info);
	if (err) {
		s->failure.part = STUDY_SYMBOLS;
		s->failure.err = err;
	}
	return err;
}
