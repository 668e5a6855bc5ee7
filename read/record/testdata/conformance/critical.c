/* Worksharing, a critical section, an explicit barrier; tasks in between. */
#include "common.h"

int main(void) {
  int sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < 16; i++) {
#pragma omp critical
      sum += i;
    }
#pragma omp barrier
#pragma omp task
    spin_us(10);
  }
  return sum != 120;
}
