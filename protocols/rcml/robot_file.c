/* The file of a robot: its world, link by link from the roots on, and its RCML_Robot. All joints stand where their dofs are 0. */
#include "robot_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear.h"
#include "body/body.h"
#include "body/model.h"
#include "body/shape.h"
#include "page.h"
#include "protos.h"
#include "robot_node.h"
#include "humanoid.h"

/* A place from which the whole robot is seen: before it and to its left, and above, so that three of its sides show. H-Anim has people
 * look along z. */
static void write_viewpoint(struct robo__page *page, const struct robo_description *d,
                            const double low[3], const double high[3])
{
    static const double up[3] = { 0, 1, 0 }, aside[3] = { 1, 0, 0 };
    const double turn = 0.6, tilt = 0.35; /* rad */
    double middle[3], size = 0, left[9], down[9], both[9];
    for (int i = 0; i < 3; i++) {
        middle[i] = (low[i] + high[i]) / 2;
        size = fmax(size, high[i] - low[i]);
    }
    robo__rotation_about(up, turn, left);
    robo__rotation_about(aside, -tilt, down);
    robo__rotate(left, down, both);
    /* VRML's x, y, z are the robot's y, z, x; a viewer looks along -z */
    const double distance = 1.8 * fmax(size, 0.1);
    const double position[3] = { middle[1] + distance * both[2], middle[2] + distance * both[5],
                                 middle[0] + distance * both[8] };
    robo__page_open(page, NULL, "Viewpoint {");
    robo__page_text(page, "description", d->name);
    robo__page_place(page, "position", position);
    robo__page_rotation(page, "orientation", both);
    robo__page_close(page, "}");
}

/* The box around all shapes, in the robot's axes; false: out of memory. */
static bool find_extent(const robo_body *body, double low[3], double high[3])
{
    const struct robo_description *d = &body->description;
    for (int i = 0; i < 3; i++)
        low[i] = high[i] = 0;
    if (!body->model)
        return true;
    struct robo_pose *pose = calloc(d->links + 1u, sizeof *pose);
    double *q = calloc(d->dofs + 1u, sizeof *q);
    if (pose && q) {
        robo_fk(body->model, q, pose);
        for (unsigned i = 0; i < d->shapes; i++) {
            const struct robo_shape *s = &d->shape[i];
            const double reach = robo__shape_radius(s->kind, s->size);
            double at[3];
            robo__turn(pose[s->link].rotation, s->position, at);
            for (int k = 0; k < 3; k++) {
                at[k] += pose[s->link].position[k] + d->link[0].position[k];
                low[k] = fmin(low[k], at[k] - reach);
                high[k] = fmax(high[k], at[k] + reach);
            }
        }
    }
    const bool done = pose && q;
    free(pose);
    free(q);
    return done;
}

ptrdiff_t robo__rcml_write(const robo_body *body, const struct robo__rcml_objects *objects,
                           const struct robo__rcml_place *place, char *text, size_t size)
{
    const struct robo_description *d = &body->description;
    struct robo__page page = { .text = text, .size = size };
    double low[3], high[3];
    if (!find_extent(body, low, high))
        return ROBO_ENOMEM;
    robo__page_add(&page, "#VRML V2.0 utf8\n"
                          "# A robot as RCML has it: its looks, and what it takes and tells. "
                          "Written by robotalk " ROBOTALK_VERSION ".\n\n");
    robo__page_add(&page, robo__rcml_body_protos);
    if (!place || !place->robot)
        robo__page_add(&page, robo__rcml_robot_protos);
    robo__page_open(&page, NULL, "WorldInfo {");
    robo__page_text(&page, "title", d->model[0] ? d->model : d->name);
    robo__page_line(
        &page, "info [ \"metres, radians, kilograms; in the Humanoid x ahead, y left, z up\" ]");
    robo__page_close(&page, "}");
    robo__page_line(&page, "NavigationInfo { type [ \"EXAMINE\" \"ANY\" ] }");
    write_viewpoint(&page, d, low, high);
    robo__rcml_world(&page, body);
    if (place && place->world && place->world[0]) {
        robo__page_open(&page, NULL, "Inline {");
        robo__page_begin(&page, "url");
        robo__page_word(&page, place->world);
        robo__page_end(&page);
        robo__page_close(&page, "}");
    }
    if (place && place->robot)
        robo__page_add(&page, place->robot);
    else
        robo__rcml_robot_node(&page, d->name, objects, place);
    return (ptrdiff_t)page.used;
}
