/* The log: messages of drivers and protocols to the operator of the program. */
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "inside.h"

void robo__world_log(const robo_world *world, enum robo_log_level level, const char *form, ...)
{
    char line[256];
    va_list args;
    if (!world->log)
        return;
    va_start(args, form);
    vsnprintf(line, sizeof line, form, args);
    va_end(args);
    robo__text_copy(line, sizeof line, line, sizeof line);
    world->log(world->log_owner, level, line);
}
