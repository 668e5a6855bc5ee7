/* omp_all_memory: after every task with a dependence, before every one that follows. */
#include "common.h"

int main(void) {
  int x = 0, y = 0;
  REGION {
#pragma omp task depend(out : x)
    spin_us(10);
#pragma omp task depend(out : y)
    spin_us(10);
#pragma omp task depend(out : omp_all_memory)
    spin_us(10);
#pragma omp task depend(in : x)
    spin_us(10);
  }
  return x + y;
}
