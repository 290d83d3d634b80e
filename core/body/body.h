/* The inside of a body. It never changes, so any thread that holds it may read it. */
#pragma once

#include <stdatomic.h>

#include "robotalk.h"
#include "robotalk/records.h"

struct robo_body {
    _Atomic uint32_t holders;
    struct robo_description description;
    void *options;     /* memory that the bindings of the description point to */
    robo_mesh **mesh;  /* of the shapes; NULL: none has triangles */
    robo_model *model; /* NULL: a description without a geometry, which robo_add takes */
};

/* The same for a description that robo_description_check refuses: such a body has no model and no control frames,
 * since nothing can be computed for them. robo_add_body decides whether a robot can be made of it. ROBO_ENOMEM. */
int robo__body_make_any(const struct robo_description *description, robo_body **body);
