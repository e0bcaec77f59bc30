# SPDX-License-Identifier: GPL-2.0-or-later
#
# make            build ./kmemx (installs nothing; names what is missing)
# make check      install what is missing, build, run all tests
# make demo       install what is missing, build, record two seconds here, show the reports
# make bench | lint | fuzz-smoke | install | clean
#
# O=DIR  SAN=address,undefined  STATIC=1  CROSS_COMPILE=aarch64-linux-gnu-  V=1
# DESTDIR=  prefix=/usr/local

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/sh
.DELETE_ON_ERROR:

ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
PKG_CONFIG ?= $(CROSS_COMPILE)pkg-config
INSTALL ?= install

prefix ?= /usr/local
bindir ?= $(prefix)/bin
mandir ?= $(prefix)/share/man
VERSION := 0.1.0

# ./kmemx at the top and objects under build/; with O=DIR both under DIR. Every
# combination of SAN, STATIC and CROSS_COMPILE has a folder of its own.
comma := ,
O ?= .
B := $(O)/build/$(if $(SAN)$(STATIC)$(CROSS_COMPILE),$(if $(SAN),san-$(subst $(comma),-,$(SAN)))$(if $(STATIC),static-)$(CROSS_COMPILE),native)
KMEMX := $(if $(SAN)$(STATIC)$(CROSS_COMPILE),$(B)/kmemx,$(O)/kmemx)

# --- libraries ---------------------------------------------------------------------------
pkg = $(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo y)
HAVE_TRACEEVENT := $(call pkg,libtraceevent)
HAVE_TRACEFS := $(call pkg,libtracefs)
HAVE_ELF := $(call pkg,libelf)
HAVE_ZSTD := $(call pkg,libzstd)
HAVE_ZLIB := $(call pkg,zlib)
HAVE_JSONC := $(call pkg,json-c)
HAVE_CHECK := $(call pkg,check)

pkgs := libtracefs libtraceevent libelf $(if $(HAVE_ZSTD),libzstd) $(if $(HAVE_ZLIB),zlib) \
	$(if $(HAVE_JSONC),json-c)
static_flag := $(if $(STATIC),--static)
LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(pkgs) 2>/dev/null)
LIB_LIBS := $(shell $(PKG_CONFIG) $(static_flag) --libs $(pkgs) 2>/dev/null)
CHECK_CFLAGS := $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
CHECK_LIBS := $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

# --- flags -------------------------------------------------------------------------------
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wundef -Wformat=2 -Wvla -Wno-unused-parameter -Werror=implicit-function-declaration
DEFS := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DKMEMX_VERSION='"$(VERSION)"' \
	$(if $(HAVE_ZSTD),-DHAVE_ZSTD=1) $(if $(HAVE_ZLIB),-DHAVE_ZLIB=1) \
	$(if $(HAVE_JSONC),-DHAVE_JSONC=1) $(if $(STATIC),-DKMEMX_STATIC=1)
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
ALL_CFLAGS := -std=gnu11 $(WARN) -Ilib -Icmd $(DEFS) $(LIB_CFLAGS) $(SANFLAGS) $(CFLAGS)
ALL_LDFLAGS := $(SANFLAGS) $(if $(STATIC),-static) $(LDFLAGS)

# --- files -------------------------------------------------------------------------------
LIB_SRC := $(sort $(wildcard lib/*/*.c))
CMD_SRC := $(sort $(wildcard cmd/*.c))
TEST_SRC := $(sort $(wildcard tests/unit/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(B)/%.o)
TEST_OBJ := $(TEST_SRC:%.c=$(B)/%.o)
LIBKMEMX := $(B)/libkmemx.a
UNIT := $(B)/tests/unit/run

Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n' $(1) $(2))

all: $(KMEMX)
.PHONY: all check unit demo bench lint fuzz-smoke install clean deps FORCE

# --- what is missing, by distribution ----------------------------------------------------
missing := $(if $(HAVE_TRACEEVENT),,libtraceevent) $(if $(HAVE_TRACEFS),,libtracefs) \
	$(if $(HAVE_ELF),,libelf)
ifneq ($(strip $(missing)),)
ifeq ($(filter clean check demo deps install-deps,$(MAKECMDGOALS)),)
$(info kmemx needs libraries that are not here: $(strip $(missing)))
$(info   Debian: apt-get install pkg-config libtraceevent-dev libtracefs-dev libelf-dev libzstd-dev zlib1g-dev libjson-c-dev check)
$(info   Fedora: dnf install pkgconf libtraceevent-devel libtracefs-devel elfutils-libelf-devel libzstd-devel zlib-devel json-c-devel check-devel)
$(info   Arch:   pacman -S pkgconf libtraceevent libtracefs libelf zstd zlib json-c check)
$(info   Alpine: apk add pkgconf libtraceevent-dev libtracefs-dev elfutils-dev zstd-dev zlib-dev json-c-dev check-dev)
$(info   or let it be done: make deps)
$(error missing libraries)
endif
endif

# --- rules -------------------------------------------------------------------------------
# Rebuild when the compiler or a flag changes: the file is touched only if its text differs.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(LIB_LIBS))' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(filter tests/%,$<),$(CHECK_CFLAGS) -I$(B)/tests -Wno-missing-prototypes) -MMD -MP -c -o $@ $<

$(LIBKMEMX): $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(KMEMX): $(CMD_OBJ) $(LIBKMEMX)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(CMD_OBJ) $(LIBKMEMX) $(LIB_LIBS)

# Each tests/unit/test_NAME.c defines Suite *test_NAME_suite(void).
$(B)/tests/suites.h: $(TEST_SRC)
	@mkdir -p $(@D)
	@for f in $(filter tests/unit/test_%,$(TEST_SRC)); do \
		n=$$(basename $$f .c); echo "SUITE($$n)"; done > $@

$(B)/tests/unit/run.o: $(B)/tests/suites.h
$(UNIT): $(TEST_OBJ) $(filter-out %/main.o,$(CMD_OBJ)) $(LIBKMEMX)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIB_LIBS)

unit: $(UNIT)
	$(Q)cd tests && $(abspath $(UNIT))

clean:
	rm -rf $(O)/build $(O)/kmemx

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(TEST_OBJ:.o=.d)
