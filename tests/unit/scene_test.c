/* Plays the scenes of tests/scenes/ within the process: docs/tests.md says how to write one. `unit scene_test NOUN` plays one file. */
#include "scene_direct.h"

#include "scene_play.h"

int main(void)
{
    return play_all("scenes");
}
