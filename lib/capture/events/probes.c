// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/probes.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <sys/utsname.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/io.h"
#include "recording/recording.h"

/* Pointers to fetch, however many the array has: half the kernel's limit, which takes half the
 * time. Only batches of kfree_rcu(), whose objects are known, were seen to have more than 30.
 */
#define ARRAY_MAX "32"

#define NO_RETURN_ARGS "needs Linux 5.15: none before can fetch an array at a return"
#define NO_REGISTERS   "the registers of this machine's arguments are not known"
#define NO_ALLOCS \
	"this kernel allocates in bulk, and frees of what was not seen would count twice"

/* --- definitions ------------------------------------------------------------------------- */

struct machine {
	const char *name; /* as in uname(2), a shell pattern */
	const char *args[4];
	bool is_32bit;
};

static const struct machine machines[] = {
	{ "x86_64", { "%di", "%si", "%dx", "%cx" }, false },
	{ "i?86", { "%ax", "%dx", "%cx", "$stack1" }, true },
	{ "aarch64", { "%x0", "%x1", "%x2", "%x3" }, false },
	{ "arm*", { "%r0", "%r1", "%r2", "%r3" }, true },
	{ "riscv64", { "%a0", "%a1", "%a2", "%a3" }, false },
	{ "s390x", { "%r2", "%r3", "%r4", "%r5" }, false },
	{ "ppc64*", { "%r3", "%r4", "%r5", "%r6" }, false },
};

static const struct machine numbers = { "",
					{ "$arg1", "$arg2", "$arg3", "$arg4" },
					false };

static unsigned int version_of(const char *release)
{
	unsigned int major = 0, minor = 0;

	return sscanf(release, "%u.%u", &major, &minor) == 2 ? major * 1000 + minor : 0;
}

#define VERSION(major, minor) ((major)*1000U + (minor))

/* The maple tree (6.1) and the network (5.12, napi_skb_cache_get()) allocate in bulk all the time;
 * before, only io_uring and XDP did.
 */
static bool allocates_in_bulk(unsigned int version)
{
	return version >= VERSION(5, 12);
}

static void define_rcu_free(struct probe *p, unsigned int version, const char *const *arg)
{
	bool has_pointer = version >= VERSION(6, 2);

	p->name = "rcu_free";
	/* kvfree_call_rcu() came with Linux 5.9. Before 6.2 (04a522b7da3d), the second argument is
	 * the offset of the head in the object.
	 */
	p->function = version >= VERSION(5, 9) ? "kvfree_call_rcu" : "kfree_call_rcu";
	snprintf(p->args, sizeof(p->args), "head=%s:x64 %s=%s:x64", arg[0],
		 has_pointer ? "ptr" : "func", arg[1]);
}

static void define_alloc_bulk(struct probe *p, unsigned int version,
			      const char *const *arg, const char *pointer)
{
	bool tagged = version >= VERSION(6, 10);

	p->name = "alloc_bulk";
	p->function = tagged ? "kmem_cache_alloc_bulk_noprof" : "kmem_cache_alloc_bulk";
	p->other = tagged ? "kmem_cache_alloc_bulk" : "kmem_cache_alloc_bulk_noprof";
	p->at_return = true;
	/* At the return, registers have other contents; arguments by number are known there from
	 * Linux 6.9 on. Event probes, which a pair of probes needs, came with 5.15.
	 */
	if (version >= VERSION(6, 9) && arg == numbers.args) {
		snprintf(p->args, sizeof(p->args),
			 "nr=%s:u64 p=+0(%s):%s[" ARRAY_MAX "] ret=$retval:s32", arg[2],
			 arg[3], pointer);
	} else if (version >= VERSION(5, 15)) {
		snprintf(p->entry, sizeof(p->entry),
			 "nr=%s:u64 p=%s:x64 stack=$stack:x64", arg[2], arg[3]);
		snprintf(p->args, sizeof(p->args),
			 "nr=$nr:u64 p=+0($p):%s[" ARRAY_MAX
			 "] ret=$ret:s32 call_site=$ip:x64",
			 pointer);
	} else {
		snprintf(p->why, sizeof(p->why), "%s", NO_RETURN_ARGS);
	}
}

