// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: allocates a known amount of vmalloc and per-CPU memory.
 * In: threads N, programs N (loaded and unloaded), or map N (a per-CPU BPF map of N pages per CPU).
 * Out: what the kernel counted before and after: "KernelStack, Percpu and areas, six numbers"; exit
 * 77 if the kernel allows no BPF.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct counts {
	unsigned long stacks, percpu; /* KiB */
	unsigned long areas;
};

static struct counts count(void)
{
	struct counts c = { 0 };
	FILE *meminfo = fopen("/proc/meminfo", "re");
	FILE *areas = fopen("/proc/vmallocinfo", "re");
	char line[512];

	while (meminfo && fgets(line, sizeof(line), meminfo)) {
		sscanf(line, "KernelStack: %lu", &c.stacks);
		sscanf(line, "Percpu: %lu", &c.percpu);
	}
	while (areas && fgets(line, sizeof(line), areas))
		c.areas += !strstr(line, "unpurged");
	if (meminfo)
		fclose(meminfo);
	if (areas)
		fclose(areas);
	return c;
}

static void nap(unsigned int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static void *wait_forever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int threads(unsigned long nr)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (unsigned long i = 0; i < nr; i++)
		if (pthread_create(&thread, &small, wait_forever, NULL))
			return 1;
	return 0;
}

static int bpf(int command, union bpf_attr *attr)
{
	int fd = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (fd < 0 && (errno == EPERM || errno == ENOSYS))
		exit(77);
	return fd;
}

/* r0 = 0; exit */
static int programs(unsigned long nr)
{
	static const struct bpf_insn code[] = { { .code = 0xb7 }, { .code = 0x95 } };
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
				.insns = (uintptr_t)code,
				.insn_cnt = 2,
				.license = (uintptr_t) "GPL" };

	for (unsigned long i = 0; i < nr; i++) {
		int fd = bpf(BPF_PROG_LOAD, &attr);

		if (fd < 0)
			return 1;
		close(fd);
	}
	nap(1500); /* programs are freed after a grace period */
	return 0;
}

static int map(unsigned long nr)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_PERCPU_ARRAY,
				.key_size = 4,
				.value_size = 4096,
				.max_entries = (unsigned int)nr };

	return bpf(BPF_MAP_CREATE, &attr) < 0;
}

int main(int argc, char **argv)
{
	unsigned long nr = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct counts before, after;
	int ret = 2;

	if (!nr)
		return ret;
	before = count();
	if (!strcmp(argv[1], "threads"))
		ret = threads(nr);
	else if (!strcmp(argv[1], "programs"))
		ret = programs(nr);
	else if (!strcmp(argv[1], "map"))
		ret = map(nr);
	after = count();
	printf("%lu %lu %lu %lu %lu %lu\n", before.stacks, after.stacks, before.percpu,
	       after.percpu, before.areas, after.areas);
	return ret;
}
