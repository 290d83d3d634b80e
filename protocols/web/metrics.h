/* Figures for Prometheus, in its text format 0.0.4. */
#pragma once

#include "net/host.h"
#include "recording/json.h"

#define ROBO__METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Of the host's world, its servers and this process. On the host's thread. */
void robo__web_metrics(struct robo__json *text, const struct robo__host *host, robo_time now);
