// SPDX-License-Identifier: GPL-2.0-or-later
/* A scan must not mistake these for functions: { void comment(void) { } } */
static const char text[] = "void string(void) {";
static const struct {
	const char *(*function)(void);
} table[] = { { 0 } };

#ifdef NEVER
void __alloc_file(int one)
{
#else
void __alloc_file(void)
{
#endif
	(void)text;
	(void)table;
}

void after_two_braces(void)
{
}
