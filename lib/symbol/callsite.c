// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/callsite.h"

#include <pthread.h>
#include <regex.h>

#include "base/keyed.h"
#include "base/strbuf.h"
#include "symbol/symbols.h"

/* The tracer's own functions, which some kernels show above the allocator's in stacks. Other tracer
 * functions are real callsites: ftrace_free_mem, ftrace_process_locs.
 */
#define GLUE                                                                       \
	"^(__traceiter_|__probestub_|perf_trace_|trace_event_(raw_event|buffer)_|" \
	"__bpf_trace_|bpf_trace_run|trampoline_|"                                  \
	"_{0,2}ftrace_((regs_|graph_|graph_regs_)?call(er)?(_end)?|stub|common|"   \
	"epilogue|trampoline|trace_stack|ops_(list|assist)_func)$)"

/* The page allocator's functions, from 3.19 to 7.x: nodemask, current, vma, interleave, kmem,
 * page_cache and page_frag up to 5.12; plain __alloc_pages, bulk, preferred_many and folio from
 * 5.13, mpol from 6.7, _noprof from 6.10, frozen from 6.14, try_ and nolock from 6.15. Anchored at
 * the end: alloc_page_buffers, dma_alloc_pages and folio_alloc_swap are real callsites.
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

/* Functions that allocate vmalloc areas, map memory into them, or allocate per-CPU memory, from
 * 4.14 to 7.x. Leading underscores and endings are left out; a trailing * makes a prefix.
 * module_alloc, execmem_alloc, bpf_map_alloc_percpu, vmalloc_init and vmalloc_info_show are real
 * callsites.
 */
static const char *const areas[] = {
	"alloc_vmap_area",
	"get_vm_area",
	"get_vm_area_node",
	"get_vm_area_caller",
	"vmalloc",
	"vmalloc_32*",
	"vmalloc_area_node",
	"vmalloc_array",
	"vmalloc_exec",
	"vmalloc_huge*",
	"vmalloc_node*",
	"vmalloc_user",
	"vzalloc*",
	"vcalloc",
	"vrealloc*",
	"kvmalloc*",
	"kvzalloc*",
	"kvcalloc*",
	"kvrealloc*",
	"vm_area_alloc_pages",
	"vmap",
	"vmap_pfn",
	"vm_map_ram",
	"new_vmap_block",
	"vb_alloc",
	"ioremap*",
	"generic_ioremap*",
	"arch_ioremap*",
	"pci_ioremap*",
	"memremap",
	"devm_memremap",
	"devm_ioremap*",
	"pcpu_alloc",
	"pcpu_alloc_pages",
	"pcpu_alloc_chunk",
	"pcpu_create_chunk",
	"pcpu_populate_chunk",
	"pcpu_get_pages",
	"pcpu_mem_zalloc",
	"alloc_percpu",
	"alloc_percpu_gfp",
	"alloc_reserved_percpu",
	"devm_alloc_percpu",
};

/* Functions that allocate for their callers: copies of memory and strings, file names, skbs,
 * sockets, inodes, dentries, files, tree nodes, page tables.
 */
