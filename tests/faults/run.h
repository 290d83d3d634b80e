/* The parts of a run, inside: its robots, users and links, what has been sent, and who looks after what.
 *
 *   run.c      the life of a run: what the seed makes of it, its end, and what may be left then
 *   user.c     clients that come and go; deed.c what they do, visit.c their sessions, command.c what they send
 *   mishap.c   what befalls robots and server
 *   tap.c      what passes over links, at both ends; a client's clock that is wrong
 *   tracer.c   a driver around each simulator: what reaches the devices
 *   ledger.c   what was sent, by whom
 *   judge.c    what reaches robots and devices, answer.c what is answered, look.c what the robots do
 *   hold.c     who has the lease of what; ask.c how clients take leases and give them
 *   chance.c   chance; series.c many runs, growth.c the memory that they take
 *
 * Everything happens on one thread, in the world's time. Turns number what happens, so that there is a before and an
 * after within an instant too. */
#pragma once

#include <stdbool.h>

#include "chance.h"
#include "faults.h"
#include "base/readers.h"
#include "net/host.h"
#include "net/loopback.h"
#include "robot/axes/axes.h"
#include "robot/reports.h"
#include "robotalk/client.h"

enum {
    ROBO__RUN_ROBOTS = 3,
    ROBO__RUN_USERS = 3,
    ROBO__RUN_DRIVERS = 8,
    ROBO__RUN_VISITS = 192,
    ROBO__RUN_ERRANDS = 4096,
    ROBO__RUN_PLACES = 16384, /* of a hash table for them */
    ROBO__RUN_LINES = 192,
    ROBO__RUN_DEEDS = 15,
    ROBO__RUN_IDS = 8192, /* of one client */
    ROBO__RUN_MARKS = 64,
    ROBO__RUN_BEHIND = 64, /* packages: as far behind the newest none can be told from a copy */
    ROBO__RUN_PACKAGES = 2048,
    ROBO__RUN_OPENINGS = 256,
    ROBO__RUN_BASE = 64, /* an axis: the base; dofs from that one on are not judged */
    ROBO__RUN_AXES
};

/* A panic or a stop of everything, as it befell a robot. */
struct robo__mark {
    robo_time at;
    uint32_t turn;
    uint32_t arrived; /* of a stop: the turn in which it came */
    uint16_t visit;   /* likewise: whose it is */
};

/* An axis of a robot, as far as leases go. */
struct robo__tenure {
    struct robo__party holder; /* as last seen; ROBO__NOBODY: it is free */
    /* when that one got it at the earliest, and at the latest, and when it began something there for the last time */
    robo_time since, seen, used;
    uint32_t losses; /* that it had had when it was last seen */
    bool released;   /* by that one, since */
    uint8_t heirs;   /* bit: user that may have it now: it was given to it, or it takes by force */
    robo_time asked[ROBO__RUN_USERS]; /* since then a user has asked for it; 0: it does not */
    struct robo__party
        mover; /* whose command has begun there last; ROBO__NOBODY: none that is known */
};

/* What a stop of everything by another client has latched. */
struct robo__latched {
    struct robo__party party; /* of the user's newest session with the robot */
    bool drove;               /* something of it has begun */
    uint32_t stop;            /* number of that stop; 0: it is not latched */
    struct robo__party by;    /* whose stop it is */
};

struct robo__run_robot {
    robo_robot *robot; /* NULL: removed */
    size_t body;
    uint32_t life;  /* how often it was added */
    uint32_t epoch; /* panics that it must have had in this life */
    bool panic;     /* it must be in panic */
    bool bus;       /* its joints hang on one: what reaches them bears no number */
    bool walks;     /* its legs move it */
    bool lost;      /* a reload has left it without devices */
    struct robo__latched latch[ROBO__RUN_USERS];
    double brake; /* s that it takes to rest from any speed, at most */
    double share; /* its override, since: */
    robo_time shared;
    struct robo__mark panics[ROBO__RUN_MARKS], stops[ROBO__RUN_MARKS];
    uint32_t panic_count, stop_count;
    robo_time looked;                      /* at its leases */
    const struct robo__revision *revision; /* of which these axes are: */
    struct robo__tenure axis[ROBO__RUN_AXES];
};

