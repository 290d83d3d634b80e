/* Any text as a file of data, a descriptor or a configuration: it is run in its sandbox, comes to an end, and gives a
 * value or an error that names the file. What it gives is checked as a descriptor, which raises nothing. */
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

static const char script[] =
    "local descriptor = require 'robotalk.descriptor'\n"
    "return function(text)\n"
    "  local before = math.huge\n"
    "  local d, message = descriptor.read(text, 'x.lua')\n"
    "  assert(type(d) == 'table' or message:find('x.lua', 1, true), message)\n"
    "  assert(math.huge == before and ('x'):rep(2) == 'xx')\n"
    "end\n";

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    return feed_script(script, in, n);
}
