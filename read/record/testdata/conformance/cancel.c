/* Of eight tasks the second cancels the group; OMP_CANCELLATION must be set. */
#include "common.h"

int main(void) {
  REGION {
#pragma omp taskgroup
    {
      for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
        {
          spin_us(50);
          if (i == 1) {
#pragma omp cancel taskgroup
          }
          spin_us(50);
#pragma omp cancellation point taskgroup
          spin_us(50);
        }
      }
    }
  }
  return 0;
}
