/* The table of protocols. */
#include "protocols.h"

#include "robotalk/serve.h"

/* The Golog-Tekkotsu interface (spec/gti.md), which scripts serve: scripts/robotalk/gti.lua. */
static const struct robo__protocol gti = { .name = "gti", .port = 10700 };

const struct robo__protocol *const robo__protocols[] = { &robo__robotalk, &gti, NULL };
