/* The access control of an address. */
#include "access.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "dds.h"
#include "conn.h"
#include "user_files.h"
#include "tls.h"

/* ---- reading ---- */

static int read_lists(struct robo__access_list *list, const struct robo__url *url, char why[256])
{
    const char *allow = url->file[ROBO__ALLOW], *clients = url->file[ROBO__CLIENTS];
    int error = 0;
    if (*allow && !robo__secret_ready(why))
        return ROBO_EADDRESS;
    if (*allow)
        error = robo__access_list_read(list, allow, why);
    if (error == 0 && *clients)
        error = robo__tls_list(list, clients, why);
    return error;
}

/* ---- requirements of an address ---- */

/* Files of the user's own replace those that the address does not name. */
static void fill_in(struct robo__url *url)
{
    char *cert = url->file[ROBO__CERT], *key = url->file[ROBO__KEY],
         *allow = url->file[ROBO__ALLOW];
    if (url->medium != ROBO__TLS)
        return;
    if (!*cert && !*key) {
        if (robo__user_files_has(ROBO__HOME_CERT, cert))
            robo__user_files_path(ROBO__HOME_KEY, key);
        else
            *cert = 0;
    }
    if (!*allow && !url->file[ROBO__CLIENTS][0] && !robo__url_is_loopback(url) &&
        !robo__user_files_has(ROBO__HOME_ALLOW, allow))
        *allow = 0;
}

/* Refuses an address that other machines can reach and that does not name an access list. why: what to type, without
 * repeating the address. */
static int refuse(const struct robo__url *url, char why[256])
{
    char path[256];
    const bool server = url->file[ROBO__CERT][0] || robo__user_files_has(ROBO__HOME_CERT, path),
               tokens = url->protocol->tells_token,
               listed = tokens && robo__user_files_has(ROBO__HOME_ALLOW, path);
    const char *bracket = strchr(url->host, ':') ? "[" : "";
    int n = snprintf(why, 256,
                     "other machines can reach it: that takes TLS and %s. Type: %s%srobotalk serve "
                     "… --listen ",
                     tokens ? "a list of who may come in" : "listed client keys",
                     server ? "" : "robotalk keys server && ",
                     listed   ? ""
                     : tokens ? "robotalk keys token anna drive && "
                              : "robotalk keys client anna drive && ");
    snprintf(why + n, 256 - (size_t)n, "%s+tls://%s%.100s%s:%u", url->protocol->name, bracket,
             url->host, *bracket ? "]" : "", url->port);
    return ROBO_EADDRESS;
}

static int fail(char why[256], const char *words, const char *more)
{
    snprintf(why, 256, "%s%s", words, more);
    return ROBO_EADDRESS;
}

bool robo__access_takes_others(const struct robo__access *access,
                               const struct robo__protocol *protocol)
{
    const struct robo__access_list *list = &access->list;
    return protocol->tells_token &&
           (protocol->speaks_http ? list->count > list->keys : list->tokens > 0);
}

/* Whether any listed client can prove its identity at this address. */
static bool is_of_use(const struct robo__access *access, const struct robo__url *url)
{
    return (url->medium == ROBO__TLS && access->list.keys > 0) ||
           robo__access_takes_others(access, url->protocol);
}

static int check(const struct robo__access *access, const struct robo__url *url, char why[256])
{
    const bool here = robo__url_is_loopback(url);
    if (url->file[ROBO__TOKEN][0])
        return fail(why, "token: a server lists tokens by allow=FILE", "");
    if (url->medium == ROBO__DDS && !here && !url->text[ROBO__DDS_TEXT_SECURITY][0] &&
        !url->option[ROBO__DDS_UNSECURED])
        return fail(
            why,
            "other machines can reach it: that takes security=FOLDER, which robotalk keys dds makes, or unsecured",
            "");
    if (url->medium == ROBO__DDS)
        return 0;
    if (!here && (url->medium != ROBO__TLS || !access->listed))
        return refuse(url, why);
    if (!here && url->role)
        return fail(why,
                    "role: only at addresses of this machine may clients show nothing; others "
                    "have the role that allow=FILE says",
                    "");
    if (!access->listed || is_of_use(access, url))
        return 0;
    if (!url->protocol->tells_token)
        return fail(why,
                    "nobody could come in: its clients have no tokens, so it takes +tls and "
                    "keys in the list: robotalk keys client NAME drive",
                    "");
    return fail(why,
                url->medium == ROBO__TLS ? "nobody could come in: the list is empty: "
                                         : "nobody could come in: the list has no token: ",
                "robotalk keys token NAME drive");
}

