/* The state of a robot as tools show it without being told how: joints, frames of its links, odometry; and notices as a log. */
#include <math.h>

#include "base/linear.h"
#include "base/time.h"
#include "recording.h"
#include "robotalk/kinematics.h"

static const robo_time SECOND = 1000000000;

static void put_instant(robo_recording *r, robo_time time)
{
    const robo_time t = time + r->shift;
    robo__json_format(&r->json, "{\"sec\":%lld,\"nsec\":%lld}", (long long)(t / SECOND),
                      (long long)(t % SECOND));
}

void robo__shown_time(robo_recording *r, robo_time time)
{
    r->json.used = 0;
    robo__json_put(&r->json, "{\"timestamp\":");
    put_instant(r, time);
}

static void put_vector(struct robo__json *j, const char *name, const double v[3])
{
    robo__json_format(j, "\"%s\":{\"x\":%.17g,\"y\":%.17g,\"z\":%.17g}", name, v[0], v[1], v[2]);
}

/* By the greatest of the four, so that none is divided by a small one (Shepperd 1978). */
static void quaternion_of(const double r[9], double q[4])
{
    const double trace = r[0] + r[4] + r[8];
    unsigned i = 3; /* w */
    double greatest = trace;
    for (unsigned k = 0; k < 3; k++)
        if (r[4 * k] > greatest) {
            greatest = r[4 * k];
            i = k;
        }
    const unsigned j = (i + 1) % 3, k = (i + 2) % 3;
    const double twice = sqrt(fmax(0, i == 3 ? 1 + trace : 1 + 2 * r[4 * i] - trace)),
                 over = 0.5 / twice;
    if (i == 3) {
        q[0] = (r[7] - r[5]) * over;
        q[1] = (r[2] - r[6]) * over;
        q[2] = (r[3] - r[1]) * over;
        q[3] = twice / 2;
        return;
    }
    q[i] = twice / 2;
    q[j] = (r[3 * j + i] + r[3 * i + j]) * over;
    q[k] = (r[3 * k + i] + r[3 * i + k]) * over;
    q[3] = (r[3 * k + j] - r[3 * j + k]) * over;
}

static void put_rotation(struct robo__json *j, const char *name, const double rotation[9])
{
    double q[4];
    quaternion_of(rotation, q);
    robo__json_format(j, "\"%s\":{\"x\":%.17g,\"y\":%.17g,\"z\":%.17g,\"w\":%.17g}", name, q[0],
                      q[1], q[2], q[3]);
}

void robo__shown_pose(struct robo__json *j, const double position[3], const double rotation[9])
{
    robo__json_put(j, ",\"pose\":{");
    put_vector(j, "position", position);
    robo__json_put(j, ",");
    put_rotation(j, "orientation", rotation);
    robo__json_put(j, "}");
}

/* A robot may have links that another one has, too. */
void robo__shown_link(const struct robo__track *t, const char *name, unsigned link)
{
    const struct robo_description *d = robo_body_description(t->body);
    struct robo__json *j = &t->recording->json;
    robo__json_format(j, ",\"%s\":\"%s/%s", name, d->name, d->link[link].name);
    if (d->link[link].name[0])
        robo__json_put(j, "\"");
    else
        robo__json_format(j, "%u\"", link);
}

static void write_joints(struct robo__track *t, const struct robo_state *s)
{
    const struct robo_description *d = robo_body_description(t->body);
    robo_recording *r = t->recording;
    unsigned n = 0;
    robo__shown_time(r, s->time);
    robo__json_put(&r->json, ",\"joints\":[");
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; k < d->joint[i].dofs; k++) {
            const unsigned dof = d->joint[i].first + k;
            robo__json_format(
                &r->json, "%s{\"name\":\"%s%s%s\",\"position\":%.17g,\"velocity\":%.17g}",
                n++ ? "," : "", d->joint[i].name, d->joint[i].dofs > 1 ? "." : "",
                d->joint[i].dofs > 1 ? d->dof[dof].name : "", s->position[dof], s->speed[dof]);
        }
    robo__json_put(&r->json, "]}");
    robo__recording_write(r, t->topic[ROBO__TRACK_JOINTS], s->time, ROBO_NO_TIME);
}

