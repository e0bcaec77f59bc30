// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/fit.h"

#include <elf.h>

#include "base/bytes.h"
#include "base/keyed.h"

/* Kernels are relocated by whole pages. */
#define STEP	   4096
/* Maximum number of callsites tried as the anchor, which is assumed to follow a call. */
#define NR_ANCHORS 32
#define MIN_CALLS  8
/* No kernel's code spans more. A larger file is damaged, and the search would take hours. */
#define MAX_SPAN   (1ULL << 30)

/* The address of a name on each side, and how often it occurs there. */
struct place {
	uint64_t addr[2];
	uint32_t count[2];
};

struct places {
	KEYED(struct place) names;
};

static int note_places(struct places *places, unsigned int side,
		       const struct symbol_text *text)
{
	const char *p = text->text, *end = p ? p + text->size : NULL;
	struct symbol_line line;

	while (p && symbol_line_next(&line, &p, end)) {
		struct place *place;

		if (line.module_len || !line.addr || !symbol_line_is_text(&line))
			continue;
		place = KEYED_ITEM_OF(&places->names, line.name, line.name_len);
		if (!place)
			return -ENOMEM;
		place->addr[side] = line.addr;
		place->count[side]++;
	}
	return 0;
}

/* Finds the most common offset of the names that occur once on each side. */
static int vote(const struct places *places, struct symbol_fit *fit)
{
	struct u64_map __auto_map votes = { 0 };

	for_each(place, places->names.of, places->names.nr) {
		uint64_t offset = place->addr[1] - place->addr[0];
		uint32_t *count;

		if (place->count[0] != 1 || place->count[1] != 1)
			continue;
		count = u64_map_insert(&votes, offset, 0);
		if (!count)
			return -ENOMEM;
		fit->nr_checked++;
		if (++*count > fit->nr_agree) {
			fit->nr_agree = *count;
			fit->offset = offset;
		}
	}
	if (!fit->nr_checked)
		return -ENODATA;
	return fit->nr_agree >= fit->nr_checked - fit->nr_checked / 10 ? 0 : -EXDEV;
}

int symbol_fit_names(const struct symbol_text *theirs, const struct symbol_text *ours,
		     struct symbol_fit *fit)
{
	struct places places = { 0 };
	int ret;

	*fit = (struct symbol_fit){ 0 };
	ret = note_places(&places, 0, theirs) ?: note_places(&places, 1, ours);
	ret = ret ?: vote(&places, fit);
	KEYED_FREE(&places.names);
	return ret;
}

/* E8 rel32, or FF /2 with any operand form. */
static bool x86_call(const struct elf_image *img, uint64_t addr)
{
	const uint8_t *p = elf_image_code(img, addr, 6);

	return p && (p[1] == 0xe8 || (p[0] == 0xff && p[1] == 0x15) ||
		     (p[0] == 0xff && (p[1] & 0xf8) == 0x90) ||
		     (p[3] == 0xff && (p[4] & 0xf8) == 0x50) ||
		     (p[4] == 0xff && (p[5] & 0xf8) == 0xd0));
}

/* BRASL %r14, or BASR %r14. */
static bool s390_call(const struct elf_image *img, uint64_t addr)
{
	const uint8_t *p = elf_image_code(img, addr, 6);

	return p && ((p[0] == 0xc0 && p[1] == 0xe5) ||
		     (p[4] == 0x0d && (p[5] & 0xf0) == 0xe0));
}

/* JAL ra, JALR ra, or the compressed C.JALR. */
static bool riscv_call(const struct elf_image *img, uint64_t addr)
{
	const uint8_t *p = elf_image_code(img, addr, 4);
	uint32_t word = p ? get_u32(p, false) : 0;
	uint32_t half = word >> 16;

	return (word & 0xfff) == 0x0ef || (word & 0x7fff) == 0x0e7 ||
	       ((half & 0xf07f) == 0x9002 && half & 0xf80);
}

