# SPDX-License-Identifier: GPL-2.0-or-later
#
# make               build ./kmemx (installs nothing; names what is missing)
# make help          show this text
# make check         install what is missing, build, run all tests
# make demo          install what is missing, record two seconds here, report them
# make deps          install what is missing
# make unit          the unit tests (TESTS='name ...': some)
# make cli           commands and what they should print (TESTS='name ...': some)
# make reference     reports beside trace-cmd's and a model's (TESTS='name ...')
# make live          record here, as root (TESTS='name ...'; LONG=1: every case)
# make doctest       the manual beside -h
# make browsertest   pages in a browser, as a reader uses them
# make fleet         1000 simulated hosts in two ClickHouse servers, and in three
#                    that are killed: the queries of kmemx query, compared
#                    (installs nothing; LONG=1: also with 16 times the rows)
# make bombs         small files that ask for much work (KMEMX_VERBOSE=1)
# make instructions  what stat takes for an event, and for a live object
#                    (RENEW=1: a new baseline)
# make threads       reports are the same for any number of threads
# make installtest   install it, use it, uninstall it (LONG=1: the packages too)
# make mutants       small changes to accounts and analyses: do tests notice?
#                    (SAMPLE=300 SEED=1; ENOUGH=1: ends at 90 %)
# make lint          style, layers, shell scripts, headers
# make analyze       what the analyzers of gcc and clang find (ANALYZERS=gcc)
# make bench         recording and reporting beside perf kmem and trace-cmd
#                    (BENCH='--rounds 9 --json --growth 100'; --knobs;
#                    --threads FILE)
# make fuzz-smoke    a minute of fuzzing (FUZZ_SECONDS=12 for each target; clang)
# make fuzz-coverage how much of the parsers that reaches (needs clang and llvm)
# make man           the man pages (needs scdoc)
# make install       program, man pages, documents, plugin, completion
# make uninstall     remove what install, given the same variables, has put there
# make dist          the last commit's sources: build/kmemx-VERSION.tar.gz
# make deb           a Debian package in build/ (needs dpkg-dev)
# make rpm           an RPM package in build/ (needs rpmbuild)
# make release       all of these in build/release, with checksums and a signature
# make clean         remove what was built
#
# O=DIR  SAN=address,undefined  STATIC=1  CROSS_COMPILE=aarch64-linux-gnu-  V=1
# -jN: N processors (all); CFLAGS='-O2 -g': for all files, and for a debugger
# WITHOUT='sqlite3 libdw': as if these libraries were not there
# DESTDIR=  prefix=/usr/local  plugindir=DIR  (others: packaging/install.mk)

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/sh
.DELETE_ON_ERROR:

# All processors; -j on the command line overrides this.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif

# Several goals, such as "clean check", run one after the other, each with all processors.
ifneq ($(and $(filter 0,$(MAKELEVEL)),$(word 2,$(MAKECMDGOALS))),)
.NOTPARALLEL:
.PHONY: $(MAKECMDGOALS)
$(sort $(MAKECMDGOALS)):
	@+$(MAKE) --no-print-directory $@
else

ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
VERSION := 1.0.0

# ./kmemx at the top and objects under build/native; with O=DIR both under DIR. Each combination of
# SAN, STATIC and CROSS_COMPILE has its own directory, which also has its kmemx.
O ?= .
comma := ,
space := $(subst ,, )
variant := $(subst $(space),-,$(strip $(notdir $(CROSS_COMPILE:%-=%)) \
	$(if $(STATIC),static) $(if $(SAN),san-$(subst $(comma),-,$(SAN)))))
B := $(O)/build/$(or $(variant),native)
KMEMX := $(if $(variant),$(B),$(O))/kmemx

# --- libraries ---------------------------------------------------------------------------
# To cross-compile, takes the libraries from the directory that scripts/cross-deps fills; else from
# a cross pkg-config if there is one; else from this pkg-config with the other machine's files
# (multiarch).
ifdef CROSS_COMPILE
triplet := $(notdir $(CROSS_COMPILE:%-=%))
CROSS_DEPS ?= build/cross/$(triplet)
ifneq ($(wildcard $(CROSS_DEPS)/usr/include),)
cross_root := $(abspath $(CROSS_DEPS))
CROSS_CFLAGS := -isystem $(cross_root)/usr/include
CROSS_LIBS := -L$(cross_root)/usr/lib/$(triplet)
PKG_CONFIG ?= env PKG_CONFIG_SYSROOT_DIR=$(cross_root) \
	PKG_CONFIG_LIBDIR=$(cross_root)/usr/lib/$(triplet)/pkgconfig pkg-config
