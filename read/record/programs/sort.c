/* Merge sort: halves are tasks, and so are the halves of a merge. sort N GRAIN */
#include "common.h"

static long grain;

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static long lower(const uint32_t *v, long n, uint32_t x) {
  long lo = 0;
  while (n > 0) {
    long half = n / 2;
    if (v[lo + half] < x) lo += half + 1, n -= half + 1;
    else n = half;
  }
  return lo;
}

static void merge(const uint32_t *a, long na, const uint32_t *b, long nb, uint32_t *to) {
  if (na < nb) {
    merge(b, nb, a, na, to);
    return;
  }
  if (na + nb <= grain) {
    while (na && nb) *to++ = *a <= *b ? (na--, *a++) : (nb--, *b++);
    memcpy(to, a, (size_t)na * sizeof *a);
    memcpy(to + na, b, (size_t)nb * sizeof *b);
    return;
  }
  long ha = na / 2, hb = lower(b, nb, a[ha]);
#pragma omp task
  merge(a, ha, b, hb, to);
#pragma omp task
  merge(a + ha, na - ha, b + hb, nb - hb, to + ha + hb);
#pragma omp taskwait
}

static void sort(uint32_t *v, long n, uint32_t *spare) {
  if (n <= grain) {
    qsort(v, (size_t)n, sizeof *v, compare);
    return;
  }
  long half = n / 2;
#pragma omp task
  sort(v, half, spare);
#pragma omp task
  sort(v + half, n - half, spare + half);
#pragma omp taskwait
  merge(v, half, v + half, n - half, spare);
  memcpy(v, spare, (size_t)n * sizeof *v);
}

int main(int argc, char **argv) {
  long n = argument(argc, argv, 1, 4000000), bad = 0;
  grain = argument(argc, argv, 2, 512);
  uint32_t *v = malloc((size_t)n * sizeof *v), *spare = malloc((size_t)n * sizeof *v);
  uint64_t seed = 1;
  for (long i = 0; i < n; i++) v[i] = random32(&seed);
#pragma omp parallel
#pragma omp single
  sort(v, n, spare);
  for (long i = 1; i < n; i++) bad += v[i - 1] > v[i];
  printf("sort: %ld numbers, %ld out of order\n", n, bad);
  return bad != 0;
}