static void define_free_bulk(struct probe *p, const char *const *arg, const char *pointer)
{
	p->name = "free_bulk";
	p->function = "kmem_cache_free_bulk";
	snprintf(p->args, sizeof(p->args),
		 "s=%s:x64 nr=%s:u64 p=+0(%s):%s[" ARRAY_MAX "]", arg[0], arg[1], arg[2],
		 pointer);
}

void probes_define(struct probe all[PROBES], const char *release, const char *machine,
		   enum probe_args how)
{
	const struct machine *known = FIND(one, machines, ARRAY_SIZE(machines),
					   fnmatch(one->name, machine, 0) == 0);
	const struct machine *m = how == PROBE_ARGS_NUMBER ? &numbers : known;
	const char *const *arg = m ? m->args : numbers.args;
	const char *pointer = known && known->is_32bit ? "x32" : "x64";
	unsigned int version = version_of(release);

	memset(all, 0, PROBES * sizeof(*all));
	define_rcu_free(&all[PROBE_RCU_FREE], version, arg);
	define_alloc_bulk(&all[PROBE_ALLOC_BULK], version, arg, pointer);
	define_free_bulk(&all[PROBE_FREE_BULK], arg, pointer);
	for (size_t i = 0; !m && i < PROBES; i++) {
		all[i].args[0] = '\0';
		snprintf(all[i].why, sizeof(all[i].why), "%s", NO_REGISTERS);
	}
}

/* --- a pair of probes -------------------------------------------------------------------- */

/* Linux 5.15 to 6.8 do not know a function's arguments when it returns, so an array that the
 * function fills takes a pair of probes. Their event looks like that of a single probe.
 */
#define PAIR_ENTRY "alloc_in"
#define PAIR_EXIT  "alloc_out"
/* Thread stacks are aligned to their size, which is at least this, so each has its own key. Few
 * threads are in the function at a time, and stacks are reused.
 */
#define PAIR_KEY   "hist:keys=stack.buckets=16384"
#define PAIR_SIZE  ":size=8192"

static const struct instance top = { .lock_fd = -1 };

/* Appends the formatted text to a file of the top-level instance. 0 or -errno. */
static int __printf_fmt(2, 3) append(const char *file, const char *format, ...)
{
	char text[320];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return instance_append(&top, file, text);
}

static int create_one(struct tracefs_dynevent *event)
{
	int ret = event ? 0 : -ENOMEM;

	errno = EINVAL;
	if (event && tracefs_dynevent_create(event) < 0)
		ret = -errno;
	tracefs_dynevent_free(event);
	return ret;
}

/* Sets or, with @bang "!", removes the triggers. 0 or -errno. */
static int write_entry(const char *group, const char *bang)
{
	char file[128];

	snprintf(file, sizeof(file), "events/%s/" PAIR_ENTRY "/trigger", group);
	return append(file, "%s" PAIR_KEY ":n=nr,q=p" PAIR_SIZE, bang);
}

static int write_exit(const char *group, const char *bang)
{
	char file[128];

	snprintf(file, sizeof(file), "events/%s/" PAIR_EXIT "/trigger", group);
	return append(file,
		      "%s" PAIR_KEY ":a=$n,b=$q:onmatch(%s." PAIR_ENTRY
		      ").trace(%s_bulk,$a,$b,ret,__probe_ret_ip)" PAIR_SIZE,
		      bang, group, group);
}

/* Removes what create_pair() made in @group, except the probes: call it after the event is removed
 * and before the probes are. Parts of it may be missing.
 */
static void end_pair(const char *group)
{
	write_exit(group, "!");
	write_entry(group, "!");
	append("dynamic_events", "-:synthetic/%s_bulk", group);
}

/* If it fails, no event is left behind. */
static int create_pair(const char *group, const struct probe *p, const char *function)
{
	char synthetic[64];
	int ret = create_one(tracefs_kprobe_alloc(group, PAIR_ENTRY, function, p->entry));

	if (ret)
		return ret;
	snprintf(synthetic, sizeof(synthetic), "%s_bulk", group);
	ret = create_one(tracefs_kretprobe_alloc(group, PAIR_EXIT, function,
						 "ret=$retval:s32 stack=$stack:x64", 0));
	if (!ret)
		ret = append("dynamic_events",
			     "s:%s u64 nr; u64 p; s32 ret; unsigned long ip", synthetic);
	if (!ret)
		ret = create_one(tracefs_eprobe_alloc(group, p->name, "synthetic",
						      synthetic, p->args));
	ret = ret ?: write_entry(group, "");
	ret = ret ?: write_exit(group, "");
	if (!ret)
		return 0;
	append("dynamic_events", "-:%s/%s", group, p->name);
	end_pair(group);
	append("dynamic_events", "-:%s/" PAIR_EXIT, group);
	append("dynamic_events", "-:%s/" PAIR_ENTRY, group);
	return ret == -ENOENT ? -EINVAL : ret;
}

