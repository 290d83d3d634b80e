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

int robo__servos_await(struct robo__servos *d, robo_time until, struct robo__servos_status *out)
{
    uint8_t bytes[256];
    const uint8_t *at = NULL;
    size_t left = 0;
    if (robo__servos_next_answer(d->cycle.packets, &d->input, &at, &left, out))
        return 1;
    while (!d->gone) {
        /* no more than an answer may have: what is behind it belongs to the next one, and waits in the input */
        const ssize_t n =
            d->port.kind->read(&d->port, until, bytes, sizeof d->input.bytes - d->input.count);
        if (n < 0)
            d->gone = true;
        if (n <= 0)
            break;
        at = bytes;
        left = (size_t)n;
        const int found = robo__servos_next_answer(d->cycle.packets, &d->input, &at, &left, out);
        if (left > 0) { /* they fit: the input had room for all that were read */
            memcpy(d->input.bytes + d->input.count, at, left);
            d->input.count += left;
        }
        if (found)
            return 1;
    }
    return 0;
}

bool robo__servos_begin(struct robo__servos *d, const uint8_t *frame, size_t n)
{
    pthread_mutex_lock(&d->lock);
    if (d->open)
        d->port.kind->forget(&d->port);
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
