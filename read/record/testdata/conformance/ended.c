/* Nothing is recorded after the program has said that this is the end. */
#include "common.h"

int main(void) {
  REGION {
#pragma omp task if (0)
    spin_us(10);
    omp_control_tool(omp_control_tool_end, 0, NULL);
    for (int i = 0; i < 5; i++) {
#pragma omp task if (0)
      spin_us(10);
    }
  }
  return 0;
}
