/* The state of a robot as tools show it without being told how: joints, frames of its links, odometry; and notices as a log. */
#include "base/linear.h"
#include "base/time.h"
#include "recording.h"
#include "shown.h"

static const robo_time SECOND = 1000000000;

static void put_instant(robo_recording *r, const char *before, robo_time time)
{
    const robo_time t = time + r->shift;
    robo__json_count(&r->json, before, (uint64_t)(t / SECOND));
    robo__json_count(&r->json, ",\"nsec\":", (uint64_t)(t % SECOND));
    robo__json_put(&r->json, "}");
}

void robo__shown_time(robo_recording *r, robo_time time)
{
    r->json.used = 0;
    put_instant(r, "{\"timestamp\":{\"sec\":", time);
}

/* before: as ",\"translation\":{\"x\":"; the end of the object is with what follows. */
static void put_vector(struct robo__json *j, const char *before, const double v[3])
{
    robo__json_number(j, before, v[0]);
    robo__json_number(j, ",\"y\":", v[1]);
    robo__json_number(j, ",\"z\":", v[2]);
}

/* The same of a rotation as x, y, z and w, and "}". */
static void put_rotation(struct robo__json *j, const char *before, const double rotation[9])
{
    double q[4];
    robo__quaternion(rotation, q);
    put_vector(j, before, q + 1);
    robo__json_number(j, ",\"w\":", q[0]);
    robo__json_put(j, "}");
}

void robo__shown_pose(struct robo__json *j, const double position[3], const double rotation[9])
{
    put_vector(j, ",\"pose\":{\"position\":{\"x\":", position);
    put_rotation(j, "},\"orientation\":{\"x\":", rotation);
    robo__json_put(j, "}");
}

void robo__shown_link(struct robo__json *j, const struct robo_description *d, const char *before,
                      unsigned link)
{
    robo__json_put(j, before);
    robo__json_put(j, d->name);
    robo__json_put(j, "/");
    if (link < d->links && d->link[link].name[0])
        robo__json_put(j, d->link[link].name);
    else
        robo__json_digits(j, link);
    robo__json_put(j, "\"");
}

/* A name of a dof: that of its joint, with its own behind it if the joint has several. */
static void put_dof(struct robo__json *j, const struct robo_joint *joint,
                    const struct robo_dof *dof)
{
    robo__json_put(j, joint->name);
    robo__json_put(j, joint->dofs > 1 ? "." : "");
    robo__json_put(j, joint->dofs > 1 ? dof->name : "");
}

unsigned robo__shown_poses(const robo_body *body, const struct robo_state *state,
                           struct robo_pose pose[ROBO_MAX_LINKS])
{
    const struct robo_description *d = robo_body_description(body);
    const robo_model *model = robo_body_model(body);
    if (model && d->links > 0)
        robo_fk(model, state->position, pose);
    for (unsigned i = 1; model && i < d->links; i++) {
        double apart[3], turned[9];
        for (int k = 0; k < 3; k++)
            apart[k] = pose[i].position[k] - pose[0].position[k];
        robo__rotate_back(pose[0].rotation, pose[i].rotation, turned);
        robo__turn_back(pose[0].rotation, apart, pose[i].position);
        memcpy(pose[i].rotation, turned, sizeof turned);
    }
    memcpy(pose[0].position, state->pose, sizeof state->pose);
    robo_attitude_to_rotation(state->attitude, pose[0].rotation);
    return model ? d->links : d->links > 0;
}

static void write_joints(struct robo__track *t, const struct robo_state *s)
{
    const struct robo_description *d = robo_body_description(t->body);
    robo_recording *r = t->recording;
    struct robo__json *j = &r->json;
    unsigned n = 0;
    robo__shown_time(r, s->time);
    robo__json_put(j, ",\"joints\":[");
    for (unsigned i = 0; i < d->joints; i++)
        for (unsigned k = 0; k < d->joint[i].dofs; k++) {
            const unsigned dof = d->joint[i].first + k;
            robo__json_put(j, n++ ? ",{\"name\":\"" : "{\"name\":\"");
            put_dof(j, &d->joint[i], &d->dof[dof]);
            robo__json_number(j, "\",\"position\":", s->position[dof]);
            robo__json_number(j, ",\"velocity\":", s->speed[dof]);
            robo__json_put(j, "}");
        }
    robo__json_put(j, "]}");
    robo__recording_write(r, t->topic[ROBO__TRACK_JOINTS], s->time, ROBO_NO_TIME);
}

static void put_transform(struct robo__track *t, robo_time time, unsigned link,
                          const struct robo_pose *pose)
{
    const struct robo_description *d = robo_body_description(t->body);
    struct robo__json *j = &t->recording->json;
    put_instant(t->recording,
                link > 0 ? ",{\"timestamp\":{\"sec\":" : "{\"timestamp\":{\"sec\":", time);
    if (link > 0)
        robo__shown_link(j, d, ",\"parent_frame_id\":\"", 0);
    else
        robo__json_put(j, ",\"parent_frame_id\":\"world\"");
    robo__shown_link(j, d, ",\"child_frame_id\":\"", link);
    put_vector(j, ",\"translation\":{\"x\":", pose->position);
    put_rotation(j, "},\"rotation\":{\"x\":", pose->rotation);
    robo__json_put(j, "}");
}

/* All links are seen from the root link, and that from the world. */
static void write_frames(struct robo__track *t, const struct robo_state *s)
{
    struct robo_pose pose[ROBO_MAX_LINKS];
    const unsigned n = robo__shown_poses(t->body, s, pose);
    struct robo__json *j = &t->recording->json;
    j->used = 0;
    robo__json_put(j, "{\"transforms\":[");
    for (unsigned i = 0; i < n; i++)
        put_transform(t, s->time, i, &pose[i]);
    robo__json_put(j, "]}");
    robo__recording_write(t->recording, t->topic[ROBO__TRACK_FRAMES], s->time, ROBO_NO_TIME);
}

static void write_odometry(struct robo__track *t, const struct robo_state *s,
                           const double rotation[9])
{
    robo_recording *r = t->recording;
    robo__shown_time(r, s->time);
    robo__json_put(&r->json, ",\"frame_id\":\"world\"");
    robo__shown_link(&r->json, robo_body_description(t->body), ",\"body_frame_id\":\"", 0);
    robo__shown_pose(&r->json, s->pose, rotation);
    put_vector(&r->json, ",\"linear_velocity\":{\"x\":", s->twist);
    put_vector(&r->json, "},\"angular_velocity\":{\"x\":", s->spin);
    robo__json_put(&r->json, "},\"metadata\":[]}");
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
        write_frames(t, &s);
        write_odometry(t, &s, rotation);
    }
}

void robo__track_say(struct robo__track *t, robo_time time, int level, const char *text)
{
    robo_recording *r = t->recording;
    robo__shown_time(r, time);
    robo__json_count(&r->json, ",\"level\":", (unsigned)level);
    robo__json_word(&r->json, ",\"message\":\"", text);
    robo__json_word(&r->json, ",\"name\":\"", robo_robot_name(t->robot));
    robo__json_put(&r->json, ",\"file\":\"\",\"line\":0}");
    robo__recording_write(r, t->topic[ROBO__TRACK_LOG], time, ROBO_NO_TIME);
}
