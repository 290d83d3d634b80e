/* Any bytes as a message of ROS in CDR, whose type the first byte says: what can be read is written to bytes that mean the same. */
#include <stdlib.h>

#include "../ros/copy.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    struct robo__json one = { NULL }, two = { NULL }, text = { NULL };
    struct robo__ros_in reader;
    char why[64];
    size_t types = 0;
    while (robo__ros_messages[types].name)
        types++;
    if (n == 0)
        return 0;
    const struct robo__ros_message *m = &robo__ros_messages[in[0] % types];
    uint8_t *bytes = malloc(n - 1); /* its end is known to the sanitizer */
    memcpy(bytes, in + 1, n - 1);
    if (copy_message(m, &reader, bytes, n - 1, &one, ROBO__ROS_CDR)) {
        if (one.used > n - 1 + 8 * (n - 1) || /* at most a gap before each of its bytes */
            !copy_message(m, &reader, (uint8_t *)one.at, one.used, &two, ROBO__ROS_CDR) ||
            one.used != two.used || memcmp(one.at, two.at, one.used) != 0 ||
            !copy_message(m, &reader, bytes, n - 1, &text, ROBO__ROS_JSON_OLD))
            abort();
    } else {
        robo__ros_why(&reader, why, sizeof why);
        if (!reader.error || reader.at > reader.size)
            abort();
    }
    robo__json_free(&one);
    robo__json_free(&two);
    robo__json_free(&text);
    free(bytes);
    return 0;
}