else
ifneq ($(shell command -v $(CROSS_COMPILE)pkg-config 2>/dev/null),)
PKG_CONFIG ?= $(CROSS_COMPILE)pkg-config
endif
PKG_CONFIG ?= env PKG_CONFIG_LIBDIR=/usr/lib/$(triplet)/pkgconfig:/usr/share/pkgconfig pkg-config
endif
endif
PKG_CONFIG ?= pkg-config

have = $(if $(filter $(1),$(WITHOUT)),,$(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo $(1)))
needed_libs := libtracefs libtraceevent libelf
# libdw.a needs other static libraries that few machines have.
optional_libs := $(call have,libzstd) $(call have,zlib) $(call have,liblzma) \
	$(if $(STATIC),,$(call have,libdw))
# Loaded at run time: the build needs only their headers.
loaded_libs := $(if $(STATIC),,$(call have,libdebuginfod) $(call have,sqlite3) \
	$(call have,libmicrohttpd))
# Only its library flags are used: its other flags define macros that are defined differently here.
curses := $(if $(STATIC),,$(call have,ncursesw))
missing := $(foreach t,$(firstword $(CC)) $(firstword $(PKG_CONFIG)),$(if \
	$(shell command -v $(t) 2>/dev/null),,$(t))) \
	$(foreach l,$(needed_libs),$(if $(call have,$(l)),,$(l)))
pkgs := $(needed_libs) $(optional_libs)
LIB_CFLAGS := $(CROSS_CFLAGS) $(shell $(PKG_CONFIG) --cflags $(pkgs) 2>/dev/null)
LIB_LIBS := $(CROSS_LIBS) \
	$(shell $(PKG_CONFIG) $(if $(STATIC),--static) --libs $(pkgs) $(curses) 2>/dev/null) \
	$(if $(strip $(loaded_libs)),-ldl) -lm
CHECK_CFLAGS := $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
CHECK_LIBS := $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

# --- flags -------------------------------------------------------------------------------
# -O2 pays off (make instructions, make bench) in rooms with work per event or per symbol. -Og
# compiles in half the time and costs nothing in rooms without work per row. Tests need no
# optimization, but programs that tests record do, so that they allocate exactly what their source
# says. With SAN=address, lower levels save more time in compiling than tests lose; not so with
# SAN=thread. CFLAGS, if given, applies to all files.
HOT := $(addsuffix /%,$(addprefix lib/,base recording event account symbol) \
	$(addprefix lib/analysis/,advise browse life time) tests/live tests/bench tests/workloads \
	tests/fuzz plugins)
COLD := $(addsuffix /%,cmd $(addprefix lib/,capture export import live study) \
	$(addprefix lib/analysis/,balance flags footprint overview rows_out))
room_cflags = $(or $(if $(filter $(HOT),$<),-O2),$(if $(filter tests/%,$<),-O0),$(if $(filter $(COLD),$<),-Og),-O1)
cflags_name := $(if $(filter undefined,$(origin CFLAGS)),rooms,$(CFLAGS))
ifeq ($(origin CFLAGS),undefined)
asan_cflags = $(if $(filter tests/%,$<),$(room_cflags),$(if $(filter $(HOT),$<),-O1,-O0))
CFLAGS = $(if $(findstring address,$(SAN)),$(asan_cflags),$(room_cflags))$(if $(SAN), -g1)
endif
# -Wno-missing-field-initializers: clang, unlike gcc, warns about a table's empty last row.
# -fdebug-prefix-map keeps the build's directory out of the binary, so that the same sources give
# the same bytes.
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wundef -Wformat=2 -Wvla -Wno-unused-parameter -Wno-missing-field-initializers \
	-Werror=implicit-function-declaration
