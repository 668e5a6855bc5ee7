/* A group waits for grandchildren too, and for nothing created before it. */
#include "common.h"

int main(void) {
  REGION {
#pragma omp task
    spin_us(100);
#pragma omp taskgroup
    {
      for (int i = 0; i < 3; i++) {
#pragma omp task
        {
#pragma omp task
          spin_us(20);
          spin_us(10);
        }
      }
    }
  }
  return 0;
}
