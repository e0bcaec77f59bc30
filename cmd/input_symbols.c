// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: which symbols a report uses.
 * In: the user's files, or what the recording has. Out: a table of symbols that fits the
 * recording, or a message.
 */
#include "input_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "command.h"
#include "recording/text_file.h"
#include "symbol/fit.h"

/* So many callsites of the recording's first events are looked at. */
#define MAX_SITES	512
#define MAX_SITE_EVENTS 50000

struct sites {
	uint64_t addrs[MAX_SITES];
	size_t nr;
	struct u64_map seen;
};

int symbol_files_check(const struct symbol_files *files, const char *command)
{
	if (!!files->kallsyms + !!files->system_map + !!files->vmlinux < 2)
		return GO_ON;
	message_error(command,
		      "--kallsyms, --system-map and --vmlinux are alternatives.");
	return EXIT_USAGE;
}

static int add_site(struct sites *sites, uint64_t addr)
{
	size_t before = sites->seen.count;

	if (!addr || sites->nr == MAX_SITES)
		return 0;
	if (!u64_map_insert(&sites->seen, addr, 0))
		return -ENOMEM;
	if (sites->seen.count > before)
		sites->addrs[sites->nr++] = addr;
	return 0;
}

static int add_event_sites(struct sites *sites, const struct event_stream *stream,
			   const struct kmem_event *ev)
{
	const uint64_t *frames;
	uint32_t nr = 0, i;
	int err = 0;

	if (ev->type >= KMEM_KMALLOC && ev->type <= KMEM_CACHE_ALLOC_NODE)
		err = add_site(sites, ev->slab_alloc.callsite);
	else if (ev->type == KMEM_KFREE || ev->type == KMEM_CACHE_FREE)
		err = add_site(sites, ev->slab_free.callsite);
	frames = event_stream_stack(stream, ev->stack, &nr);
	for (i = 0; !err && frames && i < nr; i++)
		err = add_site(sites, frames[i]);
	return err;
}

/* Callsites of the first events: enough to see whether symbols fit. */
static int collect_sites(struct sites *sites, const struct input *in)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct event_stream *stream = NULL;
	struct kmem_event ev;
	unsigned int i;
	int ret = event_stream_open(&stream, in->rec, in->fmts, &opts, NULL);

	for (i = 0; ret >= 0 && i < MAX_SITE_EVENTS && sites->nr < MAX_SITES; i++) {
		ret = event_stream_next(stream, &ev);
		if (ret <= 0)
			break;
		ret = add_event_sites(sites, stream, &ev);
	}
	event_stream_close(stream);
	u64_map_free(&sites->seen);
	return ret < 0 ? ret : 0;
}

static int other_kernel(const struct input *in, const char *path, const char *why)
{
	char release[128];

	recording_release(in->rec, release, sizeof(release));
	message_error(in->command,
		      "the symbols in %s are of another kernel than %s:\n  %s\n"
		      "  Take those of Linux %s%s",
		      path, in->path, why, *release ? release : "the recorded kernel",
		      in->rec->kallsyms ? ", or leave the option out for the recording's."
					: ".");
	return EXIT_FAILED;
}

static int names_differ(const struct input *in, const char *path,
			const struct symbol_fit *fit)
{
	char why[160];

	snprintf(why, sizeof(why),
		 "of %zu functions that both know, %zu are not where the others are.",
		 fit->nr_checked, fit->nr_checked - fit->nr_agree);
	return other_kernel(in, path, why);
}

/* Without symbols in the recording only some files can be placed. */
static int no_place(const struct input *in, const char *path, bool is_map)
{
	message_error(
		in->command,
		"cannot tell where the kernel of %s was loaded (KASLR): it has no symbols%s.\n"
		"  Take %s--kallsyms of the same boot, or record where /proc/kallsyms is readable.",
		in->path, is_map ? "" : ", and its callsites do not prove it",
		is_map ? "--vmlinux, whose code tells, or " : "");
	log_msg(&in->log, LOG_INFO, "refused: %s", path);
	return EXIT_FAILED;
}