DEFS := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DKMEMX_VERSION='"$(VERSION)"' \
	$(if $(filter libzstd,$(pkgs)),-DHAVE_ZSTD=1) $(if $(filter zlib,$(pkgs)),-DHAVE_ZLIB=1) \
	$(if $(filter liblzma,$(pkgs)),-DHAVE_LZMA=1) $(if $(filter libdw,$(pkgs)),-DHAVE_LIBDW=1) \
	$(if $(filter libdebuginfod,$(loaded_libs)),-DHAVE_DEBUGINFOD=1) \
	$(if $(filter sqlite3,$(loaded_libs)),-DHAVE_SQLITE=1) \
	$(if $(filter libmicrohttpd,$(loaded_libs)),-DHAVE_MICROHTTPD=1) $(if $(curses),-DHAVE_NCURSES=1) \
	$(if $(STATIC),-DKMEMX_STATIC=1)
# With SAN=address, which shows the line of a trap, undefined only traps. With its descriptive data a
# program would take three times as long to start, as gcc's address sanitizer registers all of it.
SANFLAGS = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer \
	$(if $(and $(findstring address,$(SAN)),$(findstring undefined,$(SAN))),-fsanitize-undefined-trap-on-error))
ALL_CFLAGS = -std=gnu11 -pthread $(WARN) -Ilib -I. -Itests/unit $(DEFS) \
	$(LIB_CFLAGS) $(SANFLAGS) -fdebug-prefix-map=$(CURDIR)=. $(CFLAGS)
ALL_LDFLAGS = -pthread $(SANFLAGS) $(if $(STATIC),-static) $(LDFLAGS)
# "private": the prerequisites of a test, above all $(B)/flags, keep the common flags.
$(B)/tests/%.o: private ALL_CFLAGS += $(CHECK_CFLAGS) -I$(B)/tests -Wno-missing-prototypes

