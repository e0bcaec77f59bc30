# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who maintains kmemx, and where: for the packages, the manual and "make release".
#
# None of this is public yet. Addresses at example.org are placeholders: packages built with them
# are for testing only, and "make release" refuses them.
UPSTREAM_URL := https://kmemx.example.org/
# A mail address, or the page of an issue tracker.
BUG_ADDRESS := https://kmemx.example.org/issues
# For reports that must not be public yet: SECURITY.md.
SECURITY_ADDRESS := security@example.org
MAINTAINER := kmemx developers <kmemx@example.org>

placeholders := $(if $(findstring example.org,$(UPSTREAM_URL) $(BUG_ADDRESS) $(SECURITY_ADDRESS) \
	$(MAINTAINER)),yes)
# @NAME@ in packaging/*.in and in kmemx(1).
where_to_report := $(if $(placeholders),kmemx has no public address yet: report bugs to whom you have it \
	from.,Report bugs to $(BUG_ADDRESS)$(comma) security holes to $(SECURITY_ADDRESS).)
fill_in = sed 's|@VERSION@|$(VERSION)|g; s|@URL@|$(UPSTREAM_URL)|g; s|@BUGS@|$(BUG_ADDRESS)|g; \
	s|@MAINTAINER@|$(MAINTAINER)|g; s|@bindir@|$(bindir)|g; s|@libexecdir@|$(libexecdir)|g; s|@REPORT@|$(where_to_report)|g'