/* --- setting them ------------------------------------------------------------------------ */

static bool has_kprobes(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/kprobe_events", tracefs_tracing_dir());
	return access(path, W_OK) == 0;
}

/* 0; -ENOENT: the kernel has no such function; -errno. */
static int create(const char *group, const struct probe *p, const char *function)
{
	if (*p->entry)
		return create_pair(group, p, function);
	/* The kernel chooses how many calls may run at a time: libtracefs 1.6 garbles a number. */
	return create_one(
		p->at_return
			? tracefs_kretprobe_alloc(group, p->name, function, p->args, 0)
			: tracefs_kprobe_alloc(group, p->name, function, p->args));
}

/* Tries both names of the function. 0 or -errno. */
static int create_either(const char *group, struct probe *p)
{
	int ret = create(group, p, p->function);

	if (ret == -ENOENT && p->other) {
		ret = create(group, p, p->other);
		if (!ret)
			p->function = p->other;
	}
	return ret;
}

/* Kernels that do not know arguments by number take registers. */
static int create_anyhow(const char *group, struct probe *p, enum probe_kind kind,
			 const struct utsname *name)
{
	struct probe other[PROBES];
	int ret = create_either(group, p);

	if (ret != -EINVAL)
		return ret;
	probes_define(other, name->release, name->machine, PROBE_ARGS_REGISTER);
	if (!other[kind].args[0] || create_either(group, &other[kind]))
		return ret;
	*p = other[kind];
	return 0;
}

/* 0 or -ENOMEM. */
static int try_one(struct probes *all, enum probe_kind kind, struct event_list *list,
		   const struct utsname *name)
{
	struct probe *p = &all->all[kind];
	int ret;

	if (*p->why)
		return 0;
	ret = create_anyhow(all->group, p, kind, name);
	p->set = !ret;
	if (p->set)
		return event_list_add(list, all->group, p->name);
	if (ret == -ENOENT) {
		snprintf(p->why, sizeof(p->why), "this kernel has no such function");
	} else {
		char *words = ret == -EINVAL ? events_diagnosis(&top) : NULL;

		snprintf(p->why, sizeof(p->why), "the kernel refuses it: %s",
			 words ? words : strerror(-ret));
		free(words);
	}
	return 0;
}

static void refuse(struct probe *p, const char *why)
{
	if (!*p->why)
		snprintf(p->why, sizeof(p->why), "%s", why);
}

static void refuse_all(struct probes *p, const char *why)
{
	for (size_t i = 0; i < PROBES; i++) {
		p->all[i].why[0] = '\0';
		refuse(&p->all[i], why);
	}
}

/* Why no probe is possible; NULL: some may be. */
static const char *none_possible(const struct probes *p, enum probes_wish wish)
{
	char path[4096];

	if (wish == PROBES_NONE)
		return "not wanted (--no-probes)";
	if (!has_kprobes())
		return "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)";
	/* A probe of the same name would be appended to the existing one. */
	snprintf(path, sizeof(path), "%s/events/%s", tracefs_tracing_dir(), p->group);
	return access(path, F_OK) == 0 ? "a killed recorder's probes have the same names"
				       : NULL;
}

static int try_all(struct probes *p, struct event_list *list, bool some,
		   const struct utsname *name)
{
	struct probe *allocs = &p->all[PROBE_ALLOC_BULK];
	int ret;

	if (some)
		refuse(allocs, "only some allocations are recorded");
	ret = try_one(p, PROBE_RCU_FREE, list, name);
	ret = ret ?: try_one(p, PROBE_ALLOC_BULK, list, name);
	/* If only some allocations are recorded, frees of others are expected anyway. */
	if (!allocs->set && !some && allocates_in_bulk(version_of(name->release)))
		refuse(&p->all[PROBE_FREE_BULK], NO_ALLOCS);
	return ret ?: try_one(p, PROBE_FREE_BULK, list, name);
}

