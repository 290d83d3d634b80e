/* A set of a body's dofs: a bit for each, in as many words as the body needs. Sets of different bodies cannot be compared or
 * combined. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"

enum { ROBO__DOF_WORDS = (ROBO_MAX_DOFS + 63) / 64 };

struct robo__dof_set {
    unsigned words; /* the others are not used */
    uint64_t word[ROBO__DOF_WORDS];
};

/* The empty set, and that of all dofs, of a body of so many. */
static inline void robo__dof_set_empty(struct robo__dof_set *set, unsigned dofs)
{
    set->words = (dofs + 63) / 64;
    for (unsigned i = 0; i < set->words; i++)
        set->word[i] = 0;
}
static inline void robo__dof_set_fill(struct robo__dof_set *set, unsigned dofs)
{
    set->words = (dofs + 63) / 64;
    for (unsigned i = 0; i < set->words; i++)
        set->word[i] = UINT64_MAX;
    if (dofs % 64)
        set->word[dofs / 64] = ((uint64_t)1 << dofs % 64) - 1;
}
static inline void robo__dof_set_copy(struct robo__dof_set *to, const struct robo__dof_set *from)
{
    to->words = from->words;
    for (unsigned i = 0; i < from->words; i++)
        to->word[i] = from->word[i];
}

static inline bool robo__dof_set_has(const struct robo__dof_set *set, unsigned dof)
{
    return set->word[dof / 64] >> dof % 64 & 1;
}
static inline void robo__dof_set_add(struct robo__dof_set *set, unsigned dof)
{
    set->word[dof / 64] |= (uint64_t)1 << dof % 64;
}
static inline void robo__dof_set_remove(struct robo__dof_set *set, unsigned dof)
{
    set->word[dof / 64] &= ~((uint64_t)1 << dof % 64);
}

static inline bool robo__dof_set_is_empty(const struct robo__dof_set *set)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < set->words; i++)
        all |= set->word[i];
    return !all;
}
static inline bool robo__dof_set_meet(const struct robo__dof_set *a, const struct robo__dof_set *b)
{
    uint64_t both = 0;
    for (unsigned i = 0; i < a->words; i++)
        both |= a->word[i] & b->word[i];
    return both != 0;
}
static inline bool robo__dof_set_equal(const struct robo__dof_set *a, const struct robo__dof_set *b)
{
    uint64_t other = 0;
    for (unsigned i = 0; i < a->words; i++)
        other |= a->word[i] ^ b->word[i];
    return !other;
}
/* Whether b has all of a. */
static inline bool robo__dof_set_within(const struct robo__dof_set *a,
                                        const struct robo__dof_set *b)
{
    uint64_t beyond = 0;
    for (unsigned i = 0; i < a->words; i++)
        beyond |= a->word[i] & ~b->word[i];
    return !beyond;
}

/* a is a or b; is a and b; is a without b. */
static inline void robo__dof_set_unite(struct robo__dof_set *a, const struct robo__dof_set *b)
{
    for (unsigned i = 0; i < a->words; i++)
        a->word[i] |= b->word[i];
}
static inline void robo__dof_set_intersect(struct robo__dof_set *a, const struct robo__dof_set *b)
{
    for (unsigned i = 0; i < a->words; i++)
        a->word[i] &= b->word[i];
}
static inline void robo__dof_set_subtract(struct robo__dof_set *a, const struct robo__dof_set *b)
{
    for (unsigned i = 0; i < a->words; i++)
        a->word[i] &= ~b->word[i];
}

/* The first of its dofs from that one on; ROBO_MAX_DOFS: none. */
static inline unsigned robo__dof_set_next(const struct robo__dof_set *set, unsigned from)
{
    for (unsigned i = from / 64; i < set->words; i++) {
        uint64_t word = i == from / 64 ? set->word[i] & UINT64_MAX << from % 64 : set->word[i];
        if (word)
            return i * 64 + (unsigned)__builtin_ctzll(word);
    }
    return ROBO_MAX_DOFS;
}

/* Dofs of one joint: those in the mask, bit n: the joint's dof n; and all, or which of them are in a set. */
static inline void robo__dof_set_add_mask(struct robo__dof_set *set, const struct robo_joint *joint,
                                          unsigned mask)
{
    for (unsigned k = 0; mask; k++, mask >>= 1)
        if (mask & 1)
            robo__dof_set_add(set, joint->first + k);
}
static inline void robo__dof_set_add_joint(struct robo__dof_set *set,
                                           const struct robo_joint *joint)
{
    robo__dof_set_add_mask(set, joint, (1u << joint->dofs) - 1);
}
static inline unsigned robo__dof_set_mask(const struct robo__dof_set *set,
                                          const struct robo_joint *joint)
{
    const unsigned word = joint->first / 64, bit = joint->first % 64;
    if (joint->dofs == 0)
        return 0;
    uint64_t bits = set->word[word] >> bit;
    if (bit + joint->dofs > 64)
        bits |= set->word[word + 1] << (64 - bit);
    return (unsigned)bits & ((1u << joint->dofs) - 1);
}
