/* The user's own files: $XDG_CONFIG_HOME/robotalk/NAME, or ~/.config/robotalk/NAME. */
#pragma once

#include <stdbool.h>

/* Default files of servers and clients whose address names none. */
#define ROBO__HOME_CERT  "server.pem"
#define ROBO__HOME_KEY   "server.key"
#define ROBO__HOME_ALLOW "allow"
#define ROBO__HOME_KNOWN "known_servers"

/* Its path; false: there is no home, or the path is too long. It need not exist. */
bool robo__user_files_path(const char *name, char path[256]);

/* The same, when such a file exists. */
bool robo__user_files_has(const char *name, char path[256]);

/* Makes their folder, which only this user may enter, if there is none; false: it cannot. */
bool robo__user_files_make(void);
