/* The line of a device: frames go out by its port, and answers are found in what comes. */
#include <string.h>

#include "device.h"

robo_time robo__servos_now(const struct robo__servos *d)
{
    return d->port.kind->now(&d->port);
}

int robo__servos_connect(struct robo__servos *d)
{
    const int error = d->port.kind->open(&d->port);
    if (error < 0)
        return error;
    pthread_mutex_lock(&d->lock);
    d->open = true;
    d->gone = false;
    pthread_mutex_unlock(&d->lock);
    return 0;
}

void robo__servos_disconnect(struct robo__servos *d)
{
    pthread_mutex_lock(&d->lock);
    const bool was_open = d->open;
    d->open = false;
    pthread_mutex_unlock(&d->lock);
    if (was_open)
        d->port.kind->close(&d->port);
}

bool robo__servos_say(struct robo__servos *d, const uint8_t *frame, size_t n)
{
    if (!d->open || n == 0 || robo_emergency_has_begun())
        return false;
    const ssize_t written = d->port.kind->write(&d->port, frame, n);
    if (written < 0)
        d->gone = true;
    return written == (ssize_t)n;
}

int robo__servos_next(struct robo__servos_port *p, const struct robo__servos_packets *packets,
                      struct robo__servos_input *input, robo_time until,
                      struct robo__servos_status *out)
{
    uint8_t bytes[sizeof input->bytes];
    const uint8_t *at = bytes;
    ssize_t n = 0;
    for (size_t left = 0;; left = (size_t)n) {
        const int found = robo__servos_next_answer(packets, input, &at, &left, out);
        if (left > 0) { /* they fit: the input had room for all that were read */
            memcpy(input->bytes + input->count, at, left);
            input->count += left;
        }
        if (found)
            return 1;
        /* no more than an answer may have: what is behind it belongs to the next one, and waits in the input */
        n = p->kind->read(p, until, bytes, sizeof bytes - input->count);
        if (n <= 0)
            return (int)n;
        at = bytes;
    }
}

bool robo__servos_await(struct robo__servos *d, robo_time until, struct robo__servos_status *out)
{
    const int found =
        d->gone ? 0 : robo__servos_next(&d->port, d->cycle.packets, &d->input, until, out);
    if (found < 0)
        d->gone = true;
    d->late |= found == 0;
    return found > 0;
}

bool robo__servos_begin(struct robo__servos *d, const uint8_t *frame, size_t n)
{
    pthread_mutex_lock(&d->lock);
    if (d->open && d->late)
        d->port.kind->forget(&d->port);
    d->late = false;
    d->input.count = 0;
    const bool said = robo__servos_say(d, frame, n);
    pthread_mutex_unlock(&d->lock);
    return said;
}

robo_time robo__servos_until(const struct robo__servos *d, size_t asked, size_t size)
{
    return robo__servos_now(d) +
           (robo_time)(1e9 * robo__servos_patience(d->cycle.packets, asked, size, &d->line));
}