/* A session: one client with one robot over one link. A session that is opened again is a new one. */
struct robo__visit {
    uint8_t user, robot;
    uint16_t line;
    uint32_t run;          /* of its user: which client it is */
    uint32_t life;         /* of the robot, when it opened */
    uint32_t number, wire; /* as the client and as the server call it */
    bool buffered;
    bool closed;      /* on the server's side: nothing of it may begin any more */
    bool commands;    /* some have come */
    bool plays;       /* a sequence that the server holds until it knows when to play it */
    bool pure;        /* nothing is sent in it but that sequence, and stops at once */
    bool finished;    /* the server knows that no frame follows */
    bool drives;      /* something of it has begun since the robot was last seen at rest */
    unsigned running; /* begun, and the answer has not come */
    robo_time closed_at, expiry, deadman, gap; /* as granted */
    robo_time heard, begun;                    /* the last time */
    uint32_t epoch, stops; /* panics, and stops by others, that the client was told of */
    uint32_t knows;        /* the same of stops, and of losses, as its library has it */
    uint32_t stopped;      /* stops by others so far */
    /* where users drive apart: */
    struct robo__party party; /* whose leases it shares, if known: */
    bool known;
    bool cut;                     /* a stop that latched its client has ended its sequence */
    uint32_t swept, newest_stop;  /* stops by others, and with them losses at the last of them */
    uint32_t counted;             /* and when leases were last looked at */
    uint32_t losses, losses_told; /* of its client's leases, by the server's count */
    uint32_t unaware
        [ROBO__RUN_AXES]; /* who was told of less has not been told that it has lost that axis */
    /* the sequence that a buffered session sends, and its frame that has begun last */
    robo_time last_start, last_sent, last_begun;
    bool playing;
    uint32_t frame, frames;
    robo_time origin, spacing;
};

/* A command that was sent. */
struct robo__errand {
    uint32_t id;
    uint16_t op, visit;
    bool rest;     /* a stop or a speed of zero */
    bool at_once;  /* start 0 */
    bool frame;    /* of a sequence */
    bool deserted; /* its client is no more: nobody hears the answer */
    bool unclear;  /* its client's clock was not what its estimate is of */
    bool in_panic; /* the robot was in panic when it arrived */
    /* answered for a second copy far behind, which the server cannot recognise as one */
    bool copied;
    uint16_t begun;           /* bit: device */
    uint8_t copies, repeats;  /* came again, so far behind; a stop: how often it began again */
    uint8_t answers, signals; /* told by the client's library; on the wire */
    uint32_t epoch, stops;    /* panics, and stops by others, that its sender was told of */
    uint32_t sent_turn, arrived_turn;
    robo_time sent, start, arrived, begun_at;
    robo_time slack; /* how far the estimate of the server's clock may have been off */
};

/* A link of a user, the present one or one before. */
struct robo__line {
    struct robo__loopback *loopback; /* NULL: gone */
    uint8_t user;
    bool ghost;      /* the client has gone and the server does not know it yet */
    bool seen;       /* the flags of the package that is coming in */
    bool lying;      /* skew was changed, or is no clock's */
    robo_time skew;  /* of the client's clock: what it says minus what it has told before */
    uint32_t before; /* packages of its user before those of this client */
    uint32_t newest; /* package that has come, by its id; 0: none */
    uint8_t *rest;   /* the begin of a package whose end has not come to the client, or NULL */
    size_t rest_count, rest_told; /* told: of them, the client has them all the same */
    void (*deliver)(struct robo__loopback *loopback, const uint8_t *bytes, size_t n, robo_time now);
};

/* When a package was sent, and how wrong its client's clock was then. */
struct robo__package_sent {
    uint32_t number; /* of all that its user has sent */
    robo_time at, skew;
};

struct robo__run_user {
    struct robo__run *run;
    uint8_t number;
    robo_client *client; /* NULL: it has died, or not come yet */
    bool leaving;        /* no more commands: the run ends */
    uint16_t line;       /* the present one */
    uint32_t first_id;   /* of this client */
    uint32_t clients;    /* how many it has been so far */
    uint32_t losses;     /* how often it was told that its link is lost */
    robo_time pace;      /* between two actions, on average */
    struct robo_channel channel;
    bool keyed; /* its leases are its own, and not those of one connection */
    enum robo_role role;
    struct robo__random aside; /* for what was added later: a seed means what it meant before */
    struct {
        const struct robo__visit *visit; /* NULL: none */
        uint32_t holder;
        bool give;
    } answer; /* that it has in mind to a question of another */
    struct robo__random random;
    struct robo__timer act;
    uint32_t packages;                                     /* sent so far */
    struct robo__package_sent package[ROBO__RUN_PACKAGES]; /* the newest, a ring */
    struct {
        uint32_t id, life[ROBO__RUN_ROBOTS];
    } opening[ROBO__RUN_OPENINGS]; /* lives of the robots when the server worked on each `open` */
};

