// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/sample.h"

/* PAGE_ALLOC_COSTLY_ORDER of include/linux/mmzone.h. */
#define BLOCK_ORDER 3U

static unsigned int log2_of(uint64_t power)
{
	return (unsigned int)__builtin_ctzll(power);
}

void sample_init(struct sample *s, uint32_t one_in, uint64_t random, uint64_t page_size)
{
	unsigned int page_shift = log2_of(page_size);

	*s = (struct sample){ .one_in = one_in,
			      .phase = (uint32_t)(random & (one_in - 1)),
			      .object_shift = page_shift + BLOCK_ORDER,
			      .block_shift = BLOCK_ORDER,
			      .certain_shift = page_shift + BLOCK_ORDER + 1,
			      .certain_order = BLOCK_ORDER + 1 };
}

uint32_t sample_part(const struct sample *s, uint64_t unit)
{
	unsigned int bits = log2_of(s->one_in);
	uint64_t sum = 0;

	for (unsigned int i = 0; i < SAMPLE_FOLDS; i++)
		sum ^= unit >> i * bits;
	return (uint32_t)(sum & (s->one_in - 1));
}

static uint64_t unit_in(const struct sample *s, uint64_t unit)
{
	return sample_part(s, unit) == s->phase ? unit : SAMPLE_OUT;
}

uint64_t sample_object(const struct sample *s, uint64_t ptr)
{
	if (sample_object_certain(s, ptr))
		return SAMPLE_CERTAIN;
	return unit_in(s, ptr >> s->object_shift);
}

uint64_t sample_block(const struct sample *s, uint64_t pfn, uint32_t order)
{
	if (sample_block_certain(s, pfn, order))
		return SAMPLE_CERTAIN;
	return unit_in(s, pfn >> s->block_shift);
}

void sample_format(const struct sample *s, struct strbuf *out)
{
	strbuf_printf(out,
		      "1/%" PRIu32 " phase=%" PRIu32 " object=%u block=%u certain=%u,%u",
		      s->one_in, s->phase, s->object_shift, s->block_shift,
		      s->certain_shift, s->certain_order);
}

/* The numbers are small: text with more digits is not ours, and scanf's overflow is undefined. */
int sample_parse(struct sample *s, const char *text)
{
	unsigned int n[6];
	int end = -1;

	if (sscanf(text, "1/%4u phase=%4u object=%3u block=%3u certain=%3u,%3u%n", &n[0],
		   &n[1], &n[2], &n[3], &n[4], &n[5], &end) != 6 ||
	    end < 0 || text[end])
		return -EINVAL;
	if (!sample_possible(n[0]) || n[1] >= n[0] || n[2] < 3 || n[2] > 32 ||
	    n[3] > 20 || n[4] < 3 || n[4] > 40 || n[5] > 20)
		return -EINVAL;
	*s = (struct sample){ n[0], n[1], n[2], n[3], n[4], n[5] };
	return 0;
}

int sample_of(struct sample *s, const struct recording *rec)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_SAMPLE);

	*s = (struct sample){ 0 };
	return item ? sample_parse(s, item->text) : -ENOENT;
}
