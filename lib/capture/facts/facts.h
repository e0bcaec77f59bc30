/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the contents of a recording other than events.
 * In: tracefs, /proc, /sys. Out: the writer's facts.
 */
#ifndef KMEMX_CAPTURE_FACTS_H
#define KMEMX_CAPTURE_FACTS_H

#include "base/log.h"
#include "base/strbuf.h"
#include "capture/events/events.h"
#include "capture/events/instance.h"
#include "capture/facts/comms.h"
#include "capture/facts/curve.h"
#include "capture/facts/slab_counts.h"
#include "capture/facts/threads.h"
#include "recording/writer.h"
#include "symbol/elf.h"

/**
 * struct facts - zero-initialise it; facts_free() at the end
 * @writer: filled by facts_compose(); its strings belong to @texts
 * @failed: memory ran out for something that was read; facts_compose() fails then
 */
struct facts {
	struct system_texts texts;
	struct comms comms;
	struct tasks_ran ran; /* how long each task had run when tracing began */
	uint32_t ran_self;    /* the recorder */
	struct curve curve;   /* the kernel's counts so far */
	struct slab_files slab_files;
	struct strbuf processes; /* facts_keep_processes() */
	bool long_lists;	 /* read the kernel's long lists, however long it takes */
	bool no_proc;		 /* /proc's process numbers are not the kernel's */
	bool failed;
	struct writer_facts writer;
};

/* Adds a metadata item, in place of an earlier one of that name; text and name are copied. */
void facts_add_meta(struct facts *f, const char *name, const char *text, size_t size);
/* Reads pagetypeinfo, slabinfo, zoneinfo, buddyinfo, vmstat, meminfo and min_free_kbytes as
 * NAME.@when ("before", "after"), and the slabs that CPUs hold (slab_cpu.after). Skips what the
 * kernel does not have, and what facts_memory() has read.
 */
void facts_snapshot(struct facts *f, const char *when, const struct log *log);
/* Reads what page frames are used for and who owns slab objects. Slow: call it right before tracing
 * begins.
 */
void facts_add_opening(struct facts *f, const struct log *log);
/* Reads meminfo, zoneinfo and buddyinfo as NAME.@when, with tracing on, in place of earlier
 * readings. Call it after caches are shrunk at the beginning, and before they are shrunk at the
 * end: no event records the pages that this process frees.
 */
void facts_memory(struct facts *f, const char *when, const struct log *log);
/* Opens the files from which caches are counted and keeps them open until facts_free(), so that
 * opening files does not make two counts differ. Call it first of all.
 */
void facts_hold_slab_files(struct facts *f);
/* Counts the objects of every slab cache, one cache after the other, while tracing is on, into
 * slab_counts.@when ("before", "after"; slab_counts.h). With the times, events show what was
 * allocated and freed close to each count. At most @shrink_ns are spent on shrinking caches before
 * they are counted. Counts nothing if user space cannot read the trace clock. With "before",
 * rereads slabinfo.before first.
 */
void facts_count_slabs(struct facts *f, const char *when, uint64_t shrink_ns,
		       const struct log *log);
/* Adds the current task names (saved_cmdlines, then /proc). */
void facts_add_comms(struct facts *f);
/* Adds only the names of saved_cmdlines: cheap, but the kernel drops old ones. 0 or -ENOMEM. */
int facts_add_saved_comms(struct facts *f) __must_check;
/* With tracing on, adds the threads that started after facts_snapshot() made its list. */
void facts_add_begun(struct facts *f, const struct log *log);
/* Lists the live threads, and keeps those of earlier lists that have ended, within bounds. */
void facts_keep_processes(struct facts *f);
/* Adds the kept threads that facts_snapshot() no longer found. */
void facts_add_gone(struct facts *f);
/* Reads how long each task has run, with tracing on. facts_snapshot() reads it again after the
 * recording, and adds RECORDING_META_TASKS_RAN. @self: the recorder, which is left out. Nothing is
 * added if there are too many tasks, if the kernel does not count, or if /proc cannot be read.
 */
void facts_begin_ran(struct facts *f, uint32_t self, const struct log *log);
/* Opens the files from which the kernel's curve is read. If that fails, logs a warning, and there
 * is no curve. @latest: as for curve_open().
 */
void facts_open_curve(struct facts *f, bool latest, const struct log *log);
/* Ends the curve and adds it as RECORDING_META_CURVE, without the moments before @first and after
 * @last, times of the trace clock.
 */
void facts_end_curve(struct facts *f, uint64_t first, uint64_t last,
		     const struct log *log);
/* Reads header_page and header_event of the instance. With larger sub-buffers, its header_page
 * differs from the top-level instance's. 0 or -errno.
 */
int facts_read_headers(struct facts *f, const struct instance *in) __must_check;
/* Appends the statistics of @cpu, which may be RECORDING_FREES_CPU or above. 0 or -errno. */
int facts_read_cpustat(const struct instance *in, uint32_t cpu,
		       struct strbuf *out) __must_check;
/* Adds the statistics of @cpu, after tracing has stopped; @text receives them, owned by @f. */
int facts_add_cpustat(struct facts *f, const struct instance *in, uint32_t cpu,
		      const char **text) __must_check;

/**
 * facts_system() - read what does not change: formats, kallsyms, modules, build id, uname, clocks
 * @list: formats are read for the systems of these events, for kmem and for ftrace
 *
 * Warns if kptr_restrict hides the addresses of kallsyms. Return: 0, -ENOMEM, or -errno if
 * formats are unreadable.
 */
int facts_system(struct facts *f, const struct instance *in,
		 const struct event_list *list, const struct log *log) __must_check;
/* Reads again what may have changed since facts_system(): the slab aliases, which caches are
 * reclaimable, the module list and, if that changed, the kernel's symbols.
 */
void facts_refresh(struct facts *f, const struct log *log);

/* Sets all of @f->writer except file_version, page_size, clock and nr_cpus, from what has been read
 * so far. May be called again. 0 or -ENOMEM.
 */
int facts_compose(struct facts *f) __must_check;
void facts_free(struct facts *f);

/* Finds the clock of clock_gettime(2) that is the trace clock. False if none is. */
bool facts_clock(const char *trace_clock, clockid_t *clock);
/* The number after "KEY: " in statistics or meminfo text; 0 if absent. */
uint64_t facts_number(const char *text, const char *key);
/* The time after "KEY", such as "now ts:", in statistics: ns if the clock counts time, which the
 * kernel prints as seconds with a fraction, "1535.858089"; else the number as printed. 0 if absent.
 */
uint64_t facts_time(const char *text, const char *key);
/* The bytes after "KEY: " in /proc/meminfo; 0 if unknown. */
uint64_t facts_meminfo(const char *key);

/* Reads the running kernel's build ID. 0; with an empty @id, -ENOENT if it has none, -errno. */
int facts_build_id(char id[ELF_BUILD_ID_MAX]) __must_check;

/**
 * build_ids_of_modules() - read the modules' build IDs
 * @path: /sys/module; each module's note is NAME/notes/.note.gnu.build-id in it
 * @out: receives lines "name hex", sorted by name
 *
 * Leaves out modules without a build ID and built-in modules.
 *
 * Return: 0; -ENOMEM; another -errno of opening @path.
 */
int build_ids_of_modules(const char *path, struct strbuf *out) __must_check;

#endif
