# SPDX-License-Identifier: GPL-2.0-or-later
#
# What to install where, and the packages made from it.
# In: the program, its plugin and man pages, from the Makefile. Out: install, uninstall, dist, deb,
# rpm, release.
#
# Installs no library, header or pkg-config file: libkmemx.a is for this program only, and its
# functions may change in any version.

include packaging/identity.mk

INSTALL ?= install
prefix ?= /usr/local
bindir ?= $(prefix)/bin
mandir ?= $(prefix)/share/man
docdir ?= $(prefix)/share/doc/kmemx
bashcompdir ?= $(prefix)/share/bash-completion/completions
# For programs that a service runs: Documentation/fleet/load.
libexecdir ?= $(prefix)/lib
zshcompdir ?= $(prefix)/share/zsh/site-functions
fishcompdir ?= $(prefix)/share/fish/vendor_completions.d
# libtraceevent looks for plugins below its own library directory, and in ~/.local/lib.
plugindir ?= $(if $(filter /usr /usr/local,$(prefix)),$(shell $(PKG_CONFIG) \
	--variable=libdir libtraceevent 2>/dev/null),$(prefix)/lib)/traceevent/plugins

scdoc := $(shell command -v scdoc 2>/dev/null)
# systemd looks here for services of locally installed programs, and of packages.
unitdir ?= $(prefix)/lib/systemd/system
# The same tree as in the sources, so that links between the documents work.
DOCS := README.md COPYING NEWS CONTRIBUTING.md SECURITY.md \
	$(sort $(wildcard $(addprefix Documentation/*.,md json svg png)))
INTERNALS := $(sort $(wildcard Documentation/internals/*.md))
FLEET := $(sort $(wildcard Documentation/fleet/*.sql Documentation/fleet/*.json)) Documentation/fleet/load
SERVICES := kmemx-flight.service kmemx-load.service kmemx-sample.service
TIMERS := kmemx-load.timer kmemx-sample.timer

# $(call put,MODE,FILE...,DIRECTORY) and $(call put_as,MODE,FILE,NEWNAME)
put = $(Q)$(INSTALL) -d $(DESTDIR)$(3) && $(INSTALL) -m $(1) $(2) $(DESTDIR)$(3)
put_as = $(Q)$(INSTALL) -d $(DESTDIR)$(dir $(3)) && $(INSTALL) -m $(1) $(2) $(DESTDIR)$(3)

install: $(KMEMX) $(PLUGIN) $(if $(scdoc),$(MAN))
	$(call put_as,755,$(KMEMX),$(bindir)/kmemx)
	$(call put,644,$(filter-out Documentation/%,$(DOCS)),$(docdir))
	$(call put,644,$(filter Documentation/%,$(DOCS)),$(docdir)/Documentation)
	$(call put,644,$(INTERNALS),$(docdir)/Documentation/internals)
	$(call put,644,$(FLEET),$(docdir)/Documentation/fleet)
	$(call put_as,644,completion/kmemx.bash,$(bashcompdir)/kmemx)
	$(call put_as,644,completion/kmemx.zsh,$(zshcompdir)/_kmemx)
	$(call put_as,644,completion/kmemx.fish,$(fishcompdir)/kmemx.fish)
	$(Q)$(INSTALL) -d $(DESTDIR)$(unitdir)
	$(Q)for s in $(SERVICES); do \
		$(fill_in) packaging/$$s.in >$(DESTDIR)$(unitdir)/$$s && \
		chmod 644 $(DESTDIR)$(unitdir)/$$s || exit; done
	$(call put,644,$(addprefix packaging/,$(TIMERS)),$(unitdir))
	$(call put_as,755,Documentation/fleet/load,$(libexecdir)/kmemx/load)
ifneq ($(PLUGIN),)
	$(call put_as,644,$(PLUGIN),$(plugindir)/plugin_kmemx.so)
	$(Q)$(INSTALL) -d $(DESTDIR)$(plugindir)/kmemx
	$(Q)ln -sf ../plugin_kmemx.so $(DESTDIR)$(plugindir)/kmemx/plugin_kmemx.so
endif
	$(if $(scdoc),$(call put,644,$(MAN),$(mandir)/man1), \
		@echo 'kmemx: no man pages installed: scdoc, which makes them, is not here')

# Removes only directories that are kmemx's own.
uninstall:
	$(Q)rm -f $(addprefix $(DESTDIR),$(bindir)/kmemx $(addprefix $(docdir)/,$(DOCS) $(INTERNALS) $(FLEET)) \
		$(bashcompdir)/kmemx $(zshcompdir)/_kmemx $(fishcompdir)/kmemx.fish \
		$(addprefix $(unitdir)/,$(SERVICES) $(TIMERS)) $(libexecdir)/kmemx/load \
		$(plugindir)/plugin_kmemx.so $(plugindir)/kmemx/plugin_kmemx.so \
		$(addprefix $(mandir)/man1/,$(notdir $(MAN))))
	$(Q)for d in $(addprefix $(DESTDIR),$(docdir)/Documentation/fleet $(docdir)/Documentation/internals $(docdir)/Documentation $(docdir) \
		$(plugindir)/kmemx $(libexecdir)/kmemx); do \
		test ! -d "$$d" || rmdir "$$d"; done

# Takes files and times from git, so that the same commit gives the same bytes.
dist: $(O)/build/kmemx.spec $(O)/build/PKGBUILD
	$(Q)git archive --format=tar --prefix=kmemx-$(VERSION)/ --add-file=$< HEAD | gzip -9n \
		>$(O)/build/kmemx-$(VERSION).tar.gz
	@echo '$(O)/build/kmemx-$(VERSION).tar.gz'

$(O)/build/kmemx.spec $(O)/build/PKGBUILD: $(O)/build/%: packaging/%.in packaging/identity.mk Makefile
	@mkdir -p $(@D)
	$(Q)$(fill_in) $< >$@

identity = MAINTAINER='$(MAINTAINER)' UPSTREAM_URL='$(UPSTREAM_URL)' PLACEHOLDERS='$(placeholders)'
deb:
	$(Q)MAKE='$(MAKE)' CC='$(CC)' $(identity) packaging/deb $(VERSION) $(O)/build
rpm: dist
	$(Q)packaging/rpm $(VERSION) $(O)/build
release:
	+$(Q)MAKE='$(MAKE)' $(identity) packaging/release $(VERSION) $(O)/build