#define WRAPPERS                                                                               \
	"^(_{0,3}k[mz]alloc(_large)?(_node)?(_track_caller)?|"                                 \
	"kmalloc_(order|array|reserve)|_{0,3}k[vc]?alloc_array|"                               \
	"_{0,2}krealloc(_node)?(_align)?|kmemdup(_nul|_array)?|v?memdup_user(_nul)?|kvmemdup|" \
	"kstrn?dup(_const|_quotable.*)?|strndup_user|kv?asprintf(_const)?|"                    \
	"devm_k[mz]alloc|devm_kv?asprintf|devm_kstrdup(_const)?|devm_kmemdup|"                 \
	"__devres_alloc_node|mempool_alloc(_slab|_preallocated)?|mempool_kmalloc|"             \
	"getname(_flags|_kernel|_uflags|_maybe_null)?|"                                        \
	"alloc_empty(_backing)?_file(_noaccount)?|"                                            \
	"alloc_file(_pseudo(_noaccount)?|_clone)?|"                                            \
	"mas_(alloc_nodes|node_count(_gfp)?|preallocate)|mt_alloc_(bulk|one)|"                 \
	"vm_area_(alloc|dup)|radix_tree_node_alloc|xas_alloc|xas_nomem|"                       \
	"_{0,2}alloc_skb(_with_frags)?|_{0,2}(napi_|netdev_)?(alloc|build)_skb|"               \
	"skb_(clone|copy|realloc_headroom)|__pskb_copy_fclone|pskb_expand_head|"               \
	"napi_skb_cache_get|skb_page_frag_refill|sk_page_frag_refill|"                         \
	"sock_(alloc_send_p?skb|[wk]malloc|omalloc|alloc)|sk_(prot_)?alloc|"                   \
	"sk_clone_lock|alloc_inode(_sb)?|new_inode(_pseudo)?|"                                 \
	"_{0,2}d_alloc(_name|_pseudo|_cursor|_parallel)?|"                                     \
	"bio_alloc_(bioset|clone)|bvec_alloc|sg_kmalloc|_{0,2}sg_alloc_table|"                 \
	"seq_(buf_alloc|open)|__seq_open_private|single_open(_size)?|prepare_creds|"           \
	"kmem_cache_(z?alloc(_node|_lru|_bulk)?))(_noprof)?(\\.(isra|constprop|part|cold|llvm|lto_priv)[.0-9a-f]*)*$"

/* Functions that every rule skips, besides areas[]. */
static const char *const built_in[] = { GLUE, CORE };

enum verdict { KEPT = 1, SKIPPED = 2 };

struct callsite_rule {
	regex_t *expressions; /* the built-in ones, then the user's */
	size_t nr_expressions;
	KEYED(uint8_t) verdicts; /* by name; 0: not tested yet */
	pthread_mutex_t lock;	 /* protects @verdicts and @skipped */
	struct intern skipped;	 /* the skipped names, without their endings */
	struct intern added;	 /* the user's additions */
	bool wrappers;
	struct source_lines *lines;
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

	if (!rule)
		return -ENOMEM;
	pthread_mutex_init(&rule->lock, NULL);
	rule->expressions =
		calloc(nr_skip + ARRAY_SIZE(built_in), sizeof(*rule->expressions));
	if (!rule->expressions)
		goto err;
	ret = 0;
	for (size_t i = 0; i < ARRAY_SIZE(built_in) && !ret; i++)
		ret = compile(rule, built_in[i], error);
	for (size_t i = 0; i < nr_skip && !ret; i++) {
		bool wrappers = !strcmp(skip[i], CALLSITE_WRAPPERS);

		rule->wrappers |= wrappers;
		ret = compile(rule, wrappers ? WRAPPERS : skip[i], error);
		if (!ret && !intern_id(&rule->added, skip[i], strlen(skip[i])))
			ret = -ENOMEM;
	}
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
	if (!rule)
		return;
	for (size_t i = 0; i < rule->nr_expressions; i++)
		regfree(&rule->expressions[i]);
	free(rule->expressions);
	KEYED_FREE(&rule->verdicts);
	intern_free(&rule->skipped);
	intern_free(&rule->added);
	pthread_mutex_destroy(&rule->lock);
	free(rule);
}

void callsite_rule_use(struct callsite_rule *rule, struct source_lines *lines)
{
	rule->lines = lines;
}

bool callsite_rule_extended(const struct callsite_rule *rule)
{
	return rule && rule->nr_expressions > ARRAY_SIZE(built_in);
}

const char *callsite_rule_added(const struct callsite_rule *rule, uint32_t i)
{
	return rule && i < UINT32_MAX ? intern_get(&rule->added, i + 1, NULL) : NULL;
}

bool callsite_rule_wrappers(const struct callsite_rule *rule)
{
	return rule && rule->wrappers;
}

