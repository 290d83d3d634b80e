/* The drivers of the table in drivers.c, but those of cameras, whose headers have more. */
#pragma once

#include "robotalk.h"

extern const robo_driver robo_can_driver;     /* joint-local controllers on a CAN bus */
extern const robo_driver robo_folder_driver;  /* a camera that sees the pictures of a folder */
extern const robo_driver robo_physics_driver; /* bodies that do not exist, with weight */
extern const robo_driver robo_player_driver;  /* a robot behind a server of Player 3 */
extern const robo_driver robo_servos_driver;  /* servos on a half-duplex serial bus */
extern const robo_driver robo_sim_driver;     /* bodies that do not exist */
extern const robo_driver robo_simbus_driver;  /* a simulated arm on a bus */
extern const robo_driver robo_walk_driver;    /* simulated bodies that go over the floor on legs */
