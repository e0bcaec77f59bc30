/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the contents of a recording other than events.
 * In: tracefs, /proc, /sys. Out: the writer's facts.
 */
#ifndef KMEMX_CAPTURE_FACTS_H
#define KMEMX_CAPTURE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "capture/comms.h"
#include "capture/events.h"
#include "capture/instance.h"
#include "recording/system_texts.h"
#include "recording/writer.h"

/**
 * struct facts - zero-initialise it; facts_free() at the end
 * @writer: filled by facts_compose(); its strings are those of @texts
 */
struct facts {
	struct system_texts texts;
	struct comms comms;
	bool no_proc; /* its process numbers are not the kernel's */
	struct writer_facts writer;
};

/* A metadata item; text and name are copied. */
int facts_add_meta(struct facts *f, const char *name, const char *text,
		   size_t size) __must_check;
/* Gives an item that is there another text. 0 or -ENOMEM. */
int facts_change_meta(struct facts *f, const char *name, const char *text) __must_check;
/* pagetypeinfo, slabinfo, zoneinfo, buddyinfo, vmstat, meminfo and min_free_kbytes, named
 * NAME.@when ("before", "after"), and what CPUs hold of slab caches (slab_cpu.after). What the
 * kernel does not have is left out.
 */
int facts_snapshot(struct facts *f, const char *when, const struct log *log) __must_check;
/* Reads slabinfo.before again, with tracing on: nothing is allocated between it and the first
 * event. 0 or -ENOMEM.
 */
int facts_slabinfo_again(struct facts *f, const struct log *log) __must_check;
/* Counts the objects of every slab cache, one cache after the other, while tracing is on, into
 * slab_counts.@when ("before", "after"; slab_counts.h): with the times, events tell what was
 * allocated and freed next to each count. At most @shrink_ns go into shrinking caches before
 * they are counted. Without a clock that user space has too there is no count. 0 or -ENOMEM.
 */
int facts_count_slabs(struct facts *f, const char *when, uint64_t shrink_ns,
		      const struct log *log) __must_check;
/* Task names as of now (saved_cmdlines, then /proc). */
int facts_add_comms(struct facts *f) __must_check;
/* The kernel's list of names alone, which is cheap: old names fall out of it. 0 or -ENOMEM. */
int facts_add_saved_comms(struct facts *f) __must_check;
/* header_page of the instance (larger sub-buffers have another than the top buffer's). */
int facts_read_headers(struct facts *f, const struct instance *in) __must_check;
/* Statistics of @cpu, after tracing has stopped. */
int facts_add_cpustat(struct facts *f, const struct instance *in,
		      uint32_t cpu) __must_check;

/**
 * facts_system() - read what stays the same: formats, kallsyms, modules, build id, uname,
 * clocks
 * @list: the systems of these events, all of kmem and ftrace give the formats
 *
 * Warns if kptr_restrict hides the addresses of kallsyms. Return: 0, -ENOMEM, or -errno if
 * formats are unreadable.
 */
int facts_system(struct facts *f, const struct instance *in,
		 const struct event_list *list, const struct log *log) __must_check;

/**
 * facts_refresh() - read again what may have changed since facts_system()
 *
 * Caches that came and, if modules did, the kernel's symbols. Return: 0 or -ENOMEM.
 */
int facts_refresh(struct facts *f, const struct log *log) __must_check;

/* Sets all of @f->writer but file_version, page_size, clock and nr_cpus, from what has been
 * read so far. May be called again. 0 or -ENOMEM.
 */
int facts_compose(struct facts *f) __must_check;
void facts_free(struct facts *f);

/* The number behind "KEY: " in statistics or meminfo text; 0 if absent. */
uint64_t facts_number(const char *text, const char *key);

#endif
