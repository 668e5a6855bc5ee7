/* Load imbalance (Pereira 2024, section 4.2): thread t of n creates a task
 * of t*G microseconds, then all meet in a barrier; I times. Prints what the tasks
 * themselves measured, and per iteration the median. imbalance G I */
#include "common.h"

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  double g = argc > 1 ? atof(argv[1]) : 16;
  long iterations = argument(argc, argv, 2, 2000);
  int n = omp_get_max_threads();
  uint64_t *measured = calloc((size_t)n * (size_t)iterations, sizeof *measured), *sum = measured;
#pragma omp parallel
  {
    uint64_t ns = (uint64_t)((omp_get_thread_num() + 1) * g * 1000);
    uint64_t *mine = measured + (size_t)omp_get_thread_num() * (size_t)iterations; /* no sharing: it would be work */
    for (long i = 0; i < iterations; i++) {
#pragma omp task firstprivate(ns, i, mine)
      {
        uint64_t a = now_ns(), b;
        while ((b = now_ns()) < a + ns) {}
        mine[i] = b - a;
      }
#pragma omp barrier
    }
  }
  for (int t = 1; t < n; t++)
    for (long i = 0; i < iterations; i++) sum[i] += measured[t * iterations + i];
  qsort(sum, (size_t)iterations, sizeof *sum, compare);
  printf("imbalance: n=%d g_us=%g iterations=%ld ideal_work_ns=%.0f median_work_ns=%llu\n", n, g, iterations,
         g * 1000 * n * (n + 1) / 2, (unsigned long long)sum[iterations / 2]);
  return 0;
}
