/* The page of a server. */
#include <math.h>
#include <string.h>

#include "http/target.h"
#include "robot/client.h"
#include "robot/world/world.h"
#include "robots.h"

/* Text of HTML. */
static void put_text(struct robo__json *page, const char *text)
{
    for (const char *c = text; *c; c++) {
        const char one[2] = { *c, 0 };
        robo__json_put(page, *c == '<'    ? "&lt;"
                             : *c == '>'  ? "&gt;"
                             : *c == '&'  ? "&amp;"
                             : *c == '"'  ? "&quot;"
                             : *c == '\'' ? "&#39;"
                                          : one);
    }
}

/* A path of a robot's, whose name may need escapes. */
static void put_path(struct robo__json *page, const char *robot, const char *rest, const char *name)
{
    char text[ROBO__HTTP_ESCAPED];
    robo__json_put(page, "/");
    robo__http_escape(robot, text, sizeof text);
    robo__json_put(page, text);
    robo__json_put(page, rest);
    robo__http_escape(name, text, sizeof text);
    robo__json_put(page, text);
}

static void put_link(struct robo__json *page, const char *robot, const char *rest, const char *name,
                     const char *end, const char *text)
{
    robo__json_put(page, "<a href=\"");
    put_path(page, robot, rest, name);
    robo__json_put(page, end);
    robo__json_put(page, "\">");
    put_text(page, text);
    robo__json_put(page, "</a> ");
}

static void put_button(struct robo__json *page, const char *robot, const char *action)
{
    robo__json_put(page, "<form method=\"post\" action=\"");
    put_path(page, robot, action, "");
    robo__json_word(page, "\"><button class=\"", action + 1);
    robo__json_put(page, ">");
    robo__json_put(page, action + 1);
    robo__json_put(page, " ");
    put_text(page, robot);
    robo__json_put(page, "</button></form>\n");
}

static double hundredths(double x)
{
    return round(x * 100) / 100 + 0.0; /* no -0 */
}

static void put_drivers(struct robo__json *page, robo_robot *robot, robo_time now)
{
    struct robo_reply_holder holder;
    unsigned n = 0;
    for (; robo__robot_holder(robot, n, now, &holder); n++) {
        robo__json_put(page, n > 0 ? ", " : "");
        put_text(page, holder.name[0] ? holder.name : "this program");
    }
    robo__json_put(page, n == 0 ? "nobody" : "");
}

static void put_robot(struct robo__json *page, robo_robot *robot, robo_time now)
{
    static const double DEGREES = 57.29577951308232;
    const struct robo_description *d = robo__robot_description(robot);
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    robo__json_put(page, "<article>\n<h2>");
    put_text(page, d->name);
    robo__json_put(page, "</h2>\n<p>");
    put_text(page, d->model);
    robo__json_put(page, "</p>\n");
    if (d->cameras > 0) {
        robo__json_put(page, "<img width=\"320\" alt=\"picture of its camera ");
        put_text(page, d->camera[0].name);
        robo__json_put(page, "\" src=\"");
        put_path(page, d->name, "/camera/", d->camera[0].name);
        robo__json_put(page, ".jpg?width=640\">\n");
    }
    put_button(page, d->name, "/stop");
    put_button(page, d->name, "/panic");
    robo__json_put(
        page, "<p>A stop holds whoever moved the robot until they, or its cockpit, resume.</p>\n");
    robo__json_put(page, "<dl><dt>State</dt><dd>");
    robo__json_put(page, state.panic    ? "in panic; the cockpit resets it"
                         : state.moving ? "moves"
                                        : "stands");
    robo__json_number(page, "</dd><dt>Pose</dt><dd>x ", hundredths(state.pose[0]));
    robo__json_number(page, " m, y ", hundredths(state.pose[1]));
    robo__json_number(page, " m, ", round(state.attitude[2] * DEGREES) + 0.0);
    robo__json_put(page, "°</dd><dt>Driven by</dt><dd>");
    put_drivers(page, robot, now);
    robo__json_put(page, "</dd></dl>\n<p>");
    put_link(page, "cockpit", "/", d->name, "", "cockpit");
    put_link(page, d->name, "/state.json", "", "", "state");
    put_link(page, d->name, "/readings.json", "", "", "readings");
    put_link(page, d->name, "", "", ".wrl", "model");
    for (unsigned i = 0; i < d->cameras; i++)
        put_link(page, d->name, "/camera/", d->camera[i].name, "", d->camera[i].name);
    robo__json_put(page, "</p>\n</article>\n");
}

void robo__web_page(struct robo__json *page, robo_world *world, robo_time now)
{
    uint64_t cursor = 0;
    robo_robot *robot;
    robo__json_put(page,
                   "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                   "<meta name=\"viewport\" content=\"width=device-width\">"
                   "<title>robotalk</title><link rel=\"stylesheet\" href=\"/page.css\">"
                   "<link rel=\"icon\" href=\"data:,\"></head>\n<body><main>\n<h1>robotalk</h1>\n");
    while ((robot = robo_next_robot(world, &cursor)) != NULL) {
        put_robot(page, robot, now);
        robo_release(robot);
    }
    robo__json_put(page, cursor ? "" : "<p>There is no robot.</p>\n");
    robo__json_put(page, "</main></body></html>\n");
}
