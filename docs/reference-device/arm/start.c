/* The start of a Cortex-M0 in an emulator: memory made ready, the self-test, and words by semihosting. */
#include <stdint.h>

#include "../test/selftest.h"

#define SYS_WRITE0 0x04
#define SYS_EXIT 0x18
#define STOPPED_APPLICATION_EXIT 0x20026
#define STOPPED_RUN_TIME_ERROR 0x20023

extern uint32_t data_from[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

static void semihost(uint32_t operation, uintptr_t with)
{
    register uint32_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void say(const char *text) { semihost(SYS_WRITE0, (uintptr_t)text); }

void reset(void);
void reset(void)
{
    const uint32_t *from = data_from;

    for (uint32_t *to = data_begin; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_begin; to < bss_end;)
        *to++ = 0;
    semihost(SYS_EXIT, selftest(say, true) ? STOPPED_RUN_TIME_ERROR : STOPPED_APPLICATION_EXIT);
    for (;;)
        ;
}

static void fault(void)
{
    say("the part has faulted\n");
    semihost(SYS_EXIT, STOPPED_RUN_TIME_ERROR);
    for (;;)
        ;
}

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[] = {
    (uintptr_t)stack_top, (uintptr_t)reset, (uintptr_t)fault, (uintptr_t)fault,
};
