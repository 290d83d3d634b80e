/* Files of pages. */
#include "files.h"

#include <stdlib.h>
#include <string.h>

#include "assets.h"
#include "metrics.h"
#include "net/files.h"
#include "robot/client.h"
#include "robots.h"
#include "robot/world/world.h"

bool robo__web_robot_name(const char *path, const char *rest, char name[ROBO__WEB_NAME])
{
    const size_t n = strlen(path), more = strlen(rest);
    if (n <= more || n - more >= ROBO__WEB_NAME || strcmp(path + n - more, rest) != 0)
        return false;
    snprintf(name, ROBO__WEB_NAME, "%.*s", (int)(n - more), path);
    return true;
}

/* The robot of such a path, held; NULL: there is none. */
static robo_robot *robot_of(robo_world *world, const char *path, const char *rest)
{
    char name[ROBO__WEB_NAME];
    return robo__web_robot_name(path, rest, name) ? robo_find(world, name) : NULL;
}

/* ---- GET ---- */

/* The panic's surface is put into the cockpit as one of nobody's, so that browsers give it a process of its own. */
static const char SURFACE[] = "sandbox allow-scripts; default-src 'none'; script-src "
                              "'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors 'self'";

/* The file at a path, which of /cockpit/ROBOT is that of the cockpit of any robot; without a name: none. */
static const struct robo__asset *asset_at(robo_world *world, const char *path)
{
    static const char cockpit[] = "cockpit/";
    const size_t n = strlen(cockpit);
    const struct robo__asset *asset = robo__assets;
    robo_robot *robot =
        strncmp(path, cockpit, n) == 0 && path[n] ? robo_find(world, path + n) : NULL;
    path = robot ? "cockpit/cockpit.html" : path;
    robo_release(robot);
    while (asset->name && strcmp(asset->name, path) != 0)
        asset++;
    return asset;
}

bool robo__web_find(const struct robo__host *host, const char *path, bool page, robo_time now,
                    struct robo__web_file *file)
{
    robo_world *world = host->world;
    const struct robo__asset *asset = asset_at(world, path);
    robo_robot *robot = NULL;
    if (asset->name) {
        *file =
            (struct robo__web_file){ asset->type, file->policy, asset->bytes, asset->size, { 0 } };
        if (strcmp(asset->name, "cockpit/surface.html") == 0)
            file->policy = SURFACE;
        return true;
    }
    file->type = "application/json";
    if (!path[0] && page) {
        file->type = "text/html; charset=utf-8";
        robo__web_page(&file->text, world, now);
    } else if (strcmp(path, "metrics") == 0) {
        file->type = ROBO__METRICS_TYPE;
        robo__web_metrics(&file->text, host, now);
    } else if (strcmp(path, "robots.json") == 0) {
        robo__web_robots(&file->text, world, now);
    } else if ((robot = robot_of(world, path, "/state.json")) != NULL) {
        robo__web_state(&file->text, robot, now);
    } else if ((robot = robot_of(world, path, "/readings.json")) != NULL) {
        robo__web_readings(&file->text, robot);
    } else {
        return false;
    }
    robo_release(robot);
    file->bytes = file->text.at;
    file->size = file->text.used;
    return true;
}

/* ---- POST ---- */

static void name_robots(robo_world *world, char words[ROBO__WEB_WORDS])
{
    size_t n = (size_t)snprintf(words, ROBO__WEB_WORDS, "there is no such robot; there are:");
    uint64_t cursor = 0;
    robo_robot *robot;
    while ((robot = robo_next_robot(world, &cursor)) != NULL) {
        if (n < ROBO__WEB_WORDS - ROBO__WEB_NAME - 1)
            n += (size_t)snprintf(words + n, ROBO__WEB_WORDS - n, " %s", robo_robot_name(robot));
        robo_release(robot);
    }
}

/* 303. With after=EPOCH (the lower 16 bits count) nothing is done if there was a panic since; 409: and it was reset. */
static int panic_after(robo_robot *robot, struct robo__http_text query)
{
    char option[ROBO__HTTP_VALUE + 1], value[ROBO__HTTP_VALUE + 1] = "", *end = value;
    struct robo_state state;
    robo_read(robot, &state, sizeof state);
    if (robo__http_next_option(&query, option, value) == 1 && strcmp(option, "after") == 0 &&
        (uint16_t)(state.epoch - strtoul(value, &end, 10) - 1) < 0x7fff && end > value && !*end)
        return state.panic ? 303 : 409;
    robo__panic_by(robot, "web page");
    return 303;
}

int robo__web_post(struct robo__conn *conn, const char *path, struct robo__http_text query,
                   robo_time now, char words[ROBO__WEB_WORDS])
{
    robo_world *world = conn->host->world;
    char name[ROBO__WEB_NAME];
    const bool stops = robo__web_robot_name(path, "/stop", name);
    if (!stops && !robo__web_robot_name(path, "/panic", name))
        return 0;
    robo_robot *robot = robo_find(world, name);
    if (!robot) {
        name_robots(world, words);
        return 404;
    }
    const int status = stops ? 303 : panic_after(robot, query);
    snprintf(words, ROBO__WEB_WORDS, "%s",
             stops           ? robo__web_stop(conn, robot, now)
             : status == 303 ? "it is in panic"
                             : "it was in panic since, and was reset");
    robo_release(robot);
    return status;
}

/* ---- a folder of the user's ---- */

static const char *type_of(const char *path)
{
    static const char *const types[][2] = {
        { ".html", "text/html; charset=utf-8" },
        { ".js", "text/javascript; charset=utf-8" },
        { ".mjs", "text/javascript; charset=utf-8" },
        { ".css", "text/css; charset=utf-8" },
        { ".json", "application/json" },
        { ".svg", "image/svg+xml" },
        { ".png", "image/png" },
        { ".jpg", "image/jpeg" },
        { ".wasm", "application/wasm" },
        { ".txt", "text/plain; charset=utf-8" },
    };
    const char *end = strrchr(path, '.');
    for (size_t i = 0; end && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(end, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

int robo__web_open(const char *folder, const char *path, FILE **file, size_t *size,
                   const char **type, char elsewhere[ROBO__HTTP_ESCAPED])
{
    char name[600];
    bool is_folder;
    path += strspn(path, "/"); /* "//x" in an answer would be another host */
    const size_t n = strlen(path);
    snprintf(name, sizeof name, "%s/%s%s", folder, path,
             n == 0 || path[n - 1] == '/' ? "index.html" : "");
    *file = robo__files_open(name, size, &is_folder);
    *type = type_of(name);
    if (is_folder) {
        elsewhere[0] = '/';
        robo__http_escape(path, elsewhere + 1, ROBO__HTTP_ESCAPED - 2);
        strcat(elsewhere, "/");
        return 301;
    }
    return *file ? 200 : 404;
}
