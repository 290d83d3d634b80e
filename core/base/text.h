/* Untrusted texts that people are shown: names of clients, lines of the log. Bytes that a terminal takes for a control sequence,
 * or a reader for another text, are replaced. */
#pragma once

#include <stddef.h>

/* Bytes of the character of UTF-8 at the beginning of these n, 1 to 4. 0: there is none, or a control character (U+0000 to U+001F,
 * U+007F to U+009F). */
size_t robo__text_character(const char *text, size_t n);

/* Copies n bytes, or those before a NUL, as far as whole characters and a NUL fit in `size`, at least 1; each byte that begins no
 * such character becomes '?'. `to` may be `from`. */
void robo__text_copy(char *to, size_t size, const char *from, size_t n);
