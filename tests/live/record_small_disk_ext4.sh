# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Like record_small_disk.sh, but pages stay where they were written.
quick="2 6 20"
# only with LONG=1
# shellcheck source=tests/live/small_disk.inc
. "$(dirname "$0")/small_disk.inc"

command -v mkfs.ext4 >/dev/null || skip "no mkfs.ext4"
fs=ext4
mount_disk 8 2>/dev/null || skip "an ext4 image cannot be mounted"
umount small
on_all_sizes "" "-z" "--follow --file-version 6"
