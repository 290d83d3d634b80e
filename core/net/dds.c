/* Domains of DDS, and the search for a robot in one. */
#include "dds.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dds_domain.h"
#include "dds_samples.h"
#include "robotalk/watchers.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `domains` and `finders` */
static struct robo__dds_domain *domains;

/* ---- domains ---- */

bool robo__dds_is_local(const struct robo__url *url)
{
    return !url->option[ROBO__DDS_MULTICAST] && !url->text[ROBO__DDS_TEXT_PEER][0] &&
           !url->text[ROBO__DDS_TEXT_INTERFACE][0];
}

/* Whether a text can stand in an attribute of XML. */
static bool is_plain(const char *text)
{
    return strpbrk(text, "<>&\"'") == NULL;
}

/* The configuration of a domain, in CycloneDDS's XML. Ports depend on the index of a process, of which 99 on one machine find each other without multicast. */
static int configure(const struct robo__url *url, char xml[2048], char why[256])
{
    const bool local = robo__dds_is_local(url), multicast = url->option[ROBO__DDS_MULTICAST] != 0;
    const char *interface = url->text[ROBO__DDS_TEXT_INTERFACE],
               *peers = local ? "127.0.0.1" : url->text[ROBO__DDS_TEXT_PEER];
    if (!is_plain(interface) || !is_plain(peers)) {
        snprintf(why, 256, "options peer and interface: expected names or addresses");
        return ROBO_EURL;
    }
    char which[300];
    snprintf(which, sizeof which,
             interface[0] ? "name=\"%s\""
             : local      ? "name=\"lo\""
                          : "autodetermine=\"true\"",
             interface);
    if (interface[0] && strchr("0123456789", interface[0]))
        snprintf(which, sizeof which, "address=\"%s\"", interface);
    size_t n = (size_t)snprintf(
        xml, 2048,
        "<CycloneDDS><Domain Id=\"any\"><General><Interfaces><NetworkInterface %s%s/></Interfaces>"
        "<AllowMulticast>%s</AllowMulticast></General>"
        "<Internal><MaxSampleSize>%d B</MaxSampleSize><WriterLingerDuration>0 s</WriterLingerDuration></Internal>"
        "<Discovery><SPDPInterval>1 s</SPDPInterval><ParticipantIndex>auto</ParticipantIndex>"
        "<MaxAutoParticipantIndex>99</MaxAutoParticipantIndex><Peers>",
        which, local ? " multicast=\"false\"" : "", multicast ? "spdp" : "false",
        (int)ROBO_DDS_MOST);
    for (const char *at = peers; *at && n < 2048; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        n += (size_t)snprintf(xml + n, 2048 - n, "<Peer address=\"%.*s\"/>", (int)length, at);
        at += length;
    }
    if (n < 2048)
        n += (size_t)snprintf(xml + n, 2048 - n, "</Peers></Discovery></Domain></CycloneDDS>");
    if (n >= 2048) {
        snprintf(why, 256, "option peer: too many");
        return ROBO_EURL;
    }
    return 0;
}

int robo__dds_site(struct robo__url *url, char why[256])
{
    if (url->medium != ROBO__DDS || !url->robot[0])
        return 0;
    const size_t n = strlen(url->part);
    if (n + 1 + strlen(url->robot) >= sizeof url->part) {
        strcpy(why, "expected a partition of at most 31 characters");
        return ROBO_EURL;
    }
    if (n > 0)
        strcat(url->part, "/");
    strcat(url->part, url->robot);
    url->robot[0] = 0;
    return 0;
}

/* ---- messages of CycloneDDS ---- */

static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER; /* of `said` and `told` */
static char said[224];            /* the latest message; "": it was logged */
static robo_dds *told;            /* whose loops may log it */
static _Thread_local char *heard; /* gets the first one of this thread, in place of the log */

