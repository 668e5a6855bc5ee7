/* Nested tasks that wait for their children: 1 + 2 + 4. */
#include "common.h"

static void tree(int depth) {
  spin_us(10);
  if (depth == 0) return;
  for (int i = 0; i < 2; i++) {
#pragma omp task
    tree(depth - 1);
  }
#pragma omp taskwait
}

int main(void) {
  REGION {
#pragma omp task
    tree(2);
  }
  return 0;
}
