/* What is got by GET: the list of all that there is, each robot's RCML file, and files that the program gives, as translators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "pictures.h"
#include "rcml/export.h"
#include "robot/robot.h"

/* PIECE: bytes of a file that are put into the connection's buffer at once. LIST: of the list of robots, at most; LINE: of a line of
 * it. HEAD: of a reply's head. */
enum { PIECE = 1 << 14, LIST = 1 << 16, LINE = 200, HEAD = 1024 };

static struct robo__budget *budget_of(const struct robo__rctp_guest *g)
{
    return &g->conn->host->world->memory;
}

void robo__rctp_file_close(struct robo__rctp_guest *g)
{
    robo__budget_give(budget_of(g), g->charged);
    free(g->file);
    g->file = NULL;
    g->charged = 0;
}

void robo__rctp_file_more(struct robo__rctp_guest *g)
{
    while (g->file_at < g->file_size) {
        const size_t left = g->file_size - g->file_at, n = left < PIECE ? left : PIECE;
        size_t waiting;
        robo__conn_output(g->conn, &waiting);
        if (waiting > ROBO__CONN_BUSY) {
            g->conn->owes = true;
            return;
        }
        uint8_t *out = robo__conn_reserve(g->conn, n);
        if (!out)
            break;
        memcpy(out, g->file + g->file_at, n);
        robo__conn_commit(g->conn, n);
        g->file_at += n;
    }
    robo__rctp_file_close(g);
    if (!g->keep)
        g->conn->closing = true;
}

/* Room for a file, of the world's budget first; NULL: there is none. robo__rctp_file_close gives it back. */
static char *make_room(struct robo__rctp_guest *g, size_t n)
{
    if (!robo__budget_take(budget_of(g), g->conn->memory, n))
        return NULL;
    g->charged = n;
    g->file = malloc(n + 1);
    if (!g->file)
        robo__rctp_file_close(g);
    return g->file;
}

static void no_memory(struct robo__rctp_guest *g, const struct robo__http_request *request)
{
    robo__rctp_file_close(g);
    robo__rctp_tell(g, request, 503, true, "not enough memory");
}

/* Sends the first n bytes of what there was room made for, or only what HEAD tells of them. */
static void send_file(struct robo__rctp_guest *g, const struct robo__http_request *request,
                      const char *type, size_t n)
{
    struct robo__http_reply reply;
    uint8_t *out = robo__conn_reserve(g->conn, HEAD);
    if (!out) {
        no_memory(g, request);
        return;
    }
    g->file_size = robo__http_is(request->method, "HEAD") ? 0 : n;
    g->file_at = 0;
    g->keep = request->keep;
    robo__http_reply_begin(&reply, out, HEAD, request->other ? "RCTP/1.0" : "HTTP/1.1", 200, NULL);
    robo__http_reply_header(&reply, "Content-Type", "%s", type);
    robo__http_reply_header(&reply, "Content-Length", "%zu", n);
    robo__http_reply_header(&reply, "Cache-Control", "no-cache");
    robo__http_reply_header(&reply, "X-Content-Type-Options", "nosniff");
    robo__http_reply_header(&reply, "Cross-Origin-Resource-Policy", "same-origin");
    robo__http_reply_header(&reply, "Connection", request->keep ? "keep-alive" : "close");
    robo__conn_commit(g->conn, robo__http_reply_end(&reply));
    robo__rctp_file_more(g);
}

/* ---- the list ---- */

static void list_robots(struct robo__rctp_guest *g, const struct robo__http_request *request)
{
    robo_world *world = g->conn->host->world;
    char *text = make_room(g, LIST);
    uint64_t cursor = 0;
    size_t n = 0;
    robo_robot *robot;
    if (!text) {
        no_memory(g, request);
        return;
    }
    while ((robot = robo_next_robot(world, &cursor)) != NULL) {
        const struct robo_description *d = robo_robot_description(robot);
        if (n + LINE < LIST)
            n += (size_t)snprintf(text + n, LINE, "/%s.wrl\n", d->name);
        for (unsigned i = 0; i < d->cameras && n + 2 * LINE < LIST; i++)
            n += (size_t)snprintf(text + n, 2 * LINE, "/%s/camera/%s\n/%s/camera/%s.jpg\n", d->name,
                                  d->camera[i].name, d->name, d->camera[i].name);
        robo_release(robot);
    }
    for (const struct robo__file *f = g->conn->host->files.first; f && n + LINE < LIST; f = f->next)
        n += (size_t)snprintf(text + n, LINE, "/%s\n", f->path);
    send_file(g, request, "text/plain; charset=utf-8", n);
}

