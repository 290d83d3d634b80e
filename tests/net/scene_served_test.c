/* Plays the scenes of tests/scenes/ with a real server, over a UNIX socket: the robot has its thread, and the clock stands between
 * events. */
#include "scene_served.h"

#include "../unit/scene_wire.h"

#include "../unit/scene_strands.h"

#include "../unit/scene_play.h"

int main(void)
{
    return play_all("scenes with a server");
}
