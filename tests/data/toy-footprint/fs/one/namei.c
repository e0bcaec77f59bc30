// SPDX-License-Identifier: GPL-2.0-or-later
#include "../../sizes.h"

#ifdef LATER
FUNCTION(".text", one_lookup, 150);
#else
FUNCTION(".text", one_lookup, 200);
FUNCTION(".text", one_link, 40);
#endif
int one_mounts = 1;