# --- files -------------------------------------------------------------------------------
LIB_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard lib/*/*.c lib/*/*/*.c)))
CMD_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard cmd/*.c cmd/*/*.c)))
TEST_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/unit/*.c tests/unit/*/*.c)))
PROG_SRC := $(sort $(wildcard tests/live/*.c tests/bench/*.c tests/workloads/*.c))
PROGS := $(patsubst %.c,$(B)/%,$(PROG_SRC))
FUZZERS := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
MAN := $(patsubst Documentation/%.scd,$(B)/man/%,$(sort $(wildcard Documentation/*.scd)))
# The plugin is loaded into trace-cmd and KernelShark, which are this machine's programs without a
# sanitizer. It has its own objects, because they are position-independent. Its second name makes it
# the last one loaded.
PLUGIN_SRC := plugins/plugin_kmemx.c lib/event/gfp.c lib/event/migratetype.c lib/base/strbuf.c
PLUGIN_OBJ := $(patsubst %.c,$(B)/pic/%.o,$(PLUGIN_SRC))
PLUGIN := $(if $(STATIC)$(SAN)$(CROSS_COMPILE),,$(B)/plugins/plugin_kmemx.so)
LIBKMEMX := $(B)/libkmemx.a
UNIT := $(B)/tests/unit/run

Q := $(if $(V),,@)
# QUIET: prints one line for the build instead of one for each file.
say = $(if $(V)$(QUIET),,$(info $(space) $(1)	$(2)))

all: $(KMEMX) $(PLUGIN)
.PHONY: all help bench bombs browsertest check check-here progs-here unit cli reference live doctest instructions threads \
	installtest fleet \
	mutants fuzzers-here fuzz-smoke fuzz-here fuzz-coverage coverage-here \
	demo demo-here lint lint-here analyze man install uninstall dist deb rpm release clean deps FORCE

help:
	@sed -n '/^# make /,/^$$/s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

# --- what is missing, by distribution ----------------------------------------------------
ifneq ($(strip $(missing)),)
ifneq ($(filter-out help clean check demo lint deps uninstall dist,$(or $(MAKECMDGOALS),all)),)
$(info kmemx: cannot build, this is missing: $(strip $(missing)))
ifdef CROSS_COMPILE
$(error those of $(triplet) are needed: scripts/cross-deps $(CROSS_COMPILE) fetches the libraries and names the compiler)
endif
$(shell scripts/install-deps --explain build >&2)
$(error install it with the line of your distribution, or by: make deps)
endif
endif

# --- rules -------------------------------------------------------------------------------
# Rebuilds when the compiler or a flag changes: the file is written only if its text differs.
$(B)/flags: FORCE
	@mkdir -p $(sort $(@D) $(B)/plugins $(dir $(LIB_OBJ) $(CMD_OBJ) $(TEST_OBJ) $(PROGS) $(FUZZERS)))
	@printf '%s\n' '$(subst ','\'',$(CC) $(HOT) $(COLD) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(LIB_LIBS))' > $@.$$$$; \
	cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@

$(B)/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Text of the web pages, as C strings.
$(B)/web/%.inc: web/% scripts/embed-text
	@mkdir -p $(@D)
	$(call say,EMBED,$<)
	$(Q)scripts/embed-text $< > $@

# The script of kmemx report consists of these files, in this order.
REPORT_JS := $(patsubst %,web/report/%.js,read data words groups filter table zoom marks timeline parts frames memory colours flame chart views heat state page)

# The script of kmemx diff --html uses some of them.
DIFF_JS := $(patsubst %,web/report/%.js,read words colours flame) \
	$(patsubst %,web/diff/%.js,data flame timeline table page)

$(B)/web/report.js: $(REPORT_JS)
$(B)/web/diff.js: $(DIFF_JS)
$(B)/web/report.js $(B)/web/diff.js:
	@mkdir -p $(@D)
	$(call say,JOIN,$@)
	$(Q)cat $^ > $@

$(B)/web/%.js.inc: $(B)/web/%.js scripts/embed-text
	$(call say,EMBED,$<)
	$(Q)scripts/embed-text $< > $@

WEB := $(patsubst %,$(B)/%.inc,$(sort $(wildcard web/*.*) web/report.js web/diff.js))
WEB_OBJ := $(patsubst %,$(B)/lib/report/web/%_html.o,rings web_report web_diff)
$(WEB_OBJ): $(WEB)
$(WEB_OBJ): private ALL_CFLAGS += -I$(B)/web

# The named queries of kmemx query.
SQL := $(patsubst %,$(B)/%.inc,$(sort $(wildcard lib/query/sql/*.sql)))
$(B)/lib/query/sql/%.inc: lib/query/sql/% scripts/embed-text
	@mkdir -p $(@D)
	$(call say,EMBED,$<)
	$(Q)scripts/embed-text $< > $@

$(B)/lib/query/schema.o: $(SQL)
$(B)/lib/query/schema.o: private ALL_CFLAGS += -I$(B)/lib/query/sql

$(LIBKMEMX): $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Renames kmemx into place, because a test may run it while it is linked.
$(KMEMX): $(CMD_OBJ) $(LIBKMEMX)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@.new $^ $(LIB_LIBS) && mv $@.new $@

$(B)/pic/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$< (PIC))
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(B)/plugins/plugin_kmemx.so: $(PLUGIN_OBJ)
	@mkdir -p $(@D)/kmemx
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -o $@ $^ \
		$(shell $(PKG_CONFIG) --libs libtraceevent 2>/dev/null)
	@ln -sf ../plugin_kmemx.so $(@D)/kmemx/plugin_kmemx.so

# Each test_NAME.c in tests/unit and its directories defines Suite *test_NAME_suite(void).
$(B)/tests/suites.h: $(TEST_OBJ:$(B)/%.o=%.c)
	@mkdir -p $(@D)
	@for f in $^; do case $$f in */test_*) echo "SUITE($$(basename $$f .c))" ;; esac; done > $@

$(B)/tests/unit/run.o: $(B)/tests/suites.h

# Where lint finds generated files that sources include.
EMBEDDED_CFLAGS = -I$(B)/web -I$(B)/lib/query/sql -I$(B)/tests
# Counts a test's assertions: tests/unit/run.c.
UNIT_LDFLAGS = -Wl,--wrap=_mark_point
$(UNIT): $(TEST_OBJ) $(B)/plugins/plugin_kmemx.o $(filter-out %/main.o,$(CMD_OBJ)) $(LIBKMEMX)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) $(UNIT_LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIB_LIBS)

# Programs that tests record must allocate exactly what their source says, so they have no
# sanitizer.
$(B)/tests/workloads/%: private SANFLAGS :=
# Its callers are found by frame pointers, as perf finds them.
$(B)/tests/workloads/callers.o: private ALL_CFLAGS += -O0 -g -fno-omit-frame-pointer

