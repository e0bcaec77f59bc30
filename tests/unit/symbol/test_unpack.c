// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: compressed files, symbol/unpack.c, and compressed modules, symbol/module_files.c.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "remove_tree.h"
#include "symbol/module_files.h"
#include "symbol/elf.h"

/* Enough for any packer's output. */
#define ROOM (64U << 20)

static size_t pack_gzip(uint8_t *to, const uint8_t *data, size_t size)
{
#ifdef HAVE_ZLIB
	z_stream z = { 0 };

	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY),
			 Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)data;
	z.avail_in = (unsigned int)size;
	z.next_out = to;
	z.avail_out = ROOM;
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return ROOM - z.avail_out;
#else
	return 0;
#endif
}

static size_t pack_xz(uint8_t *to, const uint8_t *data, size_t size)
{
#ifdef HAVE_LZMA
	size_t at = 0;

	ck_assert_int_eq(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, data, size,
						 to, &at, ROOM),
			 LZMA_OK);
	return at;
#else
	return 0;
#endif
}

static size_t pack_zstd(uint8_t *to, const uint8_t *data, size_t size)
{
#ifdef HAVE_ZSTD
	return ZSTD_compress(to, ROOM, data, size, 1);
#else
	return 0;
#endif
}

/* They return 0 if this build cannot read the format. */
static size_t (*const packers[])(uint8_t *to, const uint8_t *data,
				 size_t size) = { pack_gzip, pack_xz, pack_zstd };
#define NR_PACKERS 3

/* Makes a file of @size bytes and opens it. */
static int file_of(const void *data, size_t size, char path[64])
{
	int fd = memfd_create("packed", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

/* Calls unpack_open() on @size bytes. */
static int open_bytes(const void *data, size_t size)
{
	char path[64];
	int file = file_of(data, size, path), fd = unpack_open(path);

	close(file);
	return fd;
}

static void check_content(int fd, const uint8_t *data, size_t size)
{
	uint8_t *read_back = malloc(size + 1);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(read(fd, read_back, size + 1), (ssize_t)size);
	ck_assert_int_eq(memcmp(read_back, data, size), 0);
	close(fd);
	free(read_back);
}

START_TEST(content_comes_back)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 1000003 };
	const size_t size = sizes[_i / NR_PACKERS];
	uint8_t *data = malloc(size + 1), *packed = malloc(ROOM);
	size_t n, i;

	for (i = 0; i < size; i++)
		data[i] = (uint8_t)(i * 7 ^ i >> 9);
	n = packers[_i % NR_PACKERS](packed, data, size);
	if (n)
		check_content(open_bytes(packed, n), data, size);
	check_content(open_bytes(data, size), data, size); /* not compressed */
	free(data);
	free(packed);
}
END_TEST

START_TEST(what_is_damaged_is_refused)
{
	uint8_t data[5000], *packed = malloc(ROOM);
	size_t n, i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * i >> 3);
	n = packers[_i](packed, data, sizeof(data));
	for (i = 8; i < n; i += 1 + n / 50)
		ck_assert_int_eq(open_bytes(packed, i), -EBADMSG);
	if (n) {
		packed[n / 2] ^= 0x55;
		packed[n / 2 + 1] ^= 0xff;
		packed[n - 6] ^= 0xff; /* the zstd frame has no checksum */
		memset(packed + 12, 0xff, 8);
		ck_assert_int_eq(open_bytes(packed, n), -EBADMSG);
	}
	free(packed);
}
END_TEST

START_TEST(bombs_are_refused)
{
	size_t size = 80U << 20, n;
	uint8_t *zeros = calloc(1, size), *packed = malloc(ROOM);

	n = packers[_i](packed, zeros, size);
	ck_assert_uint_lt(n, 1U << 20);
	if (n)
		ck_assert_int_eq(open_bytes(packed, n), -EFBIG);
	free(zeros);
	free(packed);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
	ck_assert_int_eq(unpack_open("/no/such/file"), -ENOENT);
	ck_assert_int_eq(unpack_open("/tmp"), -EISDIR);
	ck_assert_int_eq(unpack_open("/dev/zero"), -ENODEV);
}
END_TEST

/* --- modules ----------------------------------------------------------------------------- */

#define FILES "fuzz/corpus/fuzz_dwarf"
#define ID    "0123456789abcdef" /* of module-id.ko */

static char top[32];

