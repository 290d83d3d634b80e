/* OpenSSL 3, loaded when it is first used. */
#include "openssl.h"

#include <stdio.h>

static struct robo__openssl functions;

static void begin(char failure[256])
{
    /* threads may still use it when the program ends */
    if (functions.OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL) != 1)
        snprintf(failure, 256, "TLS: OpenSSL 3 does not start");
}

/* Those of libcrypto, which comes with it, are found there too. */
static const struct robo__shared_function wanted[] = {
#define ROW(name) { #name, &functions.name },
    ROBO__OPENSSL_FUNCTIONS(ROW)
};
static struct robo__shared_library library =
    ROBO__SHARED_LIBRARY("TLS needs OpenSSL 3", "libssl.so.3", "libssl3", wanted, begin);

const struct robo__openssl *robo__openssl(char why[256])
{
    return robo__shared_library_load(&library, why) == 0 ? &functions : NULL;
}