int robo__access_open(struct robo__access *access, struct robo__url *url, char why[256])
{
    *access = (struct robo__access){ 0 };
    fill_in(url);
    access->listed = url->file[ROBO__ALLOW][0] || url->file[ROBO__CLIENTS][0];
    access->allow = url->file[ROBO__ALLOW];
    access->open = url->role ? url->role : access->listed ? 0 : ROBO_ROLE_OPERATE;
    int error = read_lists(&access->list, url, why);
    if (error == 0)
        error = check(access, url, why);
    if (error < 0)
        robo__access_close(access);
    return error;
}

void robo__access_close(struct robo__access *access)
{
    robo__access_list_free(&access->list);
}

int robo__access_reload(struct robo__access *access, const struct robo__url *url,
                        struct robo__access_list *before, char why[256])
{
    struct robo__access_list list = { 0 };
    int error = read_lists(&list, url, why);
    if (error < 0) {
        robo__access_list_free(&list);
        return error;
    }
    *before = access->list;
    access->list = list;
    return 0;
}

void robo__access_restore(struct robo__access *access, const struct robo__access_list *before)
{
    robo__access_list_free(&access->list);
    access->list = *before;
}

/* ---- identification ---- */

bool robo__credentials_token(struct robo__credentials *credentials, const char *token)
{
    credentials->has_token = robo__secret_hash(token, strlen(token), credentials->token);
    return credentials->has_token;
}

uint8_t robo__access_role(const struct robo__access *access,
                          const struct robo__credentials *credentials)
{
    uint8_t role = access->open, other = 0;
    if (!access->listed)
        return role;
    if (credentials->has_key)
        role = robo__access_list_role(&access->list, true, credentials->key);
    if (credentials->has_token &&
        (other = robo__access_list_role(&access->list, false, credentials->token)) == 0)
        return 0;
    const struct robo__access_entry *link =
        credentials->has_page ? robo__access_list_page(&access->list, credentials->page) : NULL;
    const uint8_t page = link ? link->role : 0;
    role = role > access->open ? role : access->open;
    role = role > page ? role : page;
    return role > other ? role : other;
}

static bool is_fresh(const struct robo__access_entry *link, int64_t now)
{
    enum { LASTS = 300 /* s */ };
    return link && now <= link->until && now + LASTS >= link->until;
}

int robo__access_open_link(struct robo__access *access, const uint8_t link[ROBO__HASH], int64_t now,
                           char why[256])
{
    struct robo__access_list list = { 0 };
    const struct robo__access_entry *entry = robo__access_list_page(&access->list, link);
    struct stat file;
    if (entry || !access->allow || stat(access->allow, &file) < 0 ||
        memcmp(&file.st_ctim, &access->changed, sizeof file.st_ctim) == 0)
        return is_fresh(entry, now);
    access->changed = file.st_ctim;
    int result = robo__access_list_read(&list, access->allow, why);
    if (result == 0 && is_fresh(entry = robo__access_list_page(&list, link), now))
        result = robo__access_list_add(&access->list, entry) ? 1 : ROBO_ENOMEM;
    robo__access_list_free(&list);
    return result;
}

/* ---- waiting clients ---- */

void robo__access_wait(struct robo__access *access, struct robo__unauthenticated *pending)
{
    if (!access->first)
        access->last = &access->first;
    pending->next = NULL;
    pending->at = access->last;
    *access->last = pending;
    access->last = &pending->next;
    access->waiting++;
}

void robo__access_wait_no_more(struct robo__access *access, struct robo__unauthenticated *pending)
{
    if (!pending->at)
        return;
    *pending->at = pending->next;
    if (pending->next)
        pending->next->at = pending->at;
    else
        access->last = pending->at;
    pending->at = NULL;
    access->waiting--;
}

struct robo__unauthenticated *robo__access_crowded(const struct robo__access *access,
                                                   const struct robo__unauthenticated *newest)
{
    struct robo__unauthenticated *oldest = NULL;
    int same = 0;
    if (access->waiting <= ROBO__UNAUTHENTICATED)
        return NULL;
    for (struct robo__unauthenticated *s = access->first; s; s = s->next) {
        if (memcmp(s->origin, newest->origin, ROBO__ORIGIN) != 0)
            continue;
        oldest = oldest ? oldest : s;
        same++;
    }
    return same > ROBO__MANY ? oldest : access->first;
}
