#ifndef FELT_SELFTEST_H
#define FELT_SELFTEST_H

#include <stdbool.h>

/* How many of the vectors do not hold. `say` gets words for people. */
unsigned selftest(void (*say)(const char *), bool is_small);

#endif
