/* A robot's description as MJCF, MuJoCo's own format: bodies with their masses and shapes, joints with their limits, an actuator
 * for each dof that the driver `physics` drives. simulation.h says what they are called. Pure functions. */
#pragma once

#include <stdbool.h>

#include "engine.h"
#include "robotalk.h"
#include "text.h"
#include "../wheels.h"

/* The support of a robot's root link. */
enum robo__footing {
    ROBO__FOOTING_FAST, /* the world, where it stands */
    ROBO__FOOTING_FREE, /* nothing: wheels and legs carry it */
    ROBO__FOOTING_PLANE /* its height: it slides over the floor as the base commands */
};

/* The group of joints that turn without end and are no dof of a description: wheels, and a base that turns on the spot. */
enum { ROBO__MJCF_TURNS = 1 };

/* Where a robot's root link stands. */
struct robo__stand {
    double position[3], attitude[3]; /* m; roll, pitch, yaw */
};

/* Whether the driver `physics` moves that joint, or the base. In the model the others stay where they begin (follow.c). */
bool robo__mjcf_drives(const struct robo_description *description, unsigned joint);
bool robo__mjcf_drives_base(const struct robo_description *description);

enum robo__footing robo__mjcf_footing(const struct robo_description *description);

/* Adds a robot to a model. number: its own among the model's robots, by which its files are called. */
void robo__mjcf_add(struct robo__draft *draft, const robo_body *body, unsigned number,
                    const struct robo__stand *stand);

/* Whether others move some link of a robot; and where in its parent's body that of a link is which they move, in such a state:
 * false: they do not. */
bool robo__mjcf_is_led(const struct robo_description *description);
bool robo__mjcf_goes_along(const struct robo_description *description,
                           unsigned link); /* it is led, or fixed to a led one */
bool robo__mjcf_led(const struct robo_description *description, unsigned link,
                    const struct robo_state *state, double position[3], double quaternion[4]);

/* Adds the meshes that it names to the files of the model's loader. 0; ROBO_ENOMEM; ROBO_ELIMIT. */
int robo__mjcf_add_files(const struct robo__engine *engine, const robo_body *body, unsigned number,
                         mjVFS *files);
