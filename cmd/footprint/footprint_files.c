// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/footprint/footprint_files.h"

#include <sys/utsname.h>

#include "base/io.h"
#include "capture/facts/facts.h"
#include "cmd/input/input.h"
#include "cmd/input/input_dirs.h"
#include "cmd/input/input_symbols.h"
#include "cmd/options/message.h"

int footprint_files_check(const struct footprint_files *files,
			  const struct debug_places *places, const char *command)
{
	const char *one = files->vmlinux  ? "--vmlinux"
			  : files->kernel ? "--kernel"
					  : NULL;

	if (files->vmlinux && files->kernel)
		return message_fail(
			EXIT_USAGE, command,
			"--vmlinux and --kernel cannot be used together: --kernel TREE reads TREE/vmlinux");
	if (!one || !debug_places_any(places))
		return GO_ON;
	return message_fail(EXIT_USAGE, command, "%s and %s cannot be used together", one,
			    debug_places_option(places));
}

static int file_failed(const char *command, const char *path, int err)
{
	if (err == -ENOMEM)
		return message_no_memory(command);
	if (err == -ENOEXEC)
		return message_fail(
			EXIT_UNREADABLE, command,
			"%s is not a valid ELF file\n  --vmlinux takes the linked kernel (vmlinux), not a boot image (vmlinuz, Image)",
			path);
	if (err == -ENODATA)
		return message_fail(EXIT_UNREADABLE, command,
				    "%s has no sections that take memory", path);
	if (err == -EFBIG)
		return message_fail(
			EXIT_UNREADABLE, command,
			"the symbol table of %s is too large for the file: it is damaged or malicious",
			path);
	return message_fail(EXIT_UNREADABLE, command, "cannot read %s: %s", path,
			    io_strerror(err));
}

/* Opens the sources of directories. Missing debug information of the kernel is no error. */
static int open_sources(struct footprint_files *files, const char *command)
{
	const struct dir_files given = {
		.vmlinux = files->vmlinux,
		.modules = files->modules,
		.source = files->source,
		.found = files->kernel || files->modules == files->found.modules
	};
	struct dir_failure failure;
	int err = dir_files_open(&files->sources, &given, &failure);
	bool vmlinux = failure.which == DIR_FILE_VMLINUX;

	files->no_debug = !files->sources.vmlinux;
	if (!err || (vmlinux && (err == -ENODATA || err == -EOPNOTSUPP)))
		return GO_ON;
	return vmlinux && err != -EFBIG ? file_failed(command, files->vmlinux, err)
					: input_dirs_failed(command, &failure, err);
}

/* Adds the modules. Counts those that are damaged or cannot be unpacked. */
static int add_modules(struct footprint_files *files, const char *command)
{
	const struct module_files *modules = files->sources.modules;
	size_t nr = modules ? module_files_count(modules) : 0, i;
	int err;

	for (i = 0; i < nr; i++) {
		const struct module_file_info m = module_files_at(modules, i);

		err = footprint_add_module(&files->fp, m.path, m.name, m.dir);
		if (err == -ENOMEM)
			return message_no_memory(command);
		if (err)
			files->fp.nr_packed++;
		else
			files->nr_modules++;
	}
	return GO_ON;
}

int footprint_files_open(struct footprint_files *files, const char *command)
{
	int ret = GO_ON, err;

	if (files->kernel) {
		if (asprintf(&files->in_tree, "%s/vmlinux", files->kernel) < 0) {
			files->in_tree = NULL;
			return message_no_memory(command);
		}
		files->vmlinux = files->in_tree;
		if (!files->modules)
			files->modules = files->kernel;
	}
	ret = open_sources(files, command);
	if (ret != GO_ON)
		return ret;
	err = footprint_add_kernel(&files->fp, files->vmlinux, &files->sources);
	return err ? file_failed(command, files->vmlinux, err)
		   : add_modules(files, command);
}

