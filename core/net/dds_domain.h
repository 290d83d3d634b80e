/* The domains of this process, and topics in them: for the files of DDS here. */
#pragma once

#include "cyclone.h"
#include "dds.h"

/* The domains of this process, each with its configuration and one participant. They stay: CycloneDDS has one configuration for a domain. */
struct robo__dds_domain {
    struct robo__dds_domain *next;
    unsigned number;
    dds_entity_t participant;
    struct robo__dds_entry
        *topics; /* in which its readers and writers are; guarded by `lock` of dds_topics.c */
    _Atomic robo_time wall; /* from the monotonic clock to the wall clock, when it was last read */
    char configuration[2048];
    char security[256]; /* the folder; "": none */
    uint8_t role; /* enum robo_role by its permissions; 0: a server's. Without security: operate */
};

struct robo_dds {
    robo_dds *next; /* of all */
    robo_loop *loop;
    robo_async *log; /* CycloneDDS has a message for the log */
    struct robo__dds_domain *domain;
    char partition[64];
    robo_dds_writer *writers;
    robo_dds_reader *readers;
};

/* The entity of a topic, which is made once; negative: an error of DDS. Any thread. */
dds_entity_t robo__dds_topic(struct robo__dds_domain *domain, const struct robo_dds_topic *topic);
/* The qualities of a reader or a writer, and of its partition; the caller deletes them. */
dds_qos_t *robo__dds_qualities(const robo_dds *dds, const struct robo_dds_topic *topic);
/* The reader in which robo__dds_find looks for a partition's robots, made once; negative: an error of DDS. Any thread. */
dds_entity_t robo__dds_finder(struct robo__dds_domain *domain, const char *partition);
/* Writes that error of DDS to why: ROBO_ENOMEM or ROBO_ESYSTEM. */
int robo__dds_refuse(const char *what, dds_return_t error, char why[256]);

/* Checks the files in a participant's folder, and reads its role: a hint, which CycloneDDS compares with nothing. ROBO_EADDRESS with the
 * name of the file in why: it is missing, or others could have read or written it. */
int robo__dds_folder(const char *folder, uint8_t *role, char why[256]);
/* The properties of a participant with that folder. */
void robo__dds_secure(dds_qos_t *qos, const char *folder);
