/* RCTP's negotiation. */
#include "negotiation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/target.h"

/* FIXED: bytes of a reply beside lists of names and values. VALUE: of one value, with its blank: "-1.23456789e-308". */
enum { FIXED = 2048, VALUE = 20, WORDS = 256 };

static const char VERSION[] = "RCTP/1.0", METHODS[] = "ASSIGN, GO, RELEASE, OPTIONS, GET, HEAD";
static const robo_time SECOND = 1000000000;

/* The state of one request while it is answered. */
struct work {
    struct robo__rctp_negotiation *n;
    const struct robo__http_request *request;
    struct robo__http_reply reply;
    robo_time now;
    void *out;
    size_t room;
};

/* ---- replies ---- */

static const char *reason_of(int status)
{
    return status == 201   ? "OK" /* as the paper prints it */
           : status == 409 ? "Busy"
                           : NULL;
}

static void begin(struct work *w, int status)
{
    robo__http_reply_begin(&w->reply, w->out, w->room, VERSION, status, reason_of(status));
}

/* For people. */
static void say(struct work *w, const char *text)
{
    robo__http_reply_header(&w->reply, "Message", "%s", text);
}

static void tell(struct work *w, int status, const char *text)
{
    begin(w, status);
    say(w, text);
}

size_t robo__rctp_refuse(int status, const char *why, void *out, size_t room)
{
    struct work w = { .out = out, .room = room };
    /* of statuses that HTTP distinguishes, RCTP knows the general case */
    if (status == 413 || status == 414 || status == 417 || status == 431 || status == 501)
        status = 400;
    begin(&w, status);
    if (status == 401)
        robo__http_reply_header(&w.reply, "WWW-Authenticate", "Bearer");
    say(&w, why);
    return robo__http_reply_end(&w.reply);
}

/* ---- contents of requests ---- */

static bool is_method(const struct robo__http_request *request, const char *method)
{
    return robo__http_is(request->method, method);
}

bool robo__rctp_negotiates(const struct robo__http_request *request)
{
    return is_method(request, "ASSIGN") || is_method(request, "GO") ||
           is_method(request, "RELEASE") || is_method(request, "OPTIONS");
}

static const struct robo__rcml_objects *objects_of(const struct robo__rctp_negotiation *n)
{
    return n->port->objects(n->owner);
}

static int copy(struct robo__http_text text, char *out, size_t size)
{
    if (text.n >= size)
        return ROBO_ENONE;
    memcpy(out, text.at, text.n);
    out[text.n] = 0;
    return 0;
}

/* Chooses the robot of a target, ROBOT/OBJECT or OBJECT, for this request, and gives its object. ROBO_ENONE, ROBO_ENOMEM; ROBO_EEXISTS:
 * objects of another robot are assigned. */
static int find(struct robo__rctp_negotiation *n, struct robo__http_text target,
                char object[ROBO__RCML_NAME + 1])
{
    char robot[32], words[WORDS];
    if (!robo__http_unescape(target, words, sizeof words))
        return ROBO_ENONE;
    target = (struct robo__http_text){ words, strlen(words) };
    if (target.n > 0 && target.at[0] == '/')
        target = (struct robo__http_text){ target.at + 1, target.n - 1 };
    const char *slash = target.n > 0 ? memchr(target.at, '/', target.n) : NULL;
    const size_t named = slash ? (size_t)(slash - target.at) : 0;
    strcpy(robot, n->robot);
    if (slash && copy((struct robo__http_text){ target.at, named }, robot, sizeof robot) < 0)
        return ROBO_ENONE;
    if (slash)
        target = (struct robo__http_text){ slash + 1, target.n - named - 1 };
    if (!n->any_chosen || strcmp(robot, n->chosen) != 0) {
        if (n->assigned > 0)
            return ROBO_EEXISTS;
        const int error = n->port->choose(n->owner, robot);
        if (error < 0)
            return error;
        strcpy(n->chosen, robot);
        n->any_chosen = true;
        memset(n->given, 0, sizeof n->given);
    }
    if (copy(target, object, ROBO__RCML_NAME + 1) < 0)
        object[0] = 0; /* no object has so long a name */
    return 0;
}

/* That the request names; NULL: there is none. */
static const struct robo__rcml_object *object_of(const struct robo__rctp_negotiation *n)
{
    const struct robo__rcml_objects *all = n->error == 0 ? objects_of(n) : NULL;
    return all ? robo__rcml_find(all, n->object) : NULL;
}

