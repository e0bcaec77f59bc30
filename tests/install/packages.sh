# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Checks the packages (LONG=1). Builds the sources twice in different directories, once as an RPM
# package, and the Debian package twice; with LONG=2 also the latter in different directories and
# with Debian's optimization. Checks packages with lintian and rpmlint, installs them in an empty
# root and removes them again.
# In: functions of run. Out: what is wrong.

SOURCE_DATE_EPOCH=1767225600
CCACHE_DISABLE=1
export SOURCE_DATE_EPOCH CCACHE_DISABLE
unset MAKEFLAGS MAKELEVEL
jobs=-j$(nproc 2>/dev/null || echo 1)
one=$scratch/one
two=$scratch/another/directory
version=$(sed -n 's/^VERSION := //p' Makefile)

# same NAME DIRECTORY DIRECTORY FILE...: the files in both are identical.
same() {
	label=$1
	first=$2
	other=$3
	shift 3
	for file; do
		cmp "$first/$file" "$other/$file" 2>&1
	done >"$scratch/out"
	test $# -gt 0 || echo "nothing was built" >"$scratch/out"
	verdict "$label"
}

mkdir -p "$one" "$two"
tar -cf - --exclude=./build --exclude=./kmemx --exclude=./.git . | tar -xf - -C "$one"
cp -pR "$one/." "$two"
# For dpkg-buildflags: takes half the time to compile.
[ "$LONG" = 2 ] || export DEB_CFLAGS_APPEND='-Og -g0'

# Sources of the last commit, in a directory named after it.
test_dist() {
	if ! git rev-parse -q --verify HEAD >/dev/null 2>&1; then
		skipped dist "this is no git checkout"
		return
	fi
	run_make dist O="$one" >/dev/null && run_make dist O="$two" >/dev/null
	{ git ls-tree -r --name-only HEAD && echo kmemx.spec; } |
		sed "s|^|kmemx-$version/|" | sort >"$scratch/expected"
	tar -tzf "$one/build/kmemx-$version.tar.gz" | grep -v '/$' | sort | diff "$scratch/expected" - >"$scratch/out"
	verdict dist
	same reproducible-dist "$one" "$two" "build/kmemx-$version.tar.gz"
}

# What is wrong with the package that is installed below DIR.
installed() {
	"$1/usr/bin/kmemx" --version | grep -vx "kmemx $version"
	for page in kmemx kmemx-stat; do
		man -M "$1/usr/share/man" -w $page 2>&1 | grep -v "^$1/"
	done
}

# Installs into an empty root and removes it again. The libraries are missing there; dpkg-shlibdeps
# ensures that the package names them.
test_deb_install() {
	clean=$scratch/clean
	if [ "$(id -u)" != 0 ]; then
		skipped deb-install "only root installs a package"
		return
	fi
	mkdir -p "$clean/var/lib/dpkg/info" "$clean/var/lib/dpkg/updates" "$clean/var/log"
	touch "$clean/var/lib/dpkg/status" "$clean/var/lib/dpkg/available"
	{
		dpkg --root="$clean" --force-depends -i "$1" >"$scratch/log" 2>&1 || cat "$scratch/log"
		installed "$clean"
		dpkg --root="$clean" --verify kmemx
		dpkg --root="$clean" -P kmemx >"$scratch/log" 2>&1 || cat "$scratch/log"
		find "$clean" -name '*kmemx*' -not -path "$clean/var/*"
	} >"$scratch/out" 2>&1
	verdict deb-install
}

test_deb() {
	if ! command -v dpkg-shlibdeps >/dev/null || ! command -v scdoc >/dev/null; then
		skipped deb "dpkg-dev or scdoc is not here"
		return
	fi
	again=$one
	[ "$LONG" != 2 ] || again=$two
	make -s "$jobs" -C "$one" deb >/dev/null 2>>"$scratch/make.err"
	deb=$(cd "$one" && echo build/*.deb)
	mkdir -p "$scratch/first/build"
	cp "$one/$deb" "$scratch/first/build"
	# Builds it in another second than the first: times in the package must not depend on the
	# clock.
	sleep 1.1
	make -s "$jobs" -C "$again" deb >/dev/null 2>>"$scratch/make.err"
	[ "$again" = "$one" ] || cp "$two/$deb" "$one/build"
	same reproducible-deb "$one" "$scratch/first" "$deb"
	test_deb_install "$one/$deb"
	if command -v lintian >/dev/null; then
		lintian "$one/$deb" >"$scratch/out" 2>/dev/null
		verdict lintian
	else
		skipped lintian "lintian is not here (scripts/install-deps package)"
	fi
}

# Uses the flags of a usual build, so that test_reproducible can compare the results, and skips the
# unit tests. rpmbuild and a shell each remove one backslash.
test_rpm() {
	if ! command -v rpmbuild >/dev/null || [ ! -f "$one/build/kmemx-$version.tar.gz" ]; then
		skipped rpm "rpmbuild is not here (scripts/install-deps package), or no sources were made"
		return
	fi
	packaging/rpm "$version" "$one/build" --nocheck --noclean --define 'optflags \\$(room_cflags)' \
		>"$scratch/log" 2>"$scratch/out"
	verdict rpm
	rpm=$(tail -n 1 "$scratch/log")
	clean=$scratch/rpm
	{
		rpm --root="$clean" --nodeps --nosignature -i "$rpm"
		installed "$clean"
		rpm --root="$clean" -V --nodeps kmemx
		rpm --root="$clean" -e kmemx
		find "$clean" -name '*kmemx*'
	} 2>&1 | grep -v 'RPM should not be used directly\|assuming you know' >"$scratch/out" # from Debian's rpm
	verdict rpm-install
	if command -v rpmlint >/dev/null; then
		rpmlint -r packaging/rpmlintrc "$rpm" 2>&1 | grep '^kmemx' >"$scratch/out"
		verdict rpmlint
	else
		skipped rpmlint "rpmlint is not here (scripts/install-deps package)"
	fi
}

# Compares the program under test with a build in another directory: rpmbuild's, if the sources are
# those of the last commit. If the program was built with unusual flags, compares two other builds.
test_reproducible() {
	built=$one/build/rpm/BUILD/kmemx-$version
	second=$top
	[ "${KMEMX_CFLAGS-} ${KMEMX-}" = "rooms $top/kmemx" ] || second=$two
	if [ ! -x "$built/kmemx" ] || [ -n "$(git status --porcelain Makefile cmd lib plugins web scripts)" ]; then
		built=$one
	fi
	for copy in "$built" "$second"; do
		case $copy in
		"$one" | "$two") make -s "$jobs" -C "$copy" all >/dev/null 2>>"$scratch/make.err" ;;
		esac
	done
	same reproducible-build "$built" "$second" kmemx build/native/plugins/plugin_kmemx.so
}

test_PKGBUILD() {
	run_make "$one/build/PKGBUILD" O="$one" >"$scratch/out"
	bash -n "$one/build/PKGBUILD" >>"$scratch/out" 2>&1
	grep -n '@' "$one/build/PKGBUILD" | grep -v 'Maintainer: .*<.*@.*>' >>"$scratch/out"
	verdict PKGBUILD
}

test_dist
test_deb
test_rpm
test_reproducible
test_PKGBUILD
grep -v 'jobserver unavailable' "$scratch/make.err" >&2
