/* May change without notice between versions. */
/* Recorders: what robots of a world do, and what their clients command, in a file of MCAP (docs/recordings.md). */
#pragma once

#include "robotalk.h"

ROBO_API_BEGIN

/* ---- recording ---- */

/* A file that is being written, in the background, or in a virtual world by a timer of it. One thread has it. */
typedef struct robo_recording robo_recording;

struct robo_record_options {
    size_t size;   /* sizeof(struct robo_record_options) */
    double rate;   /* states a second of each robot, 1 to 1000; 0: 50 */
    double images; /* pictures a second of each camera, at most 100; 0: none */
    const char
        *compression; /* "zstd", "lz4" or ""; NULL: the first of these whose library is there */
    size_t journal;   /* bytes for what a robot does until it is written; 0: 4 MiB */
};

struct robo_record_counts {
    uint64_t messages; /* in the file, or on their way there */
    uint64_t
        lost; /* records of robots, and messages, for which there was no room, in memory or on the disk */
};

/* Begins a new file; path NULL: a recording that the server sends (RoboTalk's query recording). NULL on failure, with a message in why: ROBO_EEXISTS: there is such a file; ROBO_ESYSTEM: the system's message;
 * ROBO_EINVAL: impossible options; ROBO_ENOMEM. options may be NULL. */
robo_recording *robo_record_open(robo_world *world, const char *path,
                                 const struct robo_record_options *options, int *error,
                                 char why[256]);

/* From now on the file has what this robot does. ROBO_EEXISTS: it has it already; ROBO_EINVAL: it is of another world; ROBO_ENOMEM. */
int robo_record_robot(robo_recording *recording, robo_robot *robot);

void robo_record_counts(const robo_recording *recording, struct robo_record_counts *counts);

/* Ends it: writes what is left and the summary. A failure of the disk at any time since it began: ROBO_ESYSTEM, with the first message in
 * why; the file has what could be written. Before robo_close. NULL: does nothing. */
int robo_record_close(robo_recording *recording, char why[256]);

ROBO_API_END
