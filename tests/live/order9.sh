# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Failed allocations of a huge page's order.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

skip "huge pages fail only once memory is drained, which this machine's other work would feel; tests/data/pressure-bookworm-amd64 has such failures"
