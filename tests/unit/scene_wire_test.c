/* Plays the scenes of tests/scenes/ over RoboTalk: clients of the library and the server's side, over an in-memory connection of the
 * virtual world. */
#include "scene_virtual.h"

#include "scene_wire.h"

#include "scene_strands.h"

#include "scene_play.h"

int main(void)
{
    return play_all("scenes over the wire");
}
