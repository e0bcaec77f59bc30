# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What bash offers for command lines, without a terminal.
# In: the completion, sourced; a command line on each line of standard input, whose last word is to
# be completed. Out: the line, a tab, a word that is offered.
#
# usage: bash --norc complete.bash COMPLETION
# shellcheck source=/dev/null
source "$1"

while IFS= read -r line; do
    # As readline cuts it: "=" is a word of its own.
    read -ra COMP_WORDS <<<"${line//=/ = }"
    [[ $line == *[\ =] ]] && COMP_WORDS+=("")
    [[ $line == *= ]] && unset 'COMP_WORDS[-1]'
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMP_LINE=$line
    COMP_POINT=${#line}
    _kmemx
    for word in "${COMPREPLY[@]}"; do
        printf '%s\t%s\n' "$line" "$word"
    done
done
