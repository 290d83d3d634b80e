/* The table of protocols. */
#include "protocols.h"

#include "gti/serve.h"
#include "robotalk/serve.h"

const struct robo__protocol *const robo__protocols[] = { &robo__robotalk, &robo__gti, NULL };
