// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_system.h"

#include "base/bytes.h"
#include "symbol/symbols.h"

/* Size of task names, including the NUL. */
#define COMM_MAX	   16U
/* The misc bits for the origin of a record, and their value for the kernel. */
#define MISC_CPU_MODE	   7U
#define MISC_KERNEL	   1U
#define NO_TASK		   UINT32_MAX
/* The misc bit that says that a build ID record includes the size of the ID. */
#define MISC_BUILD_ID_SIZE (1U << 15)
/* Layout of a build ID record after the task's number. */
#define BUILD_ID_MAX	   (PERF_MAX_BUILD_ID / 2)
#define BUILD_ID_SIZE	   (4U + BUILD_ID_MAX)
#define BUILD_ID_NAME	   (4U + 24U)
#define ID_INDEX_ENTRY	   32U
#define KSYMBOL_NAME	   16U
#define KSYMBOL_GONE	   1U

/* --- sections ---------------------------------------------------------------------------- */

/* {u32 len, text padded with NULs}: copies the printable characters. */
static void copy_word(struct byte_reader *r, char *out, size_t size)
{
	uint32_t len = byte_reader_u32(r);
	const uint8_t *p;
	size_t i;

	len = (uint32_t)SMALLER(len, byte_reader_left(r));
	p = byte_reader_skip(r, len);
	for (i = 0; p && i < len && i < size - 1 && p[i]; i++)
		out[i] = p[i] <= ' ' || p[i] == 0x7f ? '_' : (char)p[i];
	out[i] = '\0';
}

/* u32 number, then that many words. */
static void copy_cmdline(struct perf_system *s, struct byte_reader *r)
{
	uint32_t nr = byte_reader_u32(r);
	size_t at = 0;

	s->cmdline[0] = '\0';
	for (uint32_t i = 0; i < nr && byte_reader_left(r); i++) {
		char word[PERF_MAX_WORD];

		copy_word(r, word, sizeof(word));
		s->filtered |= !strncmp(word, "--filter", 8);
		if (at < sizeof(s->cmdline))
			at += (size_t)snprintf(s->cmdline + at, sizeof(s->cmdline) - at,
					       "%s%s", i ? " " : "", word);
	}
}

/* pid, build ID, then the file's name. */
static void read_build_id(struct perf_system *s, const struct perf_record *rec)
{
	const char *name = (const char *)rec->data + BUILD_ID_NAME;
	size_t len = BUILD_ID_MAX, name_size;

	if (rec->size <= BUILD_ID_NAME || (rec->misc & MISC_CPU_MODE) != MISC_KERNEL)
		return;
	name_size = strnlen(name, rec->size - BUILD_ID_NAME);
	/* Modules are listed, too. */
	if (memmem(name, name_size, ".ko", 3) ||
	    (name[0] == '[' && (name_size < 8 || memcmp(name, "[kernel.", 8) != 0)))
		return;
	if (rec->misc & MISC_BUILD_ID_SIZE && rec->data[BUILD_ID_SIZE] < BUILD_ID_MAX)
		len = rec->data[BUILD_ID_SIZE];
	for (size_t i = 0; i < len; i++)
		snprintf(s->build_id + 2 * i, 3, "%02x", rec->data[4 + i]);
}

void perf_system_feature(struct perf_system *s, unsigned int feature, const uint8_t *data,
			 size_t size, bool big_endian)
{
	struct byte_reader r = byte_reader(data, size, big_endian);
	char *const words[PERF_FEATURES] = {
		[PERF_FEATURE_HOSTNAME] = s->host,
		[PERF_FEATURE_RELEASE] = s->release,
		[PERF_FEATURE_MACHINE] = s->machine,
		[PERF_FEATURE_VERSION] = s->perf_version,
	};

	if (feature < PERF_FEATURES && words[feature])
		copy_word(&r, words[feature], PERF_MAX_WORD);
	else if (feature == PERF_FEATURE_NR_CPUS)
		s->nr_cpus = byte_reader_u32(&r);
	else if (feature == PERF_FEATURE_CMDLINE)
		copy_cmdline(s, &r);
}

/* --- tasks ------------------------------------------------------------------------------- */

static int set_task(struct perf_system *s, uint32_t tid, uint32_t comm)
{
	uint32_t *slot;

	if (!u64_map_find(&s->tasks, tid) && s->tasks.count == PERF_MAX_TASKS)
		return 0;
	slot = u64_map_insert(&s->tasks, tid, comm);
	if (!slot)
		return -ENOMEM;
	*slot = comm;
	return 0;
}

