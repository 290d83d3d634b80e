/* RCTP, server side (paper 001, section 4; spec/rctp.md): one port for the greeting, by HTTP, the negotiation, and the live session. */
#ifndef ROBO_RCTP_SERVER_H
#define ROBO_RCTP_SERVER_H

#include "net/conn.h"

extern const struct robo__protocol robo__rctp;

#endif
