// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/input/input_symbols.h"

#include <stdarg.h>

#include "base/io.h"
#include "base/safe_text.h"

int symbol_files_check(const struct symbol_files *files, const char *command)
{
	if (!!files->kallsyms + !!files->system_map + !!files->vmlinux < 2)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command,
		"--kallsyms, --system-map and --vmlinux cannot be used together");
}

const char *debug_places_option(const struct debug_places *places)
{
	return places->kernel	    ? "--kernel"
	       : places->symfs	    ? "--symfs"
	       : places->debuginfod ? "--debuginfod"
				    : NULL;
}

int debug_places_unused(const struct debug_places *places, const char *command)
{
	if (!debug_places_any(places))
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command,
		"%s cannot be used with --no-inline, which ignores debug information",
		debug_places_option(places));
}

static int check_servers(const char *command)
{
	switch (debug_server_check()) {
	case 0:
		return GO_ON;
	case -EOPNOTSUPP:
		message_error(
			command,
			"--debuginfod: this build cannot ask servers (no libdebuginfod)\n  Fetch the file (debuginfod-find debuginfo BUILD-ID) and give it: --vmlinux FILE");
		break;
	case -ELIBACC:
		message_error(
			command,
			"--debuginfod: libdebuginfod is not installed\n  Debian, Ubuntu: apt install libdebuginfod1; Fedora: dnf install elfutils-debuginfod-client\n  Arch: pacman -S debuginfod");
		break;
	default:
		message_error(
			command,
			"--debuginfod: DEBUGINFOD_URLS names no server\n  Set your distribution's: export DEBUGINFOD_URLS=https://debuginfod.debian.net\n  (https://debuginfod.fedoraproject.org, https://debuginfod.archlinux.org)");
	}
	return EXIT_USAGE;
}

int debug_places_check(const struct debug_places *places,
		       const struct symbol_files *files, const char *command)
{
	const char *file = files->vmlinux      ? "--vmlinux"
			   : files->system_map ? "--system-map"
			   : files->kallsyms   ? "--kallsyms"
					       : NULL;

	if (!debug_places_any(places))
		return GO_ON;
	if (!file && places->kernel && (places->symfs || places->debuginfod))
		file = places->symfs ? "--symfs" : "--debuginfod";
	if (!file)
		return places->debuginfod ? check_servers(command) : GO_ON;
	return message_fail(EXIT_USAGE, command, "%s and %s cannot be used together",
			    debug_places_option(places), file);
}

/* The error of a server or of the connection to it. */
static const char *server_text(int err)
{
	static const struct {
		int err;
		const char *text;
	} known[] = {
		{ -ENOENT, "no server has it" },
		{ -ETIME, "it took too long" },
		{ -ETIMEDOUT, "it took too long" },
		{ -EFBIG, "its file is too large" },
		{ -ENOEXEC, "what it sent is not an ELF file" },
		{ -EXDEV, "what it sent has another build ID" },
		{ -ECONNREFUSED, "no server can be reached" },
		{ -EHOSTUNREACH, "no server can be reached" },
		{ -ENETUNREACH, "no server can be reached" },
	};

	const __auto_type found = FIND(one, known, ARRAY_SIZE(known), one->err == err);

	return found ? found->text : strerror(-err);
}

void input_place_text(const struct input *in, const struct debug_place *place,
		      struct strbuf *out)
{
	const char *const texts[] = {
		[DEBUG_MISSING] = "there is no such file",
		[DEBUG_UNREADABLE] = io_strerror(place->err),
		[DEBUG_NO_ELF] = "it is not a valid ELF file",
		[DEBUG_UNPROVEN] = "the recording has no build ID to compare with",
		[DEBUG_NOT_SERVED] = server_text(place->err),
		[DEBUG_TAKEN] =
			in->study.found.vmlinux
				? "used"
				: "it has no functions in common with the recording",
	};

	if (place->verdict == DEBUG_OTHER_BUILD)
		strbuf_printf(out,
			      "its build ID is %s, that of the recorded kernel %.128s",
			      *place->build_id ? place->build_id : "not known",
			      recording_build_id(in->study.rec).text);
	else
		strbuf_puts(out, texts[place->verdict]);
}

int input_search_failed(const struct input *in)
{
	const struct debug_found *found = &in->study.found;
	/* Report the first place that has a file. */
	const struct debug_place *place =
		FIND(one, found->places, found->nr, one->verdict != DEBUG_MISSING)
			?: found->nr ? found->places
				     : NULL;
	const struct recording_word release = recording_release(in->study.rec);
	struct strbuf __auto_free why = { 0 };

	if (place)
		input_place_text(in, place, &why);
	message_error(
		in->command,
		"no debug information of Linux %s: %s: %s\n"
		"  Use the tree or the root of the recorded kernel, or --vmlinux FILE",
		*release.text ? release.text : "(unknown)",
		place ? place->path : "nowhere",
		place ? strbuf_text(&why) : "the recording names no release");
	return EXIT_UNREADABLE;
}

/* Says that the symbols are from a different kernel; the format says why. */
static void __printf_fmt(2, 3) other_kernel(const struct input *in, const char *fmt, ...)
{
	const struct recording *rec = in->study.rec;
	const struct recording_word release = recording_release(rec);
	char why[320];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	message_error(in->command,
		      "the symbols in %s are from a different kernel than %s:\n  %s\n"
		      "  Use the symbols of Linux %s%s",
		      in->study.failure.symbols.path, in->study.path, why,
		      *release.text ? release.text : "the recorded kernel",
		      rec->kallsyms ? ", or leave the option out for the recording's"
				    : "");
}

