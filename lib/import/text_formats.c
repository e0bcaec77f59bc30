// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: the formats of records made from text.
 * In: which events and fields occurred. Out: formats as the kernel writes them.
 */
#include "import/text_events.h"

static void head(struct strbuf *sb, const char *name, unsigned int id)
{
	strbuf_printf(sb, "name: %s\nID: %u\nformat:\n", name, id);
	strbuf_puts(
		sb,
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
}

static const char *declaration(const struct text_field *f)
{
	switch (f->kind) {
	case TEXT_SITE:
	case TEXT_GFP:
	case TEXT_PFN:
		return "unsigned long";
	case TEXT_POINTER:
		return "const void *";
	case TEXT_UINT:
		return f->size == 8 ? "size_t" : "unsigned int";
	case TEXT_INT:
		return "int";
	case TEXT_BOOL:
		return "bool";
	default:
		return "__data_loc char[]";
	}
}

static void argument(const struct text_events *te, const struct text_field *f,
		     struct strbuf *sb)
{
	switch (f->kind) {
	case TEXT_SITE:
		strbuf_printf(sb, ", (void *)REC->%s", f->key);
		break;
	case TEXT_GFP:
		strbuf_printf(sb, ", (REC->%s) ? __print_flags(REC->%s, \"|\", ", f->key,
			      f->key);
		text_gfp_pairs(&te->gfp, sb);
		strbuf_printf(sb, ") : \"%s\"", text_gfp_none(&te->gfp));
		break;
	case TEXT_BOOL:
		strbuf_printf(sb, ", REC->%s ? \"true\" : \"false\"", f->key);
		break;
	case TEXT_NAME:
		strbuf_printf(sb, ", __get_str(%s)", f->key);
		break;
	default:
		strbuf_printf(sb, ", REC->%s", f->key);
	}
}

static int add_known(const struct text_events *te, int nr, struct text_list *list)
{
	const struct text_field *fields = text_specs[nr].fields, *f;
	struct strbuf sb = { 0 };

	head(&sb, text_specs[nr].name, (unsigned int)(TEXT_ID_KMEM + nr));
	for (f = fields; f->key; f++)
		if (te->seen[nr] >> (f - fields) & 1)
			strbuf_printf(
				&sb, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
				declaration(f), f->key, f->offset, f->size,
				f->kind == TEXT_INT);
	strbuf_puts(&sb, "\nprint fmt: \"");
	for (f = fields; f->key; f++)
		if (te->seen[nr] >> (f - fields) & 1)
			strbuf_printf(&sb, "%s%s", f == fields ? "" : " ", f->print);
	strbuf_puts(&sb, "\"");
	for (f = fields; f->key; f++)
		if (te->seen[nr] >> (f - fields) & 1)
			argument(te, f, &sb);
	strbuf_puts(&sb, "\n");
	return text_list_take(list, "kmem", &sb);
}

static int add_other(const struct text_events *te, uint32_t id, struct text_list *list)
{
	const char *name = intern_get(&te->others, id, NULL);
	struct strbuf sb = { 0 };

	head(&sb, name ? name : "", TEXT_ID_OTHER + id);
	strbuf_printf(
		&sb,
		"\tfield:__data_loc char[] text;\toffset:%u;\tsize:4;\tsigned:0;\n\nprint fmt: \"%%s\", __get_str(text)\n",
		TEXT_COMMON_SIZE);
	return text_list_take(list, "imported", &sb);
}

int text_formats(const struct text_events *te, struct text_list *events)
{
	int ret = 0;

	for (int i = 0; !ret && i < TEXT_NR_SPECS; i++)
		if (te->seen[i])
			ret = add_known(te, i, events);
	for (uint32_t id = 1; !ret && id <= te->others.count; id++)
		ret = add_other(te, id, events);
	return ret;
}

int text_formats_of_ftrace(struct text_list *ftrace)
{
	struct strbuf sb = { 0 };

	head(&sb, "kernel_stack", TEXT_ID_STACK);
	strbuf_puts(
		&sb,
		"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
		"print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\"");
	for (int i = 0; i < 8; i++)
		strbuf_printf(&sb, ", (void *)REC->caller[%d]", i);
	strbuf_puts(&sb, "\n");
	return text_list_take(ftrace, "ftrace", &sb);
}