/* A request's robot alone, as ROBOT/; none or "*": the default one. */
static int find_robot(struct robo__rctp_negotiation *n, struct robo__http_text target)
{
    char robot[40] = "";
    if (target.n > 0 && target.at[0] == '/')
        target = (struct robo__http_text){ target.at + 1, target.n - 1 };
    if (target.n > 0 && !robo__http_is(target, "*")) {
        if (copy(target, robot, sizeof robot - 1) < 0)
            return ROBO_ENONE;
        strcat(robot, "/");
    }
    return find(n, (struct robo__http_text){ robot, strlen(robot) }, n->object);
}

size_t robo__rctp_prepare(struct robo__rctp_negotiation *n,
                          const struct robo__http_request *request)
{
    size_t names = 0, values = 0;
    n->object[0] = 0;
    n->error = 0;
    if (is_method(request, "ASSIGN") || is_method(request, "RELEASE"))
        n->error = find(n, request->target, n->object);
    else if (is_method(request, "OPTIONS"))
        n->error = find_robot(n, request->target);
    const struct robo__rcml_objects *all = objects_of(n);
    for (unsigned i = 0; all && i < all->count; i++) {
        names += strlen(all->object[i].name) + 1;
        if (all->object[i].parameters > values)
            values = all->object[i].parameters;
    }
    return FIXED + names + 2 * VALUE * values;
}

static void list_objects(struct work *w)
{
    const struct robo__rcml_objects *all = objects_of(w->n);
    if (!all)
        return;
    robo__http_reply_name(&w->reply, "Objects");
    for (unsigned i = 0; i < all->count; i++)
        robo__http_reply_text(&w->reply, "%s%s", i > 0 ? " " : "", all->object[i].name);
    robo__http_reply_line(&w->reply);
}

static void not_found(struct work *w)
{
    const int error = w->n->error;
    if (error == ROBO_EEXISTS) {
        tell(w, 409, "objects of another robot are assigned");
    } else if (error == ROBO_ENOMEM) {
        tell(w, 503, "not enough memory");
        robo__http_reply_header(&w->reply, "Retry-After", "1");
    } else {
        tell(w, 404, error == 0 ? "there is no such object" : "there is no such robot");
        if (error == 0)
            list_objects(w);
    }
}

/* ---- ASSIGN ---- */

static const char *const kinds[] = { "video", "audio", "control", "text", "binary" };

/* Whether the client's device makes a pair with the object (4.3.2), as far as its headers describe it. *wrong: what an
 * unreadable one should have been. */
static bool fits(const struct robo__http_request *request, const struct robo__rcml_object *object,
                 const char **wrong)
{
    struct robo__http_text dof, type;
    bool fit = true, readable = true;
    *wrong = NULL;
    if (robo__http_find(request, "Dof", &dof)) {
        unsigned long n = 0;
        for (size_t i = 0; i < dof.n; i++) {
            readable &= dof.at[i] >= '0' && dof.at[i] <= '9' && i < 6;
            n = n * 10 + (unsigned long)(dof.at[i] - '0');
        }
        if (!readable || dof.n == 0)
            *wrong = "Dof: expected a number";
        fit &= object->kind == ROBO__RCML_CONTROL && n == object->parameters;
    }
    if (robo__http_find(request, "Type", &type)) {
        bool known = false;
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            known |= robo__http_is_like(type, kinds[i]);
        if (!known)
            *wrong = "Type: expected control, video, audio, text or binary";
        fit &= robo__http_is_like(type, kinds[object->kind]);
    }
    return fit;
}

static void tell_device(struct work *w, const struct robo__rcml_object *object)
{
    robo__http_reply_header(&w->reply, "Type", "%s", kinds[object->kind]);
    if (object->kind == ROBO__RCML_CONTROL)
        robo__http_reply_header(&w->reply, "Dof", "%u", object->parameters);
}

/* Without the locale's decimal point. */
static const char *text_of(double x, int digits, char text[40])
{
    snprintf(text, 40, "%.*g", digits, x + 0.0); /* and -0 is 0 */
    char *point = strchr(text, ',');
    if (point)
        *point = '.';
    return text;
}

static void tell_value(struct work *w, const struct robo__rcml_parameter *p, double value)
{
    char text[40];
    if (p->type == ROBO__RCML_FLOAT)
        robo__http_reply_text(&w->reply, "%s", text_of(value, 9, text));
    else
        robo__http_reply_text(&w->reply, "%.0f", p->type == ROBO__RCML_BOOL ? value != 0 : value);
}

