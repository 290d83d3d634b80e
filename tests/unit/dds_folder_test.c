/* A participant's folder of DDS Security: which one is refused, by the name of its file, and the role in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"
#include "net/dds_domain.h"
#include "robotalk.h"

static const char *const names[] = { "identity_ca.pem",    "cert.pem",       "key.pem",
                                     "permissions_ca.pem", "governance.p7s", "permissions.p7s" };
enum { FILES = sizeof names / sizeof names[0] };

static void write_file(const char *folder, const char *name, const char *text, mode_t mode)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

TEST(folders_are_refused_by_the_name_of_a_file)
{
    static const struct {
        const char *file, *why;
        mode_t mode; /* 0: it is missing */
    } bad[] = {
        { "identity_ca.pem", "No such file", 0 },
        { "cert.pem", "No such file", 0 },
        { "key.pem", "No such file", 0 },
        { "permissions_ca.pem", "No such file", 0 },
        { "governance.p7s", "No such file", 0 },
        { "permissions.p7s", "No such file", 0 },
        { "key.pem", "only its owner may read", 0640 },
        { "key.pem", "only its owner may read", 0604 },
        { "governance.p7s", "not everybody may write", 0646 },
        { "permissions.p7s", "not everybody may write", 0646 },
        { "identity_ca.pem", "not everybody may write", 0646 },
    };
    static const struct {
        const char *text;
        uint8_t role;
    } good[] = {
        { "<grant name=\"watch\">", ROBO_ROLE_WATCH },
        { "<grant name=\"drive\">", ROBO_ROLE_DRIVE },
        { "<grant name=\"operate\">", ROBO_ROLE_OPERATE },
        { "<grant name=\"server\">", 0 },
        { "<grant name=\"serve\">", ROBO_ROLE_OPERATE },
        { "<grant name=\"of another tool\">", ROBO_ROLE_OPERATE },
        { "<grant name=\"", ROBO_ROLE_OPERATE },
        { "", ROBO_ROLE_OPERATE },
    };
    char folder[] = "/tmp/robotalk-dds-XXXXXX", path[300], why[256];
    uint8_t role;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (size_t k = 0; k < FILES; k++)
            write_file(folder, names[k], "text", strcmp(names[k], "key.pem") == 0 ? 0600 : 0644);
        snprintf(path, sizeof path, "%s/%s", folder, bad[i].file);
        assert_int_equal(bad[i].mode ? chmod(path, bad[i].mode) : unlink(path), 0);
        assert_int_equal(robo__dds_folder(folder, &role, why), ROBO_EADDRESS);
        assert_non_null(strstr(why, path));
        assert_non_null(strstr(why, bad[i].why));
        unlink(path);
        write_file(folder, bad[i].file, "text", 0600);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        write_file(folder, "permissions.p7s", good[i].text, 0644);
        assert_int_equal(robo__dds_folder(folder, &role, why), 0);
        assert_int_equal(role, good[i].role);
    }
    for (size_t k = 0; k < FILES; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}
