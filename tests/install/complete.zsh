# SPDX-License-Identifier: GPL-2.0-or-later
#
# What zsh offers for command lines, in a terminal of its own.
# In: the directory with _kmemx; a command line on each line of standard input, whose last word is to be
# completed. Out: the line, a tab, a word that is offered.
#
# usage: zsh -f complete.zsh DIRECTORY
zmodload zsh/zpty
work=$(mktemp -d) || exit 1
cat >$work/lines
: >$work/offers

# One widget has each line in turn completed. Each word that is offered comes by compadd; what is
# only asked of compadd (-O, -A, -D) is none.
cat >$work/asked <<'END'
PROMPT=
setopt no_beep no_list_beep
autoload -Uz compinit && compinit -u -D
compadd() {
	local -a words
	if ((! ${@[(I)-[OAD]*]})); then
		builtin compadd -O words "$@"
		((! $#words)) || print -rl -- "$LBUFFER"$'\t'${^words} >>$work/offers
	fi
	builtin compadd "$@"
}
offer() {
	local line
	for line in "${(@f)$(<$work/lines)}"; do
		BUFFER=$line CURSOR=$#line
		zle complete-word
	done
	exit
}
zle -N offer
bindkey "^T" offer
END
zpty shell zsh -f -i
zpty -w shell "work=${(q)work} fpath=(${(q)1} \$fpath); . \$work/asked"
zpty -w -n shell $'\x14'
while zpty -r shell seen; do :; done
zpty -d shell
cat $work/offers
rm -rf $work
