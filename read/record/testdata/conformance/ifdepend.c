/* if(0) with a dependence: a pseudo task waits for the predecessor. Needs libomp 16. */
#include "common.h"

int main(void) {
  int x = 0;
  REGION {
#pragma omp task depend(out : x)
    spin_us(50);
#pragma omp task depend(in : x) if (0)
    spin_us(20);
  }
  return x;
}