/* Half of the callsites may be in modules, which the symbols need not know. */
static int check_sites(const struct input *in, const char *path,
		       const struct sites *sites)
{
	size_t found = symbol_fit_count(in->syms, sites->addrs, sites->nr);
	char why[160];

	log_msg(&in->log, LOG_INFO, "%zu of %zu callsites are in functions of %s", found,
		sites->nr, path);
	if (found >= sites->nr - sites->nr / 2)
		return GO_ON;
	snprintf(why, sizeof(why), "only %zu of %zu callsites are in functions of it.",
		 found, sites->nr);
	return other_kernel(in, path, why);
}

/* No kernel of 32-bit ARM is moved at boot. */
static bool never_moved(const struct recording *rec)
{
	char machine[64];

	recording_machine(rec, machine, sizeof(machine));
	return !strncmp(machine, "arm", 3) && rec->layout.long_size == 4;
}

/* The table from text whose place is known. */
static int use_text(struct input *in, const struct symbol_text *theirs, uint64_t offset)
{
	const struct symbol_text ours = { in->rec->kallsyms, in->rec->kallsyms_size };
	struct strbuf text = { 0 };
	int err = symbol_fit_apply(theirs, &ours, offset, &text);

	if (!err)
		err = symbols_new(&in->syms, text.data, text.size, &in->log);
	strbuf_free(&text);
	if (err) {
		message_error(in->command, "cannot read the symbols: %s", strerror(-err));
		return EXIT_FAILED;
	}
	in->origin.offset = offset;
	return GO_ON;
}

/* Nothing says where the kernel was loaded. A kernel that was moved leaves few callsites in
 * the functions of one that was not (x86 moves by 2 MiB within 1 GiB, its text has some 20),
 * so that nearly all of them there make a guess to be told, not a proof.
 */
static int assume_unmoved(struct input *in, const char *path,
			  const struct symbol_text *theirs, const struct sites *sites)
{
	int ret = use_text(in, theirs, 0);
	size_t found;

	if (ret != GO_ON)
		return ret;
	found = symbol_fit_count(in->syms, sites->addrs, sites->nr);
	if (sites->nr < 8 || found < sites->nr - sites->nr / 10)
		return no_place(in, path, in->origin.kind == SYMBOLS_SYSTEM_MAP);
	log_msg(&in->log, LOG_WARN,
		"%s has no symbols to prove that those of %s fit: %zu of %zu callsites are in their functions, so the kernel is taken as not moved (no KASLR)",
		in->path, path, found, sites->nr);
	return GO_ON;
}

/* Finds the place of @theirs, which may have code in @img, and takes them. */
static int place_text(struct input *in, const char *path,
		      const struct symbol_text *theirs, const struct elf_image *img)
{
	const struct symbol_text ours = { in->rec->kallsyms, in->rec->kallsyms_size };
	struct sites sites = { .nr = 0 };
	struct symbol_fit fit;
	int err = symbol_fit_names(theirs, &ours, &fit);

	if (!err)
		return use_text(in, theirs, fit.offset);
	if (err == -EXDEV)
		return names_differ(in, path, &fit);
	if (err == -ENODATA)
		err = collect_sites(&sites, in);
	if (err)
		return input_stream_failed(in, err);
	fit.offset = 0;
	if (img && !symbol_fit_calls(img, sites.addrs, sites.nr, &fit))
		log_msg(&in->log, LOG_INFO, "%zu of %zu callsites are behind calls",
			fit.nr_agree, fit.nr_checked);
	else if (in->origin.kind != SYMBOLS_KALLSYMS && !never_moved(in->rec))
		return assume_unmoved(in, path, theirs, &sites);
	else
		fit.offset = 0;
	err = use_text(in, theirs, fit.offset);
	return err == GO_ON ? check_sites(in, path, &sites) : err;
}

static int read_failed(const struct input *in, const char *path, int err)
{
	message_error(in->command, "cannot read symbols from %s: %s", path,
		      io_strerror(err));
	return EXIT_FAILED;
}

static int open_text(struct input *in, const char *path)
{
	struct strbuf text = { 0 };
	int ret = text_file_read(&text, path, IO_FILE_OR_PIPE);

	if (ret)
		ret = read_failed(in, path, ret);
	else
		ret = place_text(in, path, &(struct symbol_text){ text.data, text.size },
				 NULL);
	strbuf_free(&text);
	return ret;
}

