/* The thread of a CAN device: receives the messages of its drives, enables them, repeats lost messages, and reports when a
 * drive, the adapter or the bus is lost. It runs by real time. */
#include <errno.h>
#include <stdio.h>

#include "base/time.h"
#include "device.h"
#include "robotalk/device.h"

/* pause between two attempts to enable the drives or to open the line */
static const robo_time AGAIN = 500000000;
static const robo_time HALT_AGAIN = 20000000; /* pause after a halt that the line did not accept */
static const int TICK = 20;                   /* ms between two checks for silent drives */
/* time that the line has to send a pending halt before it is closed, and the time between two checks then: a check that takes
 * longer, since the machine is busy, counts no more */
static const robo_time CLOSING = 1000000000, LOOK = 1000000;
enum { LOSSES = 8 }; /* frames lost in a row that mean that the bus is lost */

bool robo__can_turn(struct robo__can *can, enum robo__can_phase from, enum robo__can_phase to)
{
    int phase = (int)from;
    if (!atomic_compare_exchange_strong(&can->phase, &phase, (int)to))
        return false;
    atomic_store(&can->since, robo__time_monotonic());
    return true;
}

void robo__can_lose(struct robo__can *can, enum robo__can_phase phase, enum robo_reason reason,
                    const char *why)
{
    bool was_ready = atomic_exchange(&can->phase, (int)phase) == ROBO__CAN_READY;
    atomic_store(&can->since, robo__time_monotonic());
    can->losses = 0;
    sem_post(&can->woke);
    if (!was_ready)
        return;
    robo_device_log(can->device, ROBO_LOG_ERROR, "%s", why);
    robo_post_lost(can->device, reason);
}

static void lose_drive(struct robo__can *can, const struct robo__can_drive *d, const char *what)
{
    char why[128];
    snprintf(why, sizeof why, "the drive of %s %s", robo__can_name(can, d), what);
    robo__can_lose(can, ROBO__CAN_RESTING, ROBO_WHY_DEVICE, why);
}

/* Sends a frame of the driver's thread that belongs to no command; dropped while the line is halted. */
static void say(struct robo__can *can, const struct robo__can_frame *frame)
{
    robo__can_line_send(&can->line, frame, ROBO__CAN_NO_TAG);
}

static void prepare(struct robo__can *can)
{
    struct robo__can_frame frame;
    atomic_store(&can->since, robo__time_monotonic());
    for (size_t i = 0; i < can->drives; i++)
        for (unsigned n = 0; robo__can_is_cia402(&can->drive[i]) &&
                             robo__cia402_prepare(&can->drive[i].layout, n, can->stored, &frame);
             n++)
            say(can, &frame);
}

void robo__can_hear(struct robo__can *can, const struct robo__can_frame *frame, robo_time now)
{
    for (size_t i = 0; i < can->drives; i++) {
        struct robo__can_drive *d = &can->drive[i];
        struct robo__can_news news;
        robo__can_layout_hear(&d->layout, frame, &news);
        if (!news.says)
            continue;
        atomic_store(&d->heard, now);
        if (news.says & ROBO__CAN_SAYS_POSITION) {
            atomic_store(&d->position, news.position);
            atomic_store(&d->knows_position, true);
        }
        if (news.says & ROBO__CAN_SAYS_SPEED) {
            atomic_store(&d->speed, news.speed);
            atomic_store(&d->knows_speed, true);
        }
        int phase = atomic_load(&can->phase);
        if (news.says & ROBO__CAN_SAYS_STATUS) {
            atomic_store(&d->status, news.status);
            if (phase == ROBO__CAN_READY && !robo__cia402_is_enabled(news.status)) {
                lose_drive(can, d, "has left operation");
            } else if (phase == ROBO__CAN_PREPARING && !robo__cia402_is_enabled(news.status)) {
                struct robo__can_frame answer;
                robo__cia402_control(&d->layout, robo__cia402_next(news.status), &answer);
                say(can, &answer);
            }
        }
        if (news.says & ROBO__CAN_SAYS_EMERGENCY && phase == ROBO__CAN_READY)
            lose_drive(can, d, "has sent an emergency message");
    }
    if (!robo__can_unready(can) && robo__can_turn(can, ROBO__CAN_PREPARING, ROBO__CAN_READY))
        sem_post(&can->woke);
}

void robo__can_enable(struct robo__can *can)
{
    if (atomic_load(&can->phase) != ROBO__CAN_WAKING || !robo__can_line_is_empty(&can->line))
        return;
    robo__can_forget(can);
    if (robo__can_turn(can, ROBO__CAN_WAKING, ROBO__CAN_PREPARING))
        prepare(can);
}

/* Halts all drives. The driver sends nothing more until the next command. */
static void rest(struct robo__can *can)
{
    robo__can_turn(can, ROBO__CAN_PREPARING, ROBO__CAN_RESTING);
    robo__can_line_halt(&can->line, can->still, can->stills);
}

