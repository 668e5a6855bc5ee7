/* The predecessor of the second task is done when that is created: the runtime reports
 * no edge, its dependences do. */
#include "common.h"

int main(void) {
  int x = 0;
  REGION {
#pragma omp task depend(out : x)
    spin_us(10);
#pragma omp taskwait
#pragma omp task depend(in : x)
    spin_us(10);
  }
  return x;
}
