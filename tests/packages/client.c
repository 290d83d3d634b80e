/* A program that is built with librobotalk-dev alone. */
#include <robotalk.h>

int main(void)
{
    const struct robo_options options = { .size = sizeof options };
    robo_world *world = robo_open(&options);
    if (!world)
        return 1;
    robo_close(world);
    return robo_api_version() != ROBO_API_VERSION;
}
