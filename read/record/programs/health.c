/* A hierarchy of villages whose patients wait, are treated or are sent up one
 * level, step by step; each village's step is a task, the longer the more BEDS
 * there are. health LEVELS STEPS BEDS */
#include "common.h"

enum { BRANCH = 4 };
static int beds;

typedef struct village {
  struct village *child[BRANCH];
  int level, waiting, treated;
  int sent;
  uint64_t seed;
  int left[]; /* steps that each bed is taken */
} village;

static village *build(int level, uint64_t seed) {
  village *v = calloc(1, sizeof *v + (size_t)beds * sizeof *v->left);
  v->level = level;
  v->seed = seed;
  for (int i = 0; level > 1 && i < BRANCH; i++) v->child[i] = build(level - 1, seed * BRANCH + (uint64_t)i + 2);
  return v;
}

static void arrive(village *v) {
  for (int i = 0; i < BRANCH; i++)
    if (v->child[i]) {
      v->waiting += v->child[i]->sent;
      v->child[i]->sent = 0;
    }
  if (random32(&v->seed) % 3 == 0) v->waiting++;
}

static void treat(village *v) {
  for (int i = 0; i < beds; i++) {
    if (v->left[i] > 0 && --v->left[i] == 0) v->treated++;
    if (v->left[i] == 0 && v->waiting > 0) {
      v->waiting--;
      uint32_t r = random32(&v->seed);
      if (r % 10 == 0) v->sent++;
      else v->left[i] = 1 + (int)(r >> 8) % 20;
    }
  }
}

static void step(village *v) {
  for (int i = 0; i < BRANCH; i++)
    if (v->child[i]) {
#pragma omp task
      step(v->child[i]);
    }
#pragma omp taskwait
  arrive(v);
  treat(v);
}

static long total(const village *v) {
  long n = v->treated;
  for (int i = 0; i < BRANCH; i++)
    if (v->child[i]) n += total(v->child[i]);
  return n;
}

int main(int argc, char **argv) {
  beds = (int)argument(argc, argv, 3, 64);
  village *top = build((int)argument(argc, argv, 1, 6), 1);
  long steps = argument(argc, argv, 2, 300);
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < steps; i++) step(top);
  printf("health: %ld treated\n", total(top));
  return 0;
}
