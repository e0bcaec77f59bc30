# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Like record_small_disk.sh, for the other ways to record.
quick="1 6 12 4"
# only with LONG=1
# alone: a busy machine fills the small disks with other events
# shellcheck source=tests/live/small_disk.inc
. "$(dirname "$0")/small_disk.inc"

on_all_sizes stream flight repeat --exact-ledger