static void tell(const struct probes *p, const char *none, enum probes_wish wish,
		 const struct log *log)
{
	enum log_level level = wish == PROBES_ASKED ? LOG_WARN : LOG_INFO;

	if (none)
		log_msg(log, level, "no probes: %s", none);
	for (size_t i = 0; !none && i < PROBES; i++)
		if (p->all[i].set)
			log_msg(log, LOG_INFO, "probe %s: %s", p->all[i].name,
				p->all[i].function);
		else
			log_msg(log, level, "no probe %s: %s: %s", p->all[i].name,
				p->all[i].function, p->all[i].why);
}

int probes_set(struct probes *p, struct event_list *list,
	       const struct probes_choice *choice, const struct log *log)
{
	struct utsname name;
	const char *none;
	int ret = 0;

	if (uname(&name) < 0)
		return 0;
	snprintf(p->group, sizeof(p->group), RECORDING_PROBES "%d", (int)choice->self);
	probes_define(p->all, name.release, name.machine, PROBE_ARGS_NUMBER);
	none = none_possible(p, choice->wish);
	if (none)
		refuse_all(p, none);
	else
		ret = try_all(p, list, choice->some, &name);
	tell(p, none, choice->wish, log);
	return ret;
}

void probes_format(const struct probes *p, struct strbuf *out)
{
	for (size_t i = 0; *p->group && i < PROBES; i++)
		probe_list_add(out, p->all[i].name, p->all[i].function,
			       p->all[i].set ? NULL : p->all[i].why);
}

/* --- removing them ----------------------------------------------------------------------- */

bool probes_is_group(const char *system)
{
	size_t prefix = strlen(RECORDING_PROBES);
	const char *digits = system + prefix;

	return !strncmp(system, RECORDING_PROBES, prefix) && *digits &&
	       !digits[strspn(digits, "0123456789")];
}

/* A pair's other parts are in use as long as its event exists. */
static void end_pair_of(const char *group, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/events/%s/alloc_bulk", tracefs_tracing_dir(),
		 group);
	if (!strcmp(name, PAIR_ENTRY) && access(path, F_OK) < 0)
		end_pair(group);
}

/* Removes the probes of @types in @group (NULL: all groups); those that an instance records stay.
 * Returns how many were removed, and adds to @left how many were not.
 */
static size_t remove_types(unsigned int types, const char *group, size_t *left)
{
	struct tracefs_dynevent **events = tracefs_dynevent_get_all(types, group);
	size_t removed = 0;

	for (size_t i = 0; events && events[i]; i++) {
		char *system = NULL, *name = NULL;

		tracefs_dynevent_info(events[i], &system, &name, NULL, NULL, NULL);
		if (system && name && probes_is_group(system)) {
			end_pair_of(system, name);
			if (tracefs_dynevent_destroy(events[i], false) < 0)
				++*left;
			else
				removed++;
		}
		free(system);
		free(name);
	}
	tracefs_dynevent_list_free(events);
	return removed;
}

static size_t remove_probes(const char *group, size_t *left)
{
	size_t removed = remove_types(TRACEFS_DYNEVENT_EPROBE, group, left);

	return removed +
	       remove_types(TRACEFS_DYNEVENT_KPROBE | TRACEFS_DYNEVENT_KRETPROBE, group,
			    left);
}

void probes_remove(struct probes *p, const struct log *log)
{
	size_t left = 0;

	if (ANY(i, PROBES, p->all[i].set))
		remove_probes(p->group, &left);
	if (left)
		log_msg(log, LOG_WARN,
			"cannot remove %zu probe%s of the group %s: the next kmemx record tries again",
			left, plural(left), p->group);
	*p = (struct probes){ 0 };
}

void probes_sweep(const struct log *log)
{
	size_t left = 0, removed;
	int lock __auto_fd = has_kprobes() ? instance_lock_all() : -1;

	if (lock < 0)
		return;
	removed = remove_probes(NULL, &left);
	if (removed)
		log_msg(log, LOG_INFO, "removed %zu probe%s of a killed kmemx", removed,
			plural(removed));
}
