// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/import_meta.h"

static const char *known(const char *word)
{
	return word && *word ? word : "unknown";
}

void import_kernel(struct strbuf *uname, const char *host, const char *release,
		   const char *machine)
{
	if ((release && *release) || (machine && *machine))
		strbuf_printf(uname, "Linux %s %s %s", known(host), known(release),
			      known(machine));
}

int import_meta(struct text_list *meta, const struct strbuf *notes, uint32_t page_size)
{
	struct strbuf sb = { 0 };
	int ret = notes->failed ? -ENOMEM
				: text_list_add(meta, RECORDING_META_IMPORT,
						strbuf_text(notes), notes->size);

	if (ret || !page_size)
		return ret;
	strbuf_printf(&sb, "%" PRIu32, page_size);
	return text_list_take(meta, "page_size", &sb);
}
