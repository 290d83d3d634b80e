/* Figures for Prometheus, in its text format 0.0.4; spec/metrics.lua has their table. */
#pragma once

#include "net/host.h"
#include "recording/json.h"

#define ROBO__METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* In the order of the answer. */
enum robo__metric_number {
    ROBO__ROBOT_PANIC,
    ROBO__ROBOT_PANICS_TOTAL,
    ROBO__ROBOT_MOVING,
    ROBO__ROBOT_FALLEN,
    ROBO__ROBOT_BLOCKED,
    ROBO__ROBOT_BATTERY_RATIO,
    ROBO__ROBOT_OVERRIDE_RATIO,
    ROBO__ROBOT_STATE_AGE_SECONDS,
    ROBO__ROBOT_SESSIONS,
    ROBO__ROBOT_HOLDERS,
    ROBO__ROBOT_DEADMAN_STOPS_TOTAL,
    ROBO__ROBOT_DEVICE_FAULTS_TOTAL,
    ROBO__ROBOT_UNDERRUNS_TOTAL,
    ROBO__COMMANDS_TOTAL,
    ROBO__COMMAND_REASONS_TOTAL,
    ROBO__COMMAND_LATENESS_SECONDS,
    ROBO__CONNECTIONS,
    ROBO__CONNECTIONS_TOTAL,
    ROBO__RECEIVED_BYTES_TOTAL,
    ROBO__SENT_BYTES_TOTAL,
    ROBO__CONNECTIONS_REFUSED_TOTAL,
    ROBO__BUILD_INFO,
    ROBO__PROCESS_CPU_SECONDS_TOTAL,
    ROBO__PROCESS_START_TIME_SECONDS,
    ROBO__PROCESS_RESIDENT_MEMORY_BYTES,
    ROBO__PROCESS_OPEN_FDS,
    ROBO__METRICS
};

struct robo__metric {
    const char *name, *type, *help;
};
extern const struct robo__metric robo__metrics[ROBO__METRICS];

/* Of the host's world, its servers and this process. On the host's thread. */
void robo__web_metrics(struct robo__json *text, const struct robo__host *host, robo_time now);
