/* Lines of the Gamebots protocol as they are written: "TYPE {Name value} {Name value}" and CR LF. A writer fills room that its caller has;
 * a line that does not fit is left out whole. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* The two generations of USARSim, with the same contents in other orders. */
enum robo__gb_dialect { ROBO__GB_UT2004, ROBO__GB_UDK };

struct robo__gb_out {
    char *at;
    size_t n, size; /* bytes that are written, and room */
    size_t begin;   /* of the line that is being written */
    bool full;      /* that line does not fit */
};

struct robo__gb_out robo__gb_out(char *room, size_t size);

/* Begins a line of that type. */
void robo__gb_begin(struct robo__gb_out *out, const char *type);
/* Ends it; false: it did not fit, and is not there. */
bool robo__gb_end(struct robo__gb_out *out);
/* Takes back the line that is being written. */
void robo__gb_cancel(struct robo__gb_out *out);

/* Lines that are written already, if they fit. */
void robo__gb_append(struct robo__gb_out *out, const char *lines, size_t n);

/* Any text, as printf does it; numbers with decimals go by robo__gb_put_number. */
void robo__gb_put(struct robo__gb_out *out, const char *form, ...)
    __attribute__((format(printf, 2, 3)));
/* With a point, whatever the locale; an unknown number is -1. */
void robo__gb_put_number(struct robo__gb_out *out, double x, int decimals);
/* "x,y,z" with four decimals each. */
void robo__gb_put_vector(struct robo__gb_out *out, const double *x, unsigned count);

/* A name of ours, of a sensor, a joint or a dof; and " {Name own}". Blanks and braces, which a descriptor may have in it, become "_", so
 * that it is one item. */
void robo__gb_put_name(struct robo__gb_out *out, const char *name);
void robo__gb_name(struct robo__gb_out *out, const char *name, const char *own);

/* " {Name word}", " {Name 1.0000}", " {Name x,y,z}". Braces and ends of lines in a word become "_". */
void robo__gb_word(struct robo__gb_out *out, const char *name, const char *word);
void robo__gb_real(struct robo__gb_out *out, const char *name, double x, int decimals);
void robo__gb_triple(struct robo__gb_out *out, const char *name, const double x[3]);