void robo__can_tick(struct robo__can *can, robo_time now)
{
    const struct robo__can_drive *silent;
    if (can->halt_again && now >= can->halt_again) {
        can->halt_again = 0;
        robo__can_line_halt_again(&can->line);
    }
    switch (atomic_load(&can->phase)) {
    case ROBO__CAN_DOWN:
        if (now - can->since < AGAIN)
            break;
        atomic_store(&can->since, now);
        if (robo__can_connect(can) == 0) {
            /* the line was lost before the drives could be halted */
            robo__can_line_halt(&can->line, can->still, can->stills);
            /* until the next command: drives are never enabled without one */
            robo__can_turn(can, ROBO__CAN_DOWN, ROBO__CAN_RESTING);
        }
        break;
    case ROBO__CAN_PREPARING:
        /* a panic before the device was open; later panics call halt */
        if (robo_device_in_panic(can->device)) {
            rest(can);
            sem_post(&can->woke);
            break;
        }
        if (now - can->since >= AGAIN)
            prepare(can);
        if (!robo__can_unready(can) && robo__can_turn(can, ROBO__CAN_PREPARING, ROBO__CAN_READY))
            sem_post(&can->woke);
        break;
    case ROBO__CAN_READY:
        silent = robo__can_silent(can, now);
        if (silent)
            lose_drive(can, silent, "is silent");
        break;
    default: break;
    }
}

void robo__can_lament(struct robo__can *can, int tag, robo_time now)
{
    if (tag == ROBO__CAN_HALT_TAG || !can->line.serial)
        can->halt_again = now + HALT_AGAIN;
    if (tag < 0 && can->line.serial)
        return; /* a halt, or a command for the adapter */
    if (++can->losses >= LOSSES)
        robo__can_lose(can, ROBO__CAN_RESTING, ROBO_WHY_DEVICE, "the bus takes no frames any more");
    else if (tag >= 0 && atomic_load(&can->phase) == ROBO__CAN_READY)
        robo_post_message_lost(can->device, can->drive[tag].joint, can->drive[tag].number);
}

/* Whether the thread continues: until the device is closed and its line has accepted the halt. took: by the last look; *waited: in sum,
 * since it is to be closed. */
static bool goes_on(struct robo__can *can, robo_time took, robo_time *waited)
{
    if (!atomic_load(&can->closing))
        return true;
    *waited += took < LOOK ? took : LOOK;
    return robo__can_line_is_halting(&can->line) && *waited < CLOSING;
}

static void *listen_to(void *arg)
{
    pthread_setname_np(pthread_self(), "can");
    struct robo__can *can = arg;
    robo_time waited = 0, begun = 0, now = 0;
    while (goes_on(can, now - begun, &waited)) {
        struct robo__can_frame frame;
        int tag;
        begun = robo__time_monotonic();
        enum robo__can_event event = robo__can_line_wait(
            &can->line, waited > 0 ? (int)(LOOK / 1000000) : TICK, &frame, &tag);
        now = robo__time_monotonic();
        switch (event) {
        case ROBO__CAN_FRAME:
            if (atomic_load(&can->phase) != ROBO__CAN_WAKING)
                robo__can_hear(can, &frame, now);
            break;
        case ROBO__CAN_TAKEN: can->losses = 0; break;
        case ROBO__CAN_REFUSED: robo__can_lament(can, tag, now); break;
        case ROBO__CAN_OFF:
            robo__can_lose(can, ROBO__CAN_RESTING, ROBO_WHY_DEVICE, "the bus is off");
            break;
        case ROBO__CAN_GONE:
            robo__can_line_close(&can->line);
            robo__can_lose(can, ROBO__CAN_DOWN, ROBO_WHY_LINK, "the line to the bus is gone");
            break;
        default: break;
        }
        robo__can_enable(can);
        robo__can_tick(can, now);
    }
    return NULL;
}

int robo__can_listen(struct robo__can *can)
{
    atomic_store(&can->woken, robo__time_monotonic());
    robo__can_forget(can);
    robo__can_turn(can, ROBO__CAN_DOWN, ROBO__CAN_PREPARING);
    if (robo_device_in_panic(can->device))
        rest(can);
    else
        prepare(can);
    can->threaded = pthread_create(&can->thread, NULL, listen_to, can) == 0;
    return can->threaded ? 0 : ROBO_ESYSTEM;
}

int robo__can_await(struct robo__can *can)
{
    struct timespec until = robo__timespec(robo__time_monotonic() + can->patience);
    int error = 0;
    while (atomic_load(&can->phase) == ROBO__CAN_PREPARING && (error == 0 || errno == EINTR))
        error = sem_clockwait(&can->woke, CLOCK_MONOTONIC, &until);
    if (atomic_load(&can->phase) == ROBO__CAN_READY || robo_device_in_panic(can->device))
        return 0;
    const struct robo__can_drive *unready = robo__can_unready(can);
    if (unready)
        robo_device_log(can->device, ROBO_LOG_ERROR, "the drive of %s was not ready within %g s",
                        robo__can_name(can, unready), 1e-9 * (double)can->patience);
    return ROBO_EDEVICE;
}

void robo__can_hush(struct robo__can *can)
{
    atomic_store(&can->closing, true);
    if (can->threaded) {
        robo__can_line_wake(&can->line);
        pthread_join(can->thread, NULL);
    }
}
