// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: the rule that finds the real callsite in a stack.
 * In: frames, innermost first, and symbols. Out: the first frame that is neither the
 * tracer's nor the page allocator's.
 */
#include "symbol/callsite.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "symbol/fold.h"

/* The tracer's own functions, seen above the allocator's with some kernels. */
#define GLUE                                                                       \
	"^(__traceiter_|__probestub_|perf_trace_|trace_event_(raw_event|buffer)_|" \
	"__bpf_trace_|bpf_trace_run|ftrace_|__ftrace_|trampoline_)"

/* The page allocator's, from 3.19 to 7.x: nodemask, current, vma, interleave, kmem,
 * page_cache and page_frag up to 5.12; plain __alloc_pages, bulk, preferred_many and folio
 * from 5.13, mpol from 6.7, _noprof from 6.10, frozen from 6.14, try_ and nolock from 6.15.
 * Anchored at the end: alloc_page_buffers, dma_alloc_pages and folio_alloc_swap are real
 * callsites.
 */
#define CORE                                                                          \
	"^(_{0,3}(try_)?alloc_(frozen_|kmem_)?pages?"                                 \
	"(_(nodemask|slowpath|direct_compact|direct_reclaim|may_oom|cpuset_fallback|" \
	"high_priority|current|vma|node|mpol|interleave|preferred_many|internal|"     \
	"nolock|exact(_nid|_node)?|bulk(_[a-z_]+)?))*|"                               \
	"get_page_from_freelist|_{0,2}get_(free|dma)_pages?|get_zeroed_page|"         \
	"_{0,2}folio_alloc(_node|_mpol)?|vma_alloc_(zeroed_movable_)?folio|"          \
	"alloc_zeroed_user_highpage_movable|alloc_hugepage_vma|filemap_alloc_folio|"  \
	"_{0,2}page_cache_alloc|_{0,2}page_frag_(alloc|alloc_align|cache_refill|"     \
	"refill)|__alloc_page_frag)(_noprof)?"                                        \
	"(\\.(isra|constprop|part|cold|llvm|lto_priv)[.0-9a-f]*)*$"

/* GLUE and CORE. */
#define NR_BUILT_IN 2

enum verdict { KEPT = 1, SKIPPED = 2 };

struct callsite_rule {
	regex_t *expressions; /* GLUE, CORE, then the user's */
	size_t nr_expressions;
	struct intern names; /* every name judged so far */
	uint8_t *verdicts;   /* by name number - 1 */
	uint32_t capacity;
	struct intern skipped; /* the plain names of those skipped */
};

static int compile(struct callsite_rule *rule, const char *expression,
		   struct strbuf *error)
{
	regex_t *re = &rule->expressions[rule->nr_expressions];
	char why[128];
	int ret = regcomp(re, expression, REG_EXTENDED | REG_NOSUB);

	if (!ret) {
		rule->nr_expressions++;
		return 0;
	}
	if (ret == REG_ESPACE)
		return -ENOMEM;
	regerror(ret, re, why, sizeof(why));
	if (error)
		strbuf_printf(error, "'%s' is not a regular expression: %s", expression,
			      why);
	return -EINVAL;
}

int callsite_rule_new(struct callsite_rule **out, const char *const *skip, size_t nr_skip,
		      struct strbuf *error)
{
	struct callsite_rule *rule = calloc(1, sizeof(*rule));
	int ret = -ENOMEM;
	size_t i;

	if (!rule)
		return -ENOMEM;
	rule->expressions = calloc(nr_skip + NR_BUILT_IN, sizeof(*rule->expressions));
	if (!rule->expressions)
		goto err;
	ret = compile(rule, GLUE, error);
	if (!ret)
		ret = compile(rule, CORE, error);
	for (i = 0; i < nr_skip && !ret; i++)
		ret = compile(rule, skip[i], error);
	if (ret)
		goto err;
	*out = rule;
	return 0;
err:
	callsite_rule_free(rule);
	return ret;
}

void callsite_rule_free(struct callsite_rule *rule)
{
	size_t i;

	if (!rule)
		return;
	for (i = 0; i < rule->nr_expressions; i++)
		regfree(&rule->expressions[i]);
	free(rule->expressions);
	intern_free(&rule->names);
	intern_free(&rule->skipped);
	free(rule->verdicts);
	free(rule);
}

bool callsite_rule_extended(const struct callsite_rule *rule)
{
	return rule && rule->nr_expressions > NR_BUILT_IN;
}

/* Matches @name as it is, and without its endings, so that a user's "^foo$" meets foo.cold
 * and foo_noprof as well.
 */
static bool matches(const struct callsite_rule *rule, const char *name)
{
	char plain[256];
	size_t len = symbol_plain_length(name), i;

	if (len >= sizeof(plain))
		len = sizeof(plain) - 1;
	memcpy(plain, name, len);
	plain[len] = '\0';
	for (i = 0; i < rule->nr_expressions; i++) {
		const regex_t *re = &rule->expressions[i];

		if (!regexec(re, plain, 0, NULL, 0) || !regexec(re, name, 0, NULL, 0))
			return true;
	}
	return false;
}

bool callsite_rule_skips(struct callsite_rule *rule, const char *name)
{
	uint32_t id = intern_id(&rule->names, name, strlen(name));
	bool skips;

	if (id && id <= rule->capacity && rule->verdicts[id - 1])
		return rule->verdicts[id - 1] == SKIPPED;
	skips = matches(rule, name);
	if (skips)
		(void)intern_id(&rule->skipped, name, symbol_plain_length(name));
	if (id > rule->capacity) {
		uint32_t capacity = id < 64 ? 128 : id * 2;
		uint8_t *grown = realloc(rule->verdicts, capacity);

		if (!grown) /* judged anew the next time */
			return skips;
		memset(grown + rule->capacity, 0, capacity - rule->capacity);
		rule->verdicts = grown;
		rule->capacity = capacity;
	}
	if (id)
		rule->verdicts[id - 1] = skips ? SKIPPED : KEPT;
	return skips;
}

int callsite_find(struct callsite_rule *rule, const struct symbols *syms,
		  const uint64_t *frames, uint32_t nr)
{
	struct symbol sym;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		if (!frames[i])
			continue;
		if (!symbols_find(syms, frames[i], &sym) ||
		    !callsite_rule_skips(rule, sym.name))
			return (int)i;
	}
	return (int)nr - 1;
}

const char *callsite_rule_skipped(const struct callsite_rule *rule, uint32_t i)
{
	return i < UINT32_MAX ? intern_get(&rule->skipped, i + 1, NULL) : NULL;
}
