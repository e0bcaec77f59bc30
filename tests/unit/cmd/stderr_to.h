/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: what a progress line writes to stderr.
 * In: a terminal or a pipe in place of stderr. Out: the text that arrived at its other end.
 */
#ifndef KMEMX_TESTS_STDERR_TO_H
#define KMEMX_TESTS_STDERR_TO_H

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int stderr_before = -1;

/* Redirects stderr to @fd until restore(). */
static inline void redirect(int fd)
{
	fflush(stderr);
	stderr_before = dup(STDERR_FILENO);
	ck_assert_int_ge(stderr_before, 0);
	ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
	close(fd);
}

static inline void restore(void)
{
	fflush(stderr);
	dup2(stderr_before, STDERR_FILENO);
	close(stderr_before);
}

/* Reads what has arrived at nonblocking @fd. A terminal may deliver it late and in pieces: waits
 * for @size bytes.
 */
static inline const char *arrived(int fd, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	static char text[512];
	size_t len = 0;
	ssize_t n;

	fflush(stderr);
	do {
		poll(&ready, 1, size ? 10000 : 20);
		n = read(fd, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && len < size);
	text[len] = 0;
	return text;
}

/* Opens a terminal of @columns; @slave is its other end. */
static inline int terminal(int *slave, unsigned short columns)
{
	const struct winsize size = { .ws_row = 24, .ws_col = columns };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);

	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master) || unlockpt(master), 0);
	*slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(*slave, 0);
	ck_assert_int_eq(ioctl(*slave, TIOCSWINSZ, &size), 0);
	return master;
}

#endif
