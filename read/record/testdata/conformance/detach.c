/* One event is fulfilled late, by a thread that OpenMP does not know; one early, by
 * the task itself. */
#include "common.h"
#include <pthread.h>

static omp_event_handle_t late;
static volatile int have;

static void *helper(void *none) {
  while (!have) usleep(100);
  usleep(2000);
  omp_fulfill_event(late);
  return none;
}

int main(void) {
  int x = 0;
  pthread_t thread;
  pthread_create(&thread, 0, helper, 0);
  REGION {
    omp_event_handle_t a, b;
#pragma omp task detach(a) depend(out : x)
    {
      late = a;
      have = 1;
      spin_us(20);
    }
#pragma omp task depend(in : x)
    spin_us(20);
#pragma omp task detach(b)
    {
      omp_fulfill_event(b);
      spin_us(20);
    }
#pragma omp taskwait
  }
  pthread_join(thread, 0);
  return x;
}
