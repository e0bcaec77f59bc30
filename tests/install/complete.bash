# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Prints what bash offers for command lines, without a terminal.
# In: the completion; command lines on standard input, whose last words are to be completed. Out:
# for each offer the line, a tab, and the word.
#
# usage: bash --norc complete.bash COMPLETION
# shellcheck source=/dev/null
source "$1"

while IFS= read -r line; do
    # Split like readline: "=" is a word of its own.
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
