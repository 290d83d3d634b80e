/* Replies to GET: the list of all files, each robot's RCML file, and files that the program provides, as translators. */
#include <stdio.h>
#include <string.h>

#include "connection.h"
#include "pictures.h"
#include "rcml/robot_file.h"
#include "rcml/scenery.h"
#include "robot/client.h"

/* PIECE: bytes of a file that are put into the connection's buffer at once. LIST: of the list of robots, at most; LINE: of a line of
 * it. HEAD: of a reply's head. */
enum { PIECE = 1 << 14, LIST = 1 << 16, LINE = 200, HEAD = 1024 };

static struct robo__budget *budget_of(const struct robo__rctp_connection *c)
{
    return robo__world_memory(c->conn->host->world);
}

void robo__rctp_file_close(struct robo__rctp_connection *c)
{
    robo__text_release(c->file);
    c->file = NULL;
}

void robo__rctp_file_more(struct robo__rctp_connection *c)
{
    while (c->file_at < c->file->size) {
        const size_t left = c->file->size - c->file_at, n = left < PIECE ? left : PIECE;
        size_t waiting;
        robo__conn_output(c->conn, &waiting);
        if (waiting > ROBO__CONN_BUSY) {
            c->conn->owes = true;
            return;
        }
        uint8_t *out = robo__conn_reserve(c->conn, n);
        if (!out)
            break;
        memcpy(out, c->file->bytes + c->file_at, n);
        robo__conn_commit(c->conn, n);
        c->file_at += n;
    }
    robo__rctp_file_close(c);
    if (!c->keep)
        c->conn->closing = true;
}

/* Room for a file, of the world's budget first; NULL: there is none. robo__rctp_file_close gives it back. */
static char *make_room(struct robo__rctp_connection *c, size_t n)
{
    c->file = robo__text_open(budget_of(c), c->conn->memory, n);
    return c->file ? c->file->bytes : NULL;
}

static void no_memory(struct robo__rctp_connection *c, const struct robo__http_request *request)
{
    robo__rctp_file_close(c);
    robo__rctp_reply(c, request, 503, true, "not enough memory");
}

/* Sends the connection's file, or only its head for HEAD. */
static void send_file(struct robo__rctp_connection *c, const struct robo__http_request *request,
                      const char *type)
{
    struct robo__http_reply reply;
    uint8_t *out = robo__conn_reserve(c->conn, HEAD);
    if (!out) {
        no_memory(c, request);
        return;
    }
    c->file_at = robo__http_is(request->method, "HEAD") ? c->file->size : 0;
    c->keep = request->keep;
    robo__http_reply_begin(&reply, out, HEAD, request->other ? "RCTP/1.0" : "HTTP/1.1", 200, NULL);
    robo__http_reply_header(&reply, "Content-Type", "%s", type);
    robo__http_reply_header(&reply, "Content-Length", "%zu", c->file->size);
    robo__http_reply_header(&reply, "Cache-Control", "no-cache");
    robo__http_reply_header(&reply, "X-Content-Type-Options", "nosniff");
    robo__http_reply_header(&reply, "Cross-Origin-Resource-Policy", "same-origin");
    robo__http_reply_header(&reply, "Connection", request->keep ? "keep-alive" : "close");
    robo__conn_commit(c->conn, robo__http_reply_end(&reply));
    robo__rctp_file_more(c);
}

/* ---- surroundings of robots ---- */

static const char WORLD[] = "world.wrl";

/* NULL: the address does not say that it is to be shown, there is none, or a robot has its name. */
static const struct robo_scenery *room_of(const struct robo__rctp_connection *c)
{
    robo_world *world = c->conn->host->world;
    robo_robot *robot = c->shows_world ? robo_find(world, "world") : NULL;
    const struct robo_scenery *room = c->shows_world && !robot ? robo__scenery_of(world) : NULL;
    robo_release(robot);
    return room;
}

static void send_room(struct robo__rctp_connection *c, const struct robo__http_request *request,
                      const struct robo_scenery *room)
{
    struct robo__page page = { 0 };
    robo__rcml_room(&page, room);
    char *text = make_room(c, page.used);
    if (!text) {
        no_memory(c, request);
        return;
    }
    page = (struct robo__page){ .text = text, .size = page.used };
    robo__rcml_room(&page, room);
    send_file(c, request, "model/vrml");
}

/* ---- the list ---- */

static void list_robots(struct robo__rctp_connection *c, const struct robo__http_request *request)
{
    robo_world *world = c->conn->host->world;
    char *text = make_room(c, LIST);
    uint64_t cursor = 0;
    size_t n = 0;
    robo_robot *robot;
    if (!text) {
        no_memory(c, request);
        return;
    }
    while ((robot = robo_next_robot(world, &cursor)) != NULL) {
        const struct robo_description *d = robo__robot_description(robot);
        if (n + LINE < LIST)
            n += (size_t)snprintf(text + n, LINE, "/%s.wrl\n", d->name);
        for (unsigned i = 0; i < d->cameras && n + 2 * LINE < LIST; i++)
            n += (size_t)snprintf(text + n, 2 * LINE, "/%s/camera/%s\n/%s/camera/%s.jpg\n", d->name,
                                  d->camera[i].name, d->name, d->camera[i].name);
        robo_release(robot);
    }
    const bool around = room_of(c) != NULL;
    if (around ||
        c->conn->host->files.first) /* the rest is no robot, also when its name ends as one's */
        text[n++] = '\n';
    if (around && n + LINE < LIST)
        n += (size_t)snprintf(text + n, LINE, "/%s\n", WORLD);
    for (const struct robo__file *f = c->conn->host->files.first; f && n + LINE < LIST; f = f->next)
        n += (size_t)snprintf(text + n, LINE, "/%s\n", f->path);
    c->file = robo__text_shrink(c->file, n);
    send_file(c, request, "text/plain; charset=utf-8");
}

