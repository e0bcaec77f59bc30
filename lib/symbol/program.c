// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: reads the ELF file of a program or a library, or a JIT compiler's perf map.
 * In: a file, and optionally the one with its debug symbols. Out: the function at an offset.
 */
#include "symbol/user_symbols.h"

#include <gelf.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "symbol/elf.h"

/* More segments, functions and bytes of names than any program has. */
#define MAX_SEGMENTS  64U
#define MAX_FUNCTIONS (4U << 20)
#define MAX_NAMES     (512U << 20)
/* Larger perf maps of a JIT compiler are not used. */
#define MAX_JIT	      (64U << 20)
/* Longer names are left out. */
#define MAX_NAME      512U

struct segment {
	uint64_t offset, address, size;
};

struct function {
	uint64_t address, size;
	size_t name; /* offset in the names */
};

struct program {
	struct segment segments[MAX_SEGMENTS];
	size_t nr_segments;
	struct function *functions;
	size_t nr;
	struct strbuf names;
};

static void read_segments(struct program *p, Elf *elf)
{
	GElf_Phdr ph;
	size_t nr = 0;

	if (elf_getphdrnum(elf, &nr))
		return;
	for (size_t i = 0; i < nr && p->nr_segments < MAX_SEGMENTS; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph))
			return;
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			p->segments[p->nr_segments++] =
				(struct segment){ ph.p_offset, ph.p_vaddr, ph.p_filesz };
	}
}

/* The kernel's symbol lines end names at a blank. */
static bool is_name(const char *name)
{
	size_t len = strnlen(name, MAX_NAME);

	return len && len < MAX_NAME && !ANY(i, len, name[i] <= ' ' || name[i] == 0x7f);
}

static int add_function(struct program *p, const GElf_Sym *sym, const char *name)
{
	if (p->nr >= MAX_FUNCTIONS || p->names.size >= MAX_NAMES || !is_name(name))
		return 0;
	if (ARRAY_ADD(p->functions, p->nr,
		      (struct function){ sym->st_value, sym->st_size, p->names.size }))
		return -ENOMEM;
	strbuf_add(&p->names, name, strlen(name) + 1);
	return p->names.failed ? -ENOMEM : 0;
}

/* The ELF specification allows one table of each type. */
static int read_symbols(struct program *p, Elf *elf, uint32_t type)
{
	Elf_Scn *scn = elf_find_section(elf, type, 0);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr sh;
	GElf_Sym sym;
	size_t nr;
	int ret = 0;

	if (!data || !gelf_getshdr(scn, &sh) || !sh.sh_entsize ||
	    !elf_names_end(elf, sh.sh_link))
		return 0;
	nr = data->d_size / sh.sh_entsize;
	for (size_t i = 0; !ret && i < nr && i < INT32_MAX; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF ||
		    (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC))
			continue;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		ret = name ? add_function(p, &sym, name) : 0;
	}
	return ret;
}

static int read_file(struct program *p, int fd, bool segments)
{
	Elf *elf = elf_read(fd);
	int ret = 0;

	if (!elf)
		return -ENOEXEC;
	if (segments)
		read_segments(p, elf);
	if (!p->nr)
		ret = read_symbols(p, elf, SHT_SYMTAB);
	if (!ret && !p->nr)
		ret = read_symbols(p, elf, SHT_DYNSYM);
	elf_end(elf);
	return ret;
}

/* program_function() takes the last function at an address: that must be the table's first. */
ORDER(compare, struct function, UP(address) ?: DOWN(name))

int program_open(struct program **out, int fd, int symbols_fd)
{
	struct program *p = calloc(1, sizeof(*p));
	int ret = p ? 0 : -ENOMEM;

	if (!ret && symbols_fd >= 0)
		ret = read_file(p, symbols_fd, false);
	if (!ret || ret == -ENOEXEC)
		ret = p ? read_file(p, fd, true) : -ENOMEM;
	if (ret) {
		program_close(p);
		return ret;
	}
	if (p->nr)
		qsort(p->functions, p->nr, sizeof(*p->functions), compare);
	*out = p;
	return 0;
}

/* Adds a line of a JIT compiler's perf map. 0 or -ENOMEM. */
static int add_jit(struct program *p, const char *line)
{
	struct function f;
	char *end;

	f.address = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return 0;
	line = end + 1;
	f.size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !f.size || !end[1])
		return 0;
	f.name = (size_t)(end + 1 - p->names.data);
	return ARRAY_ADD(p->functions, p->nr, f);
}

/* Likewise, but the newest function must be last. */
ORDER_BY(compare_jit, struct function, address, name)

int program_open_jit(struct program **out, int fd)
{
	struct program *p = calloc(1, sizeof(*p));
	int ret = !p ? -ENOMEM : lseek(fd, 0, SEEK_SET) ? -errno : 0;
	char *next, *line;

	ret = ret ?: text_read(&p->names, fd, MAX_JIT);
	next = ret ? NULL : p->names.data;
	while (ret != -ENOMEM && (line = strsep(&next, "\n")))
		ret = add_jit(p, line);
	if (ret == -ENOMEM) {
		program_close(p);
		return ret;
	}
	if (p->nr)
		qsort(p->functions, p->nr, sizeof(*p->functions), compare_jit);
	*out = p;
	return 0;
}

void program_close(struct program *p)
{
	if (!p)
		return;
	free(p->functions);
	strbuf_free(&p->names);
	free(p);
}

uint64_t program_address(const struct program *p, uint64_t offset)
{
	for_each(s, p->segments, p->nr_segments) {
		if (offset >= s->offset && offset - s->offset < s->size)
			return s->address + (offset - s->offset);
	}
	return offset;
}

const char *program_function(const struct program *p, uint64_t address, uint64_t *start)
{
	size_t nr = COUNT_FIRST(i, p->nr, p->functions[i].address <= address);
	const struct function *f;

	if (!nr)
		return NULL;
	f = &p->functions[nr - 1];
	/* Functions in assembly may have no size. */
	if (f->size && address - f->address >= f->size)
		return NULL;
	*start = f->address;
	return p->names.data + f->name;
}
