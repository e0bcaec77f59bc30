// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: expresses a sample as a kernel event filter.
 * In: the rule of a sample. Out: the text of a filter.
 *
 * The only test of an address that filters have is whether any of some bits is set, so a sum
 * without carry is spelled out. The first bit that differs ends the evaluation: half of all events
 * are dropped after at most three tests, three quarters after six.
 */
#include "capture/events/sample_filter.h"

#include <inttypes.h>

_Static_assert(SAMPLE_FOLDS == 3, "sum_is() adds three bits");

/* Tests whether exactly one of the bits @a and @b is set; without @differ, whether both or none
 * are.
 */
static void two_differ(struct strbuf *out, const char *field, const uint64_t *bits,
		       bool differ)
{
	if (differ)
		strbuf_printf(out,
			      "((%s & 0x%" PRIx64 " && !(%s & 0x%" PRIx64
			      ")) || (!(%s & 0x%" PRIx64 ") && %s & 0x%" PRIx64 "))",
			      field, bits[0], field, bits[1], field, bits[0], field,
			      bits[1]);
	else
		strbuf_printf(out,
			      "((%s & 0x%" PRIx64 " && %s & 0x%" PRIx64
			      ") || !(%s & 0x%" PRIx64 "))",
			      field, bits[0], field, bits[1], field, bits[0] | bits[1]);
}

/* Tests whether an odd number of the three @bits is set; without @odd, an even number. */
static void sum_is(struct strbuf *out, const char *field, const uint64_t *bits, bool odd)
{
	strbuf_printf(out, "((%s & 0x%" PRIx64 " && ", field, bits[0]);
	two_differ(out, field, bits + 1, !odd);
	strbuf_printf(out, ") || (!(%s & 0x%" PRIx64 ") && ", field, bits[0]);
	two_differ(out, field, bits + 1, odd);
	strbuf_puts(out, "))");
}

static void part_is(const struct sample *s, const char *field, unsigned int shift,
		    struct strbuf *out)
{
	unsigned int nr = (unsigned int)__builtin_ctz(s->one_in);

	for (unsigned int i = 0; i < nr; i++) {
		const uint64_t first = UINT64_C(1) << (shift + i);
		const uint64_t bits[] = { first, first << nr, first << 2 * nr };

		strbuf_puts(out, i ? " && " : "");
		sum_is(out, field, bits, s->phase >> i & 1);
	}
}

void sample_filter_object(const struct sample *s, bool is_free, struct strbuf *out)
{
	strbuf_puts(out, is_free ? "ptr != 0 && (" : "");
	strbuf_printf(out, "!(ptr & 0x%" PRIx64 ") || (",
		      (UINT64_C(1) << s->certain_shift) - 1);
	part_is(s, "ptr", s->object_shift, out);
	strbuf_puts(out, is_free ? "))" : ")");
}

void sample_filter_block(const struct sample *s, bool has_order, unsigned int long_size,
			 struct strbuf *out)
{
	if (has_order)
		strbuf_printf(out, "order >= %u || ", s->certain_order);
	strbuf_printf(out, "pfn == 0x%" PRIx64 " || (",
		      long_size == 4 ? (uint64_t)UINT32_MAX : UINT64_MAX);
	part_is(s, "pfn", s->block_shift, out);
	strbuf_puts(out, ")");
}
