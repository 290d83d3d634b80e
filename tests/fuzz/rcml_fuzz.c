/* Any bytes as a VRML97 file that is to be a robot. Reading never raises: it gives a descriptor, or errors with their places. What
 * is kept of it in files, drawn by faces, is VRML97 that is right. A descriptor that is right is written as an RCML file, which is
 * read again, and is right again. */
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

static const char script[] =
    "local core, descriptor, rcml = require 'robotalk.core', require 'robotalk.descriptor', require 'robotalk.rcml'\n"
    "local meshes = require 'robotalk.rcml.meshes'\n"
    "return function(text)\n"
    "  local kept = meshes.new('x', function() return false end)\n"
    "  local d, list = rcml.read(text, 'x.wrl', { meshes = kept })\n"
    "  for _, file in ipairs(kept.files) do\n"
    "    local scene = core.vrml_read(file.text)\n"
    "    local first = scene.errors[1]\n"
    "    if first then error('mesh: ' .. first.line .. ': ' .. first.message .. '\\n' .. file.text) end\n"
    "  end\n"
    "  if not d then\n"
    "    assert(#list > 0 and list[1].message and list[1].line and list[1].column, 'no error')\n"
    "    return\n"
    "  end\n"
    "  local report, made = descriptor.check(d)\n"
    "  if report then assert(report[1].message) return end\n"
    "  local written = core.rcml(made.body)\n"
    "  local back, wrong = rcml.read(written, 'y.wrl', {})\n"
    /* readers have bounds for what stands in what */
    "  if not back then\n"
    "    if wrong[1].message:find 'deep' or wrong[1].message:find 'nest' then return end\n"
    "    error('back: ' .. wrong[1].line .. ': ' .. wrong[1].message .. '\\n' .. written)\n"
    "  end\n"
    "  report = descriptor.check(back)\n"
    "  if report then error('back: ' .. report[1].path .. ': ' .. report[1].message .. '\\n' .. written) end\n"
    "end\n";

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    return feed_script(script, in, n);
}
