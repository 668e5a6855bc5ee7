/* Pause, resume, marks: three tasks, of which the second is not recorded. */
#include "common.h"

int main(void) {
  REGION {
    omp_control_tool(64, 7, "first phase");
#pragma omp task if (0)
    spin_us(10);
    omp_control_tool(omp_control_tool_pause, 0, NULL);
#pragma omp task if (0)
    spin_us(10);
    omp_control_tool(omp_control_tool_start, 0, NULL);
    omp_control_tool(65, 8, (void *)16); /* no string: must not be read */
#pragma omp task if (0)
    spin_us(10);
    omp_control_tool(omp_control_tool_flush, 0, NULL);
  }
  return 0;
}
