// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/ftrace_text.h"

#include <ctype.h>

#include "base/number.h"

/* enum trace_flag_type of include/linux/trace_events.h */
#define FLAG_IRQS_OFF	     0x01
#define FLAG_NEED_RESCHED    0x04
#define FLAG_HARDIRQ	     0x08
#define FLAG_SOFTIRQ	     0x10
#define FLAG_PREEMPT_RESCHED 0x20
#define FLAG_NMI	     0x40
#define FLAG_BH_OFF	     0x80

/* A comm has 15 characters and is printed with up to 16 columns before the dash. */
#define MAX_COMM 64

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* Reads a decimal number of at most @max; NULL if there is none. */
static const char *take_number(const char *p, uint64_t max, uint64_t *out)
{
	return number_read(&p, NULL, 10, max, out) ? NULL : p;
}

/* Reads a hexadecimal number without 0x; NULL if there is none. */
static const char *take_hex(const char *p, uint64_t *out)
{
	return number_read(&p, NULL, 16, UINT64_MAX, out) ? NULL : p;
}

/* Reads the hexadecimal digit at @p; any other character counts as 0. */
static uint8_t hex_digit(const char *p)
{
	uint64_t v = 0;

	return number_read(&p, p + 1, 16, 15, &v) ? 0 : (uint8_t)v;
}

/* --- an event's columns ------------------------------------------------------------------ */

/* Reads "d.s1." and its shorter and longer forms, up to a blank; NULL if it is something else. */
static const char *take_flags(struct ftrace_line *out, const char *p)
{
	size_t len = strcspn(p, " \t");

	if (len < 3 || len > 7 || !strchr(".dDbBX", p[0]) || !strchr(".NnpLlbBg", p[1]) ||
	    !strchr(".HhsZz", p[2]) ||
	    strspn(p, ".0123456789abcdefDBXNnpLlgHhsZz#") < len)
		return NULL;
	if (p[0] == 'd' || p[0] == 'D')
		out->flags |= FLAG_IRQS_OFF;
	if (p[0] == 'b' || p[0] == 'D')
		out->flags |= FLAG_BH_OFF;
	if (p[1] == 'N' || p[1] == 'n' || p[1] == 'B' || p[1] == 'L')
		out->flags |= FLAG_NEED_RESCHED;
	if (p[1] == 'N' || p[1] == 'p' || p[1] == 'B' || p[1] == 'b')
		out->flags |= FLAG_PREEMPT_RESCHED;
	if (p[2] == 'h' || p[2] == 'H' || p[2] == 'Z')
		out->flags |= FLAG_HARDIRQ;
	if (p[2] == 's' || p[2] == 'H')
		out->flags |= FLAG_SOFTIRQ;
	if (p[2] == 'z' || p[2] == 'Z')
		out->flags |= FLAG_NMI;
	if (len >= 4)
		out->preempt = hex_digit(p + 3);
	if (len >= 5)
		out->preempt |= (uint8_t)(hex_digit(p + 4) << 4);
	out->has_flags = true;
	return p + len;
}

/* Reads "12.345678:", "345678:"; six to nine decimals. */
static const char *take_time(struct ftrace_line *out, const char *p)
{
	const char *start = p, *dot;
	uint64_t whole, part;

	if (number_read_decimal(&p, &whole, &part) || *p != ':')
		return NULL;
	dot = memchr(start, '.', (size_t)(p - start));
	out->time = dot ? FTRACE_TIME_SECONDS : FTRACE_TIME_COUNTER;
	out->ts = whole;
	if (dot && (p - dot <= 6 ||
		    __builtin_mul_overflow(whole, UINT64_C(1000000000), &out->ts) ||
		    __builtin_add_overflow(out->ts, part, &out->ts)))
		return NULL;
	return p + 1;
}

