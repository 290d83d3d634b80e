/* MuJoCo, which is loaded when a robot first needs physics: a program without physics neither links nor loads it. Functions
 * are called through a table of those that are needed.
 *
 * MuJoCo ends the process when it finds a fatal error (mju_error). Here it does not: robo__engine_try, which guards the
 * call, returns the error. */
#pragma once

#include <mujoco/mujoco.h>

#include "base/shared_library.h"

/* The required functions; a new function is a row. */
/* clang-format off */
#define ROBO__ENGINE_FUNCTIONS(X) \
    X(mj_version) X(mj_defaultVFS) X(mj_makeEmptyFileVFS) X(mj_findFileVFS) X(mj_deleteVFS) \
    X(mj_loadXML) X(mj_deleteModel) X(mj_makeData) X(mj_deleteData) X(mj_resetData) \
    X(mj_forward) X(mj_kinematics) X(mj_comPos) X(mj_camlight) X(mj_step) X(mj_step1) \
    X(mj_step2) X(mj_makeConstraint) X(mj_projectConstraint) X(mj_referenceConstraint) \
    X(mj_name2id) X(mj_id2name) X(mj_ray) X(mj_rayMesh) X(mj_rayHfield) X(mju_rayGeom) \
    X(mj_contactForce) X(mj_rnePostConstraint) X(mj_copyModel) X(mjv_defaultOption) \
    X(mjv_defaultCamera) X(mjv_defaultScene) X(mjv_makeScene) X(mjv_freeScene) \
    X(mjv_updateScene) X(mjr_defaultContext) X(mjr_makeContext) X(mjr_freeContext) \
    X(mjr_setBuffer) X(mjr_render) X(mjr_readPixels) X(mjr_getError)
/* clang-format on */

struct robo__engine {
    ROBO__ENGINE_FUNCTIONS(ROBO__SHARED_MEMBER)
};

/* NULL: it is not there, and why. Any thread. */
const struct robo__engine *robo__engine(char why[256]);

/* Calls act(context); 0: it came back; ROBO_EDEVICE: MuJoCo gave up in the middle of it, with a message in why. Its memory of
 * that call is lost then, and its data must not be used any more. act calls MuJoCo alone and holds no lock of its own making. */
int robo__engine_try(void (*act)(void *context), void *context, char why[256]);

/* The fault of a text that MuJoCo rejected, from its message: "the physics cannot be built: PART of ROBOT: …". Places in the text
 * are left out: no user has seen it. */
void robo__engine_complain(const char *said, char why[256]);
