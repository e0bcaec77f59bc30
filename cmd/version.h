/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what an optional feature needs.
 * In: its name. Out: packages that building it needs.
 */
#ifndef KMEMX_CMD_VERSION_H
#define KMEMX_CMD_VERSION_H

/* Of a name that kmemx version --build-options lists, as "zlib1g-dev (Fedora: zlib-devel)"; NULL:
 * none.
 */
const char *version_packages(const char *option);

#endif
