/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: stores the texts of a table.
 * In: strings. Out: copies that never move; equal texts are stored once.
 */
#ifndef KMEMX_REPORT_TEXT_STORE_H
#define KMEMX_REPORT_TEXT_STORE_H

struct text_store;

struct text_store *text_store_new(void); /* NULL: no memory */
void text_store_free(struct text_store *store);
/* The store's copy of @text, valid as long as the store; NULL if memory ran out or the text is
 * longer than 1 GiB.
 */
const char *text_store_add(struct text_store *store, const char *text);

#endif