/* A driver around another one. */
struct robo__traced {
    robo_driver driver;
    const robo_driver *inner;
    struct robo__run *run;
};

/* The body of a frame: a command that is drawn is sent before ROBO__DRAWN others are. */
enum { ROBO__DRAWN = 64, ROBO__DRAWN_DOFS = 24, ROBO__DRAWN_FRAMES = 2 };
struct robo__drawn_move {
    struct robo_move move;
    struct robo_move_dof dof[ROBO__DRAWN_DOFS];
    struct robo_move_frame frame[ROBO__DRAWN_FRAMES];
};

struct robo__run {
    const struct robo_test_plan *plan;
    struct robo_test_report *report;
    FILE *trace;
    bool over;                   /* an invariant is broken: nobody does anything more */
    uint32_t turn, package_turn; /* package_turn: before the package that is worked on */

    robo_world *world;
    struct robo__host host;
    struct robo__random random;
    double spice[ROBO__RUN_DEEDS]; /* how often each kind of deed is done in this run; 0: never */
    double wild;                   /* how often a value is out of all measure */
    bool apart;                    /* users have leases of their own */
    bool force;                    /* and may take those of others */
    double greed;                  /* how often they do something about leases */
    bool ranks;                    /* their roles differ */
    double slow;                   /* how often they set an override; 0: never */
    double resumes;                /* how often a latched one resumes */
    double helps;                  /* how often another resumes for it, who may or may not */
    bool reruns;         /* a keyed user's next client is another run of the same program */
    bool drowsy, sleeps; /* the machine sleeps now and then; it may do so still */
    robo_time woke;      /* when it last did */
    struct robo__protocol tap;
    struct robo__traced traced[ROBO__RUN_DRIVERS];
    struct robo__run_robot robot[ROBO__RUN_ROBOTS];
    struct robo__run_user user[ROBO__RUN_USERS];
    unsigned robots, users;
    struct robo__timer mishap, look;
    robo_time mishaps_pace;
    struct robo__line line[ROBO__RUN_LINES];
    struct robo__visit visit[ROBO__RUN_VISITS];
    struct robo__errand errand[ROBO__RUN_ERRANDS];
    unsigned lines, visits, errands;
    uint16_t place[ROBO__RUN_PLACES];    /* of errands by id, plus 1 */
    struct robo_description description; /* for changes of bodies; its records: */
    void *records;

    struct robo__drawn_move drawn[ROBO__DRAWN];
    unsigned last_drawn;
};

/* ---- run.c ---- */

/* One line of the trace, "TIME WORDS", if there is one. */
#define ROBO__NOTE(run, ...)                    \
    do {                                        \
        if ((run)->trace)                       \
            robo__run_note((run), __VA_ARGS__); \
    } while (0)
