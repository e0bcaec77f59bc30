// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the language of the rules, see gate.h.
 * In: text. Out: struct gate_rule, or an error about the text.
 */
#include <ctype.h>
#include <math.h>

#include "base/array.h"
#include "report/gate.h"

struct rule_reader {
	const char *p;
	const struct gate_words *words;
	struct strbuf *error;
};

static void skip_space(struct rule_reader *r)
{
	while (isspace((unsigned char)*r->p))
		r->p++;
}

static size_t word_length(const struct rule_reader *r)
{
	const char *p = r->p;

	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return (size_t)(p - r->p);
}

/* Table or metric number @i; NULL after the last one. */
static const char *word_at(const struct rule_reader *r, bool table, size_t i)
{
	const struct gate_words *w = r->words;

	if (table)
		return i < w->nr_tables ? w->tables[i] : NULL;
	return i < w->nr_metrics ? w->metrics[i].name : NULL;
}

/* Are the next @size bytes the name of a table, or of a metric? */
static bool is_one(const struct rule_reader *r, bool table, size_t size)
{
	const char *word;

	for (size_t i = 0; (word = word_at(r, table, i)); i++) {
		if (strlen(word) == size && !memcmp(word, r->p, size))
			return true;
	}
	return false;
}

static int wrong(struct rule_reader *r, const char *what)
{
	strbuf_puts(r->error, what);
	if (*r->p)
		strbuf_printf(r->error, ", not '%.40s'", r->p);
	return -EINVAL;
}

static int none_of(struct rule_reader *r, bool table)
{
	const char *word;

	strbuf_puts(r->error, table ? "expected a table: " : "expected one of ");
	for (size_t i = 0; (word = word_at(r, table, i)); i++)
		strbuf_printf(r->error, "%s%s", i ? ", " : "", word);
	return wrong(r, "");
}

static int read_metric(struct rule_reader *r, struct gate_rule *rule)
{
	size_t size;

	skip_space(r);
	size = word_length(r);
	if (size >= sizeof(rule->metric) || !is_one(r, false, size))
		return none_of(r, false);
	memcpy(rule->metric, r->p, size);
	rule->metric[size] = '\0';
	r->p += size;
	return 0;
}

/* Reads digits with a decimal point. */
static bool read_number(struct rule_reader *r, double *value)
{
	const char *start = r->p;
	double scale = 1;
	bool point = false;

	*value = 0;
	for (; isdigit((unsigned char)*r->p) || (*r->p == '.' && !point); r->p++) {
		if (*r->p == '.') {
			point = true;
			continue;
		}
		*value = *value * 10 + (*r->p - '0');
		scale *= point ? 10 : 1;
	}
	*value /= scale;
	return r->p - start > (point ? 1 : 0) && isfinite(*value) && isfinite(scale);
}

static void read_unit(struct rule_reader *r, struct gate_limit *limit)
{
	static const char units[] = "KMGT";
	const char *unit = strchr(units, toupper((unsigned char)*r->p));

	if (*r->p == '%') {
		limit->percent = true;
		r->p++;
	} else if (*r->p && unit) {
		limit->value *= (double)(1ULL << (10 * (unit - units + 1)));
		r->p++;
		if (!strncmp(r->p, "iB", 2))
			r->p += 2;
		else if (*r->p == 'B')
			r->p++;
	}
}

static int read_limit(struct rule_reader *r, struct gate_rule *rule)
{
	struct gate_limit *limit = &rule->limits[rule->nr_limits];
	char sign = '\0';

	if (rule->nr_limits == GATE_LIMITS_MAX)
		return wrong(r, "expected at most four limits");
	skip_space(r);
	if (*r->p == '+' || *r->p == '-')
		sign = *r->p++;
	*limit = (struct gate_limit){ .change = sign };
	if (!read_number(r, &limit->value))
		return wrong(r, "expected a limit such as +5%, +64K or 2M");
	read_unit(r, limit);
	if (limit->percent && !limit->change && strcmp(rule->metric, "waste"))
		return wrong(r, "a percentage needs a sign, as in +5%, except for waste");
	if (sign == '-')
		limit->value = -limit->value;
	rule->nr_limits++;
	return 0;
}

