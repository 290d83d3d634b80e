/* Addresses of robots and servers. */
#include "url.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "base/numbers.h"
#include "conn.h"
#include "dds.h"

/* Refuses an address: why says what was expected. */
static int fail(char why[256], const char *expected)
{
    snprintf(why, 256, "%s", expected);
    return ROBO_EURL;
}

/* host, host:port, [v6]:port; the port stays as it is when none is written */
static int parse_host(const char *text, size_t n, struct robo__url *url, char why[256])
{
    const char *end = text + n, *host = text, *host_end = end, *port = NULL;
    if (n > 0 && *text == '[') {
        host = text + 1;
        host_end = memchr(host, ']', (size_t)(end - host));
        if (!host_end)
            return fail(why, "expected ']' after an IPv6 address");
        if (host_end + 1 < end) {
            if (host_end[1] != ':')
                return fail(why, "expected ':' and a port after ']'");
            port = host_end + 2;
        }
    } else {
        const char *colon = memchr(text, ':', n);
        if (colon) {
            host_end = colon;
            port = colon + 1;
        }
    }
    size_t length = (size_t)(host_end - host);
    if (length == 0 || length >= sizeof url->host)
        return fail(why, "expected a host name of 1 to 255 characters");
    memcpy(url->host, host, length);
    url->host[length] = 0;
    if (port) {
        unsigned long number = 0;
        if (port == end)
            return fail(why, "expected a port after ':'");
        for (; port < end; port++) {
            if (*port < '0' || *port > '9' ||
                (number = number * 10 + (unsigned long)(*port - '0')) > 65535)
                return fail(why, "expected a port of 0 to 65535");
        }
        url->port = (uint16_t)number;
    }
    return 0;
}

/* The part behind the first slash, of n letters; 0: there is none. */
static int copy_part(const char *text, size_t n, struct robo__url *url, char why[256])
{
    if (n >= sizeof url->part)
        return fail(why, url->medium == ROBO__DDS
                             ? "expected a partition with at most 31 characters"
                             : "expected a part of the robot with at most 31 characters");
    memcpy(url->part, text, n);
    url->part[n] = 0;
    return 0;
}

static int copy_robot(const char *text, size_t n, struct robo__url *url, char why[256])
{
    const char *slash = url->protocol->names_part ? memchr(text, '/', n) : NULL;
    if (url->medium == ROBO__DDS && (slash = memrchr(text, '/', n)) != NULL) {
        const int error = copy_part(text, (size_t)(slash - text), url, why);
        if (error < 0)
            return error;
        n -= (size_t)(slash + 1 - text);
        text = slash + 1;
    } else if (slash) {
        const int error = copy_part(slash + 1, (size_t)(text + n - slash - 1), url, why);
        if (error < 0)
            return error;
        n = (size_t)(slash - text);
    }
    if (n >= sizeof url->robot)
        return fail(why, "expected a robot name of at most 31 characters");
    memcpy(url->robot, text, n);
    url->robot[n] = 0;
    return 0;
}

/* ---- options ---- */

/* Edit distance of a name and the n letters of text; more than 2 count as 3. */
static int distance(const char *name, const char *text, size_t n)
{
    size_t length = strlen(name);
    int row[ROBO__OPTION_NAME + 1], least = 3;
    if (n > ROBO__OPTION_NAME || length > ROBO__OPTION_NAME)
        return least;
    for (size_t k = 0; k <= n; k++)
        row[k] = (int)k;
    for (size_t i = 0; i < length; i++) {
        int diagonal = row[0];
        row[0] = (int)i + 1;
        for (size_t k = 0; k < n; k++) {
            int change = diagonal + (name[i] != text[k]), shorter = row[k] + 1,
                longer = row[k + 1] + 1;
            diagonal = row[k + 1];
            row[k + 1] = change < shorter ? change : shorter;
            if (longer < row[k + 1])
                row[k + 1] = longer;
        }
    }
    return row[n] < least ? row[n] : least;
}

