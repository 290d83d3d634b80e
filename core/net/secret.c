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

static const char TOKEN[] = "rtk_"; /* how tokens begin that are made here */

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

bool robo__secret_sha1(const void *bytes, size_t n, uint8_t hash[ROBO__SHA1])
{
    char why[256];
    const struct robo__openssl *o = robo__openssl(why);
    return o && o->EVP_Digest(bytes, n, hash, NULL, o->EVP_sha1(), NULL) == 1;
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
    memcpy(token, TOKEN, strlen(TOKEN));
    robo__secret_write_hash(chance, token + strlen(TOKEN));
    return 0;
}

/* ---- files ---- */

static int fail(char why[256], const char *file, const char *what)
{
    snprintf(why, 256, "%.*s: %s", (int)(250 - strlen(what)), file, what);
    return ROBO_EADDRESS;
}

/* The fault of such a file, or NULL. */
static const char *fault_of(const struct stat *st, unsigned rules)
{
    if (!S_ISREG(st->st_mode))
        return "expected a file, got a folder, a device or a pipe";
    if ((rules & ROBO__OWN) && st->st_uid != geteuid() && st->st_uid != 0)
        return "expected a file of the user who runs this, or of root (chown)";
    if ((st->st_mode & rules & 0777) == 0)
        return NULL;
    return (rules & 0777) == ROBO__PRIVATE
               ? "expected a file that only its owner may read (chmod 600)"
           : (rules & 0777) == ROBO__MINE
               ? "expected a file that only its owner may write (chmod 600)"
               : "expected a file that not everybody may write (chmod o-w)";
}

FILE *robo__secret_open(const char *file, unsigned rules, char why[256])
{
    struct stat st;
    /* a pipe would wait for its writer */
    int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    /* the opened file is judged, so a symbolic link is as good as its target */
    const char *what = fd < 0 || fstat(fd, &st) < 0 ? strerror(errno) : fault_of(&st, rules);
    FILE *f = what ? NULL : fdopen(fd, "r");
    if (f)
        return f;
    fail(why, file, what ? what : strerror(errno));
    if (fd >= 0)
        close(fd);
    return NULL;
}

int robo__secret_file(const char *file, unsigned rules, size_t most, char **text, size_t *n,
                      char why[256])
{
    int error = 0;
    FILE *f = robo__secret_open(file, rules, why);
    if (!f)
        return ROBO_EADDRESS;
    struct stat st;
    const size_t size = fstat(fileno(f), &st) < 0 ? 0 : (size_t)st.st_size;
    char *all = size <= most ? malloc(size + 1) : NULL;
    size_t got = all ? fread(all, 1, size, f) : 0;
    if (size > most)
        error = fail(why, file, "the file is too large");
    else if (!all) {
        snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
        error = ROBO_ENOMEM;
    } else if (ferror(f))
        error = fail(why, file, strerror(errno));
    fclose(f);
    if (error < 0) {
        free(all);
        return error;
    }
    all[got] = 0;
    *text = all;
    *n = got;
    return 0;
}

int robo__secret_token_file(const char *file, char token[256], char why[256])
{
    char *text;
    size_t n;
    if (strncmp(file, TOKEN, strlen(TOKEN)) == 0) { /* the message would reveal it */
        snprintf(why, 256, "%s",
                 "expected a file that holds the token, got a token: all users of a machine see "
                 "what stands on a command line");
        return ROBO_EADDRESS;
    }
    int error = robo__secret_file(file, ROBO__PRIVATE, 4096, &text, &n, why);
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
