/* A simulated bus of servos behind a pseudo-terminal: prints its path, and runs until it is ended. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "faults.h"
#include "terminal.h"

static const char USAGE[] =
    "usage: robotalk-servo-bus [options] MODEL:IDS ...\n"
    "MODEL: sts3215, xl430, xl330, xm430; IDS: 1-6 or 1,3,5\n"
    "  --baud N              of the port and of the servos (1000000)\n"
    "  --return-delay N      2 us each (the factory's 250)\n"
    "  --fault KIND:ID@S     at S seconds: silent, checksum, noise, overload, heat, voltage, restart, cable, twin;\n"
    "                        KIND:ID@S+S: and how long; ID 254: all servos\n"
    "  --faults-per-minute N random faults\n"
    "  --seed N              of random faults\n"
    "  --register ID:AT=N    that byte of a servo, also for restarts\n"
    "  --link PATH           a symbolic link to the terminal, removed at the end\n"
    "  --hand FIFO           turns shafts by hand: lines ID ANGLE, rad; pi is the middle\n"
    "Prints the path of the terminal, and runs until SIGINT, SIGTERM or SIGHUP.\n";

enum { FAULTS = ROBO__SERVO_BUS_MOST, REGISTERS = 64 };

static int complain(const char *what)
{
    fprintf(stderr, "robotalk-servo-bus: %s\n", what);
    return 2;
}

/* A number from 0 to `most`; false: it is none. */
static bool number(const char *text, double most, double *x)
{
    char *end;
    *x = strtod(text, &end);
    return end != text && !*end && *x >= 0 && *x <= most;
}

/* Turns the shafts that lines there name. */
static void turn_by_hand(struct robo__servo_bus *bus, int hand)
{
    char text[4096];
    const ssize_t n = read(hand, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        struct robo__servo_bus_touch touch = { .is_turned = true };
        unsigned id;
        if (sscanf(line, "%u %lf", &id, &touch.angle) == 2)
            robo__servo_bus_touch(bus, id, robo__time_monotonic(), &touch);
    }
}

static int serve(struct robo__servo_bus *bus, uint32_t baud, const char *link_path, int hand)
{
    struct robo__servo_bus_terminal terminal;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int stop = signalfd(-1, &set, SFD_CLOEXEC);
    if (stop < 0 || robo__servo_bus_terminal_open(&terminal, bus, baud) < 0)
        return complain(strerror(errno));
    if (link_path && symlink(terminal.path, link_path) != 0) {
        fprintf(stderr, "robotalk-servo-bus: --link %s: %s\n", link_path, strerror(errno));
        robo__servo_bus_terminal_close(&terminal);
        return 2;
    }
    printf("%s\n", terminal.path);
    fflush(stdout);
    struct pollfd fds[] = { { .fd = stop, .events = POLLIN }, { .fd = hand, .events = POLLIN } };
    const int either = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < 2; i++) {
        struct epoll_event event = { .events = EPOLLIN };
        epoll_ctl(either, EPOLL_CTL_ADD, fds[i].fd, &event);
    }
    do {
        robo__servo_bus_terminal_serve(&terminal, either);
        poll(fds, 2, 0);
        if (fds[1].revents)
            turn_by_hand(bus, hand);
    } while (!fds[0].revents);
    close(either);
    if (link_path)
        unlink(link_path);
    robo__servo_bus_terminal_close(&terminal);
    close(stop);
    return 0;
}

static bool set_register(struct robo__servo_bus *bus, const char *text)
{
    unsigned id, at, value;
    return sscanf(text, "%3u:%3u=%3u", &id, &at, &value) == 3 &&
           robo__servo_bus_set_register(bus, id, robo__time_monotonic(), at, 1, value) == 0;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "baud", 1, NULL, 'b' },     { "return-delay", 1, NULL, 'd' },
        { "fault", 1, NULL, 'f' },    { "faults-per-minute", 1, NULL, 'r' },
        { "seed", 1, NULL, 's' },     { "link", 1, NULL, 'l' },
        { "register", 1, NULL, 'm' }, { "hand", 1, NULL, 't' },
        { "help", 0, NULL, 'h' },     { 0 }
    };
    struct robo__servo_bus_options o = { .baud = 1000000, .return_delay = -1 };
    const char *faults[FAULTS], *registers[REGISTERS], *link_path = NULL;
    unsigned fault_count = 0, register_count = 0;
    uint64_t seed = 0;
    double per_minute = 0;
    int hand = -1;
    char why[ROBO__SERVO_BUS_WHY];
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        double x = 0;
        if (c == '?')
            return 2;
        if (c == 'h')
            return fputs(USAGE, stdout) < 0;
        if (c == 'l')
            link_path = optarg;
        else if (c == 't')
            hand = open(optarg, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        else if (c == 'f' && fault_count == FAULTS)
            return complain("too many faults");
        else if (c == 'f')
            faults[fault_count++] = optarg;
        else if (c == 'm' && register_count == REGISTERS)
            return complain("too many registers");
        else if (c == 'm')
            registers[register_count++] = optarg;
        else if (!number(optarg, c == 'd' ? 254 : c == 'r' ? 6000 : c == 'b' ? 1e7 : 9e15, &x))
            return complain("want a number, within its range; see --help");
        if (c == 't' && hand < 0)
            return complain("--hand: there is no such FIFO");
        if (c == 'b')
            o.baud = (uint32_t)x;
        else if (c == 'd')
            o.return_delay = (int)x;
        else if (c == 'r')
            per_minute = x;
        else if (c == 's')
            seed = (uint64_t)x;
    }
    if (optind == argc)
        return complain("want servos, such as sts3215:1-6; see --help");
    struct robo__servo_bus *bus = robo__servo_bus_open(&o, robo__time_monotonic());
    if (!bus)
        return complain(strerror(errno));
    int status = 0;
    robo__servo_bus_add_random_faults(bus, seed, per_minute);
    for (int i = optind; i < argc && status == 0; i++)
        if (robo__servo_bus_add(bus, argv[i], why) < 0)
            status = complain(why);
    for (unsigned i = 0; i < fault_count && status == 0; i++)
        if (robo__servo_bus_add_fault(bus, faults[i], why) < 0)
            status = complain(why);
    for (unsigned i = 0; i < register_count && status == 0; i++)
        if (!set_register(bus, registers[i]))
            status =
                complain("want ID:AT=N, such as 7:33=1, of a servo and a register that it has");
    if (status == 0)
        status = serve(bus, o.baud, link_path, hand);
    robo__servo_bus_close(bus);
    return status;
}
