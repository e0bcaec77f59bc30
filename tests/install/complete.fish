# SPDX-License-Identifier: GPL-2.0-or-later
#
# Prints what fish offers for command lines.
# In: the directory with kmemx.fish; command lines on standard input, whose last words are to be
# completed. Out: for each offer the line, a tab, and the word.
#
# usage: fish --no-config complete.fish DIRECTORY
set fish_complete_path $argv[1]
while read -l line
    for offer in (complete -C "$line")
        printf '%s\t%s\n' $line (string split -m1 \t -- $offer)[1]
    end
end