/* On any thread, with CycloneDDS's locks. */
static void on_message(void *owner, const dds_log_data_t *data)
{
    (void)owner;
    const int n = (int)strcspn(data->message, "\n");
    if (heard) {
        if (!heard[0])
            snprintf(heard, 256, "%.*s", n, data->message);
        return;
    }
    pthread_mutex_lock(&said_lock);
    snprintf(said, sizeof said, "CycloneDDS: %.*s", n, data->message);
    if (told)
        robo_async_post(told->log);
    pthread_mutex_unlock(&said_lock);
}

static void log_it(void *owner, robo_time now)
{
    char line[sizeof said];
    robo_dds *d = owner;
    (void)now;
    pthread_mutex_lock(&said_lock);
    memcpy(line, said, sizeof line);
    said[0] = 0;
    pthread_mutex_unlock(&said_lock);
    if (line[0])
        robo__complain_of(&d->loop->host, ROBO__IN_VAIN, line);
}

/* ---- opening ---- */

int robo__dds_refuse(const char *what, dds_return_t error, char why[256])
{
    snprintf(why, 256, "%s: %s", what,
             heard && heard[0] ? heard
             : error == DDS_RETCODE_NOT_ALLOWED_BY_SECURITY
                 ? "the permissions of this participant do not allow it"
                 : robo__ddsc.dds_strretcode(error));
    return error == DDS_RETCODE_OUT_OF_RESOURCES ? ROBO_ENOMEM : ROBO_ESYSTEM;
}

/* With the lock. NULL, with the error. */
static struct robo__dds_domain *open_domain(unsigned number, const char *xml, const char *security,
                                            uint8_t role, int *error, char why[256])
{
    struct robo__dds_domain *d = calloc(1, sizeof *d);
    *error = d ? 0 : ROBO_ENOMEM;
    if (!d)
        return NULL;
    d->number = number;
    d->role = role;
    strcpy(d->configuration, xml);
    strcpy(d->security, security);
    char message[256] = "";
    heard = message;
    const dds_entity_t domain = robo__ddsc.dds_create_domain(number, xml);
    dds_return_t result = domain;
    dds_qos_t *qos = robo__ddsc.dds_create_qos();
    /* as a node of ROS 2, which looks for this (rmw_cyclonedds, rmw_node.cpp) */
    robo__ddsc.dds_qset_userdata(qos, "enclave=/;", sizeof "enclave=/;" - 1);
    if (security[0])
        robo__dds_secure(qos, security);
    if (result >= 0)
        result = d->participant = robo__ddsc.dds_create_participant(number, qos, NULL);
    robo__ddsc.dds_delete_qos(qos);
    if (result < 0)
        *error = robo__dds_refuse(security[0] ? security : "a domain of DDS", result, why);
    heard = NULL;
    if (result < 0) {
        if (domain > 0)
            robo__ddsc.dds_delete(domain);
        free(d);
        return NULL;
    }
    d->next = domains;
    domains = d;
    return d;
}

static struct robo__dds_domain *find_domain(const struct robo__url *url, int *error, char why[256])
{
    char xml[2048], *end;
    const unsigned long number = strtoul(url->host, &end, 10);
    const char *security = url->text[ROBO__DDS_TEXT_SECURITY];
    *error = ROBO_EURL;
    if (*end || number > 232) {
        snprintf(why, 256, "expected a domain of 0 to 232 after dds://, as dds://0");
        return NULL;
    }
    uint8_t role = ROBO_ROLE_OPERATE;
    if ((*error = configure(url, xml, why)) < 0 ||
        (security[0] && (*error = robo__dds_folder(security, &role, why)) < 0))
        return NULL;
    pthread_mutex_lock(&lock);
    const int loaded = robo__cyclone_load(why);
    if (loaded == 0)
        robo__ddsc.dds_set_log_sink(on_message, NULL);
    struct robo__dds_domain *d = domains;
    while (d && d->number != number)
        d = d->next;
    if (loaded < 0)
        *error = loaded;
    else if (!d)
        d = open_domain((unsigned)number, xml, security, role, error, why);
    else if (strcmp(d->configuration, xml) != 0 || strcmp(d->security, security) != 0) {
        snprintf(why, 256, "this process has domain %lu with other options already", number);
        *error = ROBO_EINVAL;
        d = NULL;
    }
    pthread_mutex_unlock(&lock);
    return *error < 0 ? NULL : d;
}

