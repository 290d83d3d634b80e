/* What a host keeps for the protocols of its connections. */
#include "fixture_host.h"

static const char one, other;

FIXTURE(open_host, close_host);

TEST(a_part_is_zeros_at_first_and_the_same_for_all_who_ask)
{
    int *part = robo__host_part(&host, &one, 4 * sizeof *part);
    assert_non_null(part);
    for (int i = 0; i < 4; i++)
        assert_int_equal(part[i], 0);
    part[3] = 7;
    assert_ptr_equal(robo__host_part(&host, &one, 4 * sizeof *part), part);
    assert_int_equal(part[3], 7);
}

TEST(each_key_has_a_part_of_its_own)
{
    void *part = robo__host_part(&host, &one, 8);
    assert_non_null(part);
    assert_ptr_not_equal(robo__host_part(&host, &other, 8), part);
    assert_ptr_equal(robo__host_part(&host, &one, 8), part);
}
