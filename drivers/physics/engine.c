/* MuJoCo by the loader of the system. */
#include "engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robotalk.h"

static struct robo__engine functions;

/* Of the call that this thread guards; NULL: none. */
struct guard {
    jmp_buf back;
    char *why;
};
static _Thread_local struct guard *guarded;

static void on_error(const char *message)
{
    if (!guarded) {
        fprintf(stderr, "MuJoCo: %s\n", message);
        abort();
    }
    snprintf(guarded->why, 256, "MuJoCo: %.240s", message);
    longjmp(guarded->back, 1);
}

/* MuJoCo would write warnings to a file in the current folder; the stepping thread checks its counts of warnings. */
static void on_warning(const char *message)
{
    (void)message;
}

/* ---- boxes that touch ---- */

static mjfCollision touch_boxes; /* MuJoCo's own */

/* How far a place is from the middle of a geom. */
static double away_from(const mjData *data, int geom, const mjtNum place[3])
{
    const mjtNum *middle = data->geom_xpos + 3 * geom;
    return sqrt(pow(place[0] - middle[0], 2) + pow(place[1] - middle[1], 2) +
                pow(place[2] - middle[2], 2));
}

/* From where to where a line through a place is between the two faces of a box that it goes through the most squarely; false: it
 * is not square to any, within 5 degrees. */
static bool is_square(const mjModel *model, const mjData *data, int box, const mjtNum place[3],
                      const mjtNum way[3], double span[2])
{
    const mjtNum *middle = data->geom_xpos + 3 * box, *turn = data->geom_xmat + 9 * box;
    for (int i = 0; i < 3; i++) {
        double along = 0, off = 0;
        for (int k = 0; k < 3; k++) {
            along += turn[3 * k + i] * way[k];
            off += turn[3 * k + i] * (place[k] - middle[k]);
        }
        if (fabs(along) < 0.996)
            continue;
        span[0] = -(model->geom_size[3 * box + i] / fabs(along)) - off / along;
        span[1] = model->geom_size[3 * box + i] / fabs(along) - off / along;
        return true;
    }
    return false;
}

/* A point of contact of two faces, as deep as they overlap. */
static void measure(const mjModel *model, const mjData *data, mjContact *contact, int box1,
                    int box2)
{
    double span1[2] = { 0 }, span2[2] = { 0 };
    if (!is_square(model, data, box1, contact->pos, contact->frame, span1) ||
        !is_square(model, data, box2, contact->pos, contact->frame, span2))
        return;
    const double dist = span2[0] - span1[1], middle = (span2[0] + span1[1]) / 2;
    if (dist > 0 || dist < 3 * contact->dist)
        return;
    contact->dist = dist;
    for (int i = 0; i < 3; i++)
        contact->pos[i] += middle * contact->frame[i];
}

/* The contacts of two boxes as in MuJoCo 2.2.2, without two of its errors. Now and then there are points at a far corner of
 * the greater box, and some of them as deep as that is long: a box at rest flies away. And the depth of faces that lie on one
 * another is halved, or not, by which of the boxes comes first: a box that is held between two others trembles. */
static int touch_where_they_are(const mjModel *model, const mjData *data, mjContact *contact,
                                int box1, int box2, mjtNum margin)
{
    const int found = touch_boxes(model, data, contact, box1, box2, margin);
    const double slack = 1.01, reach1 = slack * model->geom_rbound[box1] + margin,
                 reach2 = slack * model->geom_rbound[box2] + margin;
    int kept = 0;
    for (int i = 0; i < found; i++) {
        if (away_from(data, box1, contact[i].pos) > reach1 ||
            away_from(data, box2, contact[i].pos) > reach2)
            continue;
        contact[kept] = contact[i];
        measure(model, data, &contact[kept++], box1, box2);
    }
    return kept;
}

static void (**user_error)(const char *), (**user_warning)(const char *);
static mjfCollision (*touch)[mjNGEOMTYPES][mjNGEOMTYPES];

static void begin(char failure[256])
{
    if (functions.mj_version() != mjVERSION_HEADER) {
        snprintf(failure, 256, "physics was built for MuJoCo %d, and this is %d", mjVERSION_HEADER,
                 functions.mj_version());
        return;
    }
    *user_error = on_error;
    *user_warning = on_warning;
    touch_boxes = (*touch)[mjGEOM_BOX][mjGEOM_BOX];
    (*touch)[mjGEOM_BOX][mjGEOM_BOX] = touch_where_they_are;
}

static const struct robo__shared_function wanted[] = { { "mju_user_error", &user_error },
                                                       { "mju_user_warning", &user_warning },
                                                       { "mjCOLLISIONFUNC", &touch },
#define ROW(name) { #name, &functions.name },
                                                       ROBO__ENGINE_FUNCTIONS(ROW) };
static struct robo__shared_library library = ROBO__SHARED_LIBRARY(
    "physics needs MuJoCo 2.2.2", "libmujoco.so.2.2.2", "libmujoco2.2.2", wanted, begin);

const struct robo__engine *robo__engine(char why[256])
{
    return robo__shared_library_load(&library, why) == 0 ? &functions : NULL;
}

int robo__engine_try(void (*act)(void *context), void *context, char why[256])
{
    struct guard guard = { .why = why }, *outer = guarded;
    if (setjmp(guard.back)) {
        guarded = outer;
        return ROBO_EDEVICE;
    }
    guarded = &guard;
    act(context);
    guarded = outer;
    return 0;
}

void robo__engine_complain(const char *said, char why[256])
{
    static const char NAMED[] = "Object name = ";
    const char *what = strstr(said, "Error: "), *name = strstr(said, NAMED), *slash = NULL;
    what = what ? what + strlen("Error: ") : said;
    name = name ? name + strlen(NAMED) : "";
    const int length = (int)strcspn(what, "\n"), whole = (int)strcspn(name, ",\n");
    if (whole > 0)
        slash = memchr(name, '/', (size_t)whole);
    if (slash && strncmp(name, "thing/", 6) == 0)
        snprintf(why, 256, "the physics cannot be built: thing %.*s: %.*s", whole - 6, name + 6,
                 length, what);
    else if (slash)
        snprintf(why, 256, "the physics cannot be built: %.*s of %.*s: %.*s",
                 whole - (int)(slash + 1 - name), slash + 1, (int)(slash - name), name, length,
                 what);
    else
        snprintf(why, 256, "the physics cannot be built: %.*s%s%.*s", whole, name,
                 whole ? ": " : "", length, what);
}
