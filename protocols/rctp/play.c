/* The life of a play: how it ends. */
#include "play.h"

#include "played.h"

static void stop_timers(struct robo__play *play)
{
    struct robo__timers *timers = play->conn->host->timers;
    robo__timer_stop(timers, &play->silence);
    robo__timer_stop(timers, &play->permit);
    robo__timer_stop(timers, &play->outputs);
    robo__timer_stop(timers, &play->renew);
}

static void close_session(struct robo__play *play)
{
    if (play->session)
        robo__session_close(play->session);
    play->session = NULL;
    play->controls = false;
}

void robo__play_end(struct robo__play *play, uint16_t code, const char *text)
{
    if (play->over)
        return;
    play->over = true;
    robo__play_status(play, 0, 0, code, text);
    stop_timers(play);
    close_session(play); /* what it moves stops now, whenever the client reads this */
    play->conn->closing = true;
}
