// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/fold.h"

size_t symbol_plain_length(const char *name)
{
	static const char *const suffixes[] = { ".isra", ".constprop", ".part",
						".cold", ".llvm",      ".lto_priv" };
	static const char noprof[] = "_noprof";
	const size_t noprof_size = sizeof(noprof) - 1;
	size_t len = strlen(name), i;
	const char *p = strchr(name + (*name == '.'), '.');

	for (i = 0; p && i < ARRAY_SIZE(suffixes); i++) {
		if (!strncmp(p, suffixes[i], strlen(suffixes[i])))
			len = (size_t)(p - name);
	}
	if (len > noprof_size && !memcmp(name + len - noprof_size, noprof, noprof_size))
		len -= noprof_size;
	return len;
}

bool symbol_plain(const char *name, char *plain, size_t size)
{
	size_t len = symbol_plain_length(name), copied = len < size ? len : size - 1;

	memcpy(plain, name, copied);
	plain[copied] = '\0';
	return copied == len;
}

bool symbol_matches(const char *name, const char *pattern)
{
	size_t len = strcspn(pattern, "*");

	return !strncmp(name, pattern, len) && (pattern[len] || !name[len]);
}
