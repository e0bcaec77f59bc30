# SPDX-License-Identifier: GPL-2.0-or-later
#
# Prints what zsh offers for command lines, in a terminal of its own.
# In: the directory with _kmemx; command lines on standard input, whose last words are to be
# completed. Out: for each offer the line, a tab, and the word.
#
# usage: zsh -f complete.zsh DIRECTORY
zmodload zsh/zpty
work=$(mktemp -d) || exit 1
cat >$work/lines
: >$work/offers

# A widget completes the lines one by one. compadd gets each offered word, except in queries (-O,
# -A, -D).
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
