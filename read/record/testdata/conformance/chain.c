/* out, three in, inout, in of another: 6 tasks. */
#include "common.h"

int main(void) {
  int x = 0, y = 0;
  REGION {
#pragma omp task depend(out : x)
    spin_us(50);
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(in : x)
      spin_us(20);
    }
#pragma omp task depend(inout : x) depend(out : y)
    spin_us(20);
#pragma omp task depend(in : y)
    spin_us(20);
  }
  return x + y;
}
