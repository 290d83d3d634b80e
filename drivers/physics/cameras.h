/* Camera pictures of a simulation: those of its robots' cameras, and views from anywhere. There is one sight for each simulation, which
 * makes and frees it; its pictures are drawn by a renderer of its own (renderer.h). Any thread, without a robot's mutex and without the
 * simulation's lock. */
#pragma once

#include "robotalk.h"
#include "robotalk/view.h"

struct robo__sight;
struct robo__simulation;

/* NULL: no memory. */
struct robo__sight *robo__sight_open(struct robo__simulation *simulation);
/* No thread looks any more, and the model is still there. NULL: does nothing. */
void robo__sight_close(struct robo__sight *sight);

/* The kind of picture of a device's cameras, by its options: colours; depth in gray, black at the camera and white at `range`, m, and
 * beyond; or objects in gray, whose number is a pixel's value - 1, and 0 where nothing is. */
struct robo__seeing {
    const char *show; /* "colour", "depth" or "objects"; NULL: colours */
    double range;
    char said[256]; /* the log has it already */
};

/* Whether that can be shown; else why, as robo__options_read has it. */
int robo__seeing_check(const struct robo__seeing *seeing, char why[128]);

/* A driver's `picture`: the view of that camera, where its link is in the physics; it zooms by its dof (body/lens.h). */
int robo__sight_picture(struct robo__sight *sight, struct robo__seeing *seeing, robo_device *device,
                        unsigned camera);

/* As robo__surroundings_kind has them. */
int robo__sight_view(struct robo__sight *sight, const struct robo_viewpoint *view, void *pixels,
                     robo_time *time, char why[256]);
int robo__sight_object(struct robo__sight *sight, int32_t number, char name[128]);
