/* A message of CDR, read value by value and written again in any form. */
#pragma once

#include "ros/message.h"

/* false: it could not be read. */
static inline bool copy_message(const struct robo__ros_message *message, struct robo__ros_in *in,
                                const uint8_t *bytes, size_t n, struct robo__json *out,
                                enum robo__ros_form form)
{
    struct robo__ros_out to;
    const uint8_t *octets;
    const char *text;
    uint32_t count;
    if (!robo__ros_open(in, bytes, n, message))
        return false;
    robo__ros_begin(&to, out, form, message);
    while (!in->error && robo__ros_next(&in->walk) != ROBO__ROS_END)
        switch (robo__ros_next(&in->walk)) {
        case ROBO__ROS_NUMBER: robo__ros_put_number(&to, robo__ros_get_number(in)); break;
        case ROBO__ROS_COUNT: robo__ros_put_count(&to, robo__ros_get_count(in)); break;
        case ROBO__ROS_TEXT:
            text = robo__ros_get_text(in);
            robo__ros_put_bytes(&to, text, strlen(text));
            break;
        default:
            octets = robo__ros_get_octets(in, &count);
            if (octets)
                robo__ros_put_bytes(&to, octets, count);
        }
    return robo__ros_close(in) && robo__ros_end(&to);
}
