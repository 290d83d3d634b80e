/* Replies to GET: what is there for pages (web/files.h), the list of all files, each robot's files of RCML and glTF, and files that the program
 * provides, as translators; and to POST. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "gltf/served.h"
#include "pictures.h"
#include "rcml/robot_file.h"
#include "rcml/scenery.h"
#include "robotalk/rcml.h"
#include "robot/client.h"
#include "web/files.h"

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
    if (c->own)
        fclose(c->own);
    c->own = NULL;
}

void robo__rctp_file_more(struct robo__rctp_connection *c)
{
    while (c->file_at < c->size) {
        const size_t left = c->size - c->file_at, n = left < PIECE ? left : PIECE;
        size_t waiting;
        robo__conn_output(c->conn, &waiting);
        if (waiting > ROBO__CONN_BUSY) {
            c->conn->owes = true;
            return;
        }
        uint8_t *out = robo__conn_reserve(c->conn, n);
        if (!out)
            break;
        if (!c->own) {
            memcpy(out, c->file->bytes + c->file_at, n);
        } else if (fread(out, 1, n, c->own) != n) { /* it has become shorter */
            robo__conn_drop(c->conn);
            break;
        }
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

/* What a page may do. */
static const char OWN[] = "default-src 'self'; img-src 'self' blob: data:; base-uri 'none'; "
                          "form-action 'self'; frame-ancestors 'none'";

/* Sends what the connection has, c->size bytes, or only its head for HEAD. */
static void send_head(struct robo__rctp_connection *c, const struct robo__http_request *request,
                      const char *type)
{
    struct robo__http_reply reply;
    struct robo__http_text origin;
    uint8_t *out = robo__conn_reserve(c->conn, HEAD);
    if (!out) {
        no_memory(c, request);
        return;
    }
    c->file_at = robo__http_is(request->method, "HEAD") ? c->size : 0;
    c->keep = request->keep;
    robo__http_reply_begin(&reply, out, HEAD, request->other ? "RCTP/1.0" : "HTTP/1.1", 200, NULL);
    robo__http_reply_header(&reply, "Content-Type", "%s", type);
    robo__http_reply_header(&reply, "Content-Length", "%zu", c->size);
    robo__http_reply_header(&reply, "Cache-Control", "no-cache");
    robo__http_reply_header(&reply, "X-Content-Type-Options", "nosniff");
    robo__http_reply_header(&reply, "Cross-Origin-Resource-Policy", "same-origin");
    if (c->policy)
        robo__http_reply_header(&reply, "Content-Security-Policy", "%s", c->policy);
    if (robo__http_gate_lists(&c->gate, request) && robo__http_find(request, "Origin", &origin))
        robo__http_reply_header(&reply, "Access-Control-Allow-Origin", "%.*s", (int)origin.n,
                                origin.at);
    if (c->origins[0])
        robo__http_reply_header(&reply, "Vary", "Origin");
    robo__http_reply_header(&reply, "Connection", request->keep ? "keep-alive" : "close");
    robo__conn_commit(c->conn, robo__http_reply_end(&reply));
    robo__rctp_file_more(c);
}

static void send_file(struct robo__rctp_connection *c, const struct robo__http_request *request,
                      const char *type)
{
    c->size = c->file->size;
    send_head(c, request, type);
}

static void send_away(struct robo__rctp_connection *c, const struct robo__http_request *request,
                      int status, const char *place, const char *text)
{
    uint8_t *out = robo__conn_reserve(c->conn, HEAD);
    if (out)
        robo__conn_commit(c->conn,
                          robo__http_tell_with(out, HEAD, "HTTP/1.1", status, request->keep, true,
                                               "Location", place, text));
    if (!request->keep)
        c->conn->closing = true;
}

static const char *path_of(const struct robo__http_target *target)
{
    return target->path + (target->path[0] == '/');
}

/* ---- surroundings of robots ---- */

static const char WORLD[] = "world.wrl", DRAWN[] = "world.glb";