static void set_up(void)
{
	snprintf(top, sizeof(top), "/tmp/kmemx-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
}

static void tear_down(void)
{
	remove_tree(top);
}

static void put_bytes(const char *path, const void *data, size_t size)
{
	char whole[512], *p;
	int fd;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	for (p = whole + strlen(top) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(whole, 0700);
	}
	fd = open(whole, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
}

/* Copies a module of the corpus below the top directory, compressed by @pack unless that is NULL.
 */
static bool put_module(const char *path, const char *from,
		       size_t (*pack)(uint8_t *, const uint8_t *, size_t))
{
	static uint8_t data[8192];
	uint8_t *packed = malloc(ROOM);
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	ssize_t size = read(fd, data, sizeof(data));
	size_t n = 0;

	ck_assert_int_gt(size, 0);
	close(fd);
	if (pack)
		n = pack(packed, data, (size_t)size);
	if (!pack || n)
		put_bytes(path, pack ? packed : data, pack ? n : (size_t)size);
	free(packed);
	return !pack || n;
}

/* Expects @state for a module with the file @file, and the path of the file found. */
static void expect(const char *file, const char *ids, enum module_state state,
		   const char *found)
{
	struct module_places places = { .ids = ids, .root = top };
	struct module_debug debug;
	char whole[512];

	snprintf(whole, sizeof(whole), "%s/%s", top, file ? file : "");
	module_debug_open(&debug, &places, "m_id", file ? whole : NULL);
	ck_assert_int_eq(debug.state, state);
	ck_assert((debug.units != NULL) == (state == MODULE_READ));
	snprintf(whole, sizeof(whole), "%s/%s", top, found ? found : "");
	ck_assert_pstr_eq(debug.path, found ? whole : NULL);
	module_debug_free(&debug);
}

START_TEST(compressed_modules_are_read)
{
	if (!debug_units_built_in() ||
	    !put_module("m-id.ko.x", FILES "/module-id.ko", packers[_i]))
		return;
	expect("m-id.ko.x", NULL, MODULE_READ, NULL);
	expect("m-id.ko.x", "m_id " ID "\n", MODULE_READ, NULL);
	expect("m-id.ko.x", "m_id 1123456789abcdef\n", MODULE_OTHER_BUILD, NULL);
}
END_TEST

START_TEST(the_build_id_finds_what_was_split_off)
{
	static const char beside[] = "k/.debug/m-id.ko.debug";
	static const char by_id[] = "usr/lib/debug/.build-id/01/23456789abcdef.debug";

	if (!debug_units_built_in())
		return;
	put_bytes("k/m-id.ko.xz", "stripped", 8);
	expect("k/m-id.ko.xz", "m_id " ID "\n", MODULE_NO_DEBUG, NULL);
	expect(NULL, "m_id " ID "\n", MODULE_MISSING, NULL);
	put_module(by_id, FILES "/module-id.ko", NULL);
	expect("k/m-id.ko.xz", "m_id " ID "\n", MODULE_READ, by_id);
	expect(NULL, "m_id " ID "\n", MODULE_READ, by_id);
	/* An ID in upper case, no ID, invalid text, and another module's ID. */
	expect(NULL, "m_id 0123456789ABCDEF", MODULE_READ, by_id);
	expect(NULL, NULL, MODULE_MISSING, NULL);
	expect(NULL, "m_id ../../../etc\n", MODULE_MISSING, NULL);
	expect(NULL, "m_ident " ID "\n", MODULE_MISSING, NULL);
	put_module(beside, FILES "/module-id.ko", NULL);
	expect("k/m-id.ko.xz", "m_id " ID "\n", MODULE_READ, beside);
	/* A file in the right place, but of another build. */
	put_module(beside, FILES "/module.ko", NULL);
	expect("k/m-id.ko.xz", "m_id " ID "\n", MODULE_READ, by_id);
	put_module(by_id, FILES "/module.ko", NULL);
	expect("k/m-id.ko.xz", "m_id " ID "\n", MODULE_NO_DEBUG, NULL);
}
END_TEST

Suite *test_unpack_suite(void);
Suite *test_unpack_suite(void)
{
	Suite *s = suite_create("symbol/unpack");
	TCase *tc = tcase_create("unpack"), *modules = tcase_create("modules");

	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, content_comes_back, 0, 6 * NR_PACKERS);
	tcase_add_loop_test(tc, what_is_damaged_is_refused, 0, NR_PACKERS);
	tcase_add_loop_test(tc, bombs_are_refused, 0, NR_PACKERS);
	tcase_add_test(tc, what_is_no_file_is_refused);
	suite_add_tcase(s, tc);
	tcase_add_checked_fixture(modules, set_up, tear_down);
	tcase_add_loop_test(modules, compressed_modules_are_read, 0, NR_PACKERS);
	tcase_add_test(modules, the_build_id_finds_what_was_split_off);
	suite_add_tcase(s, modules);
	return s;
}
