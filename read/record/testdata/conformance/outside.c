/* Tasks outside of a region, in a team of one, and in a region that is none. */
#include "common.h"

int main(void) {
  int x = 0;
#pragma omp task depend(out : x)
  spin_us(10);
#pragma omp task depend(in : x)
  spin_us(10);
#pragma omp taskwait
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp task
    spin_us(10);
  }
#pragma omp parallel if (0)
  {
#pragma omp task
    spin_us(10);
  }
  return x;
}
