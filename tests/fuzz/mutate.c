// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: how the fuzzer changes a command line and its files.
 * In: an input of fuzz_command. Out: another one: an argument added, removed or changed, or a file
 * changed with knowledge of its format.
 */
#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/compiler.h"
#include "case.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
				 size_t b_size, uint8_t *out, size_t max,
				 unsigned int seed);

int kmemx_main(int argc, char **argv);

const char *__asan_default_options(void);

#define ROOM (1U << 20)

/* Turns off what would only slow the fuzzer down. */
const char *__asan_default_options(void)
{
	return "malloc_context_size=8:allocator_release_to_os_interval_ms=-1:"
	       "quarantine_size_mb=16:detect_stack_use_after_return=0";
}

static bool is_text(const struct bytes *b)
{
	size_t i;

	for (i = 0; i < b->size && i < 256; i++)
		if (!isprint(b->data[i]) && !isspace(b->data[i]))
			return false;
	return b->size > 0;
}

/* --- gzip -------------------------------------------------------------------------------- */

#ifdef HAVE_ZLIB
static size_t inflate_all(const struct bytes *b, uint8_t *out, size_t room)
{
	z_stream z = { .next_in = b->data,
		       .avail_in = (uInt)b->size,
		       .next_out = out,
		       .avail_out = (uInt)room };

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return 0;
	(void)inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return z.total_out;
}

static size_t deflate_all(const struct bytes *b, uint8_t *out, size_t room)
{
	z_stream z = { .next_in = b->data,
		       .avail_in = (uInt)b->size,
		       .next_out = out,
		       .avail_out = (uInt)room };
	int ret;

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	ret = deflate(&z, Z_FINISH);
	deflateEnd(&z);
	return ret == Z_STREAM_END ? z.total_out : 0;
}

static bool mutate_gzip(struct bytes *b, uint64_t *state)
{
	struct bytes text = { .max = ROOM };
	uint8_t *packed = malloc(ROOM);
	size_t size = 0;

	text.data = malloc(ROOM);
	if (text.data && packed)
		text.size = inflate_all(b, text.data, ROOM / 2);
	if (text.size) {
		mutate_text(&text, state);
		size = deflate_all(&text, packed, ROOM);
	}
	if (size)
		size = bytes_replace(b, 0, b->size, packed, size);
	free(text.data);
	free(packed);
	return size;
}
#else
static bool mutate_gzip(struct bytes *b, uint64_t *state)
{
	return false;
}
#endif

static void mutate_file(struct bytes *b, uint64_t *state)
{
	/* Sometimes changes bytes at random: the first bytes matter, too. */
	if (!mutate_below(state, 8))
		b->size = LLVMFuzzerMutate(b->data, b->size, b->max);
	else if (!mutate_below(state, 24))
		b->size = b->size ? mutate_below(state, b->size) : 0;
	else if (b->size > 2 && b->data[0] == 0x1f && b->data[1] == 0x8b &&
		 mutate_gzip(b, state))
		return;
	else if (mutate_recording(b, state))
		return;
	else if (is_text(b))
		mutate_text(b, state);
	else if (b->size % 4096 == 0 && b->size && mutate_below(state, 3))
		mutate_page(b->data + 4096 * mutate_below(state, b->size / 4096), 4096,
			    mutate_below(state, 4) == 0, 8, state);
	else
		b->size = LLVMFuzzerMutate(b->data, b->size, b->max);
}

/* --- the command line -------------------------------------------------------------------- */

/* Values for options; the names of options come from the commands' help. */
static const char *const values[] = {
	"-",
	"--",
	"-l5",
	"callsite",
	"stack",
	"module",
	"dir",
	"comm",
	"pid",
	"cpu",
	"node",
	"cache",
	"gfp",
	"second",
	"none",
	"7",
	"event:kmalloc",
	"net>+5%&+64K",
	"page.bytes>+1M",
	"hit,net,waste,peak,bytes",
	"bytes",
	"abs,-pct",
	"order,hit",
	"10%,90%",
	"+0.001,",
	",50%",
	"1.5,2",
	"0",
	"1",
	"2",
	"3",
	"64K",
	"4096",
	"0-3",
	"kfree",
	"kmem:kmalloc",
	"mm_page_*",
	"kmem_cache_alloc",
	"text",
	"kmemtrace",
	"kmemtrace-min",
	"hex",
	"names",
	"short",
	"total_dynamic",
	"waste",
	"always",
	"6.1.0",
	"x86_64",
	"aarch64",
	"s390x",
	"sh",
	"^__",
	"a",
	"b",
	"new.dat",
	"src",
	"mods",
	"raw",
	"k",
	"map",
	"rules",
	"0xffff888000000000",
	"5%",
	"-1",
	"first",
};

static const char *const verbs[] = { "stat",   "diff",	  "script",  "split", "info",
				     "import", "recover", "version", "boot",  "help" };

/* The words of all commands' help that begin with "-". */
static char *options[512];
static size_t nr_options;

static void add_options(char *help)
{
	char *save, *word;

	for (word = strtok_r(help, " \n,[]|", &save);
	     word && nr_options < ARRAY_SIZE(options);
	     word = strtok_r(NULL, " \n,[]|", &save))
		if (word[0] == '-' && word[1])
			options[nr_options++] = word;
}