/* By the name that the paper prints, and by one that a header of HTTP may have. false: there is no memory for it. */
static bool tell_values(struct work *w, const struct robo__rcml_object *object)
{
    double *values = calloc(object->parameters + 1u, sizeof *values);
    if (!values)
        return false;
    w->n->port->values(w->n->owner, object, values);
    for (int name = 0; name < 2; name++) {
        robo__http_reply_name(&w->reply, name ? "Current-Value" : "Current Value");
        for (unsigned i = 0; i < object->parameters; i++) {
            robo__http_reply_text(&w->reply, "%s", i > 0 ? " " : "");
            tell_value(w, &object->parameter[i], values[i]);
        }
        robo__http_reply_line(&w->reply);
    }
    free(values);
    return true;
}

/* How its messages are laid out, which the RCML file says, too: how many parameters of each type in a row (f float, i integer, b
 * bool), bytes of the time stamp, whether there is a mask. */
static void tell_layout(struct work *w, const struct robo__rcml_object *object)
{
    static const char letters[] = { 'f', 'i', 'b' };
    robo__http_reply_name(&w->reply, "Layout");
    if (object->kind != ROBO__RCML_CONTROL)
        robo__http_reply_text(&w->reply, "%s ", kinds[object->kind]);
    for (unsigned i = 0, next; i < object->parameters; i = next) {
        const enum robo__rcml_type type = object->parameter[i].type;
        for (next = i; next < object->parameters && object->parameter[next].type == type;)
            next++;
        robo__http_reply_text(&w->reply, "%u%c", next - i, letters[type]);
    }
    robo__http_reply_text(&w->reply, "%sstamp=%u mask=%s", object->parameters > 0 ? " " : "",
                          object->group.stamp_size,
                          object->kind == ROBO__RCML_CONTROL && object->group.mask ? "yes" : "no");
    robo__http_reply_line(&w->reply);
}

/* When commands may come and must come: by the fields of the RCML file that all inputs share, and by the deadman of the robot, which
 * counts for every client whatever these say. */
static void tell_rules(struct work *w, const struct robo__rcml_group *rules, robo_time deadman)
{
    robo__http_reply_header(&w->reply, "Command-Interval", "%d %d", (int)rules->interval[0],
                            (int)rules->interval[1]);
    robo__http_reply_header(&w->reply, "Command-Mode", rules->event_driven ? "event" : "time");
    robo__http_reply_header(&w->reply, "Control-Lock", rules->lock ? "yes" : "no");
    if (deadman > 0)
        robo__http_reply_header(&w->reply, "Deadman-ms", "%lld", (long long)(deadman / 1000000));
}

static void retry_after(struct work *w, robo_time left)
{
    const robo_time seconds = (left + SECOND - 1) / SECOND;
    robo__http_reply_header(&w->reply, "Retry-After", "%lld",
                            (long long)(seconds > 1 ? seconds : 1));
}

/* Reports which other client controls the robot, if any: whether that is known. */
static bool tell_holder(struct work *w)
{
    struct robo__rctp_holder holder = { .name = "" };
    w->n->port->holder(w->n->owner, &holder, w->now);
    if (!holder.name[0])
        return false;
    robo__http_reply_header(&w->reply, "Holder", "%s", holder.name);
    retry_after(w, holder.left);
    return true;
}

static void refuse_object(struct work *w, const struct robo__rctp_assigned *a)
{
    switch (a->code) {
    case 403:
        tell(w, 403, "this client may watch, and drive nothing: only outputs can be assigned");
        break;
    case 409:
        tell(w, 409, "another client controls the robot; its outputs can be assigned");
        if (!tell_holder(w))
            retry_after(w, 0);
        robo__http_reply_header(&w->reply, "Watch", "yes");
        break;
    case 503:
        tell(w, 503, a->panic ? "the robot is in panic, until it is reset" : "it is not ready");
        if (a->panic)
            robo__http_reply_header(&w->reply, "Panic", "yes");
        retry_after(w, 0);
        break;
    default: not_found(w); break;
    }
}

