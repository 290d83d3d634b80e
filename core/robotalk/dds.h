/* May change without notice between versions. */
/* Topics of DDS, by CycloneDDS, which is loaded when the first domain is opened. Samples are bytes in CDR. */
#pragma once

#include <stddef.h>

#include "robotalk/address.h"

ROBO_API_BEGIN

/* A domain, as one loop sees it. All of a process share one participant in a domain. It and its writers and readers belong to the loop's thread, and keep the
 * loop valid. */
typedef struct robo_dds robo_dds;
typedef struct robo_dds_writer robo_dds_writer;
typedef struct robo_dds_reader robo_dds_reader;

enum { ROBO_DDS_KEY = 16 /* octets */, ROBO_DDS_HEADER = 4 /* of CDR */, ROBO_DDS_MOST = 4 << 20 };

/* A topic, and how it is written or read. */
struct robo_dds_topic {
    size_t size;           /* sizeof(struct robo_dds_topic) */
    const char *name;      /* as it is on the wire: "rt/odom" */
    const char *type;      /* on the wire, too: "nav_msgs::msg::dds_::Odometry_" */
    const char *partition; /* NULL: that of the address */
    int keyed;    /* the first 16 octets of a sample are its key; else there is one instance */
    int reliable; /* lost samples are sent again. A writer never waits for that */
    int lasting;  /* transient local: a reader that comes later gets the newest of each instance */
    unsigned depth;       /* newest samples that are kept for each reader; 0: all */
    robo_time deadline;   /* offered or expected between two samples of an instance; 0: none */
    robo_time liveliness; /* a process that was silent for so long is taken for dead; 0: 10 s */
    int strength; /* above 0: readers receive from the writer with the greatest alone, as long as it lives; else from all */
    int remains;  /* what a writer has written is not disposed when it closes */
};

enum robo_dds_event {
    ROBO_DDS_SAMPLE,
    ROBO_DDS_DISPOSED, /* the instance has ended, by its writer's word */
    ROBO_DDS_LOST      /* the last writer of the instance has gone, or is silent */
};

struct robo_dds_sample {
    enum robo_dds_event event;
    const uint8_t *bytes; /* of a sample: with the header of CDR; valid during the call */
    size_t size;
    uint8_t key[ROBO_DDS_KEY]; /* zeros without one */
    robo_time written;         /* by the writer's clock, since 1970 */
    uint64_t writer;           /* a handle, for robo_dds_source */
};

/* url: dds://DOMAIN[/PARTITION]?options, where anything behind the partition counts to it. NULL on failure, with the reason in why: ROBO_EURL,
 * ROBO_ESYSTEM (CycloneDDS is not installed, or refuses the options), ROBO_ENOMEM, ROBO_EINVAL (a virtual world has none). May take a second. */
robo_dds *robo_dds_open(robo_loop *loop, const char *url, int *error, char why[256]);
/* Closes its writers and readers, too. NULL: does nothing. */
void robo_dds_close(robo_dds *dds);

/* matched: called in the loop's turns when the number of readers has changed; may be NULL. NULL: no memory, or CycloneDDS refuses it, with the
 * reason in why. */
robo_dds_writer *robo_dds_write(robo_dds *dds, const struct robo_dds_topic *topic,
                                void (*matched)(void *owner, unsigned readers), void *owner,
                                char why[256]);
/* bytes: with the header of CDR, and the key behind it if there is one. ROBO_ETIMEOUT: readers are behind, nothing was written. */
int robo_dds_put(robo_dds_writer *writer, const void *bytes, size_t n);
/* Ends an instance. */
int robo_dds_dispose(robo_dds_writer *writer, const uint8_t key[ROBO_DDS_KEY]);
unsigned robo_dds_readers(const robo_dds_writer *writer);
void robo_dds_writer_close(robo_dds_writer *writer);

/* arrived is called in the loop's turns, and may close the reader. */
robo_dds_reader *robo_dds_read(robo_dds *dds, const struct robo_dds_topic *topic,
                               void (*arrived)(void *owner, const struct robo_dds_sample *sample),
                               void *owner, char why[256]);
void robo_dds_reader_close(robo_dds_reader *reader);

/* The GUID of the participant, of a writer, of a reader, and of the writer of a sample: 0, or ROBO_ENONE: it has gone. */
void robo_dds_guid(const robo_dds *dds, uint8_t guid[16]);
void robo_dds_writer_guid(const robo_dds_writer *writer, uint8_t guid[16]);
void robo_dds_reader_guid(const robo_dds_reader *reader, uint8_t guid[16]);
int robo_dds_source(const robo_dds_reader *reader, uint64_t writer, uint8_t guid[16]);

/* A writer or reader anywhere in the domain. */
struct robo_dds_endpoint {
    const char *topic, *type;
    const char *partition; /* the first one; "": none */
    int writes, reliable, lasting;
    uint8_t guid[16]; /* its own */
};
/* Calls it for each endpoint that is known by now. */
void robo_dds_list(robo_dds *dds,
                   void (*each)(void *owner, const struct robo_dds_endpoint *endpoint),
                   void *owner);

ROBO_API_END