# Programs that live tests and the bench record.
$(PROGS): $(B)/%: $(B)/%.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(if $(filter %.a,$^),$(LIB_LIBS)) -lpthread
# These use our own library to read and write recordings.
BENCH_PROGS := $(addprefix $(B)/tests/bench/,walk gen_recording drain)
$(BENCH_PROGS): $(LIBKMEMX)

# Other engines than libFuzzer are C++ (tests/fuzz/oss-fuzz).
LIB_FUZZING_ENGINE ?= -fsanitize=fuzzer
$(FUZZERS): $(B)/%: $(B)/%.o $(LIBKMEMX)
	$(call say,LINK,$@)
	$(Q)$(if $(filter %.a,$(LIB_FUZZING_ENGINE)),$(CXX),$(CC)) $(ALL_LDFLAGS) -o $@ \
		$(filter-out %.a,$^) $(LIBKMEMX) $(LIB_FUZZING_ENGINE) $(LIB_LIBS)
# Runs whole commands; mutates small recordings with knowledge of their format.
$(B)/tests/fuzz/fuzz_command: $(addprefix $(B)/tests/fuzz/,case.o json_check.o mutate.o \
	mutate_bytes.o mutate_recording.o scarce.o) $(filter-out %/main.o,$(CMD_OBJ))
$(B)/tests/fuzz/fuzz_command: private ALL_LDFLAGS += $(addprefix -Wl$(comma)--wrap=,malloc \
	calloc realloc reallocarray strdup strndup asprintf vasprintf fdopendir)
# Mutates bytes that a reader reaches.
$(B)/tests/fuzz/fuzz_writer: $(addprefix $(B)/tests/fuzz/,mutate_bytes.o mutate_recording.o \
	mutate_writer.o)
