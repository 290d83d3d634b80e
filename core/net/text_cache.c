/* Texts that are kept. */
#include "text_cache.h"
#include "robotalk/description.h"

#include <stdlib.h>
#include <string.h>

struct robo__text *robo__text_open(struct robo__budget *budget, size_t have, size_t size)
{
    if (!robo__budget_take(budget, have, size))
        return NULL;
    struct robo__text *text = malloc(sizeof *text + size);
    if (!text) {
        robo__budget_give(budget, size);
        return NULL;
    }
    text->budget = budget;
    text->holders = 1;
    text->size = size;
    return text;
}

struct robo__text *robo__text_shrink(struct robo__text *text, size_t size)
{
    void *shorter = realloc(text, sizeof *text + size);
    if (shorter)
        text = shorter;
    robo__budget_give(text->budget, text->size - size);
    text->size = size;
    return text;
}

struct robo__text *robo__text_hold(struct robo__text *text)
{
    text->holders++;
    return text;
}

void robo__text_release(struct robo__text *text)
{
    if (!text || --text->holders > 0)
        return;
    robo__budget_give(text->budget, text->size);
    free(text);
}

struct robo__text *robo__text_cache_find(struct robo__text_cache *texts, const robo_body *body,
                                         const char *key)
{
    texts->looks++;
    for (size_t i = 0; i < ROBO__TEXTS_KEPT; i++) {
        struct robo__kept_text *e = &texts->entry[i];
        if (!e->text || e->body != body || strcmp(e->key, key) != 0)
            continue;
        e->used = texts->looks;
        return robo__text_hold(e->text);
    }
    return NULL;
}

static void clear(struct robo__kept_text *e)
{
    robo__text_release(e->text);
    robo_body_release(e->body);
    e->text = NULL;
    e->body = NULL;
    e->used = 0;
}

void robo__text_cache_add(struct robo__text_cache *texts, robo_body *body, const char *key,
                          struct robo__text *text)
{
    struct robo__kept_text *oldest = &texts->entry[0];
    texts->added++;
    if (text->size > ROBO__TEXTS_LONGEST || strlen(key) >= ROBO__TEXTS_KEY)
        return;
    for (size_t i = 1; i < ROBO__TEXTS_KEPT; i++)
        if (texts->entry[i].used < oldest->used)
            oldest = &texts->entry[i];
    clear(oldest);
    oldest->body = robo_body_hold(body);
    oldest->text = robo__text_hold(text);
    oldest->used = texts->looks;
    strcpy(oldest->key, key);
}

void robo__text_cache_clear(struct robo__text_cache *texts)
{
    for (size_t i = 0; i < ROBO__TEXTS_KEPT; i++)
        clear(&texts->entry[i]);
}
