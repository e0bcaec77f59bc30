// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/raw_pages.h"

#include <unistd.h>

#include "import/raw_cpus.h"

/* Larger than any kernel's sub-buffers. */
#define MAX_SUBBUF (1U << 20)

struct raw_pages {
	struct raw_directory directory;
	const struct recording_import_options *opts;
	struct raw_cpus cpus;
	struct system_texts texts;
	struct strbuf notes;
	char clock[32];
	struct writer_facts facts;
};

/* --- formats ----------------------------------------------------------------------------- */

static int add_format(void *ctx, const char *sub, const char *name)
{
	struct raw_pages *rp = ctx;
	const char *system = strrchr(sub, '/') + 1;
	bool ftrace = !strcmp(system, "ftrace");
	struct text_list *to =
		ftrace ? &rp->texts.ftrace_formats : &rp->texts.event_formats;
	struct strbuf __auto_free sb = { 0 };
	char path[1024];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s/format", sub, name) >= (int)sizeof(path))
		return 0;
	ret = raw_directory_read(&rp->directory, NULL, path, &sb);
	if (!ret && sb.size)
		return text_list_take(to, system, &sb);
	return ret == -ENOMEM ? ret : 0; /* "enable", "filter", or nothing */
}

static int add_system(void *ctx, const char *sub, const char *name)
{
	struct raw_pages *rp = ctx;
	char path[512];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", sub, name) >= (int)sizeof(path))
		return 0;
	ret = raw_directory_each(&rp->directory, path, add_format, rp);
	return ret == -ENOMEM ? ret : 0;
}

static int missing(const struct raw_pages *rp, const char *what, int err)
{
	log_msg(rp->directory.log, LOG_ERROR,
		"%s: %s %s\n  kmemx-import(1) lists what to copy beside the pages",
		rp->directory.path, what, err == -EBADMSG ? "is invalid" : "is missing");
	return err;
}

static int read_formats(struct raw_pages *rp)
{
	int ret = raw_directory_read(&rp->directory, "events", "header_page",
				     &rp->texts.header_page);

	if (ret)
		return ret == -ENOMEM ? ret : missing(rp, "events/header_page", -ENOENT);
	if (trace_dat_parse_header_page(strbuf_text(&rp->texts.header_page),
					&rp->cpus.layout, &rp->cpus.subbuf_size) ||
	    rp->cpus.subbuf_size < 512 || rp->cpus.subbuf_size > MAX_SUBBUF)
		return missing(rp, "events/header_page", -EBADMSG);
	ret = raw_directory_read(&rp->directory, "events", "header_event",
				 &rp->texts.header_event);
	if (ret == -ENOMEM)
		return ret;
	ret = raw_directory_each(&rp->directory, "events", add_system, rp);
	if (ret == -ENOMEM)
		return ret;
	return text_list_get(&rp->texts.event_formats, "kmem")
		       ? 0
		       : missing(rp, "events/kmem/*/format", -ENOENT);
}

/* --- the kernel -------------------------------------------------------------------------- */

/* What is known about the kernel; empty if unknown. */
struct uname_words {
	char host[64], release[128], machine[64];
};

/* Copies the next word of the line at *@p, and moves *@p after it; false: no more. */
static bool next_word(const char **p, char *out, size_t size)
{
	size_t len;

	*p += strspn(*p, " ");
	len = strcspn(*p, " \n");
	if (!len)
		return false;
	snprintf(out, size, "%.*s", (int)(len < size ? len : size), *p);
	*p += len;
	return true;
}

/* "Linux HOST RELEASE ... MACHINE": "uname -a" prints the machine last but one, before GNU/Linux,
 * "uname -snrm" prints it last.
 */
static void parse_uname(const char *line, struct uname_words *out)
{
	char word[64];

	if (!next_word(&line, word, sizeof(word)) ||
	    !next_word(&line, out->host, sizeof(out->host)) ||
	    !next_word(&line, out->release, sizeof(out->release)))
		return;
	while (next_word(&line, word, sizeof(word)))
		if (strcmp(word, "GNU/Linux") != 0)
			snprintf(out->machine, sizeof(out->machine), "%s", word);
}

/* /proc/version: "Linux version 6.1.0 (...)" */
static void parse_version(const char *line, struct uname_words *out)
{
	char word[64];

	if (next_word(&line, word, sizeof(word)) && next_word(&line, word, sizeof(word)))
		(void)next_word(&line, out->release, sizeof(out->release));
}

static int read_uname(struct raw_pages *rp)
{
	struct uname_words known = { .host = "unknown" };
	struct strbuf __auto_free text = { 0 };
	int ret = raw_directory_read_optional(&rp->directory, NULL, "uname", &text);

	if (!ret && text.size) {
		parse_uname(strbuf_text(&text), &known);
	} else if (!ret) {
		ret = raw_directory_read_optional(&rp->directory, "proc", "version",
						  &text);
		parse_version(strbuf_text(&text), &known);
	}
	if (rp->opts->release)
		snprintf(known.release, sizeof(known.release), "%s", rp->opts->release);
	if (rp->opts->machine)
		snprintf(known.machine, sizeof(known.machine), "%s", rp->opts->machine);
	import_kernel(&rp->texts.uname, known.host, known.release, known.machine);
	return ret;
}

static int add_meta(struct raw_pages *rp, const char *file, const char *name)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = raw_directory_read_optional(&rp->directory, "proc", file, &sb);

	if (!ret && sb.size)
		return text_list_take(&rp->texts.meta, name, &sb);
	return ret;
}

