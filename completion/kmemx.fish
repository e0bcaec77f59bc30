# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fish completion of kmemx's commands, options and their values.
# In: the output of kmemx --list-commands and kmemx COMMAND --list-options, which comes from the
# program's own tables. Out: lines of a word, a tab and its description.

# Runs the program on the command line; ~ is not expanded there.
function __kmemx_ask
    set -l program (commandline -opc)[1]
    set program (string replace -r '^~/' "$HOME/" -- $program)
    $program $argv 2>/dev/null
end

# Names of directories, or of all files, that begin with the word so far; each follows the text
# $argv[2].
function __kmemx_files
    if test $argv[1] = DIR
        printf '%s\n' $argv[2](__fish_complete_directories $argv[3])
    else
        printf '%s\n' $argv[2](__fish_complete_path $argv[3])
    end
end

# Values of an option whose help calls its value $argv[1].
function __kmemx_values
    switch $argv[1]
        case DIR FILE
            __kmemx_files $argv
        case ',*'
            # A list: completes the last word, with its sign.
            set -l before (string replace -r '[^,+-]*$' '' -- $argv[3])
            printf '%s\n' $argv[2]$before(string split '|' -- (string sub -s 2 -- $argv[1]))
        case '*'
            if string match -qr '^[a-z0-9_.|-]+$' -- $argv[1]
                printf '%s\n' $argv[2](string split '|' -- $argv[1])
            end
    end
end

# COMMAND.OPTION, the name of a setting.
function __kmemx_settings
    set -l name (string split . -- $argv[1])[1]
    if string match -q '*.*' -- $argv[1]
        __kmemx_ask $name --list-options |
            string replace -rf '^[^\t]*--([a-z-]*)\t.*' $name.'$1'
    else
        __kmemx_ask --list-commands | string replace -r '\t.*' .
    end
end

function __kmemx_options
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command $words[2]
    if contains "$command" record top; and contains -- -- $words[3..-1]
        __fish_complete_subcommand --commandline (string split -m1 ' -- ' -- (commandline -cp))[2]
        return
    end
    set -l parts (string split -m1 = -- $current)
    for line in (__kmemx_ask $command --list-options)
        set -l fields (string split \t -- $line)
        set -l names (string split , -- $fields[1])
        if test $fields[2] != -
            # An optional value can only follow a "=".
            set -l value (string replace -r '^=' '' -- $fields[2])
            if test $value = $fields[2]; and contains -- $words[-1] $names
                __kmemx_values $value '' $current
                return
            end
            if set -q parts[2]; and contains -- $parts[1] $names
                __kmemx_values $value $parts[1]= $parts[2]
                return
            end
        end
        if string match -q -- '-*' $current
            string join \n -- $names\t$fields[3]
        end
    end
    string match -q -- '-*' $current; and return
    if test "$command" = config
        if test (count $words) = 2
            printf '%s\n' list get
        else if test "$words[3]" = get
            __kmemx_settings $current
        end
    else if test "$command" = query
        __kmemx_ask query --list | string replace -r ' +' \t
        __fish_complete_path $current
    else
        __fish_complete_path $current
    end
end

function __kmemx_complete
    set -l words (commandline -opc)
    if test (count $words) = 1
        __kmemx_ask --list-commands
        printf 'help\tshow a command\'s options\n'
    else if test "$words[2]" = help
        __kmemx_ask --list-commands
    else
        __kmemx_options
    end
end

complete -c kmemx -f -a '(__kmemx_complete)'