static void other_machine(const struct input *in, const struct symbol_failure *f)
{
	const struct recording *rec = in->study.rec;

	other_kernel(in, "it is %s-bit %s-endian, the recorded kernel %s-bit %s-endian",
		     f->is_64 ? "64" : "32", f->big_endian ? "big" : "little",
		     rec->layout.long_size == 8 ? "64" : "32",
		     rec->big_endian ? "big" : "little");
}

/* The recording has no symbols, so the kernel's load address (KASLR) is unknown. */
static void no_place(const struct input *in, const struct symbol_failure *f)
{
	bool is_map = f->kind == SYMBOLS_SYSTEM_MAP;

	message_error(
		in->command,
		"cannot tell where the kernel of %s was loaded (KASLR): it has no symbols%s\n"
		"  Use %s--kallsyms of the same boot, or record where /proc/kallsyms is readable",
		in->study.path, is_map ? "" : ", and its callsites are not proof enough",
		is_map ? "--vmlinux, whose code shows it, or " : "");
	log_msg(&in->study.log, LOG_INFO, "refused: %s", f->path);
}

int input_symbols_failed(const struct input *in)
{
	const struct symbol_failure *f = &in->study.failure.symbols;

	switch (f->problem) {
	case SYMBOLS_NO_ELF:
		message_error(
			in->command,
			"%s is not a valid ELF file\n  --vmlinux takes the linked kernel (vmlinux), not a boot image (vmlinuz, Image)",
			f->path);
		break;
	case SYMBOLS_STRIPPED:
		message_error(
			in->command,
			"%s has no symbols: it was stripped\n  Use the vmlinux from the kernel's build or from its debug package",
			f->path);
		break;
	case SYMBOLS_OTHER_MACHINE:
		other_machine(in, f);
		break;
	case SYMBOLS_OTHER_BUILD:
		other_kernel(in, "its build ID is %s, that of the recorded kernel %.128s",
			     f->build_id, recording_build_id(in->study.rec).text);
		break;
	case SYMBOLS_OTHER_NAMES:
		other_kernel(
			in,
			"of %zu functions in both, %zu have a different offset from the rest",
			f->fit.nr_checked, f->fit.nr_checked - f->fit.nr_agree);
		break;
	case SYMBOLS_OTHER_CALLSITES:
		other_kernel(in, "only %zu of %zu callsites are in its functions",
			     f->fit.nr_agree, f->fit.nr_checked);
		break;
	case SYMBOLS_NO_PLACE:
		no_place(in, f);
		break;
	case SYMBOLS_NO_MEMORY:
		return message_fail(EXIT_FAILED, in->command,
				    "cannot read the symbols: %s", strerror(-f->err));
	default:
		message_error(in->command, "cannot read symbols from %s: %s", f->path,
			      io_strerror(f->err));
	}
	return EXIT_UNREADABLE;
}

/* The release if it is safe in a command that the user copies: a recording may hold any text. */
static const char *copyable(const char *release)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._+~-";

	return *release && !release[strspn(release, plain)] ? release : "RELEASE";
}

void input_hints(const struct input *in, struct strbuf hints[INPUT_HINTS])
{
	const struct recording *rec = in->study.rec;
	const struct recording_word release = recording_release(rec);

	if (!recording_meta(rec, "build_id"))
		strbuf_puts(
			&hints[0],
			"the recording has no build ID, which kmemx record keeps: --vmlinux FILE, --kernel TREE or --symfs DIR is needed");
	strbuf_printf(&hints[1], "Debian, Ubuntu: apt install linux-image-%s-dbg",
		      copyable(release.text));
	strbuf_printf(&hints[2], "Fedora: dnf debuginfo-install kernel-core-%s",
		      copyable(release.text));
	strbuf_puts(
		&hints[3],
		"Arch: export DEBUGINFOD_URLS=https://debuginfod.archlinux.org, and use --debuginfod");
}

int input_hints_missing(const struct input *in, const char *what, bool dirs)
{
	const struct debug_found *found = &in->study.found;
	struct strbuf hints[INPUT_HINTS] = { 0 }, text = { 0 }, verdict = { 0 };

	strbuf_printf(&text, "%s; none are given, and none were found\n", what);
	for (size_t i = 0; i < found->nr; i++) {
		strbuf_puts(&text, "  ");
		safe_text_puts(&text, found->places[i].path);
		strbuf_puts(&text, ": ");
		strbuf_reset(&verdict);
		input_place_text(in, &found->places[i], &verdict);
		safe_text_puts(&text, strbuf_text(&verdict));
		strbuf_puts(&text, "\n");
	}
	strbuf_free(&verdict);
	input_hints(in, hints);
	for (size_t i = 0; i < INPUT_HINTS; i++) {
		if (hints[i].size)
			strbuf_printf(&text, "  %s\n", strbuf_text(&hints[i]));
		strbuf_free(&hints[i]);
	}
	if (dirs)
		strbuf_puts(
			&text,
			"  Or give the kernel's source: --source DIR, or, for modules, --modules /lib/modules/VERSION");
	else
		strbuf_puts(
			&text,
			"  Or give the file: --vmlinux FILE; for modules, --modules DIR");
	message_text(in->command, strbuf_text(&text));
	strbuf_free(&text);
	return EXIT_USAGE;
}