/* ---- a robot's file ---- */

/* Where the robot is served, by the name that the client has used. */
static void name_place(const struct robo__rctp_connection *c,
                       const struct robo__http_request *request, const char *robot, char url[400],
                       char pictures[400])
{
    char host[300];
    struct robo__http_text named = { "", 0 };
    if (robo__http_find(request, "Host", &named) && named.n > 0 && named.n < sizeof host)
        snprintf(host, sizeof host, "%.*s", (int)named.n, named.at);
    else
        snprintf(host, sizeof host, strchr(c->listened, ':') ? "[%.250s]:%u" : "%.250s:%u",
                 c->listened[0] ? c->listened : "localhost", c->port);
    snprintf(url, 400, "rctp%s://%s/%s", c->secure ? "+tls" : "", host, robot);
    snprintf(pictures, 400, "http%s://%s/%s/camera/", c->secure ? "s" : "", host, robot);
}

/* Writes it; NULL: no memory. The caller holds it. */
static struct robo__text *write_file(struct robo__rctp_connection *c, const robo_body *body,
                                     const struct robo__rcml_place *place)
{
    struct robo__rcml_objects *objects = robo__rcml_objects_make(body, &c->inputs);
    const ptrdiff_t n = objects ? robo__rcml_write(body, objects, place, NULL, 0) : ROBO_ENOMEM;
    struct robo__text *text =
        n > 0 ? robo__text_open(budget_of(c), c->conn->memory, (size_t)n) : NULL;
    if (text && robo__rcml_write(body, objects, place, text->bytes, text->size) != n) {
        robo__text_release(text);
        text = NULL;
    }
    robo__rcml_objects_free(objects);
    return text;
}

/* The file of a robot as it is now, by the options of the address and under the name that the client has used; it is written
 * once for all requests for the same. NULL: no memory. The caller holds it. */
static struct robo__text *find_file(struct robo__rctp_connection *c,
                                    const struct robo__http_request *request, robo_robot *robot)
{
    struct robo__text_cache *texts = &c->conn->host->texts;
    const struct robo__rcml_group *g = &c->inputs;
    robo_body *body = robo__robot_body(robot);
    char key[ROBO__TEXTS_KEY], url[400], pictures[400];
    const bool around = room_of(c) != NULL;
    const struct robo__rcml_place place = { .url = url,
                                            .pictures = pictures,
                                            .world = around ? WORLD : NULL };
    name_place(c, request, robo_robot_name(robot), url, pictures);
    /* the place of the pictures follows from the url */
    snprintf(key, sizeof key, "rcml %s %d %u %lld %d %d %d %d %d", url, around, g->stamp_size,
             (long long)g->unit, g->mask, g->event_driven, g->lock, (int)g->interval[0],
             (int)g->interval[1]);
    struct robo__text *text = robo__text_cache_find(texts, body, key);
    if (!text && (text = write_file(c, body, &place)) != NULL)
        robo__text_cache_add(texts, body, key, text);
    return text;
}

static void send_robot(struct robo__rctp_connection *c, const struct robo__http_request *request,
                       const char *name)
{
    robo_robot *robot = robo_find(c->conn->host->world, name);
    if (!robot || !name[0]) {
        robo_release(robot);
        robo__rctp_reply(c, request, 404, true,
                         "there is no such robot; / lists those that there are");
        return;
    }
    c->file = find_file(c, request, robot);
    robo_release(robot);
    if (c->file)
        send_file(c, request, "model/vrml");
    else
        no_memory(c, request);
}

/* A file of the program's. */
static void send_given(struct robo__rctp_connection *c, const struct robo__http_request *request,
                       const struct robo__file *file)
{
    char *bytes = make_room(c, file->size);
    if (!bytes) {
        no_memory(c, request);
        return;
    }
    memcpy(bytes, file->bytes, file->size);
    send_file(c, request, file->type);
}

void robo__rctp_get(struct robo__rctp_connection *c, const struct robo__http_request *request,
                    const struct robo__http_target *target, robo_time now)
{
    static const char camera[] = "/camera/";
    const char *path = target->path[0] == '/' ? target->path + 1 : target->path,
               *view = strstr(path, camera);
    const size_t n = view ? (size_t)(view - path) : strlen(path);
    const struct robo__file *file = robo__files_find(&c->conn->host->files, path);
    char name[32];
    const struct robo_scenery *room = strcmp(path, WORLD) == 0 ? room_of(c) : NULL;
    if (file) {
        send_given(c, request, file);
    } else if (room) {
        send_room(c, request, room);
    } else if (n == 0 && !view) {
        list_robots(c, request);
    } else if (view && n < sizeof name) {
        memcpy(name, path, n);
        name[n] = 0;
        robo__rctp_get_picture(c, request, name, view + sizeof camera - 1, target->query, now);
    } else if (n > 4 && n - 4 < sizeof name && strcmp(path + n - 4, ".wrl") == 0) {
        memcpy(name, path, n - 4);
        name[n - 4] = 0;
        send_robot(c, request, name);
    } else {
        robo_robot *robot = n < sizeof name ? robo_find(c->conn->host->world, path) : NULL;
        char text[128] = "there is nothing here; / lists what there is";
        if (robot) /* the path of its address by RCTP */
            snprintf(text, sizeof text, "there is nothing here: did you mean /%.31s.wrl?", path);
        robo_release(robot);
        robo__rctp_reply(c, request, 404, true, text);
    }
}
