/* Bodies: descriptions that were checked once, with their models. */
#include "body.h"

#include <stdlib.h>

#include "driver_options.h"
#include "description.h"
#include "model.h"
#include "robotalk/description.h"
#include "robotalk/scenery.h"

/* The records of a body stand behind it. */
static robo_body *copy(const struct robo_description *description)
{
    robo_body *body = malloc(sizeof *body + robo__description_room(description));
    if (!body)
        return NULL;
    atomic_init(&body->holders, 1);
    body->model = NULL;
    body->mesh = NULL;
    robo__description_copy(&body->description, description, body + 1);
    if (robo__bindings_copy(&body->description, &body->options) == 0)
        return body;
    free(body);
    return NULL;
}

int robo_body_make(const struct robo_description *description, robo_body **out, char why[128])
{
    int error = robo_description_check(description, why);
    if (error < 0)
        return error;
    robo_body *body = copy(description);
    if (body)
        body->model = robo__model_make(&body->description);
    if (!body || !body->model) {
        robo_body_release(body);
        return ROBO_ENOMEM;
    }
    *out = body;
    return 0;
}

int robo__body_make_any(const struct robo_description *description, robo_body **out)
{
    int error = robo_body_make(description, out, NULL);
    if (error != ROBO_EINVAL || robo__description_count(description, NULL) < 0)
        return error;
    if (robo__bindings_check(description, NULL) < 0)
        return ROBO_EINVAL;
    robo_body *body = copy(description);
    if (!body)
        return ROBO_ENOMEM;
    body->description.frames = 0;
    *out = body;
    return 0;
}

int robo_body_set_mesh(robo_body *body, unsigned shape, robo_mesh *mesh)
{
    const struct robo_description *d = &body->description;
    if (shape >= d->shapes || d->shape[shape].kind != ROBO_SHAPE_MESH)
        return ROBO_EINVAL;
    if (!body->mesh)
        body->mesh = calloc(d->shapes, sizeof *body->mesh);
    if (!body->mesh)
        return ROBO_ENOMEM;
    robo_mesh_release(body->mesh[shape]);
    body->mesh[shape] = robo_mesh_hold(mesh);
    return 0;
}

robo_mesh *robo_body_mesh(const robo_body *body, unsigned shape)
{
    return body->mesh && shape < body->description.shapes ? body->mesh[shape] : NULL;
}

robo_body *robo_body_hold(robo_body *body)
{
    atomic_fetch_add(&body->holders, 1);
    return body;
}

void robo_body_release(robo_body *body)
{
    if (!body || atomic_fetch_sub(&body->holders, 1) > 1)
        return;
    for (unsigned i = 0; body->mesh && i < body->description.shapes; i++)
        robo_mesh_release(body->mesh[i]);
    free(body->mesh);
    robo__model_free(body->model);
    free(body->options);
    free(body);
}

const struct robo_description *robo_body_description(const robo_body *body)
{
    return &body->description;
}

const robo_model *robo_body_model(const robo_body *body)
{
    return body->model;
}
