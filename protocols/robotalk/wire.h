/* The RoboTalk wire (robotalk/messages.h), as far as it is no program's affair: the tables that spec/gen.lua makes. */
#pragma once

#include <stdbool.h>

#include "robotalk/messages.h"
#include "base/time.h"

/* Ranges of what travels (spec/messages.lua): counts of a quantity, which a double still tells apart, and microseconds. */
#define ROBO__MOST_COUNTS (INT64_C(1) << 51)
#define ROBO__MOST_US     (ROBO__MOST_TIME / 1000)

/* Instants: ns here, us on the wire. */
static inline int robo__is_instant(int64_t us)
{
    return us >= -ROBO__MOST_US && us <= ROBO__MOST_US;
}

/* none: it may be ROBO_NO_TIME */
static inline int robo__to_us(bool none, robo_time ns, int64_t *us)
{
    int64_t rest = ns % 1000;
    *us = ns / 1000 + (rest >= 500) - (rest <= -500);
    if (none && ns == ROBO_NO_TIME)
        *us = INT64_MIN;
    return robo__is_instant(*us) || *us == INT64_MIN;
}

static inline int robo__from_us(bool none, int64_t us, robo_time *ns)
{
    none = none && us == INT64_MIN;
    *ns = none ? ROBO_NO_TIME : robo__is_instant(us) ? us * 1000 : 0;
    return none || robo__is_instant(us);
}

extern const struct robo_operation robo__queries[], robo__commands[], robo__notices[];
extern const struct robo_message *const robo__messages[]; /* ended by NULL */
/* by enum robo_reason: the retained notice of that name (enum robo_notice), or 0 */
extern const uint16_t robo__explained_by[UINT8_MAX + 1];
extern const struct robo_message robo_block_message, robo_configuration_message, robo_link_message,
    robo_joint_message, robo_dof_message, robo_frame_message, robo_shape_message,
    robo_camera_message, robo_sensor_message, robo_widget_message;
extern const struct robo_message robo_header_message, robo_entry_message, robo_state_message,
    robo_reply_state_message, robo_reply_sense_message, robo_start_message,
    robo_result_entry_message, robo_missed_message, robo_part_message;

/* *to says the same; items beyond a count stay as they were. */
void robo__message_copy(const struct robo_message *table, void *to, const void *from);

/* As robo_message_decode, for the fields of a struct that has others too: straight into *msg, of which it touches no other
 * fields. A failure leaves it half filled. */
ptrdiff_t robo__decode_part(const struct robo_message *table, const uint8_t *in, size_t n,
                            void *msg, const char **where);

/* ROBO_ERANGE also for dofs that are not in order. */
int robo__package_add_move(struct robo_package *p, const struct robo_cmd *cmd);

/* Whether it is there, with what it counts. */
bool robo__move_is_whole(const struct robo_move *move);

/* Bytes that the body of a move takes at most, without its start. */
size_t robo__move_most(const struct robo_move *move);

/* As robo_package_add of an entry whose body is encoded already. ROBO_EFULL: there is no room. */
int robo__package_add_bytes(struct robo_package *package, uint16_t op, uint32_t id,
                            const uint8_t *body, size_t size);