static void read_help(const char *verb)
{
	char *argv[] = { (char *)"kmemx", (char *)verb, (char *)"-h", NULL };
	FILE *old = stdout;
	char *text = NULL;
	size_t size;

	stdout = open_memstream(&text, &size);
	if (stdout)
		kmemx_main(3, argv); /* closes it */
	stdout = old;
	if (text)
		add_options(text); /* stays open */
}

static const char *any_option(uint64_t *state)
{
	size_t i;

	for (i = 0; !nr_options && i < ARRAY_SIZE(verbs); i++)
		read_help(verbs[i]);
	return options[mutate_below(state, nr_options)];
}

static const char *any_word(const struct fuzz_case *c, uint64_t *state)
{
	if (c->nr_files && !mutate_below(state, 4))
		return c->files[mutate_below(state, c->nr_files)].name;
	if (mutate_below(state, 2))
		return any_option(state);
	return values[mutate_below(state, ARRAY_SIZE(values))];
}

/* Joins a line again, with a word added, removed or changed. */
static void mutate_line(struct fuzz_case *c, uint64_t *state)
{
	char *argv[CASE_MAX_ARGS + 1], copy[CASE_MAX_LINE];
	unsigned int what = mutate_below(state, 5);
	size_t at = 0, pick;
	int argc, i;

	memcpy(copy, c->line, sizeof(copy));
	if (!case_split(copy, argv, &argc))
		argc = 0;
	pick = mutate_below(state, (size_t)argc + 1);
	c->line[0] = '\0';
	for (i = 0; i <= argc; i++) {
		const char *word = i < argc ? argv[i] : "";
		const char *more = NULL;

		if ((size_t)i == pick) {
			if (what == 0)
				word = "";
			else if (what == 1)
				word = any_word(c, state);
			else if (what == 2 && !i)
				word = verbs[mutate_below(state, ARRAY_SIZE(verbs))];
			else
				more = any_word(c, state);
		}
		if (at + strlen(word) + (more ? strlen(more) : 0) + 3 >= sizeof(c->line))
			break;
		at += (size_t)snprintf(c->line + at, sizeof(c->line) - at, "%s%s%s%s",
				       at && (*word || more) ? " " : "", more ? more : "",
				       more && *word ? " " : "", word);
	}
}

/* --- an input ---------------------------------------------------------------------------- */

/* Drops a file, or replaces it with another one. */
static void mutate_files(struct fuzz_case *c, uint64_t *state)
{
	size_t i = mutate_below(state, c->nr_files), k = mutate_below(state, c->nr_files);

	if (mutate_below(state, 2)) {
		c->files[i].data = c->files[k].data;
		c->files[i].size = c->files[k].size;
	} else if (c->nr_files > 1) {
		c->files[i] = c->files[--c->nr_files];
	}
}

static size_t change(struct fuzz_case *c, uint8_t *out, size_t max, uint64_t *state)
{
	struct bytes b = { .max = max < ROOM ? max : ROOM };
	struct case_file *f;
	size_t size;

	if (!c->nr_files || !mutate_below(state, 8)) {
		mutate_line(c, state);
		return case_write(c, out, max);
	}
	/* Chooses whether and when allocations fail. */
	if (!mutate_below(state, 12)) {
		c->fail = mutate_below(state, 3) ? 1 + mutate_below(state, 1500) : 0;
		return case_write(c, out, max);
	}
	if (!mutate_below(state, 32)) {
		mutate_files(c, state);
		return case_write(c, out, max);
	}
	f = &c->files[mutate_below(state, c->nr_files)];
	b.data = malloc(b.max);
	if (!b.data || f->size > b.max) {
		free(b.data);
		return 0;
	}
	memcpy(b.data, f->data, f->size);
	b.size = f->size;
	mutate_file(&b, state);
	f->data = b.data;
	f->size = b.size;
	size = case_write(c, out, max);
	free(b.data);
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
	uint8_t *copy = malloc(size + 1);
	struct fuzz_case c;
	size_t new = 0;

	if (copy && size)
		memcpy(copy, data, size);
	if (copy && case_parse(&c, copy, size))
		new = change(&c, data, max, &state);
	if (copy && !new) /* not a case, or too large: unchanged */
		memcpy(data, copy, size);
	free(copy);
	return new ? new : size ? size : LLVMFuzzerMutate(data, size, max);
}

/* Returns the first input with a file, or the command line, of the second one. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
				 size_t b_size, uint8_t *out, size_t max,
				 unsigned int seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
	struct fuzz_case one, two;

	if (!case_parse(&one, a, a_size) || !case_parse(&two, b, b_size))
		return 0;
	if (!mutate_below(&state, 4) || !one.nr_files || !two.nr_files) {
		memcpy(one.line, two.line, sizeof(one.line));
	} else {
		struct case_file *to = &one.files[mutate_below(&state, one.nr_files)];
		const struct case_file *from =
			&two.files[mutate_below(&state, two.nr_files)];

		if (one.nr_files < CASE_MAX_FILES && mutate_below(&state, 2)) {
			to = &one.files[one.nr_files++];
			*to = *from;
		}
		to->data = from->data;
		to->size = from->size;
	}
	return case_write(&one, out, max);
}
