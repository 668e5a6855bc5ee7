/* Fibonacci numbers, two tasks per call, down to a depth of calls (0: no
 * cut-off, the finest grain there is). fib N CUTOFF */
#include "common.h"

static long serial(int n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

static long fib(int n, int depth) {
  if (n < 2) return n;
  if (depth == 0) return serial(n);
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1, depth - 1);
#pragma omp task shared(b)
  b = fib(n - 2, depth - 1);
#pragma omp taskwait
  return a + b;
}

int main(int argc, char **argv) {
  int n = (int)argument(argc, argv, 1, 27), cutoff = (int)argument(argc, argv, 2, 0);
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(n, cutoff ? cutoff : -1);
  printf("fib(%d) = %ld\n", n, result);
  return 0;
}