robo_dds *robo__dds_open(robo_loop *loop, const struct robo__url *url, int *error, char why[256])
{
    struct robo__dds_domain *domain = find_domain(url, error, why);
    robo_dds *d = domain ? calloc(1, sizeof *d) : NULL;
    if (d)
        d->log = robo_async_open(loop, log_it, d);
    if (domain && (!d || !d->log)) {
        *error = ROBO_ENOMEM;
        free(d);
        return NULL;
    }
    if (!d)
        return NULL;
    d->loop = loop;
    d->domain = domain;
    snprintf(d->partition, sizeof d->partition, "%s", url->part);
    robo__loop_use(loop);
    pthread_mutex_lock(&said_lock);
    d->next = told;
    told = d;
    pthread_mutex_unlock(&said_lock);
    return d;
}

void robo_dds_close(robo_dds *d)
{
    if (!d)
        return;
    while (d->writers)
        robo_dds_writer_close(d->writers);
    while (d->readers)
        robo_dds_reader_close(d->readers);
    pthread_mutex_lock(&said_lock);
    robo_dds **at = &told;
    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    pthread_mutex_unlock(&said_lock);
    robo_async_close(d->log);
    robo__loop_leave(d->loop);
    free(d);
}

/* An event that is due before all others wakes the thread that handles them: setting the option that no data is lost to what it is makes
 * one, which sets it again. No other function does: later events find some that are overdue, and wake nothing. */
robo_time robo__dds_wall(robo_dds *d)
{
    static const robo_time STEP = 10000000, BEFORE = 3600LL * 1000000000;
    const robo_time wall = robo__time_read(CLOCK_REALTIME) - robo__time_monotonic();
    if (wall < atomic_exchange(&d->domain->wall, wall) - STEP)
        robo__ddsc.dds_domain_set_deafmute(d->domain->participant, false, false, -BEFORE);
    return wall;
}

const char *robo__dds_partition(const robo_dds *d)
{
    return d->partition;
}

/* ---- robots ---- */

const struct robo_dds_topic robo__dds_robots = { .size = sizeof(struct robo_dds_topic),
                                                 .name = "robotalk/robots",
                                                 .type = "robotalk::msg::dds_::Robot_",
                                                 .keyed = 1,
                                                 .remains =
                                                     1, /* a server that dies has removed none */
                                                 .reliable = 1,
                                                 .lasting = 1,
                                                 .depth = 1 };

/* A partition of a domain whose robots somebody has listed or connected to: they are known from then on. */
struct finder {
    struct finder *next;
    const struct robo__dds_domain *domain;
    dds_entity_t reader;
    char partition[64];
};
static struct finder *finders; /* by `lock` */

dds_entity_t robo__dds_finder(struct robo__dds_domain *domain, const char *partition)
{
    robo_dds d = { .domain = domain };
    const dds_entity_t topic = robo__dds_topic(domain, &robo__dds_robots);
    snprintf(d.partition, sizeof d.partition, "%s", partition);
    pthread_mutex_lock(&lock);
    struct finder *f = finders;
    while (f && (f->domain != domain || strcmp(f->partition, partition) != 0))
        f = f->next;
    dds_entity_t reader = f ? f->reader : DDS_RETCODE_OUT_OF_RESOURCES;
    if (!f && (f = calloc(1, sizeof *f)) != NULL) {
        dds_qos_t *q = robo__dds_qualities(&d, &robo__dds_robots);
        reader = f->reader = robo__ddsc.dds_create_reader(domain->participant, topic, q, NULL);
        robo__ddsc.dds_delete_qos(q);
        f->domain = domain;
        strcpy(f->partition, d.partition);
        f->next = finders;
        if (reader >= 0)
            finders = f;
        else
            free(f);
    }
    pthread_mutex_unlock(&lock);
    return reader;
}