/* Reads "name: body" or "<stack trace>". */
static bool take_event(struct ftrace_line *out, const char *p)
{
	static const char *const marks[] = { "<stack trace>", "<user stack trace>" };

	p = skip_blanks(p);
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t len = strlen(marks[i]);

		if (!strncmp(p, marks[i], len)) {
			out->name = p;
			out->name_len = len;
			out->body = p + len;
			return true;
		}
	}
	out->name = p;
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	out->name_len = (size_t)(p - out->name);
	if (!out->name_len || out->name_len > 100 || *p != ':')
		return false;
	out->body = skip_blanks(p + 1);
	/* The form printed by trace-cmd report. */
	if (out->name_len == 12 && !memcmp(out->name, "kernel_stack", 12) &&
	    !strncmp(out->body, "<stack trace", 12)) {
		out->name = marks[0];
		out->name_len = strlen(marks[0]);
		out->body = "";
	}
	return true;
}

/* Reads what follows the PID in the usual form: "(tgid) [001] d..1. 12.345678: name: body". */
static bool take_columns(struct ftrace_line *out, const char *p)
{
	uint64_t cpu;

	p = skip_blanks(p);
	if (*p == '(') {
		p += strcspn(p, ")\n");
		if (*p++ != ')')
			return false;
		p = skip_blanks(p);
	}
	if (*p != '[')
		return false;
	p = take_number(p + 1, FTRACE_MAX_CPU, &cpu);
	if (!p || *p++ != ']')
		return false;
	out->cpu = (uint32_t)cpu;
	p = skip_blanks(p);
	if (!isdigit((unsigned char)*p)) {
		p = take_flags(out, p);
		if (!p)
			return false;
		p = skip_blanks(p);
	}
	p = take_time(out, p);
	return p && take_event(out, p);
}

/* The same with latency-format: "1d..2. 678us+: name: body". */
static bool take_latency_columns(struct ftrace_line *out, const char *p)
{
	uint64_t cpu, us;

	p = take_number(skip_blanks(p), FTRACE_MAX_CPU, &cpu);
	if (!p)
		return false;
	out->cpu = (uint32_t)cpu;
	p = take_flags(out, p);
	if (!p)
		return false;
	p = take_number(skip_blanks(p), UINT64_MAX / 1000, &us);
	if (!p)
		return false;
	out->time = FTRACE_TIME_COUNTER;
	out->ts = us;
	if (!strncmp(p, "us", 2)) {
		out->time = FTRACE_TIME_LATENCY;
		out->ts = us * 1000;
		p += 2;
		if (*p && strchr(" +!#*@$", *p))
			p++;
	}
	p = skip_blanks(p);
	return *p == ':' && take_event(out, p + 1);
}

/* Reads "comm-PID" and the rest. A comm may contain anything, even dashes and brackets; it ends at
 * the first dash after which the rest of the line parses.
 */
static bool parse_event(struct ftrace_line *out, const char *line)
{
	const char *start = skip_blanks(line), *dash = start;

	while ((dash = strchr(dash, '-')) && dash - start <= MAX_COMM) {
		struct ftrace_line ev = { .type = FTRACE_LINE_EVENT, .comm = start };
		uint64_t pid;
		const char *p = take_number(dash + 1, INT32_MAX, &pid);

		if (p && (*p == ' ' || *p == '\t') &&
		    (take_columns(&ev, p) || take_latency_columns(&ev, p))) {
			ev.comm_len = (size_t)(dash - start);
			ev.pid = (int32_t)pid;
			*out = ev;
			return true;
		}
		dash++;
	}
	return false;
}

/* --- other lines ------------------------------------------------------------------------- */

static void parse_comment(struct ftrace_line *out, const char *line)
{
	static const char totals[] = "# entries-in-buffer/entries-written:";
	static const char version[] = " latency trace v";
	const char *p, *counts = NULL;
	uint64_t cpus;

	out->type = FTRACE_LINE_NOTHING;
	if (!strncmp(line, totals, sizeof(totals) - 1))
		counts = skip_blanks(line + sizeof(totals) - 1);
	else if (!strncmp(line, "# latency:", 10) && (p = strstr(line, ", #")))
		counts = p + 3;
	if (counts) {
		p = take_number(counts, UINT64_MAX, &out->in_buffer);
		if (p && *p == '/' && take_number(p + 1, UINT64_MAX, &out->written))
			out->type = FTRACE_LINE_TOTALS;
	} else if ((p = strstr(line, version)) && (p = strstr(p, " on "))) {
		out->release = p + 4;
		out->release_len = strcspn(out->release, " \t");
		out->type = out->release_len ? FTRACE_LINE_KERNEL : FTRACE_LINE_NOTHING;
	}
	p = out->type == FTRACE_LINE_TOTALS ? strstr(line, "#P:") : NULL;
	if (p && take_number(p + 3, FTRACE_MAX_CPU + 1, &cpus))
		out->nr_cpus = (uint32_t)cpus;
}

