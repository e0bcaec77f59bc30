#compdef kmemx
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zsh completion of kmemx's commands, options and their values; installed as _kmemx.
# In: the output of kmemx --list-commands and kmemx COMMAND --list-options, which comes from the
# program's own tables. Out: the offers of _describe and _arguments.

# Runs the program on the command line; ~ is not expanded there.
_kmemx_ask() {
	${(e)~program} "$@" 2>/dev/null
}

_kmemx_commands() {
	local -a commands
	local name purpose

	_kmemx_ask --list-commands | while IFS=$'\t' read -r name purpose; do
		commands+=("$name:$purpose")
	done
	(($# == 0)) || commands+=("$@")
	_describe -t commands 'kmemx command' commands
}

# ":NAME:ACTION" for an option whose help calls its value $1.
_kmemx_value() {
	case $1 in
	-) ;;
	"="*) REPLY="::value:(${${1#=}//|/ })" ;;
	DIR) REPLY=":$1:_path_files -/" ;;
	FILE) REPLY=":$1:_files" ;;
	,*) REPLY=":value:_sequence compadd - ${${1#,}//|/ }" ;;
	*[^a-z0-9_.\|-]*) REPLY=":${1//:/\\:}: " ;;
	*) REPLY=":value:(${1//|/ })" ;;
	esac
}

# COMMAND.OPTION, the name of a setting.
_kmemx_setting() {
	local name=${PREFIX%%.*}
	local -a names

	if [[ $PREFIX == *.* ]]; then
		names=(${(f)"$(_kmemx_ask $name --list-options |
			sed -n "s/^[^\t]*--\([a-z-]*\)\t.*/$name.\1/p")"})
		compadd -- $names
	else
		names=(${^${(f)"$(_kmemx_ask --list-commands)"}%%$'\t'*}.)
		compadd -S '' -- $names
	fi
}

# Names of files, or of the named queries.
_kmemx_query() {
	local -a names

	names=(${${(f)"$(_kmemx_ask query --list)"}%% *})
	_alternative "queries:query:($names)" 'files:file:_files'
}

_kmemx_options() {
	local -a specs
	local names value help name spec REPLY

	_kmemx_ask $command --list-options | while IFS=$'\t' read -r names value help; do
		REPLY=
		_kmemx_value "$value"
		help=${${${help//\\/\\\\}//\[/\\[}//\]/\\]}
		for name in ${(s:,:)names}; do
			spec="*$name"
			if [[ $value == "="* ]]; then
				spec+='=-'
			elif [[ -n $REPLY ]]; then
				[[ $name == --* ]] && spec+='=' || spec+='+'
			fi
			specs+=("$spec${help:+[$help]}$REPLY")
		done
	done
	if [[ $command == record || $command == top ]]; then
		specs+=('(-)1:command: _command_names -e' '*::arguments: _normal')
	elif [[ $command == config ]]; then
		specs+=('1:action:(list get)' '2:setting:_kmemx_setting')
	elif [[ $command == query ]]; then
		specs+=('*:file or query:_kmemx_query')
	else
		specs+=('*:file:_files')
	fi
	_arguments -s -S : $specs
}

local program=$words[1] command=$words[2]

if ((CURRENT == 2)); then
	_kmemx_commands 'help:show a command'\''s options'
elif [[ $command == help ]]; then
	_kmemx_commands
else
	shift words
	((CURRENT--))
	_kmemx_options
fi