/* Looks through the robots that are known: 1: found; 0: not yet; ROBO_EADDRESS: two servers have one. */
static int look_for(dds_entity_t reader, const char *robot, uint8_t server[ROBO_DDS_KEY],
                    char why[256])
{
    enum { ROBOTS = 1024 };
    struct ddsi_serdata **data = malloc(ROBOTS * sizeof *data);
    dds_sample_info_t *info = malloc(ROBOTS * sizeof *info);
    int found = 0;
    const dds_return_t n = data && info
                               ? robo__ddsc.dds_readcdr(reader, data, ROBOTS, info,
                                                        DDS_ANY_SAMPLE_STATE | DDS_ANY_VIEW_STATE |
                                                            DDS_ALIVE_INSTANCE_STATE)
                               : 0;
    for (dds_return_t i = 0; i < n; i++) {
        size_t size;
        const uint8_t *bytes = robo__cyclone_bytes(data[i], &size), *number;
        const char *name = info[i].valid_data ? robo__dds_robot_read(bytes, size, &number) : NULL;
        if (name && strcmp(name, robot) == 0) {
            found += found == 0 || memcmp(server, number, ROBO_DDS_KEY) != 0;
            memcpy(server, number, ROBO_DDS_KEY);
        }
        robo__cyclone_release(data[i]);
    }
    /* those that have ended make room */
    for (dds_return_t gone = data && info ? ROBOTS : 0; gone == ROBOTS;) {
        gone = robo__ddsc.dds_takecdr(reader, data, ROBOTS, info,
                                      DDS_ANY_SAMPLE_STATE | DDS_ANY_VIEW_STATE |
                                          DDS_NOT_ALIVE_DISPOSED_INSTANCE_STATE |
                                          DDS_NOT_ALIVE_NO_WRITERS_INSTANCE_STATE);
        for (dds_return_t i = 0; i < gone; i++)
            robo__cyclone_release(data[i]);
    }
    free(data);
    free(info);
    if (found < 2)
        return found;
    snprintf(why, 256, "two servers in the domain have a robot %s", robot);
    return ROBO_EADDRESS;
}

int robo__dds_find(const struct robo__url *url, robo_time timeout, uint8_t server[ROBO_DDS_KEY],
                   char why[256])
{
    static const dds_duration_t LOOK = 50000000; /* others wait for the same samples */
    int error;
    struct robo__dds_domain *domain = find_domain(url, &error, why);
    if (!domain)
        return error;
    if (domain->role < ROBO_ROLE_DRIVE) {
        snprintf(why, 256, "the permissions of %.100s allow no connection: they are those of a %s",
                 domain->security, domain->role ? "watcher" : "server");
        return ROBO_EROLE;
    }
    if (!url->robot[0]) {
        strcpy(why, "expected a robot: dds://DOMAIN[/PARTITION]/ROBOT");
        return ROBO_EURL;
    }
    const dds_entity_t reader = robo__dds_finder(domain, url->part),
                       set = robo__ddsc.dds_create_waitset(domain->participant);
    if (reader < 0 || set < 0)
        return robo__dds_refuse("robots", reader < 0 ? reader : set, why);
    const robo_time until = robo__time_monotonic() + timeout - timeout / 8;
    int found;
    robo__ddsc.dds_set_status_mask(reader, DDS_DATA_AVAILABLE_STATUS);
    robo__ddsc.dds_waitset_attach(set, reader, 0);
    while ((found = look_for(reader, url->robot, server, why)) == 0 &&
           robo__time_monotonic() < until)
        robo__ddsc.dds_waitset_wait_until(set, NULL, 0, robo__ddsc.dds_time() + LOOK);
    robo__ddsc.dds_delete(set);
    if (found == 0)
        snprintf(why, 256, "no robot %s in domain %.3s%s%s", url->robot, url->host,
                 url->part[0] ? ", partition " : "", url->part);
    return found > 0 ? 0 : found == 0 ? ROBO_EADDRESS : found;
}

uint8_t robo__dds_role(const robo_dds *d)
{
    return d->domain->role;
}

void robo__dds_host(char name[64])
{
    name[0] = name[63] = 0;
    if (gethostname(name, 63) < 0)
        name[0] = 0;
}
