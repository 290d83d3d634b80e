/* CycloneDDS 0.10, which is loaded when a domain is first opened: a program that opens none neither links nor loads it. Functions are called
 * through a table of those that are needed. Samples are CDR as their writers made it: topics have a type of ours, which looks at nothing but the
 * key, the first 16 octets of a keyed sample. */
#pragma once

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>

#include "base/shared_library.h"

/* clang-format off */
#define ROBO__CYCLONE_FUNCTIONS(X) \
    X(dds_create_domain) X(dds_create_participant) X(dds_create_topic_sertype) \
    X(dds_create_publisher) X(dds_create_subscriber) X(dds_create_writer) X(dds_create_reader) \
    X(dds_create_listener) X(dds_delete_listener) X(dds_lset_data_available_arg) \
    X(dds_lset_publication_matched_arg) X(dds_create_qos) X(dds_delete_qos) X(dds_qset_durability) \
    X(dds_qset_history) X(dds_qset_reliability) X(dds_qset_partition1) X(dds_qset_deadline) \
    X(dds_qset_liveliness) X(dds_qset_userdata) X(dds_qset_prop) X(dds_qget_partition) \
    X(dds_qset_ownership) X(dds_qset_ownership_strength) X(dds_qget_durability) X(dds_qget_reliability) X(dds_qset_writer_data_lifecycle) \
    X(dds_qset_durability_service) X(dds_qset_resource_limits) X(dds_qset_data_representation) \
    X(dds_free) X(dds_write) X(dds_dispose) X(dds_takecdr) X(dds_readcdr) X(dds_take) X(dds_return_loan) X(dds_delete) \
    X(dds_get_guid) X(dds_get_matched_publication_data) X(dds_builtintopic_free_endpoint) \
    X(dds_get_publication_matched_status) X(dds_strretcode) X(dds_set_log_sink) X(dds_time) \
    X(dds_domain_set_deafmute) X(dds_create_waitset) X(dds_waitset_attach) X(dds_waitset_wait_until) X(dds_set_status_mask) \
    X(ddsi_sertype_init_flags) X(ddsi_sertype_fini) X(ddsi_sertype_v0) X(ddsi_serdata_init)
/* clang-format on */

struct robo__cyclone {
    ROBO__CYCLONE_FUNCTIONS(ROBO__SHARED_MEMBER)
};

extern struct robo__cyclone robo__ddsc; /* once it was loaded */

/* Loads it, once: 0; ROBO_ESYSTEM with a message in why: it is not there. Any thread; reads files. */
int robo__cyclone_load(char why[256]);

/* What is written and disposed. bytes: with the header of CDR; for a dispose the key alone, behind a header. */
struct robo__cyclone_bytes {
    const void *bytes;
    size_t size;
};

/* What was taken: a reference that the caller gives back by robo__cyclone_release. */
const uint8_t *robo__cyclone_bytes(const struct ddsi_serdata *data, size_t *size);
void robo__cyclone_release(struct ddsi_serdata *data);

/* A topic of that participant, once it is loaded. Negative: an error of DDS. */
dds_entity_t robo__cyclone_topic(dds_entity_t participant, const char *name, const char *type,
                                 bool keyed);
