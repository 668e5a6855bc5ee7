/* Sixteen iterations, four to a task; an implicit group waits for them. */
#include "common.h"

int main(void) {
  REGION {
#pragma omp taskloop grainsize(4)
    for (int i = 0; i < 16; i++) spin_us(5);
  }
  return 0;
}
