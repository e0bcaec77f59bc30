// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/debug_search.h"

#include <ctype.h>
#include <strings.h>
#include <unistd.h>

#include "base/io.h"
#include "symbol/elf.h"

/* The kernel's limit, include/linux/uts.h: __NEW_UTS_LEN. */
#define RELEASE_MAX 64

/* Is @release safe as a single component of a path? */
static bool release_ok(const char *release)
{
	size_t size = strnlen(release, RELEASE_MAX + 1);

	return size && size <= RELEASE_MAX && *release != '.' &&
	       !ANY(i, size,
		    !isalnum((unsigned char)release[i]) && !strchr("._+-~", release[i]));
}

static bool build_id_ok(const char *id)
{
	size_t size = strspn(id, "0123456789abcdefABCDEF");

	return !id[size] && size >= 4 && size <= 128;
}

static void judge_build(struct debug_place *place, const struct debug_wanted *w)
{
	if (!*w->build_id)
		place->verdict = w->places.kernel || w->places.symfs ? DEBUG_TAKEN
								     : DEBUG_UNPROVEN;
	else if (!strcasecmp(place->build_id, w->build_id))
		place->verdict = DEBUG_TAKEN;
	else
		place->verdict = DEBUG_OTHER_BUILD;
}

static void judge(struct debug_place *place, const struct debug_wanted *w)
{
	int fd __auto_fd = io_open_input(place->path, IO_FILE), err;

	if (fd < 0) {
		place->err = fd;
		place->verdict = fd == -ENOENT || fd == -ENOTDIR ? DEBUG_MISSING
								 : DEBUG_UNREADABLE;
		return;
	}
	err = elf_build_id(fd, place->build_id);
	if (err == -ENOEXEC)
		place->verdict = DEBUG_NO_ELF;
	else
		judge_build(place, w);
}

/* Tries @path, which the result then owns: 1 if it is accepted, 0, -ENOMEM. */
static int look_at(struct debug_found *f, const struct debug_wanted *w,
		   struct strbuf *path)
{
	struct debug_place *place = &f->places[f->nr];
	char *text = strbuf_detach(path);

	if (!text)
		return -ENOMEM;
	*place = (struct debug_place){ .path = text };
	f->nr++;
	judge(place, w);
	if (place->verdict != DEBUG_TAKEN)
		return 0;
	f->vmlinux = place->path;
	return 1;
}

/* Tries the usual places. */
static int look_around(struct debug_found *f, const struct debug_wanted *w)
{
	static const char *const places[][2] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
	};
	const char *root = w->places.symfs ? w->places.symfs : "";
	struct strbuf path = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && release_ok(w->release) && i < ARRAY_SIZE(places);
	     i++) {
		strbuf_printf(&path, "%s%s%s%s", root, places[i][0], w->release,
			      places[i][1]);
		ret = look_at(f, w, &path);
	}
	if (!ret && *w->build_id) {
		strbuf_printf(&path, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", root,
			      w->build_id, w->build_id + 2);
		ret = look_at(f, w, &path);
	}
	return ret < 0 ? ret : 0;
}

/* Asks the server, which stores the file on this machine, then tries it. Returns as look_at(). */
static int look_on_server(struct debug_found *f, const struct debug_wanted *w)
{
	struct debug_place *place = &f->places[f->nr];
	struct strbuf __auto_free path = { 0 };

	place->err = debug_server_find(w->server, w->build_id, &path);
	if (!place->err)
		return look_at(f, w, &path);
	place->verdict = *w->build_id ? DEBUG_NOT_SERVED : DEBUG_UNPROVEN;
	place->path = strdup("debuginfod server");
	f->nr += place->path != NULL;
	return place->path ? 0 : -ENOMEM;
}

/* Prefers modules with debug information to installed ones, which only give directories. */
static int look_for_modules(struct debug_found *f, const struct debug_wanted *w)
{
	static const char *const places[] = { "/usr/lib/debug/lib/modules/",
					      "/lib/modules/" };
	struct strbuf __auto_free path = { 0 };
	bool failed;

	if (w->places.kernel)
		strbuf_puts(&path, w->places.kernel);
	for (size_t i = 0; !w->places.kernel && release_ok(w->release) && i < 2; i++) {
		strbuf_reset(&path);
		strbuf_printf(&path, "%s%s%s", w->places.symfs ? w->places.symfs : "",
			      places[i], w->release);
		if (io_is_directory(strbuf_text(&path)))
			break;
	}
	failed = path.failed;
	f->modules = io_is_directory(strbuf_text(&path)) ? strbuf_detach(&path) : NULL;
	return failed ? -ENOMEM : 0;
}

int debug_search(struct debug_found *out, const struct debug_wanted *wanted)
{
	struct debug_wanted w = *wanted;
	struct strbuf path = { 0 };
	int ret = 0;

	*out = (struct debug_found){ 0 };
	if (!build_id_ok(w.build_id))
		w.build_id = "";
	if (w.places.kernel) {
		strbuf_printf(&path, "%s/vmlinux", w.places.kernel);
		ret = look_at(out, &w, &path);
	}
	/* A file that the user named is not replaced by another if it does not match. */
	if (!ret && !w.places.kernel)
		ret = look_around(out, &w);
	if (!ret && !out->vmlinux && w.server)
		ret = look_on_server(out, &w);
	if (ret < 0)
		return ret;
	return out->vmlinux ? look_for_modules(out, &w) : 0;
}

void debug_found_free(struct debug_found *found)
{
	for (size_t i = 0; i < found->nr; i++)
		free(found->places[i].path);
	free(found->modules);
	*found = (struct debug_found){ 0 };
}
