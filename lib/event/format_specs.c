// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: which events are decoded, and which of their fields.
 * In: an event's name. Out: its type, and the names of its fields.
 */

#include "event/formats.h"

/* The system of the recorder's probes: this, or with its pid behind it. */
#define PROBES "kmemx"

static const struct field_spec slab_alloc_fields[] = {
	{ "call_site", SLAB_CALLSITE, true, NULL },
	{ "ptr", SLAB_PTR, true, NULL },
	{ "name", SLAB_NAME, false, NULL },
	{ "bytes_req", SLAB_BYTES_REQ, true, NULL },
	{ "bytes_alloc", SLAB_BYTES_ALLOC, true, NULL },
	{ "gfp_flags", SLAB_GFP, true, NULL },
	{ "node", SLAB_NODE, false, NULL },
	{ "accounted", SLAB_ACCOUNTED, false, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec slab_free_fields[] = {
	{ "call_site", SLAB_CALLSITE, true, NULL },
	{ "ptr", SLAB_PTR, true, NULL },
	{ "name", SLAB_NAME, false, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec page_alloc_fields[] = {
	{ "pfn", PAGE_PFN, true, "page" },
	{ "order", PAGE_ORDER, true, NULL },
	{ "gfp_flags", PAGE_GFP, true, NULL },
	{ "migratetype", PAGE_MIGRATETYPE, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec page_zone_fields[] = {
	{ "pfn", PAGE_PFN, true, "page" },
	{ "order", PAGE_ORDER, true, NULL },
	{ "migratetype", PAGE_MIGRATETYPE, true, NULL },
	{ "percpu_refill", PAGE_REFILL, false, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec page_free_fields[] = {
	{ "pfn", PAGE_PFN, true, "page" },
	{ "order", PAGE_ORDER, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec page_batched_fields[] = {
	{ "pfn", PAGE_PFN, true, "page" },
	{ NULL, 0, false, NULL },
};

static const struct field_spec extfrag_fields[] = {
	{ "pfn", EXTFRAG_PFN, true, "page" },
	{ "alloc_order", EXTFRAG_ALLOC_ORDER, true, NULL },
	{ "fallback_order", EXTFRAG_FALLBACK_ORDER, true, NULL },
	{ "alloc_migratetype", EXTFRAG_ALLOC_MIGRATETYPE, true, NULL },
	{ "fallback_migratetype", EXTFRAG_FALLBACK_MIGRATETYPE, true, NULL },
	{ "change_ownership", EXTFRAG_CHANGE_OWNERSHIP, false, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec free_rcu_fields[] = {
	{ "__probe_ip", OBJECTS_CALLSITE, false, NULL },
	{ "head", OBJECTS_HEAD, true, NULL },
	{ "ptr", OBJECTS_PTR, false, NULL },
	{ "func", OBJECTS_FUNC, false, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec free_bulk_fields[] = {
	{ "__probe_ip", OBJECTS_CALLSITE, false, NULL },
	{ "nr", OBJECTS_NR, true, NULL },
	{ "p", OBJECTS_PTR, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec alloc_bulk_fields[] = {
	{ "__probe_ret_ip", OBJECTS_CALLSITE, false, "call_site" },
	{ "nr", OBJECTS_NR, true, NULL },
	{ "p", OBJECTS_PTR, true, NULL },
	{ "ret", OBJECTS_RET, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec vmalloc_alloc_fields[] = {
	{ "addr", SLAB_PTR, true, NULL },
	{ "size", AREA_SIZE, true, NULL },
	{ "failed", AREA_FAILED, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec vmalloc_free_fields[] = {
	{ "va_start", SLAB_PTR, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec percpu_alloc_fields[] = {
	{ "call_site", SLAB_CALLSITE, false, NULL },
	{ "ptr", SLAB_PTR, true, NULL },
	{ "size", AREA_SIZE, true, NULL },
	{ "bytes_alloc", AREA_BYTES_ALLOC, false, NULL },
	{ "gfp_flags", SLAB_GFP, false, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec percpu_free_fields[] = {
	{ "ptr", SLAB_PTR, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec task_new_fields[] = {
	{ "pid", TASK_PID, true, NULL },
	{ "comm", TASK_NAME, true, NULL },
	{ "clone_flags", TASK_CLONE_FLAGS, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec task_rename_fields[] = {
	{ "pid", TASK_PID, false, NULL },
	{ "newcomm", TASK_NAME, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec group_move_fields[] = {
	{ "dst_root", GROUP_HIERARCHY, true, NULL },
	{ "dst_path", GROUP_PATH, true, NULL },
	{ "pid", GROUP_PID, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec group_remove_fields[] = {
	{ "root", GROUP_HIERARCHY, true, NULL },
	{ "path", GROUP_PATH, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec call_fields[] = {
	{ "id", CALL_ID, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct field_spec no_fields[] = { { NULL, 0, false, NULL } };

static const struct field_spec stack_fields[] = {
	{ "size", STACK_SIZE, true, NULL },
	{ "caller", STACK_CALLER, true, NULL },
	{ NULL, 0, false, NULL },
};

static const struct event_spec specs[] = {
	{ "kmem", "kmalloc", KMEM_KMALLOC, slab_alloc_fields },
	{ "kmem", "kmalloc_node", KMEM_KMALLOC_NODE, slab_alloc_fields },
	{ "kmem", "kmem_cache_alloc", KMEM_CACHE_ALLOC, slab_alloc_fields },
	{ "kmem", "kmem_cache_alloc_node", KMEM_CACHE_ALLOC_NODE, slab_alloc_fields },
	{ "kmem", "kfree", KMEM_KFREE, slab_free_fields },
	{ "kmem", "kmem_cache_free", KMEM_CACHE_FREE, slab_free_fields },
	{ "kmem", "mm_page_alloc", KMEM_PAGE_ALLOC, page_alloc_fields },
	{ "kmem", "mm_page_free", KMEM_PAGE_FREE, page_free_fields },
	{ "kmem", "mm_page_free_batched", KMEM_PAGE_FREE_BATCHED, page_batched_fields },
	{ "kmem", "mm_page_alloc_zone_locked", KMEM_PAGE_ALLOC_ZONE_LOCKED,
	  page_zone_fields },
	{ "kmem", "mm_page_pcpu_drain", KMEM_PAGE_PCPU_DRAIN, page_zone_fields },
	{ "kmem", "mm_page_alloc_extfrag", KMEM_PAGE_ALLOC_EXTFRAG, extfrag_fields },
	{ "ftrace", "kernel_stack", KMEM_KERNEL_STACK, stack_fields },
	{ PROBES, "rcu_free", KMEM_FREE_RCU, free_rcu_fields },
	{ PROBES, "free_bulk", KMEM_FREE_BULK, free_bulk_fields },
	{ PROBES, "alloc_bulk", KMEM_ALLOC_BULK, alloc_bulk_fields },
	{ "vmalloc", "alloc_vmap_area", KMEM_VMALLOC_ALLOC, vmalloc_alloc_fields },
	{ "vmalloc", "free_vmap_area_noflush", KMEM_VMALLOC_FREE, vmalloc_free_fields },
	{ "percpu", "percpu_alloc_percpu", KMEM_PERCPU_ALLOC, percpu_alloc_fields },
	{ "percpu", "percpu_free_percpu", KMEM_PERCPU_FREE, percpu_free_fields },
	{ "sched", "sched_process_exit", KMEM_TASK_EXIT, no_fields },
	{ "task", "task_newtask", KMEM_TASK_NEW, task_new_fields },
	{ "task", "task_rename", KMEM_TASK_RENAME, task_rename_fields },
	{ "cgroup", "cgroup_attach_task", KMEM_GROUP_MOVE, group_move_fields },
	{ "cgroup", "cgroup_transfer_tasks", KMEM_GROUP_MOVE, group_move_fields },
	{ "cgroup", "cgroup_rmdir", KMEM_GROUP_REMOVE, group_remove_fields },
	{ "raw_syscalls", "sys_enter", KMEM_CALL_ENTER, call_fields },
	{ "raw_syscalls", "sys_exit", KMEM_CALL_EXIT, call_fields },
};

/* Is it @wanted? The recorder's probes are of a system of their own, kmemx_PID. */
static bool is_system(const char *system, const char *wanted)
{
	size_t len = strlen(PROBES);

	if (strcmp(wanted, PROBES) != 0 || strncmp(system, PROBES "_", len + 1) != 0)
		return !strcmp(system, wanted);
	system += len + 1;
	return *system && !system[strspn(system, "0123456789")];
}

const struct event_spec *format_spec_find(const char *system, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		if (is_system(system, specs[i].system) && !strcmp(specs[i].name, name))
			return &specs[i];
	}
	return NULL;
}
