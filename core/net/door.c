/* The access control of an address. */
#include "door.h"

#include <stdio.h>
#include <string.h>

#include "conn.h"
#include "user_files.h"
#include "tls.h"

/* ---- reading ---- */

static int read_lists(struct robo__access_list *guests, const struct robo__url *url, char why[256])
{
    const char *allow = url->file[ROBO__ALLOW], *clients = url->file[ROBO__CLIENTS];
    int error = 0;
    if (*allow && !robo__secret_ready(why))
        return ROBO_EADDRESS;
    if (*allow)
        error = robo__access_list_read(guests, allow, why);
    if (error == 0 && *clients)
        error = robo__tls_list(guests, clients, why);
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
    if (!*cert && !*key && robo__user_files_has(ROBO__HOME_CERT, cert))
        robo__user_files_path(ROBO__HOME_KEY, key);
    else if (!*cert && !*key)
        *cert = 0;
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

/* Whether any listed client can prove its identity at this address. */
static bool is_of_use(const struct robo__door *door, const struct robo__url *url)
{
    return (url->medium == ROBO__TLS && door->guests.keys > 0) ||
           (url->protocol->tells_token && door->guests.count > door->guests.keys);
}

static int check(const struct robo__door *door, const struct robo__url *url, char why[256])
{
    const bool here = robo__url_is_loopback(url);
    if (url->file[ROBO__TOKEN][0])
        return fail(why, "token: a server lists tokens by allow=FILE", "");
    if (!here && (url->medium != ROBO__TLS || !door->listed))
        return refuse(url, why);
    if (!here && url->role)
        return fail(why,
                    "role: only at addresses of this machine may clients show nothing; others "
                    "have the role that allow=FILE says",
                    "");
    if (!door->listed || is_of_use(door, url))
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

int robo__door_open(struct robo__door *door, struct robo__url *url, char why[256])
{
    *door = (struct robo__door){ 0 };
    fill_in(url);
    door->listed = url->file[ROBO__ALLOW][0] || url->file[ROBO__CLIENTS][0];
    door->open = url->role ? url->role : door->listed ? 0 : ROBO_ROLE_OPERATE;
    int error = read_lists(&door->guests, url, why);
    if (error == 0)
        error = check(door, url, why);
    if (error < 0)
        robo__door_close(door);
    return error;
}

void robo__door_close(struct robo__door *door)
{
    robo__access_list_free(&door->guests);
}

int robo__door_reload(struct robo__door *door, const struct robo__url *url,
                      struct robo__access_list *before, char why[256])
{
    struct robo__access_list guests = { 0 };
    int error = read_lists(&guests, url, why);
    if (error < 0) {
        robo__access_list_free(&guests);
        return error;
    }
    *before = door->guests;
    door->guests = guests;
    return 0;
}

void robo__door_restore(struct robo__door *door, const struct robo__access_list *before)
{
    robo__access_list_free(&door->guests);
    door->guests = *before;
}

/* ---- identification ---- */

bool robo__badge_token(struct robo__badge *badge, const char *token)
{
    badge->has_token = robo__secret_hash(token, strlen(token), badge->token);
    return badge->has_token;
}

uint8_t robo__door_role(const struct robo__door *door, const struct robo__badge *badge)
{
    uint8_t role = door->open, other = 0;
    if (!door->listed)
        return role;
    if (badge->has_key)
        role = robo__access_list_role(&door->guests, true, badge->key);
    if (badge->has_token &&
        (other = robo__access_list_role(&door->guests, false, badge->token)) == 0)
        return 0;
    role = role > door->open ? role : door->open;
    return role > other ? role : other;
}

/* ---- waiting clients ---- */

void robo__door_wait(struct robo__door *door, struct robo__stranger *stranger)
{
    if (!door->first)
        door->last = &door->first;
    stranger->next = NULL;
    stranger->at = door->last;
    *door->last = stranger;
    door->last = &stranger->next;
    door->strangers++;
}

void robo__door_wait_no_more(struct robo__door *door, struct robo__stranger *stranger)
{
    if (!stranger->at)
        return;
    *stranger->at = stranger->next;
    if (stranger->next)
        stranger->next->at = stranger->at;
    else
        door->last = stranger->at;
    stranger->at = NULL;
    door->strangers--;
}

struct robo__stranger *robo__door_crowded(const struct robo__door *door,
                                          const struct robo__stranger *newest)
{
    struct robo__stranger *oldest = NULL;
    int same = 0;
    if (door->strangers <= ROBO__STRANGERS)
        return NULL;
    for (struct robo__stranger *s = door->first; s; s = s->next) {
        if (memcmp(s->origin, newest->origin, ROBO__ORIGIN) != 0)
            continue;
        oldest = oldest ? oldest : s;
        same++;
    }
    return same > ROBO__MANY ? oldest : door->first;
}