/* Architectures with four-byte instructions: BL, and calls through a register. */
static bool word_call(const struct elf_image *img, uint64_t addr)
{
	const uint8_t *p = addr & 3 ? NULL : elf_image_code(img, addr, 4);
	uint32_t word = p ? get_u32(p, img->big_endian) : 0;

	switch (img->machine) {
	case EM_AARCH64:
		return word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000;
	case EM_ARM:
		return (word & 0x0f000000) == 0x0b000000 ||
		       (word & 0x0ffffff0) == 0x012fff30;
	default: /* EM_PPC64: bl, bctrl */
		return (word & 0xfc000003) == 0x48000001 || word == 0x4e800421;
	}
}

/* Does a call end at @addr? */
typedef bool call_test(const struct elf_image *img, uint64_t addr);

static call_test *call_test_of(uint16_t machine)
{
	switch (machine) {
	case EM_386:
	case EM_X86_64:
		return x86_call;
	case EM_S390:
		return s390_call;
	case EM_RISCV:
		return riscv_call;
	case EM_AARCH64:
	case EM_ARM:
	case EM_PPC64:
		return word_call;
	default:
		return NULL;
	}
}

/* Counts the callsites that are in code at this offset, and those that follow a call. */
static struct symbol_fit try_offset(const struct elf_image *img, call_test *is_call,
				    const uint64_t *addrs, size_t nr, uint64_t offset)
{
	struct symbol_fit fit = { .offset = offset };

	for (size_t i = 0; i < nr; i++) {
		uint64_t addr = addrs[i] - offset;

		if (!elf_image_code(img, addr, 1))
			continue;
		fit.nr_checked++;
		fit.nr_agree += is_call(img, addr);
	}
	return fit;
}

int symbol_fit_calls(const struct elf_image *img, const uint64_t *addrs, size_t nr,
		     struct symbol_fit *fit)
{
	call_test *is_call = call_test_of(img->machine);
	size_t second = 0;
	uint64_t low, high, at;

	*fit = (struct symbol_fit){ 0 };
	if (!is_call)
		return -EOPNOTSUPP;
	if (!elf_image_code_range(img, &low, &high) || high - low > MAX_SPAN)
		return -ENODATA;
	for (size_t anchor = 0; anchor < nr && anchor < NR_ANCHORS; anchor++) {
		at = low + (addrs[anchor] - low) % STEP;
		for (; at <= high && at >= low; at += STEP) {
			uint64_t offset = addrs[anchor] - at;
			struct symbol_fit one;

			if (offset == fit->offset && fit->nr_agree)
				continue;
			if (!is_call(img, at))
				continue;
			one = try_offset(img, is_call, addrs, nr, offset);
			if (one.nr_agree > fit->nr_agree) {
				second = fit->nr_agree;
				*fit = one;
			} else if (one.nr_agree > second) {
				second = one.nr_agree;
			}
		}
	}
	if (fit->nr_agree < MIN_CALLS || fit->nr_agree < fit->nr_checked * 3 / 4 ||
	    second > fit->nr_agree / 2)
		return -ENODATA;
	return 0;
}

size_t symbol_fit_count(const struct symbols *syms, const uint64_t *addrs, size_t nr)
{
	struct symbol sym;
	size_t found = 0;

	for (size_t i = 0; i < nr; i++)
		found += symbols_find(syms, addrs[i], &sym) == 1;
	return found;
}

/* Appends the lines with or without a module; returns how many. */
static size_t add_lines(struct strbuf *out, const struct symbol_text *text, bool modules,
			uint64_t offset)
{
	const char *p = text->text, *end = p ? p + text->size : NULL;
	struct symbol_line line;
	size_t nr = 0;

	while (p && symbol_line_next(&line, &p, end)) {
		if (modules != (line.module_len > 0) || !symbol_line_is_text(&line))
			continue;
		symbol_line_add(out, &line, offset);
		nr++;
	}
	return nr;
}

int symbol_fit_apply(const struct symbol_text *theirs, const struct symbol_text *ours,
		     uint64_t offset, struct strbuf *out)
{
	add_lines(out, theirs, false, offset);
	if (offset || !add_lines(out, theirs, true, 0))
		add_lines(out, ours, true, 0);
	return out->failed ? -ENOMEM : 0;
}
