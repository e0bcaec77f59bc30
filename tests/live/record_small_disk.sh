# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Fills a small disk with events, for each form of the file. Each CPU's pages are copied at the end.
quick="1 6 7 12 24"
# shellcheck source=tests/live/small_disk.inc
. "$(dirname "$0")/small_disk.inc"

on_all_sizes "" "-z" "--file-version 6"
