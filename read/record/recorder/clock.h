/* Time: the processor's counter where it can be trusted, else CLOCK_MONOTONIC. */
#ifndef DAGSCOPE_CLOCK_H
#define DAGSCOPE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "dsom.h"

extern bool clock_is_counter;

static inline uint64_t clock_ns(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t t;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#else
  return clock_ns(CLOCK_MONOTONIC);
#endif
}

/* ticks reads the recording's clock. */
static inline uint64_t ticks(void) {
  if (__builtin_expect(clock_is_counter, 1)) return counter();
  return clock_ns(CLOCK_MONOTONIC);
}

/* clock_choose follows the wish ("tsc", "monotonic" or NULL) as far as the
 * machine allows. */
void clock_choose(const char *wish);
/* clock_frequency is what the processor says of its counter, in Hz, or 0. */
uint64_t clock_frequency(void);
/* clock_millisecond is about a millisecond in ticks. */
uint64_t clock_millisecond(void);
/* clock_name is the clock that was chosen, in one word. */
const char *clock_name(void);
/* clock_pair reads all clocks at (nearly) one moment. */
dsom_pair clock_pair(void);

#endif
