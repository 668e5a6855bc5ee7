#include "clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool clock_is_counter;

#if defined(__x86_64__)
/* constant: the counter runs at one rate whatever the processor's power state. */
static bool constant(void) {
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}
#endif

/* trusted: the kernel, which watches the counters of all processors, has not
 * turned away from them. */
static bool trusted(void) {
  char name[64] = "";
  int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  if (n > 0 && name[n - 1] == '\n') name[n - 1] = 0;
  return !strcmp(name, "tsc") || !strcmp(name, "kvm-clock") || !strcmp(name, "hyperv_clocksource_tsc_page");
}

void clock_choose(const char *wish) {
#if defined(__x86_64__)
  if (wish && !strcmp(wish, "tsc"))
    clock_is_counter = true;
  else
    clock_is_counter = !(wish && !strcmp(wish, "monotonic")) && constant() && trusted();
#elif defined(__aarch64__)
  clock_is_counter = !(wish && !strcmp(wish, "monotonic")); /* the architecture guarantees it */
  (void)trusted;
#else
  (void)wish, (void)trusted;
#endif
}

uint64_t clock_frequency(void) {
  if (!clock_is_counter) return 1000000000u;
#if defined(__x86_64__)
  unsigned a, b, c, d;
  if (__get_cpuid(0x15, &a, &b, &c, &d) && a && b && c) return (uint64_t)c * b / a;
  __cpuid(1, a, b, c, d);
  if (c & 1u << 31) { /* a hypervisor: leaf 0x40000010 holds kHz where it exists */
    __cpuid(0x40000000, a, b, c, d);
    if (a >= 0x40000010) {
      __cpuid(0x40000010, a, b, c, d);
      if (a) return (uint64_t)a * 1000;
    }
  }
#elif defined(__aarch64__)
  uint64_t f;
  __asm__("mrs %0, cntfrq_el0" : "=r"(f));
  return f;
#endif
  return 0;
}

uint64_t clock_millisecond(void) {
  uint64_t f = clock_frequency();
  return f ? f / 1000 : 1u << 21; /* counters whose rate is not known run at 1 to 4 GHz */
}

const char *clock_name(void) {
  if (!clock_is_counter) return "monotonic";
#if defined(__aarch64__)
  return "cntvct";
#else
  return "tsc";
#endif
}

/* The narrowest of a few tries: the thread may be interrupted between readings. */
dsom_pair clock_pair(void) {
  dsom_pair best = {0};
  for (int i = 0; i < 4; i++) {
    uint64_t before = ticks(), monotonic = clock_ns(CLOCK_MONOTONIC), after = ticks();
    if (i == 0 || after - before < best.uncertainty) {
      best.ticks = clock_is_counter ? before + (after - before) / 2 : monotonic;
      best.monotonic = monotonic;
      best.uncertainty = after - before;
      best.realtime = clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - monotonic);
    }
  }
  return best;
}
