// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about CPUs: objects that are nearly always freed on another CPU.
 * In: frees by allocating and freeing callsite. Out: findings.
 */

#include "analysis/advise/advise.h"
#include "base/array.h"

/* --- objects freed on a different CPU than the one that allocated them -------------- */

void far_frees_init(struct far_frees *f, const struct analysis_env *env,
		    const struct slab_lives *lives, struct sites *sites)
{
	*f = (struct far_frees){ .env = env, .lives = lives, .sites = sites };
}

/* The group of row @row, plus 1; 0: no memory. */
static uint32_t site_of(struct far_frees *f, uint32_t row)
{
	const struct slab_key *key;
	uint32_t stack;

	if (unlikely(row >= f->nr_rows) &&
	    array_reach(&f->site_of, &f->nr_rows, &f->rows_capacity, row + 1UL,
			sizeof(*f->site_of)))
		return 0;
	if (unlikely(!f->site_of[row])) {
		key = slab_lives_key(f->lives, row);
		stack = lives_stack(&f->lives->any, row);
		f->site_of[row] =
			sites_group(f->sites,
				    sites_beyond(f->env, key->callsite, stack)) +
			1;
	}
	return f->site_of[row];
}

/* The number of the pair of row @row's callsite and @callsite, which freed; 0: no memory. */
static uint32_t find_pair(struct far_frees *f, uint32_t row, uint64_t callsite)
{
	uint32_t site = site_of(f, row);
	const struct far_frees_key key = { .by = site - 1,
					   .freed_by = sites_group(f->sites, callsite) };

	if (!site || key.freed_by == UINT32_MAX)
		return 0;
	return KEYED_ID(&f->pairs, &key);
}

static void take_one(struct far_frees *f, const struct life *life)
{
	struct far_frees_pair *pair;
	uint64_t callsite;
	uint32_t *id;

	if (life->what != LIFE_FREED || !life->event ||
	    !kmem_ends_objects(life->event->type))
		return;
	callsite = life->event->slab_free.callsite;
	id = recent_key(&f->recent, callsite, life->row, 0);
	if (unlikely(!*id))
		*id = find_pair(f, life->row, callsite);
	if (unlikely(!*id)) {
		f->failed = true;
		return;
	}
	pair = &f->pairs.of[*id - 1];
	pair->nr++;
	pair->far += (life->flags & LIFE_OTHER_CPU) != 0;
}

void far_frees_take(struct far_frees *f, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;

	for (; life < end; life++)
		take_one(f, life);
}

void far_frees_free(struct far_frees *f)
{
	free(f->site_of);
	KEYED_FREE(&f->pairs);
}

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
	struct far_sum *sums __auto_mem = calloc(nr_sites + 1, sizeof(*sums));
	int ret = sums ? 0 : -ENOMEM;

	for (i = 0; i < far->pairs.nr && !ret; i++) {
		const struct far_frees_key *key = KEYED_KEY(&far->pairs, i);
		struct far_sum *sum = &sums[key->by];

		sum->nr += far->pairs.of[i].nr;
		sum->far += far->pairs.of[i].far;
		sum->nr_freeing++;
		if (far->pairs.of[i].far > sum->most) {
			sum->most = far->pairs.of[i].far;
			sum->freed_by = key->freed_by;
		}
	}
	for (i = 0; i < nr_sites && !ret; i++) {
		if (sums[i].nr >= FAR_FREES_LEAST &&
		    sums[i].far * 100 >= sums[i].nr * FAR_FREES_SHARE)
			ret = add_ping_pong(kind, v, &sums[i], (uint32_t)i);
	}
	return ret;
}

/* Objects that are nearly always freed on another CPU than the one that allocated them. */
const struct finding_kind finding_ping_pong = {
	.name = "ping-pong",
	.more = "stat --slab -s pingpong",
	.find = find_ping_pong,
};
