# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# With --repeat, says once what is recorded, prints one line for each run, and suggests the next
# command at the end.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
"$KMEMX" record --repeat 3 -o runs/ -- true 2>err
expect 3 "$(find runs -name '*.dat' | wc -l)" "runs in a directory"
expect 1 "$(grep -c 'Ctrl-C stops' err)" "banners"
expect 3 "$(grep -c ' events in .* -> runs/00[123].dat$' err)" "lines of a run"
expect 0 "$(grep -c '^kmemx: next:' err)" "hints on a single run"
expect 1 "$(grep -c 'compare: kmemx diff' err)" "hints on all runs"
expect 0 "$(grep -c 'in 0[.0]* s' err)" "runs that took no time"

# A single run prints all of this.
"$KMEMX" record -o one.dat -- true 2>err
expect 1 "$(grep -c 'Ctrl-C stops' err)" "banners of one run"
expect 1 "$(grep -c '^kmemx: next: kmemx summary' err)" "hints on one run"
expect "$before" "$(tracing_state)" "state of the tracing system"
