# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Like record_small_disk.sh, with a second set of parts for frees.
quick="1 5 9"
# only with LONG=1
# shellcheck source=tests/live/small_disk.inc
. "$(dirname "$0")/small_disk.inc"

on_all_sizes "--follow" "--follow --file-version 6" "-z --follow"
