/* Untied tasks that yield and wait for a child. */
#include "common.h"

int main(void) {
  REGION {
    for (int i = 0; i < 2; i++) {
#pragma omp task untied
      {
        spin_us(20);
#pragma omp taskyield
        spin_us(20);
#pragma omp task
        spin_us(20);
#pragma omp taskwait
        spin_us(20);
      }
    }
  }
  return 0;
}