void footprint_files_banner(const struct footprint_files *files, struct report *report)
{
	const struct elf_layout *layout = &files->fp.images[0].layout;
	struct strbuf __auto_free modules = { 0 };

	if (files->sources.modules)
		strbuf_printf(&modules, "; %zu module%s", files->nr_modules,
			      plural(files->nr_modules));
	report_add_banner(report, false, "%s: %zu section%s, %zu symbol%s, %s%s",
			  files->vmlinux, layout->nr_sections,
			  plural(layout->nr_sections), layout->nr_items,
			  plural(layout->nr_items),
			  files->no_debug ? "no debug information" : "debug information",
			  strbuf_text(&modules));
	if (!layout->nr_items)
		report_add_banner(report, true, "%s has no symbols: it was stripped",
				  files->vmlinux);
	else if (files->no_debug && !files->sources.tree)
		report_add_banner(
			report, true,
			"%s has no debug information (DWARF), so the files of its symbols are unknown. Use the vmlinux from the kernel's debug package, or give the source: --source DIR",
			files->vmlinux);
	report_banner_if(report, files->fp.nr_packed, true,
			 "%zu module%s left out: damaged, or this build cannot unpack %s",
			 files->fp.nr_packed, files->fp.nr_packed == 1 ? " is" : "s are",
			 files->fp.nr_packed == 1 ? "it" : "them");
}

void footprint_files_free(struct footprint_files *files)
{
	footprint_free(&files->fp);
	directory_sources_free(&files->sources);
	free(files->in_tree);
	debug_found_free(&files->found);
}

/* Uses what was found. */
static void take(struct footprint_files *files)
{
	files->vmlinux = files->found.vmlinux;
	if (!files->modules)
		files->modules = files->found.modules;
}

/* @of names the kernel; @packages is a line that says which package has its debug information. */
static int not_found(const char *command, const char *of, const char *packages)
{
	return message_fail(
		EXIT_UNREADABLE, command,
		"no debug information found for %s\n  Give its --vmlinux FILE, or its build tree: --kernel TREE\n  %s",
		of, packages);
}

static int find_recorded(struct footprint_files *files, const struct study_options *study,
			 unsigned int verbose, const char *command)
{
	struct input in = { 0 };
	int ret = input_open(&in, study, command, verbose);

	if (ret == GO_ON && in.study.found.vmlinux) {
		files->found = in.study.found;
		in.study.found = (struct debug_found){ 0 };
		take(files);
	} else if (ret == GO_ON) {
		const struct recording_word release = recording_release(in.study.rec);
		struct strbuf __auto_free of = { 0 };

		strbuf_printf(&of, "Linux %s",
			      *release.text ? release.text : "(unknown)");
		if (!recording_meta(in.study.rec, "build_id"))
			strbuf_puts(&of, " (the recording has no build ID)");
		ret = not_found(
			command, strbuf_text(&of),
			"kmemx info --symbols -i RECORDING says which package has it");
	}
	input_close(&in);
	return ret;
}

/* debug_search(), with a server if --debuginfod was given. 0 or -ENOMEM. */
static int ask(struct debug_found *found, struct debug_wanted *wanted)
{
	struct fetching file;
	const struct debug_fetching fetching = input_fetching(&file);
	int ret = wanted->places.debuginfod
			  ? debug_server_open(&wanted->server, &fetching)
			  : 0;

	/* Ignore other errors: debug_places_check() made sure that servers can be asked. */
	ret = ret == -ENOMEM ? ret : debug_search(found, wanted);
	debug_server_close(wanted->server);
	return ret;
}

static int find_running(struct footprint_files *files, const struct debug_places *places,
			const char *command)
{
	struct strbuf __auto_free of = { 0 }, package = { 0 };
	char id[ELF_BUILD_ID_MAX];
	struct utsname host;
	int ret = facts_build_id(id);

	ret = ret == -ENOMEM ? ret : 0;
	if (uname(&host))
		host.release[0] = '\0';
	if (!ret)
		ret = ask(&files->found, &(struct debug_wanted){ .places = *places,
								 .release = host.release,
								 .build_id = id });
	strbuf_printf(&of, "the running kernel, Linux %s", host.release);
	strbuf_printf(&package, "Debian, Ubuntu: apt install linux-image-%s-dbg",
		      host.release);
	if (ret || of.failed || package.failed)
		return message_no_memory(command);
	if (!files->found.vmlinux)
		return not_found(command, strbuf_text(&of), strbuf_text(&package));
	take(files);
	return GO_ON;
}

int footprint_search(struct footprint_files *files, const char *recording,
		     const struct debug_places *places, unsigned int verbose,
		     const char *command)
{
	const struct study_options study = {
		.path = recording,
		.want_symbols = true,
		.places = *places,
		.search = true,
		.no_inline = true,
	};

	if (files->vmlinux || files->kernel)
		return GO_ON;
	if (!recording)
		return find_running(files, places, command);
	if (strcmp(recording, "-") != 0)
		return find_recorded(files, &study, verbose, command);
	return message_fail(
		EXIT_USAGE, command,
		"for a recording from standard input, the kernel must be given\n  Give its --vmlinux FILE, or its build tree: --kernel TREE");
}
