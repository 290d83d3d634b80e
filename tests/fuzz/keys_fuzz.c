/* Any bytes as the files of a +tls address: certificates that are listed, a certificate, a key; and as a token's file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/tls.h"
#include "protocols.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    char file[64], why[256] = "", token[256], text[256];
    struct robo__guests guests = { 0 };
    struct robo__tls_keys *keys;
    struct robo__url url;
    int fd = memfd_create("keys", MFD_CLOEXEC);
    if (fd < 0 || write(fd, in, n) != (ssize_t)n || fchmod(fd, 0600) < 0)
        abort();
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    if (robo__tls_list(&guests, file, why) < 0 && !why[0])
        abort(); /* what is refused is explained */
    robo__guests_free(&guests);
    why[0] = 0;
    if (robo__secret_token_file(file, token, why) < 0 && !why[0])
        abort();
    snprintf(text, sizeof text, "robotalk+tls://h?cert=%s&key=%s&trust=%s", file, file, file);
    why[0] = 0;
    if (robo__url_parse(text, robo__protocols, &url, why) < 0)
        abort();
    if (robo__tls_keys_open(&url, NULL, &keys, why) == 0)
        robo__tls_keys_close(keys);
    else if (!why[0])
        abort();
    close(fd);
    return 0;
}
