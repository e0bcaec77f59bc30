# SPDX-License-Identifier: GPL-2.0-or-later
#
# What fish offers for command lines.
# In: the directory with kmemx.fish; a command line on each line of standard input, whose last word is
# to be completed. Out: the line, a tab, a word that is offered.
#
# usage: fish --no-config complete.fish DIRECTORY
set fish_complete_path $argv[1]
while read -l line
    for offer in (complete -C "$line")
        printf '%s\t%s\n' $line (string split -m1 \t -- $offer)[1]
    end
end
