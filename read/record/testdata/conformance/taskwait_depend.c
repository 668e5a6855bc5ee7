/* taskwait depend waits for one of two chains. Needs libomp 16. */
#include "common.h"

int main(void) {
  int x = 0, y = 0;
  REGION {
#pragma omp task depend(out : x)
    spin_us(50);
#pragma omp task depend(out : y)
    spin_us(50);
#pragma omp taskwait depend(in : x)
#pragma omp task depend(in : y)
    spin_us(10);
  }
  return x + y;
}
