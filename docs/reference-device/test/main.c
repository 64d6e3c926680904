#include <stdio.h>

#include "power.h"
#include "selftest.h"

static void say(const char *text) { fputs(text, stdout); }

int main(void) { return selftest(say, false) + power(say) ? 1 : 0; }