static int read_texts(struct raw_pages *rp)
{
	static const char *const after[] = { "meminfo",	       "pagetypeinfo", "slabinfo",
					     "zoneinfo",       "buddyinfo",    "vmstat",
					     "min_free_kbytes" };
	const char *open, *close;
	int ret = 0;

	if (rp->opts->symbols)
		strbuf_add(&rp->texts.kallsyms, rp->opts->symbols,
			   rp->opts->symbols_size);
	else
		ret = raw_directory_read_optional(&rp->directory, "proc", "kallsyms",
						  &rp->texts.kallsyms);
	if (!ret)
		ret = raw_directory_read_optional(&rp->directory, NULL, "printk_formats",
						  &rp->texts.printk_formats);
	if (!ret)
		ret = raw_directory_read_optional(&rp->directory, NULL, "saved_cmdlines",
						  &rp->texts.cmdlines);
	if (!ret)
		ret = raw_directory_read_optional(&rp->directory, NULL, "trace_clock",
						  &rp->texts.trace_clock);
	if (!ret)
		ret = read_uname(rp);
	if (!ret)
		ret = add_meta(rp, RECORDING_META_MODULES, "modules");
	for (size_t i = 0; !ret && i < ARRAY_SIZE(after); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s.after", after[i]);
		ret = add_meta(rp, after[i], name);
	}
	open = strchr(strbuf_text(&rp->texts.trace_clock), '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(rp->clock, sizeof(rp->clock), "%.*s", (int)(close - open - 1),
			 open + 1);
	if (!rp->clock[0])
		strbuf_free(&rp->texts.trace_clock);
	return ret;
}

/* --- facts ------------------------------------------------------------------------------- */

static void note_all(struct raw_pages *rp)
{
	strbuf_puts(&rp->notes, "from raw pages of tracefs\n");
	if (!rp->texts.kallsyms.size)
		strbuf_puts(
			&rp->notes,
			"no kallsyms was copied: callsites are addresses (kmemx stat --kallsyms FILE)\n");
	if (!rp->texts.cmdlines.size)
		strbuf_puts(&rp->notes,
			    "no saved_cmdlines was copied: tasks have numbers only\n");
	if (!rp->texts.cpustats.count)
		strbuf_puts(
			&rp->notes,
			"no per_cpu/cpuN/stats was copied: events dropped by a full buffer are unknown\n");
	if (!rp->clock[0])
		strbuf_puts(
			&rp->notes,
			"no trace_clock was copied: times are taken as nanoseconds\n");
	if (!rp->texts.uname.size)
		strbuf_puts(
			&rp->notes,
			"no uname was copied: the kernel's release is unknown (--release RELEASE)\n");
	if (rp->cpus.nr_cut)
		strbuf_printf(&rp->notes,
			      "the last sub-buffer is cut on %" PRIu64 " CPU%s\n",
			      rp->cpus.nr_cut, plural(rp->cpus.nr_cut));
}

static int compose(struct raw_pages *rp)
{
	const struct raw_cpus *rc = &rp->cpus;
	int ret;

	note_all(rp);
	ret = import_meta(&rp->texts.meta, &rp->notes, rp->opts->page_size);
	rp->facts = (struct writer_facts){
		.file_version = 7,
		.page_size = rc->subbuf_size,
		.long_size = rc->layout.long_size,
		.foreign_endian = rc->big_endian != (__BYTE_ORDER == __BIG_ENDIAN),
		.clock = rp->clock,
		.nr_cpus = rc->parts[rc->nr_parts - 1].cpu + 1,
	};
	return ret ? ret : system_texts_facts(&rp->texts, &rp->facts);
}

int raw_pages_open(struct raw_pages **out, const char *dir,
		   const struct recording_import_options *opts, const struct log *log)
{
	struct raw_pages *rp = calloc(1, sizeof(*rp));
	int ret;

	if (!rp)
		return -ENOMEM;
	rp->directory = (struct raw_directory){ dir, log };
	if (access(dir, R_OK | X_OK) < 0) {
		ret = -errno;
		log_msg(log, LOG_ERROR, "cannot open the directory %s: %s", dir,
			strerror(-ret));
		free(rp);
		return ret == -ENOTDIR ? -EINVAL : -ENOENT;
	}
	rp->opts = opts;
	rp->cpus.directory = rp->directory;
	rp->cpus.opts = opts;
	rp->cpus.stats = &rp->texts.cpustats;
	ret = read_formats(rp);
	if (!ret)
		ret = raw_cpus_find(&rp->cpus);
	if (!ret)
		ret = read_texts(rp);
	if (!ret)
		ret = compose(rp);
	if (ret) {
		raw_pages_close(rp);
		return ret;
	}
	*out = rp;
	return 0;
}

void raw_pages_close(struct raw_pages *rp)
{
	if (!rp)
		return;
	raw_cpus_free(&rp->cpus);
	system_texts_free(&rp->texts);
	strbuf_free(&rp->notes);
	free(rp);
}

const struct writer_facts *raw_pages_facts(const struct raw_pages *rp)
{
	return &rp->facts;
}

const struct writer_part *raw_pages_parts(const struct raw_pages *rp, size_t *count)
{
	*count = rp->cpus.nr_parts;
	return rp->cpus.parts;
}

const char *raw_pages_notes(const struct raw_pages *rp)
{
	return strbuf_text(&rp->notes);
}
