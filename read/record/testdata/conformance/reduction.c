/* A reduction over tasks of a group. */
#include "common.h"

int main(void) {
  int sum = 0;
  REGION {
#pragma omp taskgroup task_reduction(+ : sum)
    {
      for (int i = 1; i <= 5; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
      }
    }
  }
  return sum != 15;
}