static void assign(struct work *w)
{
    struct robo__rctp_negotiation *n = w->n;
    const char *wrong;
    const struct robo__rcml_object *object = object_of(n);
    if (!object) {
        not_found(w);
        return;
    }
    const bool fit = fits(w->request, object, &wrong);
    if (wrong) {
        tell(w, 400, wrong);
        return;
    }
    if (!fit) {
        tell(w, 406, "the client's device makes no pair with this object");
        tell_device(w, object);
        return;
    }
    const struct robo__rctp_assigned a = n->port->assign(n->owner, n->object, w->now);
    if (a.code != 201) {
        refuse_object(w, &a);
        return;
    }
    uint8_t *given = &n->given[object - objects_of(n)->object];
    n->assigned += !*given;
    *given = 1;
    strcpy(n->robot, n->chosen);
    begin(w, 201);
    robo__http_reply_header(&w->reply, "ID", "%u", a.id);
    if (object->kind == ROBO__RCML_CONTROL && !tell_values(w, object))
        say(w, "no memory for its values");
    robo__http_reply_header(&w->reply, "Direction", object->output ? "output" : "input");
    robo__http_reply_header(&w->reply, "Mode", a.controls ? "control" : "watch");
    if (object->kind != ROBO__RCML_VIDEO && object->kind != ROBO__RCML_AUDIO)
        tell_layout(w, object);
    if (object->kind == ROBO__RCML_CONTROL && !object->output)
        tell_rules(w, &object->group, a.deadman);
}

static void release(struct work *w)
{
    struct robo__rctp_negotiation *n = w->n;
    const struct robo__rcml_object *object = object_of(n);
    if (!object) {
        not_found(w);
        return;
    }
    uint8_t *given = &n->given[object - objects_of(n)->object];
    if (!*given) {
        tell(w, 412, "this object is not assigned");
        return;
    }
    n->port->release(n->owner, n->object, w->now);
    n->assigned--;
    *given = 0;
    begin(w, 200);
}

/* ---- GO, OPTIONS ---- */

/* The unit of time stamps, which all inputs share. */
static robo_time unit_of(const struct robo__rcml_objects *all)
{
    for (unsigned i = 0; all && i < all->count; i++)
        if (all->object[i].kind == ROBO__RCML_CONTROL && !all->object[i].output)
            return all->object[i].group.unit;
    return robo__rcml_group_default.unit;
}

static enum robo__rctp_step go(struct work *w)
{
    struct robo__rctp_negotiation *n = w->n;
    if (w->request->chunked || w->request->length > 0) {
        tell(w, 400, "GO has no body");
        return ROBO__RCTP_ANSWERED;
    }
    const char *why = robo__rctp_read_go(w->request, &n->go);
    if (why) {
        tell(w, 400, why);
        return ROBO__RCTP_ANSWERED;
    }
    const uint16_t code = n->assigned > 0 ? n->port->may_go(n->owner, &n->go) : 412;
    if (code != 201) {
        tell(w, code,
             code == 412   ? "no object is assigned"
             : code == 406 ? "without frames, control objects alone can be assigned"
                           : "not now");
        return ROBO__RCTP_ANSWERED;
    }
    begin(w, 201);
    char unit[40];
    robo__http_reply_header(&w->reply, "Time-Unit-ms", "%s",
                            text_of((double)unit_of(objects_of(n)) / 1e6, 6, unit));
    if (n->go.text_stamp > 0)
        robo__http_reply_header(&w->reply, "Text-Stamp", "%u", n->go.text_stamp);
    uint32_t token;
    uint16_t port;
    if (n->go.udp && n->port->open_datagrams(n->owner, &token, &port)) {
        robo__http_reply_header(&w->reply, "Session", "%08x", (unsigned)token);
        robo__http_reply_header(&w->reply, "UDP-Port", "%u", port);
    }
    return ROBO__RCTP_BEGUN;
}

static void options(struct work *w)
{
    if (w->n->error < 0) {
        not_found(w);
        return;
    }
    begin(w, 200);
    robo__http_reply_header(&w->reply, "Allow", "%s", METHODS);
    list_objects(w);
    tell_holder(w);
}

enum robo__rctp_step robo__rctp_answer(struct robo__rctp_negotiation *n,
                                       const struct robo__http_request *request, robo_time now,
                                       void *out, size_t room, size_t *size)
{
    struct work w = { .n = n, .request = request, .now = now, .out = out, .room = room };
    enum robo__rctp_step step = ROBO__RCTP_ANSWERED;
    if (is_method(request, "ASSIGN"))
        assign(&w);
    else if (is_method(request, "RELEASE"))
        release(&w);
    else if (is_method(request, "GO"))
        step = go(&w);
    else if (is_method(request, "OPTIONS"))
        options(&w);
    else {
        tell(&w, 405, "this is none of its methods");
        robo__http_reply_header(&w.reply, "Allow", "%s", METHODS);
    }
    *size = robo__http_reply_end(&w.reply);
    return step;
}
