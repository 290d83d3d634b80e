/* The simulated bus of servos behind a pseudo-terminal: a program opens it by its path, as a serial port. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "../test.h"
#include "../servo_bus/terminal.h"

static struct robo__servo_bus_terminal terminal;

static void *serve(void *stop)
{
    robo__servo_bus_terminal_serve(&terminal, *(int *)stop);
    return NULL;
}

/* How many bytes answer a ping within that time, at most six. */
static size_t ping(int fd, int milliseconds, uint8_t *answer)
{
    size_t n = 0;
    assert_int_equal(write(fd, "\xFF\xFF\x01\x02\x01\xFB", 6), 6);
    while (n < 6 && poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, milliseconds) > 0) {
        ssize_t got = read(fd, answer + n, 6 - n);
        assert_true(got > 0);
        n += (size_t)got;
    }
    return n;
}

static void set_baud(int fd, speed_t baud)
{
    struct termios t;
    assert_int_equal(tcgetattr(fd, &t), 0);
    cfmakeraw(&t);
    cfsetspeed(&t, baud);
    assert_int_equal(tcsetattr(fd, TCSANOW, &t), 0);
}

TEST(a_program_opens_the_bus_by_its_path)
{
    char why[ROBO__SERVO_BUS_WHY];
    struct robo__servo_bus_options options = { .baud = 1000000, .return_delay = -1 };
    struct robo__servo_bus *bus = robo__servo_bus_open(&options, robo__time_monotonic());
    assert_non_null(bus);
    assert_int_equal(robo__servo_bus_add(bus, "sts3215:1", why), 0);
    assert_int_equal(robo__servo_bus_terminal_open(&terminal, bus, 1000000), 0);
    int stop[2];
    pthread_t thread;
    assert_int_equal(pipe(stop), 0);
    assert_int_equal(pthread_create(&thread, NULL, serve, &stop[0]), 0);

    uint8_t answer[6];
    for (int again = 0; again < 2; again++) { /* the terminal outlives who opens it */
        int fd = open(terminal.path, O_RDWR | O_NOCTTY);
        assert_true(fd >= 0);
        set_baud(fd, B1000000);
        robo_time begun = robo__time_monotonic();
        assert_int_equal(ping(fd, 5000, answer), 6);
        assert_true(robo__time_monotonic() - begun >= 620000); /* 12 bytes and 500 us */
        assert_memory_equal(answer, "\xFF\xFF\x01\x02\x00\xFC", 6);
        set_baud(fd, B115200); /* the servo does not understand that */
        assert_int_equal(ping(fd, 50, answer), 0);
        close(fd);
    }
    assert_int_equal(write(stop[1], "", 1), 1);
    pthread_join(thread, NULL);
    close(stop[0]);
    close(stop[1]);
    robo__servo_bus_terminal_close(&terminal);
    robo__servo_bus_close(bus);
}
