// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/symbol_files.h"

#include <unistd.h>

#include "base/io.h"

/* One attempt. */
struct attempt {
	struct symbols **out;
	struct symbol_origin *origin;
	const struct symbol_target *target;
	struct symbol_failure *failure;
};

static int refuse(const struct attempt *a, enum symbol_problem problem, int err)
{
	a->failure->problem = problem;
	a->failure->err = err;
	return err;
}

bool symbol_files_any(const struct symbol_files *files)
{
	return files->kallsyms || files->system_map || files->vmlinux;
}

/* Requires only half of the callsites: the others may be in modules without symbols. */
static int check_sites(const struct attempt *a, const struct symbol_sites *sites)
{
	size_t found = symbol_fit_count(*a->out, sites->addrs, sites->nr);

	log_msg(a->target->log, LOG_INFO, "%zu of %zu callsites are in functions of %s",
		found, sites->nr, a->origin->path);
	if (found >= sites->nr - sites->nr / 2)
		return 0;
	a->failure->fit.nr_checked = sites->nr;
	a->failure->fit.nr_agree = found;
	return refuse(a, SYMBOLS_OTHER_CALLSITES, -EXDEV);
}

/* Makes the table from text whose offset is known. */
static int use_text(const struct attempt *a, const struct symbol_text *theirs,
		    uint64_t offset)
{
	struct strbuf __auto_free text = { 0 };
	int err = symbol_fit_apply(theirs, &a->target->own, offset, &text);

	err = err ?: symbols_new(a->out, text.data, text.size, a->target->log);
	if (err)
		return refuse(a, SYMBOLS_NO_MEMORY, err);
	a->origin->offset = offset;
	return 0;
}

/* Nothing tells where the kernel was loaded. Had it been relocated, few callsites would be in
 * functions of the unrelocated symbols (x86 relocates in steps of 2 MiB within 1 GiB, and its text
 * has some 20 MiB). So if nearly all are, assumes no relocation and warns that this is not proved.
 */
static int assume_unmoved(const struct attempt *a, const struct symbol_text *theirs,
			  const struct symbol_sites *sites)
{
	int err = use_text(a, theirs, 0);
	size_t found;

	if (err)
		return err;
	found = symbol_fit_count(*a->out, sites->addrs, sites->nr);
	if (sites->nr < 8 || found < sites->nr - sites->nr / 10)
		return refuse(a, SYMBOLS_NO_PLACE, -ENODATA);
	log_msg(a->target->log, LOG_WARN,
		"%s has no symbols to prove that those of %s fit: %zu of %zu callsites are in their functions, so the kernel is assumed not to be relocated (no KASLR)",
		a->target->name, a->origin->path, found, sites->nr);
	return 0;
}

/* For lack of common names, uses the callsites, and the code in @img if there is any. */
static int place_by_sites(const struct attempt *a, const struct symbol_text *theirs,
			  const struct elf_image *img)
{
	struct symbol_sites sites = { .nr = 0 };
	struct symbol_fit fit = { .offset = 0 };
	int err = a->target->callsites(a->target->ctx, &sites);

	if (err)
		return refuse(a, SYMBOLS_NO_CALLSITES, err);
	if (img && !symbol_fit_calls(img, sites.addrs, sites.nr, &fit))
		log_msg(a->target->log, LOG_INFO, "%zu of %zu callsites are behind calls",
			fit.nr_agree, fit.nr_checked);
	else if (a->origin->kind != SYMBOLS_KALLSYMS && !a->target->never_moved)
		return assume_unmoved(a, theirs, &sites);
	else
		fit.offset = 0;
	err = use_text(a, theirs, fit.offset);
	return err ? err : check_sites(a, &sites);
}

/* Finds the offset of @theirs, which may have code in @img, and uses them. */
static int place_text(const struct attempt *a, const struct symbol_text *theirs,
		      const struct elf_image *img)
{
	struct symbol_fit *fit = &a->failure->fit;
	int err = symbol_fit_names(theirs, &a->target->own, fit);

	if (!err)
		return use_text(a, theirs, fit->offset);
	if (err == -EXDEV)
		return refuse(a, SYMBOLS_OTHER_NAMES, err);
	if (err == -ENODATA)
		return place_by_sites(a, theirs, img);
	return refuse(a, SYMBOLS_NO_CALLSITES, err);
}

static int open_text(const struct attempt *a)
{
	struct strbuf __auto_free text = { 0 };
	int err = text_file_read(&text, a->origin->path, IO_FILE_OR_PIPE);

	if (err)
		err = refuse(a, SYMBOLS_UNREADABLE, err);
	else
		err = place_text(a, &(struct symbol_text){ text.data, text.size }, NULL);
	return err;
}

/* Do word size, byte order and build match? */
static int check_elf(const struct attempt *a, const struct elf_image *img)
{
	const struct symbol_target *t = a->target;

	a->failure->is_64 = img->is_64;
	a->failure->big_endian = img->big_endian;
	memcpy(a->failure->build_id, img->build_id, sizeof(a->failure->build_id));
	if (img->is_64 != t->is_64 || img->big_endian != t->big_endian)
		return refuse(a, SYMBOLS_OTHER_MACHINE, -EXDEV);
	if (!*t->build_id || !*img->build_id)
		return 0;
	a->origin->build_id_equal = !strcasecmp(t->build_id, img->build_id);
	if (a->origin->build_id_equal)
		return 0;
	return refuse(a, SYMBOLS_OTHER_BUILD, -EXDEV);
}

static int open_vmlinux(const struct attempt *a)
{
	int fd __auto_fd = io_open_input(a->origin->path, IO_FILE), err;
	struct elf_image img;

	if (fd < 0)
		return refuse(a, SYMBOLS_UNREADABLE, fd);
	err = elf_image_open(&img, fd);
	if (err)
		return refuse(a,
			      err == -ENOEXEC	? SYMBOLS_NO_ELF
			      : err == -ENODATA ? SYMBOLS_STRIPPED
						: SYMBOLS_UNREADABLE,
			      err);
	err = check_elf(a, &img);
	if (!err)
		err = place_text(
			a, &(struct symbol_text){ img.symbols.data, img.symbols.size },
			&img);
	elf_image_close(&img);
	return err;
}

int symbol_files_open(struct symbols **out, struct symbol_origin *origin,
		      const struct symbol_files *files,
		      const struct symbol_target *target, struct symbol_failure *failure)
{
	const struct attempt a = { out, origin, target, failure };

	*origin = (struct symbol_origin){
		.kind = files->vmlinux	    ? SYMBOLS_VMLINUX
			: files->system_map ? SYMBOLS_SYSTEM_MAP
					    : SYMBOLS_KALLSYMS,
		.path = files->vmlinux	    ? files->vmlinux
			: files->system_map ? files->system_map
					    : files->kallsyms,
	};
	*failure = (struct symbol_failure){ .kind = origin->kind, .path = origin->path };
	return files->vmlinux ? open_vmlinux(&a) : open_text(&a);
}