static void put_transform(struct robo__track *t, robo_time time, unsigned link,
                          const double position[3], const double rotation[9])
{
    struct robo__json *j = &t->recording->json;
    robo__json_put(j, link > 0 ? ",{\"timestamp\":" : "{\"timestamp\":");
    put_instant(t->recording, time);
    if (link > 0)
        robo__shown_link(t, "parent_frame_id", 0);
    else
        robo__json_put(j, ",\"parent_frame_id\":\"world\"");
    robo__shown_link(t, "child_frame_id", link);
    robo__json_put(j, ",");
    put_vector(j, "translation", position);
    robo__json_put(j, ",");
    put_rotation(j, "rotation", rotation);
    robo__json_put(j, "}");
}

/* All links are seen from the root link, and that from the world. */
static void write_frames(struct robo__track *t, const struct robo_state *s,
                         const double rotation[9])
{
    const struct robo_description *d = robo_body_description(t->body);
    const robo_model *model = robo_body_model(t->body);
    struct robo_pose link[ROBO_MAX_LINKS];
    struct robo__json *j = &t->recording->json;
    j->used = 0;
    robo__json_put(j, "{\"transforms\":[");
    put_transform(t, s->time, 0, s->pose, rotation);
    if (model)
        robo_fk(model, s->position, link);
    for (unsigned i = 1; model && i < d->links; i++) {
        double apart[3], turned[9];
        for (int k = 0; k < 3; k++)
            apart[k] = link[i].position[k] - link[0].position[k];
        robo__turn_back(link[0].rotation, apart, apart);
        robo__rotate_back(link[0].rotation, link[i].rotation, turned);
        put_transform(t, s->time, i, apart, turned);
    }
    robo__json_put(j, "]}");
    robo__recording_write(t->recording, t->topic[ROBO__TRACK_FRAMES], s->time, ROBO_NO_TIME);
}

static void write_odometry(struct robo__track *t, const struct robo_state *s,
                           const double rotation[9])
{
    robo_recording *r = t->recording;
    robo__shown_time(r, s->time);
    robo__json_put(&r->json, ",\"frame_id\":\"world\"");
    robo__shown_link(t, "body_frame_id", 0);
    robo__shown_pose(&r->json, s->pose, rotation);
    robo__json_put(&r->json, ",");
    put_vector(&r->json, "linear_velocity", s->twist);
    robo__json_put(&r->json, ",");
    put_vector(&r->json, "angular_velocity", s->spin);
    robo__json_put(&r->json, ",\"metadata\":[]}");
    robo__recording_write(r, t->topic[ROBO__TRACK_ODOMETRY], s->time, ROBO_NO_TIME);
}

void robo__track_show(struct robo__track *t, robo_time now)
{
    struct robo_state s;
    double rotation[9];
    robo_read(t->robot, &s, sizeof s);
    /* the state is of a body that is not known here yet */
    if (!t->body || s.dofs != robo_body_description(t->body)->dofs)
        return;
    if (s.time > now)
        s.time = now;
    t->recording->json.used = 0;
    robo__json_message(&t->recording->json, robo_message_named("robo_state"), &s);
    robo__recording_write(t->recording, t->topic[ROBO__TRACK_STATES], s.time, ROBO_NO_TIME);
    robo_attitude_to_rotation(s.attitude, rotation);
    if (s.dofs > 0)
        write_joints(t, &s);
    if (robo_body_description(t->body)->links > 0) {
        write_frames(t, &s, rotation);
        write_odometry(t, &s, rotation);
    }
}

void robo__track_say(struct robo__track *t, robo_time time, int level, const char *text,
                     const char *more)
{
    robo_recording *r = t->recording;
    robo__shown_time(r, time);
    robo__json_format(
        &r->json, ",\"level\":%d,\"message\":\"%s%s\",\"name\":\"%s\",\"file\":\"\",\"line\":0}",
        level, text, more, robo_robot_name(t->robot));
    robo__recording_write(r, t->topic[ROBO__TRACK_LOG], time, ROBO_NO_TIME);
}
