/* OpenSSL 3, loaded when it is first used. */
#include "openssl.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/shared_library.h"

static struct robo__openssl functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256]; /* "": it is loaded */

static void load(void)
{
    static const struct robo__shared_library library = { "TLS needs OpenSSL 3", "libssl.so.3",
                                                         "libssl3" };
    /* those of libcrypto, which comes with it, are found there too */
    static const struct robo__shared_function wanted[] = {
#define ROW(name) { #name, &functions.name },
        ROBO__OPENSSL_FUNCTIONS(ROW)
#undef ROW
    };
    robo__shared_library_load(&library, wanted, sizeof wanted / sizeof wanted[0], failure);
    /* threads may still use it when the program ends */
    if (!failure[0] && functions.OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL) != 1)
        snprintf(failure, sizeof failure, "TLS: OpenSSL 3 does not start");
}

const struct robo__openssl *robo__openssl(char why[256])
{
    pthread_once(&once, load);
    if (!failure[0])
        return &functions;
    memcpy(why, failure, sizeof failure);
    return NULL;
}
