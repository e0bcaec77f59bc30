// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/program.h"

#include <gelf.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "symbol/elf.h"

/* More segments, functions and bytes of names than any program has. */
#define MAX_SEGMENTS  64U
#define MAX_FUNCTIONS (4U << 20)
#define MAX_NAMES     (512U << 20)
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
	size_t nr, capacity;
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

	for (size_t i = 0; i < len; i++) {
		if (name[i] <= ' ' || name[i] == 0x7f)
			return false;
	}
	return len && len < MAX_NAME;
}

static int add_function(struct program *p, const GElf_Sym *sym, const char *name)
{
	if (p->nr >= MAX_FUNCTIONS || p->names.size >= MAX_NAMES || !is_name(name))
		return 0;
	if (array_reserve(&p->functions, &p->capacity, p->nr + 1, sizeof(*p->functions)))
		return -ENOMEM;
	p->functions[p->nr++] =
		(struct function){ sym->st_value, sym->st_size, p->names.size };
	strbuf_add(&p->names, name, strlen(name) + 1);
	return p->names.failed ? -ENOMEM : 0;
}

static int read_table(struct program *p, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t nr = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	GElf_Sym sym;
	int ret = 0;

	if (!nr || !elf_names_end(elf, sh->sh_link))
		return 0;
	for (size_t i = 0; !ret && i < nr && i < INT32_MAX; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF ||
		    (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC))
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		ret = name ? add_function(p, &sym, name) : 0;
	}
	return ret;
}

static int read_symbols(struct program *p, Elf *elf, uint32_t type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		/* The ELF specification allows one table of each type. */
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type)
			return read_table(p, elf, scn, &sh);
	}
	return 0;
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

/* Of functions at the same address, the one that the table has first is found. */
static int compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? 1 : x->name > y->name ? -1 : 0;
}

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
	for (size_t i = 0; i < p->nr_segments; i++) {
		const struct segment *s = &p->segments[i];

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
