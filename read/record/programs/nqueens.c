/* Ways to put N queens on a board, a task per placement down to a depth.
 * nqueens N CUTOFF */
#include "common.h"

static int n, cutoff;

static long count(int row, uint32_t columns, uint32_t left, uint32_t right) {
  if (row == n) return 1;
  long ways = 0;
  for (uint32_t free_ = ~(columns | left | right) & ((1u << n) - 1); free_; free_ &= free_ - 1) {
    uint32_t q = free_ & -free_;
    ways += count(row + 1, columns | q, (left | q) << 1, (right | q) >> 1);
  }
  return ways;
}

static long place(int row, uint32_t columns, uint32_t left, uint32_t right) {
  if (row >= cutoff) return count(row, columns, left, right);
  long ways[32] = {0}, sum = 0;
  int i = 0;
  for (uint32_t free_ = ~(columns | left | right) & ((1u << n) - 1); free_; free_ &= free_ - 1, i++) {
    uint32_t q = free_ & -free_;
#pragma omp task shared(ways) firstprivate(i, q)
    ways[i] = place(row + 1, columns | q, (left | q) << 1, (right | q) >> 1);
  }
#pragma omp taskwait
  for (int k = 0; k < i; k++) sum += ways[k];
  return sum;
}

int main(int argc, char **argv) {
  n = (int)argument(argc, argv, 1, 12);
  cutoff = (int)argument(argc, argv, 2, 4);
  long ways = 0;
#pragma omp parallel
#pragma omp single
  ways = place(0, 0, 0, 0);
  printf("nqueens(%d) = %ld\n", n, ways);
  return 0;
}
