/* Answers that are encoded once for several clients. */
#include "copies.h"

#include <string.h>

/* As many as kinds of answers that clients of a server want at one instant; of more than these some are encoded again. */
enum { COPIES = 16 };
/* Sending to many takes its time: after so long the others' bytes are encoded again. */
static const robo_time YOUNG = 1000000;

struct robo__copy *robo__copy_of(const struct robo__broadcast *b, robo_time now)
{
    static const char key;
    const robo_robot *robot = robo__session_robot(b->server_session->session);
    const struct robo__alarm alarm = robo__robot_alarm(robot);
    const uint64_t number = robo__robot_number(robot), revision = robo__robot_revision(robot);
    struct robo__copy *copy = robo__host_part(b->server_session->serve->conn->host, &key,
                                              COPIES * sizeof(struct robo__copy));
    if (!copy)
        return NULL;
    copy += (number * 5 + b->op * 3u + b->more + b->wanted.mask[0]) % COPIES;
    if (copy->due == b->due && now - copy->now <= YOUNG && copy->robot == number &&
        copy->revision == revision && copy->alarm.epoch == alarm.epoch &&
        copy->alarm.panic == alarm.panic && copy->op == b->op && copy->more == b->more &&
        memcmp(&copy->wanted, &b->wanted, sizeof b->wanted) == 0)
        return copy;
    copy->due = b->due;
    copy->now = now;
    copy->robot = number;
    copy->revision = revision;
    copy->alarm = alarm;
    copy->op = b->op;
    copy->more = b->more;
    copy->wanted = b->wanted;
    copy->looked = false;
    copy->size = 0;
    return copy;
}

int robo__copy_add(const struct robo__copy *copy, const struct robo__broadcast *b)
{
    return robo__package_add_bytes(&b->server_session->serve->out, b->op, b->id, copy->bytes,
                                   copy->size);
}

void robo__copy_keep(struct robo__copy *copy, const struct robo__broadcast *b)
{
    /* it is the only one of its package */
    const struct robo_package *p = &b->server_session->serve->out;
    const size_t heads = ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE, size = p->used - heads;
    if (!copy || size > ROBO__COPY_BYTES)
        return;
    memcpy(copy->bytes, p->out + heads, size);
    copy->size = size;
}
