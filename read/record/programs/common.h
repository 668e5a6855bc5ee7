/* Small task programs to measure a recorder with. Each prints one line:
 * its result, so that a wrong run is seen. */
#ifndef PROGRAMS_COMMON_H
#define PROGRAMS_COMMON_H
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline long argument(int argc, char **argv, int i, long otherwise) {
  return argc > i ? atol(argv[i]) : otherwise;
}

static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* random32 is a small generator of our own (xorshift*), for the same input everywhere. */
static inline uint32_t random32(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)((*state * 0x2545f4914f6cdd1dull) >> 32);
}
#endif