/* @plain: without endings */
static bool is_area_function(const char *plain)
{
	plain += strspn(plain, "_");
	return ANY(i, ARRAY_SIZE(areas), symbol_matches(plain, areas[i]));
}

/* Matches @name as it is and without its endings, so that a user's "^foo$" also matches foo.cold
 * and foo_noprof.
 */
static bool matches(const struct callsite_rule *rule, const char *name)
{
	char plain[256];
	bool same;

	(void)symbol_plain(name, plain, sizeof(plain));
	if (is_area_function(plain))
		return true;
	same = !strcmp(plain, name);
	return ANY(i, rule->nr_expressions,
		   !regexec(&rule->expressions[i], plain, 0, NULL, 0) ||
			   (!same && !regexec(&rule->expressions[i], name, 0, NULL, 0)));
}

static bool skips_locked(struct callsite_rule *rule, const char *name)
{
	uint32_t id = KEYED_ID_OF(&rule->verdicts, name, strlen(name));
	bool skips;

	if (id && rule->verdicts.of[id - 1])
		return rule->verdicts.of[id - 1] == SKIPPED;
	skips = matches(rule, name);
	if (skips)
		(void)intern_id(&rule->skipped, name, symbol_plain_length(name));
	if (id) /* otherwise the name is tested again next time */
		rule->verdicts.of[id - 1] = skips ? SKIPPED : KEPT;
	return skips;
}

bool callsite_rule_skips(struct callsite_rule *rule, const char *name)
{
	bool skips;

	pthread_mutex_lock(&rule->lock);
	skips = skips_locked(rule, name);
	pthread_mutex_unlock(&rule->lock);
	return skips;
}

static bool is_wrapper(const struct source_frame *frame)
{
	return frame->inlined && frame->file && text_ends(frame->file, ".h");
}

/* Finds the callsite among the functions of @place; false: all are skipped. */
static bool find_function(struct callsite_rule *rule, struct callsite_place *place)
{
	const struct source_frame *chain = place->chain;
	size_t nr = place->nr, first = nr, i;

	/* Outermost first: functions inlined into a skipped function are skipped, too. */
	while (first > 0) {
		const char *name = chain[first - 1].function;

		if (first == nr && place->function)
			name = place->function;
		if (name && callsite_rule_skips(rule, name))
			break;
		first--;
	}
	for (i = first; i + 1 < nr && is_wrapper(&chain[i]); i++)
		;
	place->index = i < nr ? i : nr - 1;
	return first < nr;
}

bool callsite_look(struct callsite_rule *rule, const struct symbols *syms, uint64_t addr,
		   struct callsite_place *place)
{
	struct symbol sym;
	bool counts;

	*place = (struct callsite_place){ 0 };
	if (symbols_find(syms, addr, &sym)) {
		place->function = sym.name;
		place->module = sym.module;
		place->start = sym.addr;
	}
	if (!rule)
		return true;
	if (rule->lines)
		place->nr = source_lines_find(rule->lines, addr, &place->chain);
	if (!place->nr)
		return !place->function || !callsite_rule_skips(rule, place->function);
	counts = find_function(rule, place);
	if (place->index + 1 < place->nr || !place->function)
		place->function = place->chain[place->index].function;
	return counts;
}

int callsite_find(struct callsite_rule *rule, const struct symbols *syms,
		  const uint64_t *frames, uint32_t nr)
{
	struct callsite_place place;

	for (uint32_t i = 0; i < nr; i++) {
		if (frames[i] && callsite_look(rule, syms, frames[i], &place))
			return (int)i;
	}
	return (int)nr - 1;
}

const char *callsite_rule_skipped(struct callsite_rule *rule, uint32_t i)
{
	const char *name;

	pthread_mutex_lock(&rule->lock);
	name = i < UINT32_MAX ? intern_get(&rule->skipped, i + 1, NULL) : NULL;
	pthread_mutex_unlock(&rule->lock);
	return name;
}
