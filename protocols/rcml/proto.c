/* PROTOs and ROUTEs: what follows their word is skipped as a statement. */
#include "rcml/reader.h"

const struct robo_scene_kind *robo__find_kind(const struct robo__reader *r, struct robo__span name)
{
    (void)r;
    return robo__kind_find(name.text, name.size);
}

void robo__read_proto(struct robo__reader *r)
{
    robo__skip_statement(r);
}

void robo__read_externproto(struct robo__reader *r)
{
    robo__skip_statement(r);
}

void robo__read_route(struct robo__reader *r)
{
    robo__skip_statement(r);
}

void robo__read_script_declaration(struct robo__reader *r, struct robo_scene_node *node,
                                   enum robo_scene_access access)
{
    (void)access;
    robo__skip_value(r, node, node->kind, 0);
}

const char *robo__read_is(struct robo__reader *r, const struct robo_scene_declaration *d)
{
    (void)d;
    robo__unexpected(r, "a value");
    return NULL;
}

void robo__expand(struct robo__reader *r, struct robo_scene_node *instance, const uint8_t *at)
{
    (void)r, (void)instance, (void)at;
}
