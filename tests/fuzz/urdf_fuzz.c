/* Any bytes as a URDF file. Reading never raises: it gives a descriptor that is right, or errors. What is read can be
 * written, and what is written can be read and is then written as the same text. */
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

static const char script[] =
    "local descriptor, urdf = require 'robotalk.descriptor', require 'robotalk.urdf'\n"
    "local function check(what, d, list)\n"
    "  if not d then assert(#list > 0 and list[1].message, what .. ': no error') return end\n"
    "  if not d.joints then d.base = {} end\n" /* a body that nothing moves is no robot */
    "  local report = descriptor.check(d)\n"
    "  if report then error(what .. ': ' .. report[1].path .. ': ' .. report[1].message) end\n"
    "end\n"
    "return function(text)\n"
    "  for i = 0, 1 do\n"
    "    local d, list = urdf.read(text, 'x.urdf', { fold = i == 1 })\n"
    "    check('read', d, list)\n"
    "    local written = d and urdf.write(d)\n"
    "    local back, wrong = nil, nil\n"
    "    if d then back, wrong = urdf.read(written, 'y.urdf', { fold = true }) end\n"
    /* sums of places may lead beyond what may stand in a file */
    "    if d and not back and not wrong[1].message:find '2000000 m' then\n"
    "      error('back: ' .. wrong[1].message .. '\\n' .. written)\n"
    "    end\n"
    "    if back then check('back', back) end\n"
    "    local again = back and i == 0 and urdf.read(written, 'y.urdf')\n"
    "    if again then assert(urdf.write(again) == written, 'another text') end\n"
    "  end\n"
    "end\n";

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    return feed_script(script, in, n);
}
