/* Scenes as text: tests/scenes/NOUN.txt. A line at the margin is the title of a scene, lines that are indented by up to five spaces are
 * its events, and lines that are indented further are the effects of the event above them. '#' begins a comment. All of it is
 * static, since what a test asks the allocator for may be refused. */
#pragma once

#include <glob.h>
#include <stdint.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"

enum {
    SCENE_TEXT = 1 << 20,
    SCENE_LINES = 1 << 15,
    SCENE_FILES = 64,
    SCENE_MOST = 1024,
    SCENE_WORDS = 64,
    SCENE_INDENT = 6 /* spaces before an effect */
};

struct scene_line {
    const char *text;
    int number; /* in its file */
    bool effect;
    const char *
        got; /* of an event that was played: its effects, a line each, as they are written; NULL: it was not */
};

struct scene_file {
    char name[256];
    struct scene_line *line;
    size_t lines;
};

struct scene {
    struct scene_file *file;
    struct scene_line *title, *end;
};

static char scene_text[SCENE_TEXT];
static size_t scene_used;
static struct scene_line scene_line[SCENE_LINES];
static size_t scene_lines;
static struct scene_file scene_file[SCENE_FILES];
static size_t scene_files;
static struct scene scenes[SCENE_MOST];
static size_t scene_count;
static bool scene_quiet; /* effects that differ are counted, and not printed */

/* Keeps a text until the program ends. */
static char *scene_keep(const char *text)
{
    const size_t size = strlen(text) + 1;
    if (scene_used + size > sizeof scene_text)
        abort();
    char *kept = memcpy(scene_text + scene_used, text, size);
    scene_used += size;
    return kept;
}

static size_t scene_indent(const char *text)
{
    return strspn(text, " ");
}

/* Whether it is nothing to be played: blank, or a comment. */
static bool scene_line_is_idle(const struct scene_line *line)
{
    const char first = line->text[scene_indent(line->text)];
    return first == 0 || first == '#';
}

/* The file itself is wrong: nothing is played. */
static void scene_die(const struct scene_file *file, int number, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file->name, number, what);
    exit(2);
}

/* Whether an event's effects may stand below that line. */
static bool scene_is_event(const struct scene_line *line)
{
    const char *text = line->text + scene_indent(line->text);
    return strncmp(text, "body ", 5) != 0 && strncmp(text, "program ", 8) != 0;
}

/* A scene proves something, and each effect is compared. */
static void scene_check(const struct scene *scene)
{
    bool any = false, takes = false;
    for (const struct scene_line *line = scene->title + 1; line < scene->end; line++) {
        if (scene_line_is_idle(line))
            continue;
        if (line->effect && !takes)
            scene_die(scene->file, line->number, "an effect without an event above it");
        takes = line->effect || scene_is_event(line);
        any |= !line->effect && takes;
    }
    if (!any)
        scene_die(scene->file, scene->title->number, "a scene without events");
}

static void scene_read(const char *name)
{
    FILE *in = fopen(name, "r");
    char text[1024];
    struct scene_file *file = &scene_file[scene_files++];
    if (!in || scene_files == SCENE_FILES)
        abort();
    snprintf(file->name, sizeof file->name, "%s", name);
    file->line = &scene_line[scene_lines];
    const size_t before = scene_count;
    while (fgets(text, sizeof text, in)) {
        text[strcspn(text, "\n")] = 0;
        struct scene_line *line = &file->line[file->lines++];
        if (++scene_lines == SCENE_LINES)
            abort();
        *line = (struct scene_line){ .text = scene_keep(text), .number = (int)file->lines };
        line->effect = scene_indent(text) >= SCENE_INDENT;
        if (scene_indent(text) == 0 && !scene_line_is_idle(line)) {
            if (scene_count == SCENE_MOST)
                abort();
            scenes[scene_count++] = (struct scene){ .file = file, .title = line };
        }
        if (text[scene_indent(text)] == '\t')
            scene_die(file, line->number, "a tab: spaces tell titles, events and effects apart");
        if (scene_count > before)
            scenes[scene_count - 1].end = line + 1;
        else if (!scene_line_is_idle(line))
            scene_die(file, line->number, "no title stands above it");
    }
    fclose(in);
    if (scene_count == before)
        scene_die(file, (int)file->lines, "no scenes");
    for (size_t i = before; i < scene_count; i++)
        scene_check(&scenes[i]);
}

/* All files of that folder, or the one of that noun. */
static void scene_read_all(const char *folder, const char *noun)
{
    char pattern[256];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/%s.txt", folder, noun ? noun : "*");
    if (glob(pattern, 0, NULL, &found) != 0) {
        fprintf(stderr, "no scenes: %s\n", pattern);
        exit(2);
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        scene_read(found.gl_pathv[i]);
    globfree(&found);
}

/* Writes the file again, with the effects that its events had. */
static void scene_write(const struct scene_file *file)
{
    FILE *out = fopen(file->name, "w");
    const struct scene_line *end = file->line + file->lines;
    if (!out)
        abort();
    for (const struct scene_line *line = file->line; line < end; line++) {
        fprintf(out, "%s\n", line->text);
        if (!line->got)
            continue;
        for (const char *got = line->got; *got; got += strcspn(got, "\n") + 1)
            fprintf(out, "%*s%.*s\n", SCENE_INDENT, "", (int)strcspn(got, "\n"), got);
        while (line + 1 < end && line[1].effect)
            line++;
    }
    fclose(out);
}

/* The words of an event, taken one after the other. */
struct scene_words {
    const struct scene *scene;
    struct scene_line *line;
    char text[1024];
    const char *word[SCENE_WORDS + 1]; /* "" behind the last */
    size_t at;
};

static void scene_split(struct scene_words *w, const struct scene *scene, struct scene_line *line)
{
    size_t n = 0;
    char *rest;
    *w = (struct scene_words){ .scene = scene, .line = line };
    snprintf(w->text, sizeof w->text, "%s", line->text);
    for (char *word = strtok_r(w->text, " ", &rest); word && n < SCENE_WORDS;
         word = strtok_r(NULL, " ", &rest))
        w->word[n++] = word;
    while (n <= SCENE_WORDS)
        w->word[n++] = "";
}

/* The scene itself is wrong: nobody knows what it means. */
static void scene_wrong(const struct scene_words *w, const char *what)
{
    fprintf(stderr, "%s:%d: %s: '%s'\n", w->scene->file->name, w->line->number, what,
            w->word[w->at]);
    fail();
}

static const char *scene_word(struct scene_words *w)
{
    return *w->word[w->at] ? w->word[w->at++] : "";
}

/* Whether that word is the next; then it is taken. */
static bool scene_takes(struct scene_words *w, const char *word)
{
    const bool is = strcmp(w->word[w->at], word) == 0;
    w->at += is;
    return is;
}

static bool scene_is_number(const struct scene_words *w)
{
    char *end;
    strtod(w->word[w->at], &end);
    return *w->word[w->at] && (*end == 0 || *end == '/');
}

static double scene_number(struct scene_words *w)
{
    if (!scene_is_number(w))
        scene_wrong(w, "want a number");
    return strtod(scene_word(w), NULL);
}