void robo__run_note(struct robo__run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An invariant is broken; the first one counts. */
void robo__run_find(struct robo__run *run, enum robo__invariant broken, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds what happened to the digest. */
void robo__run_digest(struct robo__run *run, uint64_t a, uint64_t b);

/* Adds a robot of that number, anew if it was removed. */
int robo__run_add_robot(struct robo__run *run, unsigned number);

/* A copy of the body that a robot has by the plan, to be changed: until the next one. */
struct robo_description *robo__run_describe(struct robo__run *run, unsigned number);

/* Whether one latch is of both: they are one client, or runs of one program. */
static inline bool robo__run_kin(struct robo__party one, struct robo__party other)
{
    return robo__party_is(one, other) || (one.key >> 32 != 0 && one.key >> 32 == other.key >> 32);
}

static inline double robo__seconds(robo_time t)
{
    return (double)t * 1e-9;
}

/* ---- user.c ---- */

void robo__user_init(struct robo__run *run, unsigned number);
/* It sends no more commands, and ends its sessions. */
void robo__user_leave(struct robo__run_user *user);
/* Its client is closed at once. */
void robo__user_die(struct robo__run_user *user);
/* A query of its client that has no answer: its id; 0: there is none. */
uint32_t robo__user_asks(const struct robo__run_user *user);

/* ---- deed.c ---- */

/* Does something, by chance. Its client lives. */
void robo__deed_do(struct robo__run_user *user);
/* Sets an override, by chance: whether it has. Its client lives. */
bool robo__deed_slows(struct robo__run_user *user);
/* Resumes when it is latched, by chance: whether it has. Its client lives. */
bool robo__deed_resumes(struct robo__run_user *user);
/* Asks for a session. */
void robo__deed_open(struct robo__run_user *user);

/* ---- visit.c ---- */

/* Asks for a session, by chance with whom and how. */
void robo__visit_ask(struct robo__run_user *user);
/* The query of that id was answered: a session is open. */
void robo__visit_begin(struct robo__run_user *user, uint32_t id, const struct robo_reply_open *a);
/* One of the user's sessions that are open now; NULL: there is none. */
struct robo__visit *robo__visit_any(struct robo__run_user *user);
unsigned robo__visit_number(const struct robo__run *run, const struct robo__visit *visit);

/* ---- command.c ---- */

/* A command that this body can do as a rule; now and then nonsense. */
void robo__draw_command(struct robo__run *run, struct robo__random *r,
                        const struct robo_description *d, struct robo_cmd *cmd);

/* ---- mishap.c ---- */

void robo__mishap_start(struct robo__run *run);

/* ---- tracer.c ---- */

/* Puts a tracer in the place of each driver that a description names. */
int robo__tracer_add(struct robo__run *run, const struct robo_description *d);

/* ---- tap.c ---- */

void robo__tap_init(struct robo__run *run);
struct robo__line *robo__tap_line(struct robo__run *run, const struct robo__loopback *loopback);
/* What is known of a package of that line, or NULL. */
const struct robo__package_sent *robo__tap_package(const struct robo__run *run, uint16_t line,
                                                   uint32_t id);
/* Whether the server has a session of that number. */
bool robo__tap_knows(const struct robo__line *line, uint32_t wire);
/* Stops by others that the server has counted for a session: where the judge begins to count. */
uint32_t robo__tap_stops(const struct robo__line *line, uint32_t wire);

/* The server's session of that number, or NULL. */
struct robo__server_session;
const struct robo__server_session *robo__tap_session(const struct robo__line *line, uint32_t wire);

/* ---- ask.c ---- */

/* Something about leases, by chance: whether it has done anything. Its client lives. */
bool robo__ask_something(struct robo__run_user *user);
/* Another client asks for leases that a session's client has. */
void robo__ask_hears(struct robo__run_user *user, const struct robo__visit *visit, uint32_t holder);

/* ---- hold.c ---- */

/* Whether a user has opened a session as that client. */
bool robo__hold_is(const struct robo__run *run, unsigned user, struct robo__party party);
/* Who has the leases of a robot now: whether they have changed as they may. */
void robo__hold_look(struct robo__run *run, unsigned robot, robo_time now);
/* Whether a client other than that of a session has leases of its robot. */
bool robo__hold_elsewhere(struct robo__run *run, const struct robo__visit *visit, robo_time now);
/* A session is open: whether its client is known again, if it has been there before. */
void robo__hold_met(struct robo__run *run, const struct robo__visit *visit);
/* A query about leases comes. */
void robo__hold_asked(struct robo__run *run, const struct robo__visit *visit,
                      const struct robo_entry *entry, const uint8_t *body, robo_time now);
/* A command begins to move these axes, which are as the state says. */
void robo__hold_begins(struct robo__run *run, const struct robo__errand *errand,
                       const struct robo__resources *axes, const struct robo_state *state,
                       robo_time now);
/* So does one of the core's own. */
void robo__hold_moves(struct robo__run *run, unsigned robot, const struct robo__resources *axes);
/* At who has leases of a robot that should have ended; and when nobody is connected any more. */
void robo__hold_check(struct robo__run *run, unsigned robot, robo_time now);
void robo__hold_left(struct robo__run *run, unsigned robot);
/* Another session's stop has acted, perhaps of everything. */
void robo__hold_stopped(struct robo__run *run, struct robo__visit *visit);
/* A session was told that its client has lost leases. */
void robo__hold_told(struct robo__run *run, struct robo__visit *visit);

/* ---- ledger.c ---- */

/* A command is about to be sent under that id, or was not after all. frame: as part of a sequence. */
void robo__ledger_sends(struct robo__run *run, uint16_t visit, const struct robo_cmd *cmd,
                        uint32_t id, bool frame);
void robo__ledger_forgets(struct robo__run *run, unsigned count);
struct robo__errand *robo__ledger_errand(struct robo__run *run, uint32_t id); /* or NULL */

/* By the server's number of a session; NULL: nobody was told of such a one. */
struct robo__visit *robo__ledger_visit(struct robo__run *run, uint16_t line, uint32_t wire);
/* Whether the server has it open, with a robot that is there. visit may be NULL. */
bool robo__ledger_is_open(const struct robo__run *run, const struct robo__visit *visit);
void robo__ledger_close(struct robo__visit *visit, robo_time now);
/* A link has gone, a robot was removed: their sessions are closed. */
void robo__ledger_line_gone(struct robo__run *run, uint16_t line, robo_time now);
void robo__ledger_robot_gone(struct robo__run *run, unsigned robot, robo_time now);

/* Whether something that must come has not come yet: to a session word of a panic or a stop, to a command of a complete
 * sequence its begin or its answer, to a command or a query its answer. find: then that is found to be broken. */
bool robo__ledger_untold(struct robo__run *run, bool find);
bool robo__ledger_unplayed(struct robo__run *run, bool find);
bool robo__ledger_unanswered(struct robo__run *run, bool find);

/* ---- judge.c ---- */

/* The wire rounds to microseconds, twice at most between two instants that are compared. */
#define ROBO__ROUNDING ((robo_time)2000)

/* A header with flags is in, and has been acted on; error: what is wrong with it besides. */
void robo__judge_flags(struct robo__run *run, uint16_t line, const struct robo_header *header,
                       int error, robo_time now);
void robo__judge_flagged(struct robo__run *run);
/* A session is open: its client is known by now. */
void robo__judge_opened(struct robo__run *run, const struct robo__visit *visit);
/* A panic by hand, or of a lost device. */
void robo__judge_panic(struct robo__run *run, unsigned robot, robo_time now);
/* Whether a robot is in that panic in which it must be. */
void robo__judge_state(struct robo__run *run, unsigned robot, const struct robo_state *state);
/* A package is about to be worked on by the server, and has been. */
void robo__judge_package(struct robo__run *run, uint16_t line, const struct robo_header *header,
                         const uint8_t *payload, robo_time now);
void robo__judge_worked(struct robo__run *run, uint16_t line, const struct robo_header *header,
                        const uint8_t *payload, robo_time now);
/* A command, or a part of one, reaches a device; or the first part of one that the core resolves into others does; or
 * a message of a bus. */
void robo__judge_begins(struct robo__run *run, unsigned robot, unsigned device,
                        const struct robo_cmd *cmd, robo_time now);
void robo__judge_resolves(struct robo__run *run, uint32_t id, robo_time now);
void robo__judge_message(struct robo__run *run, unsigned robot, robo_time now);
/* A command has begun. now: this very moment; else all that is known is the instant. */
void robo__judge_begun(struct robo__run *run, struct robo__errand *errand, robo_time at, bool now);

/* ---- answer.c ---- */

/* The server's, instants by its clock, as it has come over the wire; the client library's to the user. */
void robo__answer_on_wire(struct robo__run *run, uint16_t line, const struct robo_result *result);
void robo__answer_to_client(struct robo__run *run, const struct robo__run_user *user,
                            const struct robo_result *result);
/* The client library's notice to a session's user, and how often it has told its user that a link is lost. */
void robo__answer_notice(struct robo__run *run, uint16_t visit, uint16_t op, uint32_t number);
void robo__answer_lost(struct robo__run *run, const struct robo__run_user *user, uint32_t times);

/* ---- look.c ---- */

/* At the state of one robot. */
void robo__look(struct robo__run *run, unsigned robot, robo_time now);
/* At what is left when everybody has gone. */
void robo__look_left(struct robo__run *run);
/* When a session's client has been silent for as long as it may be, if nothing more comes; or when it has closed. */
robo_time robo__look_silent(const struct robo__visit *visit);
/* What moves, in words; text is returned. */
const char *robo__look_motion(const struct robo_state *state, char text[64]);
/* When the robot stands at the latest, if nobody says anything more. */
robo_time robo__look_rest_by(const struct robo__run *run, unsigned robot);

/* What a run looks at between two steps. */
static inline const struct robo_description *described(const robo_robot *robot)
{
    robo__reading_begin();
    const struct robo_description *is = robo__robot_description(robot);
    robo__reading_end();
    return is;
}
