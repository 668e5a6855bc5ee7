/* A target task that goes on beside the program, on the host for want of a device. */
#include "common.h"

int main(void) {
  int x = 0;
  REGION {
#pragma omp target nowait map(tofrom : x) depend(out : x)
    x++;
#pragma omp task depend(in : x)
    spin_us(20);
#pragma omp taskwait
  }
  return x != 1;
}
