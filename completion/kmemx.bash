# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Bash completion of kmemx's commands, options and their values.
# In: the output of kmemx --list-commands and kmemx COMMAND --list-options, which comes from the
# program's own tables. Out: COMPREPLY.

# Runs the program on the command line; ~ is not expanded there.
_kmemx_ask() {
	local program=${COMP_WORDS[0]}

	[[ $program == \~/* ]] && program=$HOME/${program#*/}
	"$program" "$@" 2>/dev/null
}

# Offers these words. $cur is the word so far.
_kmemx_choose() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# Offers names of files and of the named queries.
_kmemx_query() {
	_kmemx_files -f
	COMPREPLY+=($(compgen -W "$(_kmemx_ask query --list | cut -d ' ' -f 1)" -- "$cur"))
}

# Offers names of files, or with -d of directories.
_kmemx_files() {
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}

# Words separated by commas, each with an optional sign: completes the last one.
_kmemx_list() {
	local before= word

	[[ $cur != *,* ]] || before=${cur%,*},
	[[ ${cur#"$before"} != [+-]* ]] || before+=${cur:${#before}:1}
	mapfile -t COMPREPLY < <(compgen -W "${1//|/ }" -- "${cur#"$before"}")
	for word in "${!COMPREPLY[@]}"; do
		COMPREPLY[word]=$before${COMPREPLY[word]}
	done
}

# COMMAND.OPTION, the name of a setting.
_kmemx_setting() {
	local name=${cur%%.*}

	if [[ $cur == *.* ]]; then
		_kmemx_choose "$(_kmemx_ask "$name" --list-options |
			sed -n "s/^[^\t]*--\([a-z-]*\)\t.*/$name.\1/p")"
	else
		compopt -o nospace 2>/dev/null
		_kmemx_choose "$(_kmemx_ask --list-commands | sed 's/\t.*/./')"
	fi
}

# Completes the value of an option whose help calls it $1.
_kmemx_value() {
	case $1 in
	DIR) _kmemx_files -d ;;
	FILE) _kmemx_files -f ;;
	,*) _kmemx_list "${1#,}" ;;
	*[!a-z0-9_.\|-]*) ;;
	*) _kmemx_choose "${1//|/ }" ;;
	esac
}

# A command follows "--": lets bash-completion complete it.
_kmemx_command_after() {
	local offset=$1

	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$offset"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$offset"
	elif ((COMP_CWORD == offset)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	else
		_kmemx_files -f
	fi
}

# Sets cur to the word to complete, and option to the option whose value it may be. Sets equals if
# the word follows a "=", which bash treats as a word of its own.
_kmemx_word() {
	cur=${COMP_WORDS[COMP_CWORD]}
	option=${COMP_WORDS[COMP_CWORD - 1]}
	equals=
	if [[ $cur == "=" ]]; then
		cur=
		equals=1
	elif [[ $option == "=" ]] && ((COMP_CWORD > 1)); then
		option=${COMP_WORDS[COMP_CWORD - 2]}
		equals=1
	fi
}

_kmemx() {
	local cur option equals command i names value words=

	COMPREPLY=()
	_kmemx_word
	if ((COMP_CWORD == 1)); then
		_kmemx_choose "help $(_kmemx_ask --list-commands | cut -f 1)"
		return
	fi
	command=${COMP_WORDS[1]}
	if [[ $command == help ]]; then
		_kmemx_choose "$(_kmemx_ask --list-commands | cut -f 1)"
		return
	fi
	if [[ $command == config && $cur != -* ]]; then
		if ((COMP_CWORD == 2)); then
			_kmemx_choose "list get"
		elif [[ ${COMP_WORDS[2]} == get ]]; then
			_kmemx_setting
		fi
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- && ( $command == record || $command == top ) ]]; then
			_kmemx_command_after $((i + 1))
			return
		fi
	done
	while IFS=$'\t' read -r names value _; do
		words+=" ${names/,/ }"
		if [[ $value != - && ",$names," == *",$option,"* ]] &&
			[[ $value != "="* || $equals ]]; then
			_kmemx_value "${value#=}"
			return
		fi
	done < <(_kmemx_ask "$command" --list-options)
	if [[ $cur == -* ]]; then
		_kmemx_choose "$words"
	elif [[ $command == query ]]; then
		_kmemx_query
	else
		_kmemx_files -f
	fi
}

complete -F _kmemx kmemx
