/* Any bytes as the files of a +tls address: certificates that are listed, a certificate, a key; and as a token's file. When the
 * first of them is a plus, the others are changes, of two bytes for the place and one for what stands there, to a good key and its
 * certificate. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/tls.h"
#include "protocols.h"
#include "robotalk/access.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

enum { MOST = 1 << 12 };
static uint8_t good[MOST];
static size_t good_size;

/* A key and its certificate, which nobody keeps. */
static void make_good(void)
{
    char folder[] = "/tmp/robotalk-keys-XXXXXX", hash[ROBO_HASH_TEXT], why[256], file[2][64];
    if (!mkdtemp(folder))
        abort();
    for (int i = 0; i < 2; i++)
        snprintf(file[i], sizeof file[i], "%s/%s", folder, i ? "pem" : "key");
    const struct robo_key_options options = {
        .size = sizeof options, .name = "fuzz", .hosts = "fuzz", .key = file[0], .cert = file[1]
    };
    if (robo_key_make(&options, hash, why) < 0)
        abort();
    for (int i = 0; i < 2; i++) {
        FILE *f = fopen(file[i], "r");
        good_size += fread(good + good_size, 1, MOST - good_size, f);
        fclose(f);
        unlink(file[i]);
    }
    rmdir(folder);
}

/* What the input stands for. */
static void write_file(int fd, const uint8_t *in, size_t n)
{
    uint8_t changed[MOST];
    if (n > 0 && in[0] == '+') {
        if (good_size == 0)
            make_good();
        memcpy(changed, good, good_size);
        for (in++, n--; n >= 3; in += 3, n -= 3)
            changed[(in[0] << 8 | in[1]) % good_size] = in[2];
        in = changed;
        n = good_size;
    }
    if (write(fd, in, n) != (ssize_t)n || fchmod(fd, 0600) < 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    char file[64], why[256] = "", token[256], text[256];
    struct robo__access_list list = { 0 };
    struct robo__tls_keys *keys;
    struct robo__url url;
    int fd = memfd_create("keys", MFD_CLOEXEC);
    if (fd < 0)
        abort();
    write_file(fd, in, n);
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    if (robo__tls_list(&list, file, why) < 0 && !why[0])
        abort(); /* what is refused is explained */
    robo__access_list_free(&list);
    why[0] = 0;
    if (robo__secret_token_file(file, token, why) < 0 && !why[0])
        abort();
    snprintf(text, sizeof text, "robotalk+tls://h?cert=%s&key=%s&trust=%s", file, file, file);
    why[0] = 0;
    if (robo__url_parse(text, robo__protocols, &url, why) < 0)
        abort();
    if (robo__tls_keys_open(&url, NULL, &keys, why) == 0)
        robo__tls_keys_close(keys);
    else if (!why[0] || (n == 1 && in[0] == '+'))
        abort();
    close(fd);
    return 0;
}
