// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/debug_limit.h"

#ifdef HAVE_LIBDW

#include <gelf.h>
#include <libelf.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "symbol/elf.h"

#define NS_A_BYTE     100
#define NS_MORE	      1000000000U
#define UNPACKED      8
#define UNPACKED_MORE (32U << 20)
#define ABBREVS	      4
#define ABBREVS_MORE  (1U << 20)
/* Reads the clock only once in this many calls. */
#define CALLS	      16

bool debug_limit_over(struct debug_limit *limit)
{
	return limit->calls++ % CALLS == 0 &&
	       clock_ns(CLOCK_THREAD_CPUTIME_ID) > limit->end_ns;
}

/* A section's size in memory after decompression; 0: it is not compressed. */
static uint64_t unpacked_size(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	GElf_Chdr chdr;
	Elf_Data *data;

	if (shdr->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &chdr) ? chdr.ch_size : 0;
	/* The older format: "ZLIB", then the size as a big-endian 64-bit number. */
	if (strncmp(elf_section_name(elf, shdr->sh_name), ".zdebug", 7) ||
	    shdr->sh_size < 12)
		return 0;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4))
		return 0;
	return get_u64((const uint8_t *)data->d_buf + 4, true);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int check_sections(const struct debug_limit *limit, Elf *elf)
{
	uint64_t size = limit->size_bytes, packed = 0, unpacked = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		packed = add_up(packed, shdr.sh_size);
		unpacked = add_up(unpacked, unpacked_size(elf, scn, &shdr));
		if (packed / 2 > size || (unpacked > UNPACKED_MORE &&
					  (unpacked - UNPACKED_MORE) / UNPACKED > size))
			return -EFBIG;
	}
	return 0;
}

/* The file's bytes without holes, which cost an attacker nothing. */
static uint64_t data_size(int fd)
{
	off_t data = 0, hole = 0;
	uint64_t size = 0;

	while ((data = lseek(fd, hole, SEEK_DATA)) >= 0 &&
	       (hole = lseek(fd, data, SEEK_HOLE)) > data)
		size += (uint64_t)(hole - data);
	(void)lseek(fd, 0, SEEK_SET);
	return size;
}

void debug_limit_restart(struct debug_limit *limit)
{
	limit->end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + NS_MORE +
			limit->size_bytes * NS_A_BYTE;
}

void debug_limit_pause(struct debug_limit *limit)
{
	uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	limit->left_ns = less(limit->end_ns, now);
}

void debug_limit_resume(struct debug_limit *limit)
{
	limit->end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + limit->left_ns;
	limit->calls = 0;
}

int debug_limit_begin(struct debug_limit *limit, int fd)
{
	Elf *elf = elf_read(fd);
	int ret;

	*limit = (struct debug_limit){ .size_bytes = data_size(fd) };
	debug_limit_restart(limit);
	/* libdwfl would search compressed data for an ELF file, without any bound. */
	ret = elf ? check_sections(limit, elf) : -ENOEXEC;
	elf_end(elf);
	return ret;
}

ORDER_NUMBERS(compare_offsets, uint64_t)

/* Total bytes of the units' tables, each counted once for every unit that uses it; a table ends
 * where the next one begins.
 */
static uint64_t tables_size(uint64_t *tables, size_t nr, uint64_t end)
{
	uint64_t all = 0, size;
	size_t i, behind = nr; /* the last entry with the same table */

	qsort(tables, nr, sizeof(*tables), compare_offsets);
	for (i = nr; i-- > 0;) {
		if (i > 0 && tables[i - 1] == tables[i])
			continue;
		size = less(end, tables[i]);
		if (__builtin_mul_overflow(size, behind - i, &size))
			return UINT64_MAX;
		all = add_up(all, size);
		end = size ? tables[i] : end;
		behind = i;
	}
	return all;
}

/* The end of the last table. libdw has decompressed the section by now. */
static uint64_t section_size(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr)
					   ? elf_section_name(elf, shdr.sh_name)
					   : "";

		if (!strcmp(name, ".debug_abbrev") || !strcmp(name, ".zdebug_abbrev"))
			return shdr.sh_size;
	}
	return 0;
}

int debug_limit_units(const struct debug_limit *limit, Dwarf *dwarf)
{
	Dwarf_Off at = 0, next, table;
	uint64_t *tables __auto_mem = NULL, all;
	size_t nr = 0, header;
	int ret = 0;

	while (!ret && dwarf_next_unit(dwarf, at, &next, &header, NULL, &table, NULL,
				       NULL, NULL, NULL) == 0) {
		ret = ARRAY_ADD(tables, nr, table);
		at = next;
	}
	all = nr ? tables_size(tables, nr, section_size(dwarf_getelf(dwarf))) : 0;
	if (!ret && all > ABBREVS_MORE &&
	    (all - ABBREVS_MORE) / ABBREVS > limit->size_bytes)
		ret = -EFBIG;
	return ret;
}

#endif
