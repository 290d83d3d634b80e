/* The window of periodic data. */
#include "send_window.h"

/* LEAST, MOST: bytes of a window. A delayed acknowledgement of TCP takes 40 ms, which is no sign of a slow link. */
enum { LEAST = 1 << 11, MOST = 1 << 15 };
static const robo_time LAG = 50 * 1000000;

bool robo__window_is_full(struct robo__window *window, uint64_t place, uint64_t come, robo_time now)
{
    if (window->bytes == 0)
        *window = (struct robo__window){ .least = ROBO_NEVER, .bytes = LEAST };
    if (come > window->come)
        window->come = come;
    const robo_time took = now - window->marked,
                    allowed = window->least == ROBO_NEVER ? ROBO_NEVER : window->least + LAG;
    if (window->mark != 0 && window->come >= window->mark) {
        if (window->used && took <= allowed && window->bytes < MOST)
            window->bytes *= 2;
        window->least = took < window->least ? took : window->least;
        window->mark = 0;
    } else if (window->mark != 0 && took > allowed) {
        window->bytes = window->bytes > LEAST ? window->bytes / 2 : LEAST;
        window->marked = now;
    }
    if (window->mark == 0 && place > window->come) {
        window->mark = place;
        window->used = place - window->come > window->bytes / 2;
        window->marked = now;
    }
    return place - window->come > window->bytes;
}