/* pid, tid, comm */
static int read_comm(struct perf_system *s, const struct perf_record *rec)
{
	char comm[COMM_MAX];
	uint32_t id;
	size_t len;

	if (rec->size < 9)
		return 0;
	len = strnlen((const char *)rec->data + 8,
		      rec->size - 8 < COMM_MAX ? rec->size - 8 : COMM_MAX);
	if (!len || !get_u32(rec->data + 4, rec->big_endian))
		return 0;
	/* Each name gets a line of its own. */
	for (size_t i = 0; i < len; i++)
		comm[i] = rec->data[8 + i] == '\n' ? ' ' : (char)rec->data[8 + i];
	id = intern_id(&s->comms, comm, len);
	return id ? set_task(s, get_u32(rec->data + 4, rec->big_endian), id) : -ENOMEM;
}

/* pid, ppid, tid, ptid: a new task keeps its parent's name until it sets another. */
static int read_fork(struct perf_system *s, const struct perf_record *rec)
{
	const uint32_t *comm;

	if (rec->size < 16 ||
	    u64_map_find(&s->tasks, get_u32(rec->data + 8, rec->big_endian)))
		return 0;
	comm = u64_map_find(&s->tasks, get_u32(rec->data + 12, rec->big_endian));
	return comm ? set_task(s, get_u32(rec->data + 8, rec->big_endian), *comm) : 0;
}

/* --- mappings ---------------------------------------------------------------------------- */

/* "/lib/modules/R/kernel/fs/xfs/xfs.ko.xz", or "[xfs]": the kernel knows it as xfs. */
static size_t module_name(const char *path, size_t len, char *out, size_t size)
{
	const char *slash = memrchr(path, '/', len);
	const char *start = slash ? slash + 1 : path, *end = path + len;
	const char *dot = memmem(start, (size_t)(end - start), ".ko", 3);
	size_t nr = 0;

	if (*start == '[' && memchr(start, ']', (size_t)(end - start))) {
		end = memchr(start, ']', (size_t)(end - start));
		start++;
	} else if (dot) {
		end = dot;
	} else {
		return 0;
	}
	for (; start < end && nr < size - 1; start++)
		out[nr++] = *start == '-' || (unsigned char)*start <= ' ' ? '_' : *start;
	out[nr] = '\0';
	return nr;
}

/* pid, tid, address, length, offset, and the name of the kernel itself or of a module. */
static void read_mmap(struct perf_system *s, const struct perf_record *rec,
		      size_t name_at)
{
	const char *name = (const char *)rec->data + name_at;
	uint64_t start, size;
	char module[PERF_MAX_WORD];
	size_t len;

	if (rec->size <= name_at || (rec->misc & MISC_CPU_MODE) != MISC_KERNEL)
		return;
	len = strnlen(name, rec->size - name_at);
	if (!len)
		return;
	start = get_u64(rec->data + 8, rec->big_endian);
	size = get_u64(rec->data + 16, rec->big_endian);
	if (len >= 8 && !memcmp(name, "[kernel.", 8)) {
		const char *symbol = memchr(name, ']', len);

		s->kernel_text = get_u64(rec->data + 24, rec->big_endian);
		s->kernel_end = start + size;
		snprintf(s->text_symbol, sizeof(s->text_symbol), "%.*s",
			 symbol ? (int)(name + len - symbol - 1) : 0,
			 symbol ? symbol + 1 : "");
		return;
	}
	if (s->nr_modules == PERF_MAX_MODULES ||
	    !module_name(name, len, module, sizeof(module)))
		return;
	s->nr_modules++;
	strbuf_printf(&s->modules, "%s %" PRIu64 " 0 - Live 0x%016" PRIx64 "\n", module,
		      size, start);
}

/* u64 address, u32 size, u16 kind, u16 flags, and a name: a program that was loaded or unloaded. */
static void read_ksymbol(struct perf_system *s, const struct perf_record *rec)
{
	const char *name = (const char *)rec->data + KSYMBOL_NAME;
	size_t len;

	if (rec->size <= KSYMBOL_NAME || s->nr_ksymbols == PERF_MAX_KSYMBOLS ||
	    get_u16(rec->data + 14, rec->big_endian) & KSYMBOL_GONE)
		return;
	len = strnlen(name, rec->size - KSYMBOL_NAME);
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] == 0x7f)
			return;
	if (!len || len >= PERF_MAX_WORD)
		return;
	s->nr_ksymbols++;
	strbuf_printf(&s->ksymbols, "%016" PRIx64 " t %.*s\t[bpf]\n",
		      get_u64(rec->data, rec->big_endian), (int)len, name);
}

