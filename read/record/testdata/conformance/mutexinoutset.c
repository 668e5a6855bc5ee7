/* out, then three that exclude one another in any order, then in. */
#include "common.h"

int main(void) {
  int x = 0;
  REGION {
#pragma omp task depend(out : x)
    spin_us(20);
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(mutexinoutset : x)
      spin_us(20);
    }
#pragma omp task depend(in : x)
    spin_us(20);
  }
  return x;
}
