/* Strassen's product of matrices: seven products by tasks per level, down to a
 * leaf that is multiplied directly. strassen N LEAF */
#include "common.h"
#include <math.h>

static int leaf;

static void direct(int n, const double *a, int la, const double *b, int lb, double *c, int lc) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) c[i * lc + j] = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) c[i * lc + j] += a[i * la + k] * b[k * lb + j];
  }
}

/* add is to = a + sign * b, packed. */
static void add(int n, const double *a, const double *b, int l, double sign, double *to) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) to[i * n + j] = a[i * l + j] + sign * b[i * l + j];
}

static void multiply(int n, const double *a, int la, const double *b, int lb, double *c, int lc);

/* product makes one of the seven: (a1 + sa*a2) * (b1 + sb*b2); a sign of 0: a1 alone. */
static void product(int n, const double *a1, const double *a2, double sa, int la, const double *b1, const double *b2,
                    double sb, int lb, double *to) {
  size_t cells = (size_t)n * (size_t)n;
  double *x = malloc(2 * cells * sizeof *x), *y = x + cells;
  if (sa != 0) add(n, a1, a2, la, sa, x);
  if (sb != 0) add(n, b1, b2, lb, sb, y);
  multiply(n, sa != 0 ? x : a1, sa != 0 ? n : la, sb != 0 ? y : b1, sb != 0 ? n : lb, to, n);
  free(x);
}

static void multiply(int n, const double *a, int la, const double *b, int lb, double *c, int lc) {
  if (n <= leaf) {
    direct(n, a, la, b, lb, c, lc);
    return;
  }
  int h = n / 2;
  size_t cells = (size_t)h * (size_t)h;
  const double *a11 = a, *a12 = a + h, *a21 = a + h * la, *a22 = a21 + h;
  const double *b11 = b, *b12 = b + h, *b21 = b + h * lb, *b22 = b21 + h;
  double *m = malloc(7 * cells * sizeof *m);
#define P(i, ...) product(h, __VA_ARGS__, m + (i)*cells)
#pragma omp task
  P(0, a11, a22, 1, la, b11, b22, 1, lb);
#pragma omp task
  P(1, a21, a22, 1, la, b11, b11, 0, lb);
#pragma omp task
  P(2, a11, a11, 0, la, b12, b22, -1, lb);
#pragma omp task
  P(3, a22, a22, 0, la, b21, b11, -1, lb);
#pragma omp task
  P(4, a11, a12, 1, la, b22, b22, 0, lb);
#pragma omp task
  P(5, a21, a11, -1, la, b11, b12, 1, lb);
#pragma omp task
  P(6, a12, a22, -1, la, b21, b22, 1, lb);
#pragma omp taskwait
  for (int i = 0; i < h; i++)
    for (int j = 0; j < h; j++) {
      const double *p = m + (size_t)i * (size_t)h + j;
      c[i * lc + j] = p[0] + p[3 * cells] - p[4 * cells] + p[6 * cells];
      c[i * lc + j + h] = p[2 * cells] + p[4 * cells];
      c[(i + h) * lc + j] = p[cells] + p[3 * cells];
      c[(i + h) * lc + j + h] = p[0] - p[cells] + p[2 * cells] + p[5 * cells];
    }
  free(m);
}

int main(int argc, char **argv) {
  int n = (int)argument(argc, argv, 1, 512);
  leaf = (int)argument(argc, argv, 2, 64);
  size_t cells = (size_t)n * (size_t)n;
  double *a = malloc(3 * cells * sizeof *a), *b = a + cells, *c = b + cells, worst = 0;
  uint64_t seed = 1;
  for (size_t i = 0; i < 2 * cells; i++) a[i] = (double)(random32(&seed) % 1000) / 1000;
#pragma omp parallel
#pragma omp single
  multiply(n, a, n, b, n, c, n);
  for (int i = 0; i < n; i += 37)
    for (int j = 0; j < n; j += 41) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      worst = fmax(worst, fabs(sum - c[i * n + j]));
    }
  printf("strassen: worst error %.1e\n", worst);
  return worst > 1e-6;
}