/* Per-task events have the tasks' numbers here; system-wide ones have none. */
static void read_id_index(struct perf_system *s, const struct perf_record *rec)
{
	for (size_t at = 8; at + ID_INDEX_ENTRY <= rec->size; at += ID_INDEX_ENTRY)
		if ((uint32_t)get_u64(rec->data + at + 24, rec->big_endian) != NO_TASK)
			s->some_tasks = true;
}

int perf_system_record(struct perf_system *s, const struct perf_record *rec)
{
	switch (rec->type) {
	case PERF_COMM:
		return read_comm(s, rec);
	case PERF_FORK:
		return read_fork(s, rec);
	case PERF_MMAP:
		read_mmap(s, rec, 32);
		return 0;
	case PERF_MMAP2:
		read_mmap(s, rec, 64);
		return 0;
	case PERF_KSYMBOL:
		read_ksymbol(s, rec);
		return 0;
	case PERF_HEADER_BUILD_ID:
		read_build_id(s, rec);
		return 0;
	case PERF_ID_INDEX:
		read_id_index(s, rec);
		return 0;
	default:
		return 0;
	}
}

/* --- texts ------------------------------------------------------------------------------- */

/* Keeps the "pid comm" lines of tasks that have no name yet. */
static int keep_unnamed(const struct perf_system *s, struct strbuf *cmdlines)
{
	struct strbuf kept = { 0 };
	const char *line = strbuf_text(cmdlines);

	while (*line) {
		const char *end = strchrnul(line, '\n');

		if (!u64_map_find(&s->tasks, strtoull(line, NULL, 10))) {
			strbuf_add(&kept, line, (size_t)(end - line));
			strbuf_puts(&kept, "\n");
		}
		line = *end ? end + 1 : end;
	}
	strbuf_free(cmdlines);
	*cmdlines = kept;
	return kept.failed ? -ENOMEM : 0;
}

int perf_system_texts(struct perf_system *s, struct system_texts *texts)
{
	int ret = keep_unnamed(s, &texts->cmdlines);

	import_tasks(&texts->cmdlines, &s->tasks, &s->comms);
	if (!ret && (s->modules.failed || s->ksymbols.failed))
		ret = -ENOMEM;
	if (!ret && s->modules.size)
		ret = text_list_take(&texts->meta, "modules", &s->modules);
	return ret;
}

void perf_system_free(struct perf_system *s)
{
	intern_free(&s->comms);
	u64_map_free(&s->tasks);
	strbuf_free(&s->modules);
	strbuf_free(&s->ksymbols);
}

/* --- symbols ----------------------------------------------------------------------------- */

uint64_t perf_symbols_find(const char *text, const char *name)
{
	const char *p = text, *end = text + strlen(text);
	const size_t size = strlen(name);
	struct symbol_line l;

	while (size && symbol_line_next(&l, &p, end))
		if (!l.module_len && l.name_len == size && !memcmp(l.name, name, size))
			return l.addr;
	return 0;
}

bool perf_symbols_fit(const char *text, const struct perf_system *kernel)
{
	return kernel->kernel_text &&
	       perf_symbols_find(text, kernel->text_symbol) == kernel->kernel_text &&
	       (*kernel->build_id ||
		(kernel->kernel_end &&
		 perf_symbols_find(text, "_etext") == kernel->kernel_end));
}

static void move_all(struct strbuf *out, const char *text, uint64_t from, uint64_t by)
{
	const char *p = text, *end = text + strlen(text);
	struct symbol_line l;

	while (symbol_line_next(&l, &p, end))
		/* Lower values are offsets, for example of per-CPU variables. */
		if (!l.module_len)
			symbol_line_add(out, &l, l.addr < from ? 0 : by);
}

int perf_symbols_add(struct strbuf *out, const char *text, const struct perf_system *s,
		     uint64_t *moved)
{
	uint64_t there = s->kernel_text ? perf_symbols_find(text, s->text_symbol) : 0;

	*moved = there ? s->kernel_text - there : 0;
	if (*moved)
		move_all(out, text, there, *moved);
	else
		strbuf_puts(out, text);
	if (out->size && out->data[out->size - 1] != '\n')
		strbuf_puts(out, "\n");
	if (s->ksymbols.size)
		strbuf_add(out, s->ksymbols.data, s->ksymbols.size);
	return out->failed ? -ENOMEM : 0;
}