const struct robo_scheme_option robo__url_options[] = {
    [ROBO__ALLOW] = { "allow", ROBO_SCHEME_FILE, 0, 0, 0,
                      "a server's: the list of tokens and client keys that may come in" },
    [ROBO__ROLE] = { "role", ROBO_SCHEME_ROLE, 0, 0, 0,
                     "a server's, on this machine alone: what clients may do who show nothing" },
    [ROBO__TOKEN] = { "token", ROBO_SCHEME_FILE, 0, 0, 0,
                      "a client's: the file with its token, which only its owner may read" },
    [ROBO__COMMON_OPTIONS] = { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
    [ROBO__CERT] = { "cert", ROBO_SCHEME_FILE, 0, 0, 0,
                     "the certificate that this end shows, in PEM, and those that signed it" },
    [ROBO__KEY] = { "key", ROBO_SCHEME_FILE, 0, 0, 0,
                    "the private key of cert, which only its owner may read" },
    [ROBO__CLIENTS] = { "clients", ROBO_SCHEME_FILE, 0, 0, 0,
                        "a server's: certificates of clients that may come in and operate" },
    [ROBO__TRUST] = { "trust", ROBO_SCHEME_FILE, 0, 0, 0,
                      "a client's: the server's certificate, or that of who signed it; else its first key" },
    [ROBO__URL_OPTIONS] = { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL },
};

static const struct robo_scheme_option *const common_options = robo__url_options,
                                              *const tls_options = robo__url_options + ROBO__CERT;

const struct robo_scheme_option *robo_scheme_common_options(void)
{
    return common_options;
}

const struct robo_scheme_option *robo_scheme_tls_options(void)
{
    return tls_options;
}

uint8_t robo__role_of(const char *text, size_t n)
{
    static const char *const roles[] = {
        [ROBO_ROLE_WATCH] = "watch", [ROBO_ROLE_DRIVE] = "drive", [ROBO_ROLE_OPERATE] = "operate"
    };
    _Static_assert(sizeof roles / sizeof roles[0] == ROBO_ROLES, "a word for each");
    for (uint8_t i = ROBO_ROLE_WATCH; i < ROBO_ROLES; i++)
        if (strlen(roles[i]) == n && memcmp(roles[i], text, n) == 0)
            return i;
    return 0;
}

static const struct robo_scheme_option none[] = { { NULL, ROBO_SCHEME_FLAG, 0, 0, 0, NULL } };

static const struct robo_scheme_option *options_of(const struct robo__protocol *protocol)
{
    return protocol->options ? protocol->options : none;
}

void robo__scheme_of(const struct robo__protocol *p, struct robo_scheme *scheme)
{
    *scheme = (struct robo_scheme){ p->name, p->port, options_of(p) };
}

enum { TABLES = 3 };

/* The options that addresses like this one have, in three tables. */
static const struct robo_scheme_option *table_of(const struct robo__url *url, int table)
{
    if (table == 0)
        return options_of(url->protocol);
    return table == 1 ? common_options : url->medium == ROBO__TLS ? tls_options : none;
}

/* The option of that name, or NULL. */
static const struct robo_scheme_option *find_option(const struct robo_scheme_option *o,
                                                    const char *text, size_t n)
{
    while (o->name && (strlen(o->name) != n || memcmp(o->name, text, n) != 0))
        o++;
    return o->name ? o : NULL;
}

/* Suggests the option that was meant, or lists all. */
static int fail_option(char why[256], const struct robo__url *url, const char *text, size_t n)
{
    static const char *const values[] = { "", "=NUMBER", "=FILE", "=ROLE", "=TEXT" };
    const struct robo_scheme_option *nearest = NULL;
    int written = n < 40 ? (int)n : 40;
    if (find_option(tls_options, text, n)) {
        snprintf(why, 256, "option %.*s: expected an address %s+tls://host", written, text,
                 url->protocol->name);
        return ROBO_EURL;
    }
    size_t used =
        (size_t)snprintf(why, 256, "%s has no option '%.*s'", url->protocol->name, written, text);
    for (int k = 0; k < TABLES; k++)
        for (const struct robo_scheme_option *o = table_of(url, k); o->name; o++)
            if (distance(o->name, text, n) < (nearest ? distance(nearest->name, text, n) : 3))
                nearest = o;
    if (nearest) {
        snprintf(why + used, 256 - used, ": did you mean '%s'?", nearest->name);
        return ROBO_EURL;
    }
    const char *between = "; expected ";
    for (int k = 0; k < TABLES; k++) {
        for (const struct robo_scheme_option *o = table_of(url, k); o->name && used < 256; o++) {
            used += (size_t)snprintf(why + used, 256 - used, "%s%s%s", between, o->name,
                                     values[o->kind]);
            between = ", ";
        }
    }
    return ROBO_EURL;
}

/* role=ROLE */
static int parse_role(const char *value, size_t n, struct robo__url *url, char why[256])
{
    url->role = value ? robo__role_of(value, n) : 0;
    return url->role ? 0 : fail(why, "option role: expected role=watch, drive or operate");
}

/* NAME=FILE */
static int parse_file(const struct robo_scheme_option *o, const char *value, size_t n,
                      struct robo__url *url, char why[256])
{
    char *file = url->file[o - robo__url_options];
    if (!value || n == 0 || n >= sizeof url->file[0]) {
        snprintf(why, 256, "option %s: expected %s=FILE, at most 255 characters", o->name, o->name);
        return ROBO_EURL;
    }
    memcpy(file, value, n);
    file[n] = 0;
    return 0;
}

/* NAME=TEXT of the protocol's; one more of that name follows those before it. */
static int parse_text(const struct robo_scheme_option *o, const char *value, size_t n,
                      struct robo__url *url, char why[256])
{
    size_t slot = 0;
    for (const struct robo_scheme_option *p = url->protocol->options; p < o; p++)
        slot += p->kind == ROBO_SCHEME_TEXT;
    char *text = url->text[slot];
    const size_t used = strlen(text);
    if (!value || n == 0 || memchr(value, ' ', n) || used + 1 + n >= sizeof url->text[0]) {
        snprintf(why, 256, "option %s: expected %s=TEXT, at most 254 characters, without blanks",
                 o->name, o->name);
        return ROBO_EURL;
    }
    snprintf(text + used, sizeof url->text[0] - used, "%s%.*s", used ? " " : "", (int)n, value);
    return 0;
}

/* NAME, NAME=NUMBER, NAME=FILE, NAME=ROLE or NAME=TEXT */
static int parse_option(const char *text, size_t n, struct robo__url *url, char why[256])
{
    const char *value = memchr(text, '=', n);
    size_t length = value ? (size_t)(value - text) : n;
    const struct robo_scheme_option *o = find_option(common_options, text, length);
    size_t rest = value ? n - length - 1 : 0;
    if (!o)
        o = find_option(table_of(url, 2), text, length);
    if (o && o->kind == ROBO_SCHEME_ROLE)
        return parse_role(value ? value + 1 : NULL, rest, url, why);
    if (o)
        return parse_file(o, value ? value + 1 : NULL, rest, url, why);
    o = find_option(table_of(url, 0), text, length);
    if (!o)
        return fail_option(why, url, text, length);
    if (o->kind == ROBO_SCHEME_TEXT)
        return parse_text(o, value ? value + 1 : NULL, rest, url, why);
    ptrdiff_t i = o - url->protocol->options;
    if (o->kind == ROBO_SCHEME_FLAG) {
        url->option[i] = 1;
        if (!value)
            return 0;
        snprintf(why, 256, "option %s: expected no value", o->name);
        return ROBO_EURL;
    }
    if (!value || !robo__number_is(value + 1, rest, &url->option[i]) || url->option[i] < o->least ||
        url->option[i] > o->most) {
        snprintf(why, 256, "option %s: expected %s=NUMBER, %g to %g", o->name, o->name, o->least,
                 o->most);
        return ROBO_EURL;
    }
    return 0;
}

static int parse_options(const char *text, size_t n, struct robo__url *url, char why[256])
{
    const char *end = text + n;
    while (text < end) {
        size_t length = strcspn(text, "&,");
        if (length > (size_t)(end - text))
            length = (size_t)(end - text);
        int error = parse_option(text, length, url, why);
        if (error < 0)
            return error;
        text += length + 1;
    }
    return 0;
}

static void mean(struct robo__url *url, const struct robo__protocol *protocol)
{
    url->protocol = protocol;
    url->port = protocol->port;
    for (size_t i = 0; protocol->options && protocol->options[i].name; i++)
        url->option[i] = protocol->options[i].otherwise;
}

/* PATH?options#robot */
static int parse_path(const char *text, struct robo__url *url, char why[256])
{
    size_t n = strcspn(text, "?#");
    if (n == 0 || n >= sizeof((struct sockaddr_un *)0)->sun_path)
        return fail(why, "expected a path of 1 to 107 characters after unix:");
    memcpy(url->host, text, n);
    const char *rest = text + n;
    if (*rest == '?') {
        n = strcspn(++rest, "#");
        int error = parse_options(rest, n, url, why);
        if (error < 0)
            return error;
        rest += n;
    }
    return *rest == '#' ? copy_robot(rest + 1, strlen(rest + 1), url, why) : 0;
}

/* robot?options */
static int parse_robot(const char *text, struct robo__url *url, char why[256])
{
    size_t n = strcspn(text, "?");
    int error = copy_robot(text, n, url, why);
    return error == 0 && text[n] ? parse_options(text + n + 1, strlen(text + n + 1), url, why)
                                 : error;
}

/* The text after `prefix`, or NULL. */
static const char *after(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* The text after unix: or local:, and which of them; or NULL. */
static const char *after_medium(const char *text, struct robo__url *url)
{
    const char *path = after(text, "unix:");
    if (path)
        url->medium = ROBO__UNIX;
    return path ? path : after(text, "local:");
}

/* An unknown scheme: why lists the protocols, the first with an example of its address. */
static int fail_scheme(char why[256], const struct robo__protocol *const *protocols)
{
    static const char rest[] = ", unix:PATH, local:robot or a robot's name";
    size_t n = (size_t)snprintf(why, 256, "expected %s://host[:port]/robot", (*protocols)->name);
    while (*++protocols && n + strlen((*protocols)->name) + sizeof ", ://" + sizeof rest <= 256)
        n += (size_t)snprintf(why + n, 256 - n, ", %s://", (*protocols)->name);
    snprintf(why + n, 256 - n, "%s", rest);
    return ROBO_EURL;
}

static int parse(const char *text, const struct robo__protocol *const *protocols,
                 struct robo__url *url, char why[256])
{
    *url = (struct robo__url){ .medium = ROBO__LOCAL };
    why[0] = 0;
    mean(url, protocols[0]);
    if (!strchr(text, ':'))
        return copy_robot(text, strlen(text), url, why);
    const char *rest = after_medium(text, url);
    for (size_t i = 0; !rest && protocols[i]; i++) {
        const char *scheme = after(text, protocols[i]->name);
        if (!scheme)
            continue;
        mean(url, protocols[i]);
        if ((rest = after(scheme, "://")) != NULL)
            url->medium = protocols[i]->medium;
        else if (protocols[i]->medium == ROBO__DDS)
            return fail(why, "expected dds://DOMAIN[/PARTITION]/ROBOT, as dds://0/pioneer2");
        else if ((rest = after(scheme, "+tls://")) != NULL)
            url->medium = ROBO__TLS;
        else if (*scheme == '+')
            rest = after_medium(scheme + 1, url);
    }
    if (!rest)
        return fail_scheme(why, protocols);
    if (url->medium == ROBO__UNIX)
        return parse_path(rest, url, why);
    if (url->medium == ROBO__LOCAL)
        return parse_robot(rest, url, why);
    size_t n = strcspn(rest, "/?");
    int error = parse_host(rest, n, url, why);
    if (error == 0 && rest[n])
        error = parse_robot(rest[n] == '/' ? rest + n + 1 : rest + n, url, why);
    return error;
}

int robo__url_parse(const char *text, const struct robo__protocol *const *protocols,
                    struct robo__url *url, char why[256])
{
    const int error = parse(text, protocols, url, why);
    const char *wrong =
        error == 0 && url->protocol->wrong ? url->protocol->wrong(url->option) : NULL;
    return wrong ? fail(why, wrong) : error;
}

struct robo__url robo__url_local(const struct robo__protocol *protocol)
{
    struct robo__url url = { .medium = ROBO__LOCAL };
    mean(&url, protocol);
    return url;
}

void robo__url_prefix(const struct robo__url *url, const struct robo__protocol *const *protocols,
                      char prefix[64])
{
    const char *medium = url->medium == ROBO__LOCAL ? "local:" : "unix:";
    if (url->medium != ROBO__LOCAL && url->medium != ROBO__UNIX)
        snprintf(prefix, 64, "%s%s://", url->protocol->name,
                 url->medium == ROBO__TLS ? "+tls" : "");
    else if (url->protocol == protocols[0])
        strcpy(prefix, medium);
    else
        snprintf(prefix, 64, "%s+%s", url->protocol->name, medium);
}

bool robo__url_is_localhost(const struct robo__url *url)
{
    return strcmp(url->host, "localhost") == 0;
}

bool robo__url_is_loopback(const struct robo__url *url)
{
    if (url->medium == ROBO__DDS)
        return robo__dds_is_local(url);
    if (url->medium == ROBO__UNIX || url->medium == ROBO__LOCAL || robo__url_is_localhost(url))
        return true;
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, url->host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, url->host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}