/* METRIC OP LIMIT [& LIMIT]..., to the end of the text. */
static int read_condition(struct rule_reader *r, struct gate_rule *rule)
{
	int err = read_metric(r, rule);

	if (err)
		return err;
	skip_space(r);
	if (*r->p != '<' && *r->p != '>')
		return wrong(r, "expected < or >");
	rule->op = *r->p++;
	err = read_limit(r, rule);
	for (skip_space(r); !err && *r->p; skip_space(r)) {
		if (*r->p != '&')
			return wrong(r, "expected & or the end");
		r->p++;
		err = read_limit(r, rule);
	}
	return err;
}

/* Reads "TABLE." or "TABLE:", if present. */
static int read_table(struct rule_reader *r, struct gate_rule *rule, char separator)
{
	size_t size;

	skip_space(r);
	size = word_length(r);
	if (r->p[size] != separator)
		return 0;
	if (!is_one(r, true, size))
		return separator == '.' ? none_of(r, true)
					: 0; /* a subject may have a colon */
	if (rule->table)
		return wrong(r, "expected one table");
	rule->table = strndup(r->p, size);
	r->p += size + 1;
	return rule->table ? 0 : -ENOMEM;
}

/* Makes "fs/ext4/" and "fs/ext4" the same. */
static int check_directory(struct rule_reader *r, struct gate_rule *rule)
{
	size_t size = strlen(rule->subject);

	rule->directory = strchr(rule->subject, '/');
	if (*rule->subject == '/') {
		strbuf_printf(
			r->error,
			"'%s': directories are those of the kernel's source, such as fs/ext4",
			rule->subject);
		return -EINVAL;
	}
	while (size && rule->subject[size - 1] == '/')
		rule->subject[--size] = '\0';
	if (rule->directory && rule->table && !strcmp(rule->table, "slab_cache")) {
		strbuf_puts(r->error, "caches have no directory");
		return -EINVAL;
	}
	return 0;
}

static int read_subject(struct rule_reader *r, struct gate_rule *rule)
{
	const char *start, *stop;

	skip_space(r);
	if (*r->p == '\'') {
		start = ++r->p;
		stop = strchr(start, '\'');
		if (!stop)
			return wrong(r, "expected a closing '");
		r->p = stop + 1;
	} else {
		start = r->p;
		while (*r->p && !isspace((unsigned char)*r->p))
			r->p++;
		stop = r->p;
	}
	if (stop == start)
		return wrong(r, "expected the name of a row, [module] or total");
	rule->subject = strndup(start, (size_t)(stop - start));
	return rule->subject ? 0 : -ENOMEM;
}

static void rule_free(struct gate_rule *rule)
{
	free(rule->text);
	free(rule->table);
	free(rule->subject);
}

static int add(struct gate_rules *rules, const char *text, size_t size, bool budget,
	       struct strbuf *error)
{
	struct gate_rule rule = { .text = strndup(text, size), .budget = budget };
	struct rule_reader r = { rule.text, rules->words, error };
	int err;

	err = rule.text ? read_table(&r, &rule, budget ? ':' : '.') : -ENOMEM;
	if (!err && budget)
		err = read_subject(&r, &rule);
	if (!err && budget)
		err = read_table(&r, &rule, '.');
	if (!err && budget)
		err = check_directory(&r, &rule);
	err = err ?: read_condition(&r, &rule);
	err = err ?: ARRAY_ADD(rules->rules, rules->nr, rule);
	if (err)
		rule_free(&rule);
	return err;
}

int gate_add(struct gate_rules *rules, const char *text, struct strbuf *error)
{
	return add(rules, text, strlen(text), false, error);
}

int gate_add_budget(struct gate_rules *rules, const char *text, struct strbuf *error)
{
	struct strbuf __auto_free what = { 0 };
	size_t before = rules->nr;
	unsigned int line = 0;
	int err = 0;

	while (*text && !err) {
		size_t size = strcspn(text, "#\n");

		line++;
		while (size && isspace((unsigned char)text[size - 1]))
			size--;
		if (size)
			err = add(rules, text, size, true, &what);
		text = text_next_line(text);
	}
	if (err == -EINVAL)
		strbuf_printf(error, "line %u: %s", line, strbuf_text(&what));
	if (!err && rules->nr == before) {
		strbuf_puts(error, "no rule in it");
		err = -EINVAL;
	}
	return err;
}

const struct gate_rule *gate_directory_rule(const struct gate_rules *rules)
{
	return FIND(rule, rules->rules, rules->nr, rule->directory);
}

void gate_free(struct gate_rules *rules)
{
	for (size_t i = 0; i < rules->nr; i++)
		rule_free(&rules->rules[i]);
	free(rules->rules);
	*rules = (struct gate_rules){ 0 };
}
