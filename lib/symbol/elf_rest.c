// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: the bytes of a kernel that have no symbol.
 * In: the layout of vmlinux. Out: pieces with a group, a name and a size.
 */
#include "symbol/footprint.h"

#include "base/array.h"

/* Groups for sections without a known name. */
enum kind { PADDING, STRINGS, OTHERS, KINDS };

static const char *const kinds[KINDS] = { "alignment padding", "strings", "others" };

/* NOPs, whose bytes vary, align code to at most a cache line. */
#define CODE_ALIGNED 64
/* This many equal bytes in code are padding. */
#define FILL_MIN     4
/* Minimum length of a text without neighbouring texts. */
#define TEXT_MIN     4
/* Texts begin at multiples of this, or directly after each other. */
#define TEXT_ALIGNED 8

/* Prefix of the labels that the kernel's scripts/kallsyms.c writes. */
#define KALLSYMS	   "kallsyms_"
/* A table of 16-bit offsets into the text of all 256 tokens. */
#define TOKEN_INDEX_BYTES  512
/* Size of a symbol's entry in kallsyms_offsets, and in kallsyms_seqs_of_names. */
#define OFFSET_BYTES	   4
#define SEQ_BYTES	   3
#define KALLSYMS_ALIGNMENT 8

/* Groups, by the prefix of a section's name or of the name of a symbol without a size. */
static const struct {
	const char *name, *group;
} known[] = {
	{ ".BTF", "BTF" },
	{ ".orc_", "ORC unwind tables" },
	{ KALLSYMS, "kallsyms" },
	{ "__ksymtab", "exported symbols" },
	{ "__kcrctab", "exported symbols" },
	{ ".altinstr", "code patching" },
	{ ".parainstructions", "code patching" },
	{ ".retpoline_sites", "code patching" },
	{ ".return_sites", "code patching" },
	{ ".call_sites", "code patching" },
	{ ".ibt_endbr_seal", "code patching" },
	{ ".smp_locks", "code patching" },
	{ "__jump_table", "code patching" },
	{ "__start_mcount_loc", "ftrace call sites" },
	{ "__ex_table", "exception table" },
	{ "__bug_table", "BUG() table" },
	{ ".pci_fixup", "PCI fixups" },
	{ ".eh_frame", "DWARF unwind tables" },
	{ ".ARM.unwind", "ARM unwind tables" },
	{ ".rela", "relocations" },
	{ ".relr", "relocations" },
};

/**
 * struct rest - the section being read
 * @content: its bytes; NULL: not in the file
 * @group: of the whole section; NULL: its name is not in known[]
 * @offsets: size of kallsyms_offsets, in bytes
 */
struct rest {
	struct elf_rests *out;
	const struct elf_layout *layout;
	uint32_t section;
	const uint8_t *content;
	const char *group;
	uint64_t bytes[KINDS], offsets;
};

static const char *group_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strncmp(name, known[i].name, strlen(known[i].name)))
			return known[i].group;
	}
	return NULL;
}

static int add(struct rest *r, const char *group, const char *label, uint64_t bytes)
{
	struct elf_rests *out = r->out;

	if (!bytes)
		return 0;
	return ARRAY_ADD(out->items, out->nr,
			 (struct elf_rest){ group, label, r->section, bytes });
}

/* Do the @size bytes before @end look like alignment padding? @end: an address. */
static bool aligns(uint64_t end, uint64_t size)
{
	uint64_t alignment = end & -end;

	return end && size < alignment;
}

static bool is_text(uint8_t c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || c == '\001';
}

/* Is there a NUL-terminated text at @p? @length: its length, or that of the bytes tested. @beside:
 * a text comes before it.
 */
static bool text_at(const uint8_t *p, size_t size, bool beside, size_t *length)
{
	size_t n = 0;

	while (n < size && is_text(p[n]))
		n++;
	*length = n;
	if (!n || n == size || p[n] || (!beside && n < TEXT_MIN))
		return false;
	++*length;
	return true;
}

static void count_data(struct rest *r, const uint8_t *p, size_t size)
{
	bool beside = false;
	size_t n, next;

	for (size_t i = 0; i < size; i += n) {
		if (text_at(p + i, size - i, beside, &n)) {
			r->bytes[STRINGS] += n;
			beside = true;
			continue;
		}
		/* Zeros between two texts align the second. */
		if (!n && beside) {
			while (n < TEXT_ALIGNED - 1 && i + n < size && !p[i + n])
				n++;
			beside = n && text_at(p + i + n, size - i - n, true, &next);
		} else {
			beside = false;
		}
		n += !n;
		r->bytes[beside ? STRINGS : OTHERS] += n;
	}
}

static void count_code(struct rest *r, const uint8_t *p, size_t size)
{
	size_t i = 0, n;

	for (; i < size; i += n) {
		bool fills = p[i] == 0xcc || p[i] == 0x90 || !p[i];

		for (n = 1; i + n < size && p[i + n] == p[i];)
			n++;
		r->bytes[fills && n >= FILL_MIN ? PADDING : OTHERS] += n;
	}
}

