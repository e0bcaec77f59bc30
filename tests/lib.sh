# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by the runners: counts results, and prints each skip with its reason.
# In: $KMEMX (the program), $kind (set by the runner), $top (the project's directory).
# Out: passed, failed and skipped; finish prints the sum and returns 1 on a failure.

export LC_ALL=C TZ=UTC TERM=dumb
# Ignores the user's own settings.
export KMEMX_CONFIG=
unset NO_COLOR KMEMX_OPTIONS COLUMNS LINES
# Fills uninitialized memory with other bytes than 0 (mallopt(3)), so that a test that reads it
# fails.
case ${kind-} in cli | model) export MALLOC_PERTURB_=90 ;; esac
# shellcheck source=tests/sanitizers.inc
. "$top/tests/sanitizers.inc"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/kmemx-tests.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
: >"$scratch/results"

passed() {
	printf 'passed\t%s\t\n' "$1" >>"$scratch/results"
}

failed() {
	printf 'failed\t%s\t%s\n' "$1" "${2-}" >>"$scratch/results"
	printf 'FAILED %s %s%s\n' "$kind" "$1" "${2:+: $2}"
}

skipped() {
	printf 'skipped\t%s\t%s\n' "$1" "$2" >>"$scratch/results"
	[ -n "${KMEMX_RESULTS-}" ] || printf 'skipped %s %s: %s\n' "$kind" "$1" "$2"
}

count() {
	grep -c "^$1" "$scratch/results" || :
}

# Prints the sum. Under tests/run, which prints it itself, appends the results to $KMEMX_RESULTS.
finish() {
	if [ -n "${KMEMX_RESULTS-}" ]; then
		sed "s|^[a-z]*	|&$kind |" "$scratch/results" >>"$KMEMX_RESULTS"
	else
		printf '%s: %s passed, %s failed, %s skipped\n' "$kind" "$(count passed)" \
			"$(count failed)" "$(count skipped)"
	fi
	[ "$(count failed)" = 0 ]
}