static bool parse_lost(struct ftrace_line *out, const char *line)
{
	uint64_t cpu;
	const char *p = take_number(line + 4, FTRACE_MAX_CPU, &cpu);

	if (!p)
		return false;
	p = skip_blanks(p);
	out->lost = FTRACE_LOST_UNKNOWN;
	if (!strncmp(p, "[LOST ", 6)) {
		take_number(p + 6, UINT64_MAX - 1, &out->lost);
	} else { /* trace-cmd report: "[12 EVENTS DROPPED]" */
		if (*p++ != '[')
			return false;
		p += strspn(p, "0123456789 ");
		if (strncmp(p, "EVENTS DROPPED]", 15) != 0)
			return false;
		take_number(strchr(line, '[') + 1, UINT64_MAX - 1, &out->lost);
	}
	out->cpu = (uint32_t)cpu;
	out->type = FTRACE_LINE_LOST;
	return true;
}

void ftrace_line_parse(struct ftrace_line *out, const char *line)
{
	const char *p = skip_blanks(line);

	*out = (struct ftrace_line){ .type = FTRACE_LINE_UNREADABLE };
	if (!*p || !strncmp(line, "cpus=", 5)) { /* the first line of trace-cmd report */
		out->type = FTRACE_LINE_NOTHING;
	} else if (*line == '#') {
		parse_comment(out, line);
	} else if (!strncmp(p, "=>", 2)) {
		out->type = FTRACE_LINE_FRAME;
		out->body = skip_blanks(p + 2);
	} else if (!strncmp(line, "CPU:", 4) && parse_lost(out, line)) {
		return;
	} else {
		parse_event(out, line);
	}
}

/* --- values ------------------------------------------------------------------------------ */

static bool is_name_char(char c)
{
	return isgraph((unsigned char)c) && !strchr("+<>[]/\"\\", c);
}

bool ftrace_symbol_parse(struct ftrace_symbol *out, const char *text)
{
	const char *p = text, *end;

	*out = (struct ftrace_symbol){ 0 };
	end = take_hex(!strncmp(p, "0x", 2) ? p + 2 : p, &out->addr);
	/* Some function names consist of a to f only; an address is as long as a long. */
	if (end && (!*end || *end == ' ') && (end - p >= 8 || p[1] == 'x' || *p == '0'))
		return true;
	out->addr = 0;
	while (is_name_char(*p))
		p++;
	out->name = text;
	out->name_len = (size_t)(p - text);
	if (!out->name_len || out->name_len > 511)
		return false;
	if (!strncmp(p, "+0x", 3)) {
		p = take_hex(p + 3, &out->offset);
		if (p && !strncmp(p, "/0x", 3)) /* trace-cmd report omits it */
			p = take_hex(p + 3, &out->size);
		if (!p || *p == '/')
			return false;
	}
	if (!strncmp(p, " [", 2)) {
		out->module = p + 2;
		while (isalnum((unsigned char)p[2]) || p[2] == '_' || p[2] == '-')
			p++;
		out->module_len = (size_t)(p + 2 - out->module);
		p += 2 + strcspn(p + 2, "]"); /* may include a build ID */
		p += *p == ']';
		if (!out->module_len || out->module_len > 63)
			return false;
	}
	if (!strncmp(p, " <", 2))
		out->has_addr = (end = take_hex(p + 2, &out->addr)) && *end == '>';
	return true;
}

const char *ftrace_value(const char *body, const char *key)
{
	size_t len = strlen(key);
	const char *p = body;

	while ((p = strstr(p, key))) {
		if ((p == body || p[-1] == ' ') && p[len] == '=')
			return p + len + 1;
		p += len;
	}
	return NULL;
}
