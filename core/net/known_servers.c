/* Servers whose keys this user knows. */
#include "known_servers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user_files.h"

enum { FILE_MOST = 1 << 20 /* bytes */ };

const char *robo__known_servers_name(const struct robo__url *url, char name[ROBO__KNOWN_NAME])
{
    snprintf(name, ROBO__KNOWN_NAME, strchr(url->host, ':') ? "[%s]:%u" : "%s:%u", url->host,
             url->port);
    return name;
}

/* The next word of a line, and its length. */
static const char *word(const char *at, const char *end, size_t *n)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    for (*n = 0; at + *n < end && !strchr(" \t\r", at[*n]);)
        ++*n;
    return at;
}

int robo__known_servers_find(const char *text, size_t n, const char *name, uint8_t key[ROBO__HASH],
                             unsigned *line)
{
    const char *end = text + n;
    for (*line = 1; text < end; ++*line) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length, digits, more;
        if (!stop)
            stop = end;
        const char *host = word(text, stop, &length), *hash = word(host + length, stop, &digits);
        word(hash + digits, stop, &more);
        text = stop < end ? stop + 1 : end;
        if (length == 0 || *host == '#')
            continue;
        uint8_t bytes[ROBO__HASH];
        if (more > 0 || !robo__secret_read_hash(hash, digits, bytes))
            return ROBO_EADDRESS;
        if (strlen(name) == length && memcmp(host, name, length) == 0) {
            memcpy(key, bytes, ROBO__HASH);
            return 1;
        }
    }
    return 0;
}

static int no_home(char why[256])
{
    snprintf(why, 256,
             "there is no home to remember servers in: name its certificate by trust=FILE");
    return ROBO_EADDRESS;
}

int robo__known_servers_look(const struct robo__url *url, uint8_t key[ROBO__HASH], char why[256])
{
    char path[256], name[ROBO__KNOWN_NAME], *text;
    size_t n;
    unsigned line;
    if (!robo__user_files_path(ROBO__HOME_KNOWN, path))
        return no_home(why);
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    int error = robo__secret_file(path, ROBO__MINE | ROBO__OWN, FILE_MOST, &text, &n, why);
    if (error < 0)
        return error;
    robo__known_servers_name(url, name);
    error = robo__known_servers_find(text, n, name, key, &line);
    free(text);
    if (error < 0)
        snprintf(why, 256, "%.200s:%u: expected HOST:PORT HASH", path, line);
    return error;
}

/* One write, so that lines of concurrent writers come before or behind it. */
static int append(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600), error = 0;
    if (fd < 0)
        return errno;
    if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        error = errno ? errno : EIO;
    if (close(fd) < 0 && error == 0)
        error = errno;
    return error;
}

int robo__known_servers_add(const struct robo__url *url, const uint8_t key[ROBO__HASH],
                            char why[256])
{
    char path[256], name[ROBO__KNOWN_NAME], hash[2 * ROBO__HASH + 1],
        line[ROBO__KNOWN_NAME + 2 * ROBO__HASH + 4];
    if (!robo__user_files_path(ROBO__HOME_KNOWN, path) || !robo__user_files_make())
        return no_home(why);
    robo__known_servers_name(url, name);
    robo__secret_write_hash(key, hash);
    snprintf(line, sizeof line, "%s %s\n", name, hash);
    errno = 0;
    int error = append(path, line);
    if (error == 0)
        return 0;
    snprintf(why, 256, "%.150s: %.60s", path, strerror(error));
    return ROBO_EADDRESS;
}
