/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what an optional feature needs.
 * In: its name. Out: packages needed to build it.
 */
#ifndef KMEMX_CMD_VERSION_H
#define KMEMX_CMD_VERSION_H

/* The packages of a name that kmemx version --build-options lists, such as "zlib1g-dev (Fedora:
 * zlib-devel)"; or NULL.
 */
const char *version_packages(const char *option);

#endif