FUZZ_CUT := $(B)/tests/fuzz/cut
$(FUZZ_CUT): $(B)/tests/fuzz/cut.o $(LIBKMEMX)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS)
# The fuzzers' first inputs. The file that is made last shows that all are there.
FUZZ_SEEDS := $(FUZZ_CUT).seeds
$(FUZZ_SEEDS)/made: $(FUZZ_CUT) tests/fuzz/make-seeds $(wildcard tests/data/*)
	$(call say,SEEDS,$(@D))
	$(Q)rm -rf $(@D)
	$(Q)LLVM_PROFILE_FILE=/dev/null tests/fuzz/make-seeds $(FUZZ_CUT) $(@D) >/dev/null && touch $@

$(B)/man/%: Documentation/%.scd packaging/identity.mk
	@mkdir -p $(@D)
	$(call say,MAN,$@)
	$(Q)$(fill_in) $< | scdoc > $@

man: $(MAN)

# --- tests -------------------------------------------------------------------------------
# What tests need to know about the build.
test_env = KMEMX='$(abspath $(KMEMX))' KMEMX_BUILD='$(abspath $(B))' KMEMX_SAN='$(SAN)' \
	KMEMX_CC='$(CC)' KMEMX_CFLAGS='$(cflags_name)'

progs-here: $(UNIT) $(PROGS) $(B)/tests/suites.h

unit: $(UNIT)
	$(Q)cd tests && . ./sanitizers.inc && $(abspath $(UNIT)) $(TESTS)
cli: $(KMEMX) $(PLUGIN)
	$(Q)$(test_env) tests/cli/run $(TESTS)
reference: $(KMEMX)
	$(Q)$(test_env) tests/reference/run $(TESTS)
live: $(KMEMX) $(PROGS)
	$(Q)$(test_env) tests/live/run $(TESTS)
# RENEW=1: makes the current values the baseline
instructions: $(KMEMX) $(B)/tests/bench/gen_recording
	$(Q)$(test_env) tests/instructions/run $(if $(RENEW),--renew)
threads: $(KMEMX) $(B)/tests/bench/gen_recording
	$(Q)$(test_env) tests/threads/run $(TESTS)
doctest: $(KMEMX)
	$(Q)$(test_env) tests/doc/run
installtest: $(KMEMX) $(PLUGIN)
	$(Q)$(test_env) tests/install/run $(TESTS)
# Small files that cause much work. KMEMX_VERBOSE=1 prints the cost of each.
bombs: $(KMEMX)
	$(Q)$(test_env) tests/bombs/run $(TESTS)

browsertest: $(KMEMX)
	$(Q)$(test_env) tests/browser/run $(PICTURES)

mutants: $(KMEMX) $(PLUGIN) $(UNIT)
	$(Q)SAMPLE='$(SAMPLE)' SEED='$(SEED)' $(test_env) MUTANT_CFLAGS='$(subst ','\'',$(ALL_CFLAGS) \
		$(CHECK_CFLAGS) $(EMBEDDED_CFLAGS))' MUTANT_LIBS='$(ALL_LDFLAGS) $(UNIT_LDFLAGS) $(CHECK_LIBS) $(LIB_LIBS)' \
		tests/mutants/run

fleet: $(KMEMX)
	$(Q)scripts/fleet-demo $(if $(LONG),--grow) $(KMEMX)
	$(Q)scripts/fleet-decide $(KMEMX) $(or $(FLEET_DECIDE),$(if $(LONG),--hosts 4000 --seeds 20))

# Each installs missing packages, then starts make again, so that it finds them.
check:
	@scripts/install-deps build test
	@echo "kmemx: building$(if $(SAN), with -fsanitize=$(SAN))"
	@+$(MAKE) --no-print-directory QUIET=1 check-here
check-here: $(KMEMX) $(PLUGIN) $(UNIT) $(PROGS)
	$(Q)$(test_env) tests/run $(UNIT) $(KINDS)

# libFuzzer comes with clang. Each target runs for FUZZ_SECONDS. One build serves for fuzzing and
# for coverage. For a short run, FUZZ_OPT=-O0 halves the time to compile the rooms that are not hot.
FUZZ_SECONDS ?= 12
FUZZ_OPT ?= -O1
fuzz_build = $(MAKE) --no-print-directory CC=clang SAN=fuzzer-no-link,address,undefined \
	CFLAGS='$$(if $$(filter $$(HOT),$$<),-O1,$(FUZZ_OPT)) -g1 -fprofile-instr-generate -fcoverage-mapping' \
	LDFLAGS=-fprofile-instr-generate
fuzz-smoke:
	@+$(fuzz_build) fuzz-here
fuzzers-here: $(FUZZERS) $(FUZZ_CUT)
fuzz-here: $(FUZZERS) $(FUZZ_SEEDS)/made
	$(Q)tests/fuzz/run $(FUZZ_SECONDS) $(FUZZ_SEEDS) $(FUZZERS)
# Measures how much of the parsers the kept inputs reach, and fails if it is below the floor.
fuzz-coverage:
	@+$(fuzz_build) coverage-here
coverage-here: $(FUZZERS) $(FUZZ_SEEDS)/made
	$(Q)tests/fuzz/coverage $(FUZZ_SEEDS) $(FUZZERS)

demo:
	@scripts/install-deps build
	@echo "kmemx: building (make demo also records for two seconds)"
	@+$(MAKE) --no-print-directory QUIET=1 demo-here
demo-here: $(KMEMX)
	@scripts/demo $(KMEMX) $(B)/demo.dat

lint:
	@scripts/install-deps build test lint
	@+$(MAKE) --no-print-directory lint-here
lint-here: $(KMEMX) $(B)/tests/suites.h
	$(Q)CC='$(CC)' CFLAGS='$(subst ','\'',$(ALL_CFLAGS) $(CHECK_CFLAGS) $(EMBEDDED_CFLAGS))' \
		scripts/lint $(LIBKMEMX)

# Each analyzer takes about five minutes.
ANALYZERS ?= gcc clang
analyze: $(KMEMX)
	$(Q)CFLAGS='$(subst ','\'',$(ALL_CFLAGS) $(EMBEDDED_CFLAGS))' scripts/analyze $(ANALYZERS)

THREAD_TIMES := $(B)/tests/bench/thread_times.so
$(THREAD_TIMES): tests/bench/preload/thread_times.c
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -shared -o $@ $< -ldl

bench: $(KMEMX) $(B)/tests/bench/storm $(BENCH_PROGS) $(THREAD_TIMES)
	@scripts/bench $(BENCH) $(KMEMX) $(B)/tests/bench

deps:
	@scripts/install-deps build test

include packaging/install.mk

clean:
	rm -rf $(O)/build $(O)/kmemx

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(PLUGIN_OBJ:.o=.d) $(TEST_OBJ:.o=.d) $(PROGS:=.d) \
	$(FUZZERS:=.d) $(wildcard $(B)/tests/fuzz/*.d)

endif # one goal
