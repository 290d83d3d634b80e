/* DDS Security of a domain, by CycloneDDS's own plug-ins: the folder of a participant (docs/access.md). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dds_domain.h"
#include "secret.h"

static const struct {
    const char *property, *name;
    unsigned rules; /* of secret.h */
} file[] = {
    { "dds.sec.auth.identity_ca", "identity_ca.pem", ROBO__NOT_ALL },
    { "dds.sec.auth.identity_certificate", "cert.pem", ROBO__NOT_ALL },
    { "dds.sec.auth.private_key", "key.pem", ROBO__PRIVATE | ROBO__OWN },
    { "dds.sec.access.permissions_ca", "permissions_ca.pem", ROBO__NOT_ALL },
    { "dds.sec.access.governance", "governance.p7s", ROBO__NOT_ALL },
    { "dds.sec.access.permissions", "permissions.p7s", ROBO__NOT_ALL },
};

enum { FILES = sizeof file / sizeof file[0], PATH = 400 };

static void path_of(char path[PATH], const char *folder, size_t i)
{
    snprintf(path, PATH, "%s/%s", folder, file[i].name);
}

int robo__dds_folder(const char *folder, uint8_t *role, char why[256])
{
    char path[PATH], *text;
    size_t n;
    if (!robo__secret_ready(
            why)) /* loads OpenSSL first, so that it outlives the plug-ins' threads */
        return ROBO_EADDRESS;
    for (size_t i = 0; i < FILES; i++) {
        path_of(path, folder, i);
        FILE *f = robo__secret_open(path, file[i].rules, why);
        if (!f)
            return ROBO_EADDRESS;
        fclose(f);
    }
    const int error = robo__secret_file(path, ROBO__NOT_ALL, 1 << 20, &text, &n, why);
    if (error < 0)
        return error;
    /* the text is not encrypted. CycloneDDS checks its signature, and enforces it */
    static const char grant[] = "<grant name=\"";
    const char *name = strstr(text, grant);
    name = name ? name + strlen(grant) : "";
    n = strcspn(name, "\"");
    *role = robo__role_of(name, n);
    if (*role == 0 && strncmp(name, "server\"", n + 1) != 0)
        *role = ROBO_ROLE_OPERATE; /* permissions that others have made */
    free(text);
    return 0;
}

/* The plug-ins are beside the library, or, as Debian has them, in a folder there. */
static void plug_in(dds_qos_t *qos, const char *kind, const char *library, const char *name)
{
    char path[PATH], property[80];
    Dl_info info;
    void *address;
    memcpy(&address, &robo__ddsc.dds_create_domain, sizeof address);
    const char *at = dladdr(address, &info) && info.dli_fname ? info.dli_fname : "",
               *end = strrchr(at, '/');
    const int n = end ? (int)(end + 1 - at) : 0;
    snprintf(path, sizeof path, "%.*slibddsc0debian/libdds_security_%s.so", n, at, library);
    if (access(path, R_OK) < 0)
        snprintf(path, sizeof path, "%.*slibdds_security_%s.so", n, at, library);
    snprintf(property, sizeof property, "dds.sec.%s.library.path", kind);
    robo__ddsc.dds_qset_prop(qos, property, path);
    snprintf(property, sizeof property, "dds.sec.%s.library.init", kind);
    snprintf(path, sizeof path, "init_%s", name);
    robo__ddsc.dds_qset_prop(qos, property, path);
    snprintf(property, sizeof property, "dds.sec.%s.library.finalize", kind);
    snprintf(path, sizeof path, "finalize_%s", name);
    robo__ddsc.dds_qset_prop(qos, property, path);
}

void robo__dds_secure(dds_qos_t *qos, const char *folder)
{
    char path[PATH], value[PATH + 8];
    plug_in(qos, "auth", "auth", "authentication");
    plug_in(qos, "access", "ac", "access_control");
    plug_in(qos, "crypto", "crypto", "crypto");
    for (size_t i = 0; i < FILES; i++) {
        path_of(path, folder, i);
        snprintf(value, sizeof value, "file:%s", path);
        robo__ddsc.dds_qset_prop(qos, file[i].property, value);
    }
}
