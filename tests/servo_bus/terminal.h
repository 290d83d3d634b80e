/* A simulated bus of servos behind a pseudo-terminal, in real time: a serial port for programs that open one by its path. */
#pragma once

#include "servo_bus/servo_bus.h"

struct robo__servo_bus_terminal {
    struct robo__servo_bus
        *bus;       /* not the terminal's; it must have the time of the monotonic clock */
    int port, held; /* the bus's end, and the program's end, which is held open */
    char path[64];  /* of the program's end */
};

/* Opens a terminal at that baud rate. ROBO_ESYSTEM: the system has none, see errno. */
int robo__servo_bus_terminal_open(struct robo__servo_bus_terminal *terminal,
                                  struct robo__servo_bus *bus, uint32_t baud);
void robo__servo_bus_terminal_close(struct robo__servo_bus_terminal *terminal);
/* Carries bytes both ways, and waits for the next ones, until `stop`, a file descriptor or -1, can be read, or a signal came. The
 * port's baud rate is the one that the program has set. */
void robo__servo_bus_terminal_serve(struct robo__servo_bus_terminal *terminal, int stop);