/* ---- a robot's file ---- */

/* Where the robot is served, by the name that the client has used. */
static void name_place(const struct robo__rctp_guest *g, const struct robo__http_request *request,
                       const char *robot, char url[400], char pictures[400])
{
    char host[300];
    struct robo__http_text named = { "", 0 };
    if (robo__http_find(request, "Host", &named) && named.n > 0 && named.n < sizeof host)
        snprintf(host, sizeof host, "%.*s", (int)named.n, named.at);
    else
        snprintf(host, sizeof host, strchr(g->listened, ':') ? "[%.250s]:%u" : "%.250s:%u",
                 g->listened[0] ? g->listened : "localhost", g->port);
    snprintf(url, 400, "rctp%s://%s/%s", g->secure ? "+tls" : "", host, robot);
    snprintf(pictures, 400, "http%s://%s/%s/camera/", g->secure ? "s" : "", host, robot);
}

/* Writes it; false: no memory. */
static bool write_file(struct robo__rctp_guest *g, const struct robo__http_request *request,
                       robo_robot *robot, size_t *size)
{
    const robo_body *body = robo_robot_body(robot);
    char url[400], pictures[400];
    const struct robo__rcml_place place = { url, pictures };
    struct robo__rcml_objects *objects = robo__rcml_objects_make(body, &g->inputs);
    name_place(g, request, robo_robot_description(robot)->name, url, pictures);
    ptrdiff_t n = objects ? robo__rcml_write(body, objects, &place, NULL, 0) : ROBO_ENOMEM;
    char *text = n > 0 ? make_room(g, (size_t)n) : NULL;
    const bool written = text && robo__rcml_write(body, objects, &place, text, (size_t)n) == n;
    robo__rcml_objects_free(objects);
    *size = written ? (size_t)n : 0;
    return written;
}

static void send_robot(struct robo__rctp_guest *g, const struct robo__http_request *request,
                       const char *name)
{
    robo_robot *robot = robo_find(g->conn->host->world, name);
    if (!robot || !name[0]) {
        robo_release(robot);
        robo__rctp_tell(g, request, 404, true,
                        "there is no such robot; / lists those that there are");
        return;
    }
    size_t n;
    const bool written = write_file(g, request, robot, &n);
    robo_release(robot);
    if (written)
        send_file(g, request, "model/vrml", n);
    else
        no_memory(g, request);
}

/* A file of the program's. */
static void send_given(struct robo__rctp_guest *g, const struct robo__http_request *request,
                       const struct robo__file *file)
{
    char *bytes = make_room(g, file->size);
    if (!bytes) {
        no_memory(g, request);
        return;
    }
    memcpy(bytes, file->bytes, file->size);
    send_file(g, request, file->type, file->size);
}

void robo__rctp_get(struct robo__rctp_guest *g, const struct robo__http_request *request,
                    const struct robo__http_target *target, robo_time now)
{
    static const char camera[] = "/camera/";
    const char *path = target->path[0] == '/' ? target->path + 1 : target->path,
               *view = strstr(path, camera);
    const size_t n = view ? (size_t)(view - path) : strlen(path);
    const struct robo__file *file = robo__files_find(&g->conn->host->files, path);
    char name[32];
    if (file) {
        send_given(g, request, file);
    } else if (n == 0 && !view) {
        list_robots(g, request);
    } else if (view && n < sizeof name) {
        memcpy(name, path, n);
        name[n] = 0;
        robo__rctp_look(g, request, name, view + sizeof camera - 1, target->query, now);
    } else if (n > 4 && n - 4 < sizeof name && strcmp(path + n - 4, ".wrl") == 0) {
        memcpy(name, path, n - 4);
        name[n - 4] = 0;
        send_robot(g, request, name);
    } else {
        robo__rctp_tell(g, request, 404, true, "there is nothing here; / lists what there is");
    }
}
