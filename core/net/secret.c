/* Hashes, tokens, and files that only their owner may read. */
#include "secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "openssl.h"
#include "robotalk.h"

/* ---- hashes ---- */

bool robo__secret_ready(char why[256])
{
    return robo__openssl(why) != NULL;
}

bool robo__secret_hash(const void *bytes, size_t n, uint8_t hash[ROBO__HASH])
{
    char why[256];
    const struct robo__openssl *o = robo__openssl(why);
    return o && o->EVP_Digest(bytes, n, hash, NULL, o->EVP_sha256(), NULL) == 1;
}

bool robo__secret_same(const uint8_t a[ROBO__HASH], const uint8_t b[ROBO__HASH])
{
    char why[256];
    return robo__openssl(why)->CRYPTO_memcmp(a, b, ROBO__HASH) == 0;
}

void robo__secret_write_hash(const uint8_t hash[ROBO__HASH], char text[2 * ROBO__HASH + 1])
{
    for (size_t i = 0; i < ROBO__HASH; i++)
        sprintf(text + 2 * i, "%02x", hash[i]);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool robo__secret_read_hash(const char *text, size_t n, uint8_t hash[ROBO__HASH])
{
    if (n != 2 * ROBO__HASH)
        return false;
    for (size_t i = 0; i < ROBO__HASH; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        hash[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

int robo__secret_token(char token[ROBO__TOKEN_TEXT], char why[256])
{
    uint8_t chance[ROBO__HASH];
    const struct robo__openssl *o = robo__openssl(why);
    if (!o)
        return ROBO_EADDRESS;
    if (o->RAND_bytes(chance, sizeof chance) != 1) {
        snprintf(why, 256, "OpenSSL has no random numbers");
        return ROBO_ESYSTEM;
    }
    memcpy(token, "rtk_", 4);
    robo__secret_write_hash(chance, token + 4);
    return 0;
}

/* ---- files ---- */

static int fail(char why[256], const char *file, const char *what)
{
    snprintf(why, 256, "%.*s: %s", (int)(250 - strlen(what)), file, what);
    return ROBO_EADDRESS;
}

/* What is wrong with such a file, or NULL. */
static const char *fault_of(const struct stat *st, bool is_public, size_t most)
{
    if (!S_ISREG(st->st_mode))
        return "expected a file, got a folder, a device or a pipe";
    if (!is_public && (st->st_mode & 077) != 0)
        return "expected a file that only its owner may read (chmod 600)";
    if (is_public && (st->st_mode & 022) != 0)
        return "expected a file that only its owner may write (chmod 600)";
    return (uint64_t)st->st_size > most ? "the file is too large" : NULL;
}

/* All of it, at most n bytes: how many, or -1 with errno. */
static ptrdiff_t read_all(int fd, char *text, size_t n)
{
    size_t got = 0;
    ssize_t more = 1;
    while (got < n && more > 0) {
        more = read(fd, text + got, n - got);
        if (more < 0 && errno == EINTR)
            more = 1;
        else if (more > 0)
            got += (size_t)more;
    }
    return more < 0 ? -1 : (ptrdiff_t)got;
}

int robo__secret_file(const char *file, bool is_public, size_t most, char **text, size_t *n,
                      char why[256])
{
    struct stat st;
    /* a pipe would wait for who writes */
    int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC), error = 0;
    if (fd < 0)
        return fail(why, file, strerror(errno));
    const char *what = fstat(fd, &st) < 0 ? strerror(errno) : fault_of(&st, is_public, most);
    char *all = what ? NULL : malloc((size_t)st.st_size + 1);
    ptrdiff_t got = all ? read_all(fd, all, (size_t)st.st_size) : 0;
    if (what || got < 0)
        error = fail(why, file, what ? what : strerror(errno));
    else if (!all) {
        snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
        error = ROBO_ENOMEM;
    }
    close(fd);
    if (error < 0) {
        free(all);
        return error;
    }
    all[got] = 0;
    *text = all;
    *n = (size_t)got;
    return 0;
}

int robo__secret_token_file(const char *file, char token[256], char why[256])
{
    char *text;
    size_t n;
    int error = robo__secret_file(file, false, 4096, &text, &n, why);
    if (error < 0)
        return error;
    const char *begin = text + strspn(text, " \t");
    size_t length = strcspn(begin, " \t\r\n");
    if (length == 0 || length > 255 || strlen(text) != n)
        error = fail(why, file, "expected a token of 1 to 255 characters in its first line");
    else
        snprintf(token, 256, "%.*s", (int)length, begin);
    free(text);
    return error;
}
