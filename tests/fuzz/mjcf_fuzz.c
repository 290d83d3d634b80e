/* Any bytes as a world in MJCF. Reading never raises: it gives things that the core takes, or errors with their places. */
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

static const char script[] =
    "local world = require 'robotalk.world'\n"
    "return function(text)\n"
    "  local lines, room = world.errors(nil, 'x.xml', '<mujoco>' .. text .. '</mujoco>')\n"
    "  if not room then\n"
    "    assert(#lines > 0, 'no error')\n"
    "    for _, line in ipairs(lines) do assert(line:find '^x%.xml:%d+[:.]', line) end\n"
    "    return\n"
    "  end\n"
    "  for _, thing in ipairs(room.things) do\n"
    "    for k = 1, 3 do\n"
    "      assert(thing.position[k] == thing.position[k] and thing.attitude[k] == thing.attitude[k])\n"
    "    end\n"
    "    for k = 1, require 'robotalk.shape'.kinds[thing.shape].sizes do\n"
    "      assert(thing.size[k] > 0)\n"
    "    end\n"
    "  end\n"
    "  assert(require 'robotalk.core'.rcml_room(room))\n"
    "end\n";

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    return feed_script(script, in, n);
}
