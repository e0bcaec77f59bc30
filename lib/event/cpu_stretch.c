// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: some of a CPU's sub-buffers, scanned without those before.
 * In: sub-buffers. Out: what may belong to events before them.
 */
#include "event/cpu_stretch.h"

#include "base/bytes.h"

void cpu_stretch_page(struct cpu_stretch *s, struct stack_claims *claims,
		      const struct decoder *dec, const struct subbuf *sb)
{
	const struct event_common *common = &dec->common;
	struct subbuf_iter it = subbuf_iter(sb, dec->big_endian);
	struct raw_record rec;
	unsigned int i;
	int ret;

	s->nr_pages++;
	if (!s->blind)
		return;
	do
		ret = subbuf_iter_next(&it, &rec);
	while (ret > 0 && rec.size < common->min_size);
	if (ret > 0) {
		uint32_t pid = get_u32(rec.data + common->pid_offset, dec->big_endian);

		s->blind = false;
		s->first_ts = rec.ts;
		s->first_place = stack_place(rec.data[common->flags_offset], pid);
		for (i = 0; i < STACK_CONTEXTS; i++)
			claims->owners[i] = CPU_INHERITED(i);
		claims->place = s->first_place;
		stack_claims_turn(claims, s->first_place);
	}
	s->losses += sb->missed != 0;
}