/* Same word size, byte order and build? GO_ON, or the exit code. */
static int check_elf(struct input *in, const char *path, const struct elf_image *img)
{
	const struct recording_text *meta = recording_meta(in->rec, "build_id");
	const struct recording *rec = in->rec;
	char why[320];
	size_t len;

	if (img->is_64 != (rec->layout.long_size == 8) ||
	    img->big_endian != rec->big_endian) {
		snprintf(
			why, sizeof(why),
			"it is for %s-bit %s endian machines, the recording is of a %s-bit %s endian one.",
			img->is_64 ? "64" : "32", img->big_endian ? "big" : "little",
			rec->layout.long_size == 8 ? "64" : "32",
			rec->big_endian ? "big" : "little");
		return other_kernel(in, path, why);
	}
	len = meta ? strcspn(meta->text, " \n") : 0;
	if (!len || !img->build_id[0])
		return GO_ON;
	in->origin.build_id_equal = len == strlen(img->build_id) &&
				    !strncasecmp(meta->text, img->build_id, len);
	if (in->origin.build_id_equal)
		return GO_ON;
	snprintf(why, sizeof(why), "its build id is %s, the recording's %.*s.",
		 img->build_id, (int)(len < 128 ? len : 128), meta->text);
	return other_kernel(in, path, why);
}

static int elf_failed(const struct input *in, const char *path, int err)
{
	switch (err) {
	case -ENOEXEC:
		message_error(
			in->command,
			"%s is not an ELF file, or a damaged one.\n  --vmlinux takes the kernel as linked (vmlinux), not its compressed image (vmlinuz, Image).",
			path);
		return EXIT_FAILED;
	case -ENODATA:
		message_error(
			in->command,
			"%s has no symbols: it was stripped.\n  Take the vmlinux of the kernel's build, or of its debug package.",
			path);
		return EXIT_FAILED;
	default:
		return read_failed(in, path, err);
	}
}

static int open_vmlinux(struct input *in, const char *path)
{
	int fd = io_open_input(path, IO_FILE), ret;
	struct elf_image img;

	if (fd < 0)
		return read_failed(in, path, fd);
	ret = elf_image_open(&img, fd);
	close(fd);
	if (ret)
		return elf_failed(in, path, ret);
	ret = check_elf(in, path, &img);
	if (ret == GO_ON)
		ret = place_text(
			in, path,
			&(struct symbol_text){ img.symbols.data, img.symbols.size },
			&img);
	elf_image_close(&img);
	return ret;
}

static int open_recorded(struct input *in)
{
	size_t size;
	char *text = recording_take_kallsyms(in->rec, &size);
	int err = symbols_take(&in->syms, text, size, &in->log);

	if (!err)
		return GO_ON;
	message_error(in->command, "cannot read the symbols: %s", strerror(-err));
	return EXIT_FAILED;
}

static int open_one(struct input *in, const struct symbol_files *files)
{
	struct symbol_origin *o = &in->origin;

	if (files->vmlinux) {
		*o = (struct symbol_origin){ .kind = SYMBOLS_VMLINUX,
					     .path = files->vmlinux };
		return open_vmlinux(in, o->path);
	}
	if (files->system_map) {
		*o = (struct symbol_origin){ .kind = SYMBOLS_SYSTEM_MAP,
					     .path = files->system_map };
		return open_text(in, o->path);
	}
	if (files->kallsyms) {
		*o = (struct symbol_origin){ .kind = SYMBOLS_KALLSYMS,
					     .path = files->kallsyms };
		return open_text(in, o->path);
	}
	*o = (struct symbol_origin){ .kind = SYMBOLS_RECORDED };
	return open_recorded(in);
}

int input_symbols_open(struct input *in, const struct symbol_files *files)
{
	int ret = open_one(in, files);

	if (ret != GO_ON)
		return ret;
	if (symbols_hidden(in->syms))
		log_msg(&in->log, LOG_WARN,
			"the symbols' addresses are hidden (kptr_restrict): callsites are addresses. Give them with --vmlinux or --kallsyms FILE");
	else if (!symbols_count(in->syms))
		log_msg(&in->log, LOG_WARN,
			"no symbols: callsites are addresses. Give them with --vmlinux or --kallsyms FILE");
	return GO_ON;
}
