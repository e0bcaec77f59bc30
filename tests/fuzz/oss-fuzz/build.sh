#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the fuzz targets as OSS-Fuzz wants them.
# In: the sources in the current directory; $CC, $CXX, $CFLAGS, $LIB_FUZZING_ENGINE, $WORK from
# OSS-Fuzz. Out: $OUT/NAME, its seeds and options, and in $OUT/lib the libraries that the machine
# running it lacks.
set -eu

make QUIET=1 O="$WORK" CC="$CC" CXX="$CXX" CFLAGS="$CFLAGS" WITHOUT=ncursesw \
	LDFLAGS="$CFLAGS '-Wl,-rpath,\$\$ORIGIN/lib'" LIB_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" fuzzers-here
built=$WORK/build/native/tests/fuzz
tests/fuzz/make-seeds "$built/cut" "$WORK/seeds" >/dev/null
mkdir -p "$OUT/lib"
for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	program=$built/$name
	cp "$program" "$OUT/"
	ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -v '/lib[cm]\.so' |
		xargs -r cp -Lt "$OUT/lib"
	for kind in "$WORK/seeds" tests/fuzz/corpus tests/fuzz/regress; do
		[ ! -d "$kind/$name" ] || zip -qjr "$OUT/${name}_seed_corpus.zip" "$kind/$name"
	done
	# libtraceevent leaks when it cannot parse a format; "make fuzz-smoke" finds kmemx's own
	# leaks.
	printf '[libfuzzer]\ndetect_leaks=0\n[asan]\ndetect_leaks=0\n' >"$OUT/$name.options"
done
