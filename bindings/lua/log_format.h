/* Formats of the log's lines, which are made as text, "robotalk: LEVEL: …\n". The log's mutex (output.c) guards all of it. */
#pragma once

#include <stddef.h>

/* LOG_ANY: for journald its own, else text. */
enum log_format { LOG_ANY, LOG_TEXT, LOG_JOURNAL, LOG_JSON };

/* The robot and the client of a line; NULL: they are looked for in the text. */
struct log_about {
    const char *robot, *client;
    size_t robot_n, client_n;
};

struct log_made {
    size_t n, most; /* most: bytes of a line; a longer text loses its end */
    char text[1 << 14];
};

/* Makes a line of text one of another format. time: of it, without a blank. */
void log_make(struct log_made *made, enum log_format format, const struct log_about *about,
              const char *time, size_t time_n, const char *text, size_t n);

/* There is a robot of that name: lines that begin with it are about it. */
void log_know(const char *name);
