/* Writers and readers of DDS's topics. CycloneDDS's threads post to the loop, which takes the samples. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dds_domain.h"
#include "robotalk/watchers.h"
#include "base/sized.h"

struct robo__dds_entry {
    struct robo__dds_entry *next;
    dds_entity_t entity;
    bool keyed;
    char name[160], type[96];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the topics of all domains */

struct robo_dds_writer {
    robo_dds_writer *next;
    robo_dds *dds;
    dds_entity_t publisher, entity;
    robo_async *wake; /* NULL: nobody asks for the readers */
    void (*matched)(void *owner, unsigned readers);
    void *owner;
};

struct robo_dds_reader {
    robo_dds_reader *next;
    robo_dds *dds;
    dds_entity_t subscriber, entity;
    robo_async *wake;
    void (*arrived)(void *owner, const struct robo_dds_sample *sample);
    void *owner;
    bool keyed;
    bool calls, closed; /* it has called its owner, which has closed it: it is freed after that */
};

/* ---- topics ---- */

dds_entity_t robo__dds_topic(struct robo__dds_domain *d, const struct robo_dds_topic *wanted)
{
    pthread_mutex_lock(&lock);
    struct robo__dds_entry *t = d->topics;
    while (t && (strcmp(t->name, wanted->name) != 0 || strcmp(t->type, wanted->type) != 0 ||
                 t->keyed != !!wanted->keyed))
        t = t->next;
    dds_entity_t entity = t ? t->entity : DDS_RETCODE_OUT_OF_RESOURCES;
    if (!t && (t = calloc(1, sizeof *t)) != NULL) {
        snprintf(t->name, sizeof t->name, "%s", wanted->name);
        snprintf(t->type, sizeof t->type, "%s", wanted->type);
        t->keyed = wanted->keyed;
        entity = t->entity =
            robo__cyclone_topic(d->participant, wanted->name, wanted->type, wanted->keyed);
        if (entity < 0) {
            free(t);
        } else {
            t->next = d->topics;
            d->topics = t;
        }
    }
    pthread_mutex_unlock(&lock);
    return entity;
}

static dds_duration_t duration(robo_time time)
{
    return time > 0 ? time : DDS_INFINITY;
}