/* Counts the bytes from @begin to @end of the section, which have no symbol. */
static void count(struct rest *r, uint64_t begin, uint64_t end)
{
	const struct elf_section *s = &r->layout->sections[r->section];
	const uint8_t *p = r->content ? r->content + begin : NULL;
	uint64_t size = end - begin, zeros = 0;

	if (!p || (s->kind == ELF_KIND_TEXT && size < CODE_ALIGNED)) {
		r->bytes[aligns(s->addr + end, size) ? PADDING : OTHERS] += size;
		return;
	}
	if (s->kind == ELF_KIND_TEXT) {
		count_code(r, p, size);
		return;
	}
	while (zeros < size && !p[size - 1 - zeros])
		zeros++;
	if (!aligns(s->addr + end, zeros))
		zeros = 0;
	/* The NUL that ends a text is part of it. */
	if (zeros && zeros < size && is_text(p[size - 1 - zeros]))
		zeros--;
	r->bytes[PADDING] += zeros;
	count_data(r, p, size - zeros);
}

/* How many of the @bytes from @label to the next label or symbol belong to @label. After the last
 * kallsyms table come bytes of other files, without a symbol in between.
 */
static uint64_t label_bytes(struct rest *r, const char *label, uint64_t bytes)
{
	const uint64_t names = r->offsets / OFFSET_BYTES;
	uint64_t most = bytes;

	if (!strcmp(label, KALLSYMS "offsets"))
		r->offsets = bytes;
	else if (!strcmp(label, KALLSYMS "token_index"))
		most = TOKEN_INDEX_BYTES;
	else if (!strcmp(label, KALLSYMS "seqs_of_names") && names)
		most = (names * SEQ_BYTES + KALLSYMS_ALIGNMENT - 1) &
		       ~(uint64_t)(KALLSYMS_ALIGNMENT - 1);
	return SMALLER(most, bytes);
}

/* The number of the first label at or after @addr of the section. */
static size_t first_label(const struct elf_layout *layout, uint32_t section,
			  uint64_t addr)
{
	const struct elf_item *l = layout->labels;

	return COUNT_FIRST(i, layout->nr_labels,
			   l[i].section < section ||
				   (l[i].section == section && l[i].addr < addr));
}

/* Like count(), but splits the bytes at labels. */
static int split(struct rest *r, uint64_t begin, uint64_t end)
{
	const struct elf_layout *layout = r->layout;
	uint64_t addr = layout->sections[r->section].addr;
	size_t i = first_label(layout, r->section, addr + begin);
	const char *group = NULL, *label = NULL;
	int ret = 0;

	while (begin < end && !ret) {
		uint64_t next = end;

		for (; i < layout->nr_labels; i++) {
			const struct elf_item *here = &layout->labels[i];

			if (here->section != r->section || here->addr - addr >= end)
				break;
			if (here->addr - addr > begin) {
				next = here->addr - addr;
				break;
			}
			/* Prefers a label with a known name if several have one address. */
			if (!group) {
				group = group_of(here->name);
				label = here->name;
			}
		}
		if (group) {
			uint64_t bytes = label_bytes(r, label, next - begin);

			ret = add(r, group, label, bytes);
			begin += bytes;
		}
		if (begin < next)
			count(r, begin, next);
		group = NULL;
		begin = next;
	}
	return ret;
}

static int read_section(struct rest *r, size_t *item)
{
	const struct elf_layout *layout = r->layout;
	const struct elf_section *s = &layout->sections[r->section];
	uint64_t done = 0;
	int ret = 0;

	r->group = group_of(s->name);
	r->content = elf_layout_content(layout, r->section);
	memset(r->bytes, 0, sizeof(r->bytes));
	for (; *item < layout->nr_items && layout->items[*item].section == r->section;
	     ++*item) {
		const struct elf_item *i = &layout->items[*item];
		uint64_t begin = i->addr - s->addr;

		if (!i->own)
			continue;
		if (begin > done && !r->group && !ret)
			ret = split(r, done, begin);
		begin = LARGER(begin, done);
		done = begin + i->own;
	}
	if (r->group)
		return add(r, r->group, NULL, s->bare);
	ret = ret ?: split(r, done, s->size);
	for (size_t k = 0; k < KINDS && !ret; k++)
		ret = add(r, kinds[k], NULL, r->bytes[k]);
	return ret;
}

int elf_rests_read(struct elf_rests *rests, const struct elf_layout *layout)
{
	struct rest r = { .out = rests, .layout = layout };
	size_t item = 0;
	int ret = 0;

	for (; r.section < layout->nr_sections && !ret; r.section++)
		ret = read_section(&r, &item);
	return ret;
}

void elf_rests_free(struct elf_rests *rests)
{
	free(rests->items);
	*rests = (struct elf_rests){ 0 };
}