/* NULL: there is none, a robot has its name, or it is for files of RCML and the address does not say that they show it. */
static const struct robo_scenery *room_of(const struct robo__rctp_connection *c, bool drawn)
{
    robo_world *world = c->conn->host->world;
    robo_robot *robot = robo_find(world, "world");
    const bool shown = !robot && (drawn || c->shows_world);
    robo_release(robot);
    return shown ? robo__scenery_of(world) : NULL;
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

/* Sends a copy of these bytes. */
static void send_bytes(struct robo__rctp_connection *c, const struct robo__http_request *request,
                       const void *bytes, size_t size, const char *type)
{
    char *room = make_room(c, size);
    if (!room) {
        no_memory(c, request);
        return;
    }
    memcpy(room, bytes, size);
    send_file(c, request, type);
}

static void send_world(struct robo__rctp_connection *c, const struct robo__http_request *request,
                       const struct robo_scenery *room)
{
    size_t size;
    char *bytes = robo__gltf_world(c->conn->host->world, room, &size);
    if (bytes)
        send_bytes(c, request, bytes, size, "model/gltf-binary");
    else
        no_memory(c, request);
    free(bytes);
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
            n += (size_t)snprintf(text + n, LINE, "/%s.wrl\n/%s.glb\n", d->name, d->name);
        for (unsigned i = 0; i < d->cameras && n + 2 * LINE < LIST; i++)
            n += (size_t)snprintf(text + n, 2 * LINE, "/%s/camera/%s\n/%s/camera/%s.jpg\n", d->name,
                                  d->camera[i].name, d->name, d->camera[i].name);
        robo_release(robot);
    }
    const bool around = room_of(c, false) != NULL;
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
    const bool around = room_of(c, false) != NULL;
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

/* The same as glTF, which is as any client has it. */
static struct robo__text *find_gltf(struct robo__rctp_connection *c, robo_robot *robot)
{
    struct robo__text_cache *texts = &c->conn->host->texts;
    robo_body *body = robo__robot_body(robot);
    struct robo__text *text = robo__text_cache_find(texts, body, "gltf");
    size_t n = 0;
    char *bytes = text ? NULL : robo__gltf_robot(body, &n);
    if (bytes && (text = robo__text_open(budget_of(c), c->conn->memory, n)) != NULL) {
        memcpy(text->bytes, bytes, n);
        robo__text_cache_add(texts, body, "gltf", text);
    }
    free(bytes);
    return text;
}

static void send_robot(struct robo__rctp_connection *c, const struct robo__http_request *request,
                       const char *name, bool gltf)
{
    robo_robot *robot = robo_find(c->conn->host->world, name);
    if (!robot) {
        robo_release(robot);
        robo__rctp_reply(c, request, 404, true,
                         "there is no such robot; / lists those that there are");
        return;
    }
    c->file = gltf ? find_gltf(c, robot) : find_file(c, request, robot);
    robo_release(robot);
    if (c->file)
        send_file(c, request, gltf ? "model/gltf-binary" : "model/vrml");
    else
        no_memory(c, request);
}

/* A file of a folder (?www=), as it is now, in pieces. */
static void send_own(struct robo__rctp_connection *c, const struct robo__http_request *request,
                     const char *path)
{
    char elsewhere[ROBO__HTTP_ESCAPED];
    const char *type;
    const int status = robo__web_open(c->www, path, &c->own, &c->size, &type, elsewhere);
    if (status == 200)
        send_head(c, request, type);
    else if (status == 404)
        robo__rctp_reply(c, request, 404, true, "there is no such file");
    else
        send_away(c, request, status, elsewhere, "it is a folder");
}

/* ---- pages and JSON ---- */

/* Whether the client is a browser that wants to show it: others get the list. */
static bool wants_page(const struct robo__http_request *request)
{
    struct robo__http_text accept;
    return !request->other && robo__http_find(request, "Accept", &accept) &&
           memmem(accept.at, accept.n, "text/html", strlen("text/html")) != NULL;
}

/* false: pages have nothing there. */
static bool send_web(struct robo__rctp_connection *c, const struct robo__http_request *request,
                     const char *path, robo_time now)
{
    struct robo__web_file file = { .policy = OWN };
    if (!robo__web_find(c->conn->host, path, wants_page(request), now, &file))
        return false;
    c->policy = file.policy;
    if (file.text.failed)
        no_memory(c, request);
    else
        send_bytes(c, request, file.bytes, file.size, file.type);
    robo__json_free(&file.text);
    return true;
}

bool robo__rctp_post(struct robo__rctp_connection *c, const struct robo__http_request *request,
                     const struct robo__http_target *target, robo_time now)
{
    char text[ROBO__WEB_WORDS];
    const int status = robo__web_post(c->conn, path_of(target), target->query, now, text);
    if (status == 303)
        send_away(c, request, status, "/", text);
    else if (status != 0)
        robo__rctp_reply(c, request, status, true, text);
    return status != 0;
}

void robo__rctp_get(struct robo__rctp_connection *c, const struct robo__http_request *request,
                    const struct robo__http_target *target, robo_time now)
{
    static const char camera[] = "/camera/";
    const char *path = path_of(target), *view = strstr(path, camera);
    const size_t n = view ? (size_t)(view - path) : strlen(path);
    const struct robo__file *file = robo__files_find(&c->conn->host->files, path);
    char name[ROBO__WEB_NAME];
    const bool drawn = strcmp(path, DRAWN) == 0;
    const struct robo_scenery *room = drawn || strcmp(path, WORLD) == 0 ? room_of(c, drawn) : NULL;
    c->policy = c->www[0] ? NULL : OWN;
    if (c->www[0]) {
        send_own(c, request, path);
    } else if (file) { /* of robo_loop_add_file */
        send_bytes(c, request, file->bytes, file->size, file->type);
    } else if (send_web(c, request, path, now)) {
        return;
    } else if (room) {
        (drawn ? send_world : send_room)(c, request, room);
    } else if (n == 0 && !view) {
        list_robots(c, request);
    } else if (view && n < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        robo__rctp_get_picture(c, request, name, view + sizeof camera - 1, target->query, now);
    } else if (robo__web_robot_name(path, ".wrl", name)) {
        send_robot(c, request, name, false);
    } else if (robo__web_robot_name(path, ".glb", name)) {
        send_robot(c, request, name, true);
    } else {
        robo_robot *robot = n < sizeof name ? robo_find(c->conn->host->world, path) : NULL;
        char text[128] = "there is nothing here; / lists what there is";
        if (robot) /* the path of its address by RCTP */
            snprintf(text, sizeof text, "there is nothing here: did you mean /%.31s.wrl?", path);
        robo_release(robot);
        robo__rctp_reply(c, request, 404, true, text);
    }
}
