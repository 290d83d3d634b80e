/* Files of a server for pages, and for programs that use HTTP alone, by paths without their first "/": the page, its files, robots as JSON,
 * and their stop. On a loop's thread, in a section of readers (base/readers.h). */
#pragma once

#include <stdio.h>

#include "http/target.h"
#include "net/conn.h"
#include "recording/json.h"

enum { ROBO__WEB_NAME = 32, ROBO__WEB_WORDS = 512 };

struct robo__web_file {
    const char *type, *policy; /* policy: unchanged where it is the usual one */
    const void *bytes;         /* of a constant, or of `text` */
    size_t size;
    struct robo__json text; /* of this request; the caller frees it. failed: there was no memory */
};

/* page: the client is a browser that shows it. false: there is nothing. */
bool robo__web_find(const struct robo__host *host, const char *path, bool page, robo_time now,
                    struct robo__web_file *file);

/* POST: 303, 404, 409: a panic of before was reset, or 0: it is no path of that; with words for people. */
int robo__web_post(struct robo__conn *conn, const char *path, struct robo__http_text query,
                   robo_time now, char words[ROBO__WEB_WORDS]);

/* The name in NAME and REST; false: the path ends otherwise. */
bool robo__web_robot_name(const char *path, const char *rest, char name[ROBO__WEB_NAME]);

/* A file below a folder, index.html for a path that ends with "/": 200, 404, or 301 with the path of a folder that has no "/". */
int robo__web_open(const char *folder, const char *path, FILE **file, size_t *size,
                   const char **type, char elsewhere[ROBO__HTTP_ESCAPED]);
