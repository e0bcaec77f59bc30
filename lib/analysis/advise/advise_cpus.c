// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about CPUs: objects that are nearly always freed on another CPU.
 * In: frees by allocating and freeing callsite. Out: findings.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/advise/advise.h"

/* Fewer can be chance: of 16 objects, with two CPUs, that is 1 in 65536. */
#define FAR_FREES_LEAST 16
/* At least this percentage: the freeing task may run on any CPU at times. */
#define FAR_FREES_SHARE 95

/* Sums for one allocating callsite. @most: the most that one callsite, @freed_by, freed. */
struct far_sum {
	uint64_t nr, far, most;
	uint32_t freed_by, nr_freeing;
};

static int add_ping_pong(const struct finding_kind *kind, struct advise_view *v,
			 const struct far_sum *sum, uint32_t site)
{
	struct finding f = {
		.kind = kind, .site = site, .hit = sum->far, .freed_by = sum->freed_by + 1
	};
	const struct sites *sites = &v->a->sizes.sites;

	if (sum->far == sum->nr)
		strbuf_printf(&f.evidence, "all %" PRIu64, sum->nr);
	else
		strbuf_printf(&f.evidence, "%" PRIu64 " of %" PRIu64, sum->far, sum->nr);
	strbuf_printf(&f.evidence,
		      " objects whose free was seen were freed on another CPU, %" PRIu64
		      " of them by ",
		      sum->most);
	sites_name(sites, sum->freed_by, &f.evidence);
	if (sum->nr_freeing > 1)
		strbuf_printf(&f.evidence, ", the others by %" PRIu32 " more callsite%s",
			      sum->nr_freeing - 1, sum->nr_freeing == 2 ? "" : "s");
	strbuf_puts(
		&f.doubt,
		"whether that can be helped, and what it costs, is not in the events");
	if (v->a->losses)
		strbuf_puts(&f.doubt, "; events were lost");
	return advise_add(v, &f);
}

static int find_ping_pong(const struct finding_kind *kind, struct advise_view *v)
{
	const struct far_frees *far = &v->a->far;
	size_t nr_sites = v->a->sizes.sites.nr_groups, i;
	struct far_sum *sums = calloc(nr_sites + 1, sizeof(*sums));
	int ret = sums ? 0 : -ENOMEM;

	for (i = 0; i < far->nr && !ret; i++) {
		const struct far_frees_key *key = far_frees_key(far, i);
		struct far_sum *sum = &sums[key->by];

		sum->nr += far->pairs[i].nr;
		sum->far += far->pairs[i].far;
		sum->nr_freeing++;
		if (far->pairs[i].far > sum->most) {
			sum->most = far->pairs[i].far;
			sum->freed_by = key->freed_by;
		}
	}
	for (i = 0; i < nr_sites && !ret; i++) {
		if (sums[i].nr >= FAR_FREES_LEAST &&
		    sums[i].far * 100 >= sums[i].nr * FAR_FREES_SHARE)
			ret = add_ping_pong(kind, v, &sums[i], (uint32_t)i);
	}
	free(sums);
	return ret;
}

/* Objects that are nearly always freed on another CPU than the one that allocated them. */
const struct finding_kind finding_ping_pong = {
	.name = "ping-pong",
	.more = "stat --slab -s pingpong",
	.find = find_ping_pong,
};
