/* A recording from inside: a file, its topics, and a track for each robot. A worker (base/workers.h), or a timer of a virtual world, comes
 * every 20 ms, as the rate of states says: it empties the tracks' journals (robot/journal.h), looks at states, sensors and cameras, and
 * writes messages. Everything belongs to that thread, except the list of tracks, to which the owner's thread adds, and the counts. */
#pragma once

#include "base/journal.h"
#include "base/timer.h"
#include "base/wakeup.h"
#include "base/workers.h"
#include "json.h"
#include "robotalk/mcap.h"
#include "store/mcap.h"
#include "robotalk/record.h"
#include "robotalk/records.h"

/* A topic of the file. */
struct robo__topic {
    struct robo__topic *next;
    char name[112];
    const char *schema, *members; /* static; see robo__topic_find */
    const struct robo_message *message;
    uint16_t id;
    uint32_t sequence;
    bool known; /* it is in the file */
};

/* Topics of each robot. */
enum robo__track_topic {
    ROBO__TRACK_SESSIONS,
    ROBO__TRACK_MODES,
    ROBO__TRACK_ARRIVALS,
    ROBO__TRACK_COMMANDS,
    ROBO__TRACK_RESULTS,
    ROBO__TRACK_REQUESTS,
    ROBO__TRACK_NOTICES,
    ROBO__TRACK_STATES,
    ROBO__TRACK_JOINTS,
    ROBO__TRACK_FRAMES,
    ROBO__TRACK_ODOMETRY,
    ROBO__TRACK_LOG,
    ROBO__TRACK_TOPICS
};

struct robo__seen; /* what its sensors and cameras have shown (seen.c) */

/* A robot. */
struct robo__track {
    struct robo__track *_Atomic next;
    robo_recording *recording;
    robo_robot *_Atomic robot; /* held; NULL: it was removed, and all of it is written */
    struct robo__journal journal;
    robo_body *body; /* its newest, held; NULL: it is to be looked up */
    bool attached;   /* that is in the file */
    bool looked;     /* it has a state */
    bool over;       /* it was removed */
    uint32_t bodies; /* so far */
    struct robo__topic *topic[ROBO__TRACK_TOPICS];
    struct robo__seen *seen;
};

struct robo_recording {
    robo_world *world;        /* held */
    robo_mcap_writer *writer; /* NULL: its records go into a ring, and to robo__recording_take */
    char *path;
    struct robo__journal ring;
    struct robo__mcap_out record;
    size_t taken;           /* of the oldest record there: bytes */
    struct robo__json json; /* of the message that is made */
    struct robo__topic *topics;
    const char *schema[64]; /* names, by their ids from 1 */
    uint16_t schemas, channels;
    robo_time shift;                  /* from the robots' clock to times in the file */
    robo_time period, picture_period; /* of states; 0: no pictures */
    robo_time state_due;
    size_t journal; /* bytes of each */
    struct robo__track *_Atomic tracks;
    _Atomic uint64_t messages, lost;
    _Atomic unsigned ended; /* tracks, since robo__recording_ended */
    bool described;         /* its metadata are in the file */
    /* live: its records are shown while they are made. Topics are known before their first message, and there are pictures only while `looks`. Any
     * thread sets them */
    _Atomic bool live, looks;
    bool broken;     /* the last attempt to write has failed */
    robo_time retry; /* then */
    char why[256];   /* the first failure; "": none */
    struct robo__workers_job job;
    struct robo__timer timer;
    struct robo__mailbox mailbox; /* pictures have come */
};

/* ---- recording.c ---- */

/* A topic, "/ROBOT/NAME" or longer, which is made when it is new; NULL: no memory. members: of its schema (robo__json_schema), with those of message behind
 * them, which may be NULL. */
struct robo__topic *robo__topic_find(robo_recording *r, const char *robot, const char *name,
                                     const char *schema, const char *members,
                                     const struct robo_message *message);
/* Writes r->json, of that instant of the robots' clock; topic NULL: it is lost; sent: when it was made, or ROBO_NO_TIME. */
void robo__recording_write(robo_recording *r, struct robo__topic *topic, robo_time time,
                           robo_time sent);

/* The next bytes of a recording without a file, as many as there are and fit. The owner's thread. */
size_t robo__recording_take(robo_recording *r, uint8_t *to, size_t room);
/* The same a record at a time: the next one, which stays until robo__recording_pass; false: there is none. A recording is read in one
 * of the two ways. */
bool robo__recording_next(robo_recording *r, struct robo_mcap_record *record);
void robo__recording_pass(robo_recording *r);

/* How many robots were removed since the last call, so that their memory is free. The owner's thread. */
unsigned robo__recording_ended(robo_recording *r);

/* ---- exact.c: what the journal has ---- */

int robo__track_open(struct robo__track *track); /* its topics; ROBO_ENOMEM */
void robo__track_drain(struct robo__track *track);

/* ---- shown.c: the state, as tools know it; and words for people ---- */

void robo__track_show(struct robo__track *track, robo_time now);
void robo__track_say(struct robo__track *track, robo_time time, int level, const char *text);
/* "timestamp" and more, for the messages of Foxglove. */
void robo__shown_time(robo_recording *r, robo_time time);
void robo__shown_pose(struct robo__json *json, const double position[3], const double rotation[9]);

/* ---- seen.c: readings of sensors, pictures of cameras ---- */

void robo__track_see(struct robo__track *track, robo_time now);
void robo__track_see_no_more(struct robo__track *track); /* of this body; waits for nothing */
