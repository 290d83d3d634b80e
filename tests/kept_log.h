/* What a world's log has said, for tests: on_log is robo_options' `log`, from any thread. */
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "robotalk.h"

static char log_text[1 << 16]; /* line by line; more than there is room for is left out */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER; /* guards it */

static inline void on_log(void *owner, enum robo_log_level level, const char *line)
{
    (void)owner, (void)level;
    pthread_mutex_lock(&log_lock);
    const size_t n = strlen(log_text);
    snprintf(log_text + n, sizeof log_text - n, "%s\n", line);
    pthread_mutex_unlock(&log_lock);
}

static inline void forget_log(void)
{
    pthread_mutex_lock(&log_lock);
    log_text[0] = 0;
    pthread_mutex_unlock(&log_lock);
}

/* How often it has said so. */
static inline int logged(const char *text)
{
    int n = 0;
    pthread_mutex_lock(&log_lock);
    for (const char *at = log_text; (at = strstr(at, text)) != NULL; at++)
        n++;
    pthread_mutex_unlock(&log_lock);
    return n;
}
