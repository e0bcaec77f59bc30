// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: the build IDs of the running kernel and its modules.
 * In: ELF notes, /sys/module. Out: hex digits; a line for each module.
 */
#include "capture/facts/facts.h"

#include <dirent.h>

#include "capture/events/instance.h"

#define NOTE_GNU_BUILD_ID 3

int build_id_of_notes(const void *notes, size_t size, struct strbuf *hex)
{
	const char *p = notes;
	uint32_t head[3]; /* name size, descriptor size, type */

	while (size >= sizeof(head)) {
		uint64_t name, desc;

		memcpy(head, p, sizeof(head));
		p += sizeof(head);
		size -= sizeof(head);
		name = ((uint64_t)head[0] + 3) & ~3ULL;
		desc = ((uint64_t)head[1] + 3) & ~3ULL;
		if (name + desc > size)
			break;
		if (head[2] == NOTE_GNU_BUILD_ID && head[0] == 4 &&
		    !memcmp(p, "GNU", 4)) {
			for (uint32_t i = 0; i < head[1]; i++)
				strbuf_printf(hex, "%02x", (unsigned char)p[name + i]);
			return hex->failed ? -ENOMEM : 0;
		}
		p += name + desc;
		size -= name + desc;
	}
	return -ENOENT;
}

static int add_module(const char *path, const char *name, struct strbuf *out)
{
	struct strbuf __auto_free file = { 0 }, notes = { 0 }, hex = { 0 };
	int ret;

	strbuf_printf(&file, "%s/%s/notes/.note.gnu.build-id", path, name);
	ret = file.failed ? -ENOMEM : instance_read_top(strbuf_text(&file), &notes);
	if (!ret)
		ret = build_id_of_notes(strbuf_text(&notes), notes.size, &hex);
	if (!ret)
		strbuf_printf(out, "%s %s\n", name, strbuf_text(&hex));
	return ret == -ENOMEM || out->failed ? -ENOMEM : 0;
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int build_ids_of_modules(const char *path, struct strbuf *out)
{
	struct dirent **names;
	int nr = scandir(path, &names, is_name, alphasort), i, ret = 0;

	if (nr < 0)
		return -errno;
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = add_module(path, names[i]->d_name, out);
		free(names[i]);
	}
	free(names);
	return ret;
}
