/* A seat: what every protocol needs for a client that drives a robot. */
#include "seat.h"

#include "base/time.h"
#include "robot/client.h"
#include "robot/world/world.h"

/* PULSES: in one time of the robot's deadman, or of a lease; RESULTS: taken at once */
enum { PULSES = 3, RESULTS = 32 };
static const robo_time SECOND = 1000000000, MILLISECOND = 1000000;

static void on_pulse(struct robo__timer *timer, robo_time now);

void robo__seat_init(struct robo__seat *seat, const struct robo__seat_kind *kind,
                     struct robo__conn *conn, robo_time deadman)
{
    *seat = (struct robo__seat){ .kind = kind, .conn = conn, .deadman = deadman };
    seat->pulse.fire = on_pulse;
}

/* ---- a client comes and goes ---- */

static robo_time least(robo_time a, robo_time b)
{
    return a < b ? a : b;
}

/* The next pulse. */
static void arm(struct robo__seat *seat, robo_time now)
{
    const robo_time robots = robo__session_deadman(seat->session);
    robo_time wait = robots > 0 ? robots / PULSES : SECOND;
    if (seat->kind->keeps)
        wait = least(least(wait, SECOND), robo__session_lease_time(seat->session) / PULSES);
    const robo_time left = seat->heard + seat->deadman - now; /* 0 or less: it is silent */
    if (seat->deadman > 0 && seat->kind->keeps)
        wait = least(wait, seat->deadman / PULSES);
    if (seat->deadman > 0 && (left > 0 || !seat->kind->keeps))
        wait = least(wait, left);
    robo__timer_start(seat->conn->host->timers, &seat->pulse,
                      now + (wait > MILLISECOND ? wait : MILLISECOND));
}

static void wake(void *owner)
{
    struct robo__seat *seat = owner;
    seat->kind->wake(seat);
}

int robo__seat_open(struct robo__seat *seat, robo_robot *robot, const char *name, robo_time now)
{
    char text[128];
    robo__seat_close(seat);
    if (seat->number == 0)
        seat->number = robo__world_number(seat->conn->host->world);
    const struct robo__identity client = { .number = seat->number,
                                           .name = name ? name : seat->kind->client,
                                           .wordless = seat->kind->wordless };
    const struct robo__session_request direct = { .who = seat->kind->shares_leases ? NULL : &client,
                                                  .sender =
                                                      seat->kind->shares_leases ? &client : NULL };
    const int error = robo__session_open(robot, NULL, &direct, seat->kind->wake ? wake : NULL, seat,
                                         now, &seat->session, text);
    if (error < 0)
        return error;
    seat->robot = robot;
    robo__seat_look(seat, now);
    if (seat->kind->keeps)
        arm(seat, now);
    return 0;
}

void robo__seat_close(struct robo__seat *seat)
{
    if (!seat->session)
        return;
    robo__timer_stop(seat->conn->host->timers, &seat->pulse);
    robo__session_close(seat->session);
    seat->session = NULL;
}

bool robo__seat_is_open(const struct robo__seat *seat)
{
    return seat->session && !robo__session_gone(seat->session);
}

/* ---- what it commands ---- */

/* Results that were taken; true: there may be more. */
static bool tell(struct robo__seat *seat, const struct robo_result *results, size_t n)
{
    for (size_t i = 0; i < n; i++)
        seat->kind->result(seat, &results[i]);
    return n == RESULTS;
}

void robo__seat_results(struct robo__seat *seat)
{
    struct robo_result results[RESULTS];
    while (seat->session &&
           tell(seat, results, robo__session_results(seat->session, results, RESULTS)))
        continue;
}

/* After n commands, of which so many were admitted. A pulse that is due is soon enough, and arms the next: a client that commands
 * steadily sets no timer. */
static size_t gave(struct robo__seat *seat, size_t n, size_t admitted, robo_time now)
{
    if (admitted < n)
        robo__session_refused(seat->session, n - admitted);
    if (!seat->kind->beats && seat->pulse.place == ROBO__TIMER_IDLE && robo__seat_moves(seat))
        arm(seat, now);
    return admitted;
}

size_t robo__seat_command(struct robo__seat *seat, struct robo_cmd *cmds, size_t n, robo_time now)
{
    struct robo_result results[RESULTS];
    size_t answers = RESULTS;
    const size_t admitted =
        robo__session_commands_now(seat->session, cmds, n, results, &answers, now);
    if (tell(seat, results, answers))
        robo__seat_results(seat);
    return gave(seat, n, admitted, now);
}

size_t robo__seat_command_knowing(struct robo__seat *seat, struct robo_cmd *cmds, size_t n,
                                  uint32_t epoch, uint32_t stops, robo_time now)
{
    const struct robo__known known = { .epoch = (uint16_t)epoch, .stops = (uint16_t)stops };
    return gave(seat, n, robo__session_commands(seat->session, cmds, n, known, ROBO_NO_TIME, now),
                now);
}

size_t robo__seat_command_as_seen(struct robo__seat *seat, struct robo_cmd *cmds, size_t n,
                                  robo_time now)
{
    robo__seat_beat(seat, now);
    n = robo__seat_command_knowing(seat, cmds, n, seat->epoch, seat->stops, now);
    robo__seat_results(seat);
    return n;
}

