/* Detects TLS or HTTP where another protocol is expected. */
#include "detect_tls_http.h"

#include <string.h>

bool robo__is_tls(const uint8_t *bytes, size_t n)
{
    return n >= 3 && bytes[0] == 0x16 && bytes[1] == 3 && bytes[2] <= 4;
}

bool robo__is_http(const uint8_t *bytes, size_t n)
{
    static const char *const methods[] = { "GET ",    "POST ",    "HEAD ",    "PUT ",  "PATCH ",
                                           "DELETE ", "OPTIONS ", "CONNECT ", "TRACE " };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (n >= strlen(methods[i]) && memcmp(bytes, methods[i], strlen(methods[i])) == 0)
            return true;
    return false;
}