/* The qualities of a reader or a writer; the caller deletes them. */
dds_qos_t *robo__dds_qualities(const robo_dds *d, const struct robo_dds_topic *t)
{
    dds_qos_t *q = robo__ddsc.dds_create_qos();
    const dds_history_kind_t history = t->depth ? DDS_HISTORY_KEEP_LAST : DDS_HISTORY_KEEP_ALL;
    const int32_t depth = t->depth ? (int32_t)t->depth : 1;
    const dds_data_representation_id_t classic = DDS_DATA_REPRESENTATION_XCDR1;
    robo__ddsc.dds_qset_reliability(
        q, t->reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, 0);
    robo__ddsc.dds_qset_durability(q, t->lasting ? DDS_DURABILITY_TRANSIENT_LOCAL
                                                 : DDS_DURABILITY_VOLATILE);
    robo__ddsc.dds_qset_history(q, history, depth);
    if (t->lasting)
        robo__ddsc.dds_qset_durability_service(q, 0, history, depth, DDS_LENGTH_UNLIMITED,
                                               DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
    if (t->strength > 0) {
        robo__ddsc.dds_qset_ownership(q, DDS_OWNERSHIP_EXCLUSIVE);
        robo__ddsc.dds_qset_ownership_strength(q, t->strength);
    }
    robo__ddsc.dds_qset_deadline(q, duration(t->deadline));
    robo__ddsc.dds_qset_liveliness(q, DDS_LIVELINESS_AUTOMATIC, duration(t->liveliness));
    robo__ddsc.dds_qset_data_representation(q, 1, &classic);
    const char *partition = t->partition ? t->partition : d->partition;
    if (partition[0])
        robo__ddsc.dds_qset_partition1(q, partition);
    return q;
}

static int check_topic(struct robo_dds_topic *own, const struct robo_dds_topic *topic,
                       char why[256])
{
    const int error = robo__sized_take(own, sizeof *own, topic);
    if (error < 0 || !own->name || !own->type ||
        strlen(own->name) >= sizeof((struct robo__dds_entry *)0)->name ||
        strlen(own->type) >= sizeof((struct robo__dds_entry *)0)->type) {
        strcpy(why, "expected a topic with a name of 1 to 159 letters and a type of 1 to 95");
        return ROBO_EINVAL;
    }
    return 0;
}

/* ---- writers ---- */

static void on_matched(dds_entity_t entity, const dds_publication_matched_status_t status,
                       void *arg)
{
    (void)entity, (void)status;
    robo_async_post(((robo_dds_writer *)arg)->wake);
}

unsigned robo_dds_readers(const robo_dds_writer *w)
{
    dds_publication_matched_status_t status;
    return robo__ddsc.dds_get_publication_matched_status(w->entity, &status) == 0
               ? status.current_count
               : 0;
}

static void tell_matched(void *owner, robo_time now)
{
    robo_dds_writer *w = owner;
    (void)now;
    w->matched(w->owner, robo_dds_readers(w));
}

robo_dds_writer *robo_dds_write(robo_dds *d, const struct robo_dds_topic *topic,
                                void (*matched)(void *owner, unsigned readers), void *owner,
                                char why[256])
{
    struct robo_dds_topic t;
    if (check_topic(&t, topic, why) < 0)
        return NULL;
    robo_dds_writer *w = calloc(1, sizeof *w);
    dds_entity_t entity = robo__dds_topic(d->domain, &t);
    if (w && matched)
        w->wake = robo_async_open(d->loop, tell_matched, w);
    if (!w || (matched && !w->wake)) {
        free(w);
        strcpy(why, robo_strerror(ROBO_ENOMEM));
        return NULL;
    }
    w->dds = d;
    w->matched = matched;
    w->owner = owner;
    dds_qos_t *q = robo__dds_qualities(d, &t);
    robo__ddsc.dds_qset_writer_data_lifecycle(q, !t.remains);
    dds_listener_t *listener = matched ? robo__ddsc.dds_create_listener(NULL) : NULL;
    if (listener)
        robo__ddsc.dds_lset_publication_matched_arg(listener, on_matched, w, true);
    if (entity >= 0)
        entity = w->publisher = robo__ddsc.dds_create_publisher(d->domain->participant, q, NULL);
    if (entity >= 0)
        entity = w->entity =
            robo__ddsc.dds_create_writer(w->publisher, robo__dds_topic(d->domain, &t), q, listener);
    robo__ddsc.dds_delete_listener(listener);
    robo__ddsc.dds_delete_qos(q);
    if (entity < 0) {
        robo__dds_refuse(t.name, entity, why);
        if (w->publisher > 0)
            robo__ddsc.dds_delete(w->publisher);
        robo_async_close(w->wake);
        free(w);
        return NULL;
    }
    w->next = d->writers;
    d->writers = w;
    return w;
}

static int result_of(dds_return_t error)
{
    if (error >= 0)
        return 0;
    return error == DDS_RETCODE_TIMEOUT            ? ROBO_ETIMEOUT
           : error == DDS_RETCODE_OUT_OF_RESOURCES ? ROBO_ENOMEM
                                                   : ROBO_ESYSTEM;
}

int robo_dds_put(robo_dds_writer *w, const void *bytes, size_t n)
{
    const struct robo__cyclone_bytes sample = { bytes, n };
    robo__dds_wall(w->dds);
    return n > ROBO_DDS_MOST ? ROBO_ERANGE : result_of(robo__ddsc.dds_write(w->entity, &sample));
}

int robo_dds_dispose(robo_dds_writer *w, const uint8_t key[ROBO_DDS_KEY])
{
    uint8_t bytes[ROBO_DDS_HEADER + ROBO_DDS_KEY] = { 0, 1, 0, 0 };
    memcpy(bytes + ROBO_DDS_HEADER, key, ROBO_DDS_KEY);
    const struct robo__cyclone_bytes sample = { bytes, sizeof bytes };
    return result_of(robo__ddsc.dds_dispose(w->entity, &sample));
}

void robo_dds_writer_close(robo_dds_writer *w)
{
    robo_dds_writer **at = &w->dds->writers;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    robo__dds_wall(w->dds);
    robo__ddsc.dds_delete(w->publisher); /* waits for calls that are under way */
    robo_async_close(w->wake);
    free(w);
}

/* ---- readers ---- */

static void on_data(dds_entity_t entity, void *arg)
{
    (void)entity;
    robo_async_post(((robo_dds_reader *)arg)->wake);
}

static void show(robo_dds_reader *r, const struct ddsi_serdata *data, const dds_sample_info_t *info)
{
    struct robo_dds_sample s = { .written = info->source_timestamp,
                                 .writer = info->publication_handle };
    size_t n;
    const uint8_t *bytes = robo__cyclone_bytes(data, &n);
    if (r->keyed)
        memcpy(s.key, bytes + ROBO_DDS_HEADER, ROBO_DDS_KEY);
    if (info->valid_data) {
        s.bytes = bytes;
        s.size = n;
        r->arrived(r->owner, &s);
        s.bytes = NULL;
        s.size = 0;
    }
    /* the end of an instance may come with its last sample */
    if (!r->closed && info->instance_state != DDS_IST_ALIVE && info->sample_rank == 0) {
        s.event =
            info->instance_state == DDS_IST_NOT_ALIVE_DISPOSED ? ROBO_DDS_DISPOSED : ROBO_DDS_LOST;
        r->arrived(r->owner, &s);
    }
}

enum { AT_ONCE = 32 /* samples in a turn of the loop */ };

static void take(void *owner, robo_time now)
{
    robo_dds_reader *r = owner;
    struct ddsi_serdata *data[AT_ONCE];
    dds_sample_info_t info[AT_ONCE];
    (void)now;
    robo__dds_wall(r->dds);
    const dds_return_t n = robo__ddsc.dds_takecdr(r->entity, data, AT_ONCE, info, DDS_ANY_STATE);
    if (n == AT_ONCE)
        robo_async_post(r->wake); /* there may be more */
    r->calls = true;
    for (dds_return_t i = 0; i < n; i++) {
        if (!r->closed)
            show(r, data[i], &info[i]);
        robo__cyclone_release(data[i]);
    }
    r->calls = false;
    if (r->closed)
        free(r);
}

robo_dds_reader *robo_dds_read(robo_dds *d, const struct robo_dds_topic *topic,
                               void (*arrived)(void *owner, const struct robo_dds_sample *sample),
                               void *owner, char why[256])
{
    struct robo_dds_topic t;
    if (check_topic(&t, topic, why) < 0)
        return NULL;
    robo_dds_reader *r = calloc(1, sizeof *r);
    if (r)
        r->wake = robo_async_open(d->loop, take, r);
    if (!r || !r->wake) {
        free(r);
        strcpy(why, robo_strerror(ROBO_ENOMEM));
        return NULL;
    }
    r->dds = d;
    r->keyed = t.keyed;
    r->arrived = arrived;
    r->owner = owner;
    dds_entity_t entity = robo__dds_topic(d->domain, &t), subject = entity;
    dds_qos_t *q = robo__dds_qualities(d, &t);
    dds_listener_t *listener = robo__ddsc.dds_create_listener(NULL);
    robo__ddsc.dds_lset_data_available_arg(listener, on_data, r, true);
    if (entity >= 0)
        entity = r->subscriber = robo__ddsc.dds_create_subscriber(d->domain->participant, q, NULL);
    if (entity >= 0)
        entity = r->entity = robo__ddsc.dds_create_reader(r->subscriber, subject, q, listener);
    robo__ddsc.dds_delete_listener(listener);
    robo__ddsc.dds_delete_qos(q);
    if (entity < 0) {
        robo__dds_refuse(t.name, entity, why);
        if (r->subscriber > 0)
            robo__ddsc.dds_delete(r->subscriber);
        robo_async_close(r->wake);
        free(r);
        return NULL;
    }
    r->next = d->readers;
    d->readers = r;
    if (strcmp(t.name, robo__dds_robots.name) == 0)
        robo__dds_finder(d->domain, d->partition); /* to connect to one of them is next */
    return r;
}

void robo_dds_reader_close(robo_dds_reader *r)
{
    robo_dds_reader **at = &r->dds->readers;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    robo__ddsc.dds_delete(r->subscriber); /* waits for calls that are under way */
    robo_async_close(r->wake);
    r->closed = true;
    if (!r->calls)
        free(r);
}

/* ---- who is there ---- */

static void copy_guid(dds_entity_t entity, uint8_t out[16])
{
    dds_guid_t guid = { { 0 } };
    robo__ddsc.dds_get_guid(entity, &guid);
    memcpy(out, guid.v, 16);
}

void robo_dds_guid(const robo_dds *d, uint8_t guid[16])
{
    copy_guid(d->domain->participant, guid);
}

void robo_dds_writer_guid(const robo_dds_writer *w, uint8_t guid[16])
{
    copy_guid(w->entity, guid);
}

void robo_dds_reader_guid(const robo_dds_reader *r, uint8_t guid[16])
{
    copy_guid(r->entity, guid);
}

int robo_dds_source(const robo_dds_reader *r, uint64_t writer, uint8_t guid[16])
{
    dds_builtintopic_endpoint_t *endpoint =
        robo__ddsc.dds_get_matched_publication_data(r->entity, writer);
    if (!endpoint)
        return ROBO_ENONE;
    memcpy(guid, endpoint->key.v, 16);
    robo__ddsc.dds_builtintopic_free_endpoint(endpoint);
    return 0;
}

uint8_t robo__dds_writer_role(const robo_dds_reader *r, uint64_t writer)
{
    static const char drive[] = "drive/";
    uint32_t n = 0;
    char **partition = NULL;
    dds_builtintopic_endpoint_t *e = robo__ddsc.dds_get_matched_publication_data(r->entity, writer);
    if (!e)
        return 0;
    robo__ddsc.dds_qget_partition(e->qos, &n, &partition);
    uint8_t role = n > 0 ? ROBO_ROLE_OPERATE : 0;
    for (uint32_t i = 0; i < n; i++) {
        if (strncmp(partition[i], drive, strlen(drive)) == 0)
            role = ROBO_ROLE_DRIVE;
        robo__ddsc.dds_free(partition[i]);
    }
    robo__ddsc.dds_free(partition);
    robo__ddsc.dds_builtintopic_free_endpoint(e);
    return role;
}

static void list_one(const dds_builtintopic_endpoint_t *e, bool writes,
                     void (*each)(void *owner, const struct robo_dds_endpoint *endpoint),
                     void *owner)
{
    uint32_t partitions = 0;
    char **partition = NULL;
    dds_durability_kind_t durability = DDS_DURABILITY_VOLATILE;
    dds_reliability_kind_t reliability = DDS_RELIABILITY_BEST_EFFORT;
    robo__ddsc.dds_qget_partition(e->qos, &partitions, &partition);
    robo__ddsc.dds_qget_durability(e->qos, &durability);
    robo__ddsc.dds_qget_reliability(e->qos, &reliability, NULL);
    struct robo_dds_endpoint endpoint = { .topic = e->topic_name,
                                          .type = e->type_name,
                                          .partition = partitions > 0 ? partition[0] : "",
                                          .writes = writes,
                                          .reliable = reliability == DDS_RELIABILITY_RELIABLE,
                                          .lasting = durability >= DDS_DURABILITY_TRANSIENT_LOCAL };
    memcpy(endpoint.guid, e->key.v, 16);
    each(owner, &endpoint);
    for (uint32_t i = 0; i < partitions; i++)
        robo__ddsc.dds_free(partition[i]);
    robo__ddsc.dds_free(partition);
}

void robo_dds_list(robo_dds *d, void (*each)(void *owner, const struct robo_dds_endpoint *endpoint),
                   void *owner)
{
    enum { MOST = 64 };
    for (int writes = 0; writes < 2; writes++) {
        const dds_entity_t reader = robo__ddsc.dds_create_reader(
            d->domain->participant,
            writes ? DDS_BUILTIN_TOPIC_DCPSPUBLICATION : DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, NULL,
            NULL);
        void *samples[MOST] = { NULL };
        dds_sample_info_t info[MOST];
        dds_return_t n;
        while ((n = robo__ddsc.dds_take(reader, samples, info, MOST, MOST)) > 0) {
            for (dds_return_t i = 0; i < n; i++)
                if (info[i].valid_data)
                    list_one(samples[i], writes, each, owner);
            robo__ddsc.dds_return_loan(reader, samples, n);
        }
        robo__ddsc.dds_delete(reader);
    }
}