bool robo__seat_moves(const struct robo__seat *seat)
{
    return seat->session && robo__session_moves(seat->session);
}

/* ---- signs of life ---- */

void robo__seat_heard(struct robo__seat *seat, robo_time now)
{
    seat->heard = now;
}

void robo__seat_beat(struct robo__seat *seat, robo_time now)
{
    robo__session_heard(seat->session, 0, ROBO_NO_TIME, now);
}

/* false: the client is silent, and what it moved stops, however long that takes: the pulse has ended. */
static bool judge(struct robo__seat *seat, robo_time now)
{
    const bool silent =
        seat->deadman > 0 && now - seat->heard >= seat->deadman && robo__seat_moves(seat);
    if (!silent) {
        robo__seat_beat(seat, now);
        return true;
    }
    seat->kind->silent(seat, now);
    robo__timer_stop(seat->conn->host->timers, &seat->pulse);
    return false;
}

/* Of a client that may keep the robot; false: the pulse is over. */
static bool keep(struct robo__seat *seat, robo_time now)
{
    if (seat->kind->keeps(seat, now) && !robo__seat_take(seat, now))
        seat->kind->keeps(seat, now); /* its new owner is news */
    else if (seat->session)
        judge(seat, now);
    return seat->session != NULL;
}

/* Of another one: it may have arrived, or another's command has ended its motion. */
static bool go_on(struct robo__seat *seat, robo_time now)
{
    robo__seat_results(seat);
    if (!robo__seat_is_open(seat))
        robo__seat_close(seat);
    return robo__seat_moves(seat) && judge(seat, now);
}

static void on_pulse(struct robo__timer *timer, robo_time now)
{
    struct robo__seat *seat = robo__container_of(timer, struct robo__seat, pulse);
    struct robo__conn *conn = seat->conn;
    if (seat->kind->keeps ? keep(seat, now) : go_on(seat, now))
        arm(seat, now);
    robo__conn_kick(conn); /* this may free the connection */
}

/* ---- leases and news ---- */

bool robo__seat_take(struct robo__seat *seat, robo_time now)
{
    static const struct robo_request_take everything;
    struct robo_reply_take reply;
    if (robo__conn_role(seat->conn) < ROBO_ROLE_DRIVE ||
        robo__session_is_shared(seat->session, now))
        return false;
    return robo__session_request(seat->session, ROBO_Q_TAKE, &everything, ROBO_ROLE_DRIVE, &reply,
                                 now) == 0 &&
           (reply.state == ROBO__TAKEN || reply.state == ROBO__TAKEN_BRAKING);
}

void robo__seat_give_back(struct robo__seat *seat, robo_time now)
{
    static const struct robo_request_release everything;
    robo__session_request(seat->session, ROBO_Q_RELEASE, &everything, ROBO_ROLE_DRIVE, NULL, now);
}

bool robo__seat_see_loss(struct robo__seat *seat, robo_time now)
{
    const uint32_t losses = robo__session_news(seat->session, now).loss.times;
    const bool lost = losses != seat->losses;
    seat->losses = losses;
    return lost;
}

struct robo__seat_news robo__seat_look(struct robo__seat *seat, robo_time now)
{
    const struct robo__news news = robo__session_news(seat->session, now);
    const struct robo__alarm alarm = robo__robot_alarm(seat->robot);
    const uint32_t revision = robo__robot_revision(seat->robot);
    const bool panicked = alarm.epoch != seat->epoch;
    const unsigned changed = (news.stops != seat->stops ? ROBO__SEAT_STOPPED : 0) |
                             (news.begun_stops != seat->begun_stops ? ROBO__SEAT_STOPS : 0) |
                             (news.faults != seat->faults ? ROBO__SEAT_FAULT : 0) |
                             (news.base_ends != seat->base_ends ? ROBO__SEAT_BASE : 0) |
                             (news.silence > 0 ? ROBO__SEAT_SILENT : 0) |
                             (revision != seat->revision ? ROBO__SEAT_REVISED : 0) |
                             (panicked ? ROBO__SEAT_PANICKED : 0) |
                             ((seat->panic || panicked) && !alarm.panic ? ROBO__SEAT_RESET : 0) |
                             (news.loss.times != seat->losses ? ROBO__SEAT_LOST : 0) |
                             (news.leases != seat->leases ? ROBO__SEAT_LEASES : 0) |
                             (news.gone ? ROBO__SEAT_GONE : 0);
    seat->stops = news.stops;
    seat->begun_stops = news.begun_stops;
    seat->faults = news.faults;
    seat->base_ends = news.base_ends;
    seat->revision = revision;
    seat->epoch = alarm.epoch;
    seat->losses = news.loss.times;
    seat->leases = news.leases;
    const bool before = seat->panic;
    seat->panic = alarm.panic != 0;
    return (struct robo__seat_news){
        .changed = changed, .silence = news.silence, .was_in_panic = before, .asks = news.asks
    };
}

int robo__seat_reset(struct robo__seat *seat)
{
    char name[ROBO__HOLDER_NAME];
    robo__session_name_of(seat->session, robo__session_client(seat->session), name);
    return robo__reset_known(seat->robot, (struct robo__known){ .epoch = (uint16_t)seat->epoch },
                             name);
}
