/* The RCML_Robot of a file. */
#include "robot_node.h"

#include <stdio.h>
#include <string.h>

#include "http/target.h"

static const char *const kinds[] = { "Video", "Audio", "Control", "Text", "Binary" };

void robo__rcml_time_text(robo_time time, char text[32])
{
    if (time % 1000000000 == 0)
        snprintf(text, 32, "%llds", (long long)(time / 1000000000));
    else if (time % 1000000 == 0)
        snprintf(text, 32, "%lldms", (long long)(time / 1000000));
    else
        snprintf(text, 32, "%lldus", (long long)(time / 1000));
}

/* Values that equal their field's default are not written, except those that a reader looks for
 * first. */
static void write_group(struct robo__page *page, const struct robo__rcml_group *g)
{
    char unit[32];
    robo__rcml_time_text(g->unit, unit);
    robo__page_whole(page, "time_stamp_size", g->stamp_size);
    robo__page_text(page, "time_unit", unit);
    robo__page_flag(page, "data_mask", g->mask);
    if (g->event_driven)
        robo__page_whole(page, "command_mode", 1);
    if (g->lock)
        robo__page_flag(page, "control_lock", true);
    if (g->interval[0] != -1 || g->interval[1] != 0) {
        char text[64];
        snprintf(text, sizeof text, "command_interval [ %d %d ]", g->interval[0], g->interval[1]);
        robo__page_line(page, text);
    }
}

static void write_parameter(struct robo__page *page, const char *kind,
                            const struct robo__rcml_parameter *p)
{
    robo__page_open(page, NULL, kind);
    robo__page_text(page, "name", p->name);
    if (p->type != ROBO__RCML_FLOAT)
        robo__page_whole(page, "value_type", p->type);
    robo__page_begin(page, "value_range");
    if (p->low <= p->high) {
        robo__page_value(page, p->low);
        robo__page_value(page, p->high);
    }
    robo__page_end(page);
    if (p->scale != 1) {
        robo__page_list(page, "range_scale", &p->scale, 1);
    }
    if (p->control_type != 0)
        robo__page_whole(page, "control_type", p->control_type);
    robo__page_close(page, "}");
}

static void write_control(struct robo__page *page, const struct robo__rcml_object *o)
{
    write_group(page, &o->group);
    robo__page_open(page, NULL, o->output ? "RCML_ControlOutputData [" : "RCML_ControlInputData [");
    for (unsigned i = 0; i < o->parameters; i++)
        write_parameter(page, o->output ? "RCML_ControlOutputData {" : "RCML_ControlInputData {",
                        &o->parameter[i]);
    robo__page_close(page, "]");
}

static void write_url(struct robo__page *page, const char *url)
{
    robo__page_begin(page, "url");
    robo__page_word(page, url);
    robo__page_end(page);
}

static void write_video(struct robo__page *page, const struct robo__rcml_object *o,
                        const char *pictures)
{
    if (o->width > 0)
        robo__page_whole(page, "xsize", o->width);
    if (o->height > 0)
        robo__page_whole(page, "ysize", o->height);
    robo__page_whole(page, "color", o->bits);
    robo__page_given(page, "samplerate", o->rate);
    if (pictures && pictures[0]) {
        char url[768];
        const int n = snprintf(url, sizeof url, "%.500s", pictures);
        robo__http_escape(o->name, url + n, sizeof url - (size_t)n);
        write_url(page, url);
    }
}

static void write_object(struct robo__page *page, const struct robo__rcml_object *o,
                         const char *pictures)
{
    char kind[48];
    snprintf(kind, sizeof kind, "RCML_%s%s {", kinds[o->kind], o->output ? "Output" : "Input");
    robo__page_open(page, NULL, kind);
    robo__page_text(page, "name", o->name);
    robo__page_given_text(page, "translator", o->translator);
    if (o->kind == ROBO__RCML_CONTROL)
        write_control(page, o);
    if (o->kind == ROBO__RCML_VIDEO)
        write_video(page, o, pictures);
    robo__page_close(page, "}");
}

void robo__rcml_robot_node(struct robo__page *page, const char *name,
                           const struct robo__rcml_objects *objects,
                           const struct robo__rcml_place *place)
{
    robo__page_open(page, "rcml", "RCML_Robot {");
    robo__page_text(page, "name", name);
    robo__page_open(page, NULL, "server RCML_Server {");
    const bool served = place && place->url && place->url[0];
    if (served)
        robo__page_text(page, "os", "Linux"); /* the program's own system */
    robo__page_text(page, "serversoft", "robotalk " ROBOTALK_VERSION);
    if (served)
        write_url(page, place->url);
    robo__page_close(page, "}");
    for (int output = 0; output < 2; output++) {
        robo__page_open(page, NULL, output ? "outputs [" : "inputs [");
        for (unsigned i = 0; i < objects->count; i++)
            if (objects->object[i].output == output)
                write_object(page, &objects->object[i], place ? place->pictures : NULL);
        robo__page_close(page, "]");
    }
    robo__page_close(page, "}");
}
