#ifndef FELT_POWER_H
#define FELT_POWER_H

/* Cuts the power at every byte that is stored; says how often something was lost by it. */
unsigned power(void (*say)(const char *));

#endif
