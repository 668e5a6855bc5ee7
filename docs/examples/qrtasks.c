/* Executes the tasks of a sparse QR factorization on this machine: OpenMP tasks
   that do what qr_mumps's kernels do, on data of the same sizes, with LAPACK's
   dgeqrt and dgemqrt, and a line for each task when it is done. The numbers in
   the fronts are made up; the work, the memory and the dependences are not.

     dagscope sparse analyze M.mtx --workers 2 --tasks program.csv
     gcc -O2 -fopenmp qrtasks.c -o qrtasks -lopenblas -lm
     OMP_NUM_THREADS=2 ./qrtasks program.csv > tasks.csv
     dagscope import tasks.csv -o native.dsr

   See calibrate.md for what to do with it. Needs gcc 9 or clang 12 (dependences
   with iterators). */
#define _GNU_SOURCE
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern void dgeqrt_(const int *m, const int *n, const int *nb, double *a, const int *lda, double *t, const int *ldt, double *work, int *info);
extern void dgemqrt_(const char *side, const char *trans, const int *m, const int *n, const int *k, const int *nb, const double *v, const int *ldv,
                     const double *t, const int *ldt, double *c, const int *ldc, double *work, int *info, size_t, size_t);
extern void openblas_set_num_threads(int) __attribute__((weak));

enum { PANEL, UPDATE, SUBTREE, ACTIVATE, ASSEMBLE, DEACTIVATE, NKINDS };
static const char *const names[] = {"Panel", "Update", "Do_subtree", "Activate", "Assemble", "Deactivate"};
enum { READ, WRITE, COMMUTE };

struct task {
  int kind, front, i, j, prio;
  double p[7], flops, grow, shrink; /* MB NB BK fronts zeros coefficients released; bytes */
  int n[3], *handle[3];             /* accesses by mode */
  int worker;
  double submit, start, end, cpu;
  char *accesses;
};
struct block { int rows, cols; double *v, *t; };
struct front { int nblocks, width; struct block *block; };

static struct task *tasks;
static struct front *fronts;
static int ntasks, nfronts, nhandles, ib = 32;
static struct block **of;     /* the block of a handle */
static char *dep;             /* its address stands for a handle */
static double *numbers;       /* to be added into fronts */
enum { NUMBERS = 1 << 16 };

static void fail(const char *what, const char *about) { fprintf(stderr, "qrtasks: %s%s\n", what, about); exit(1); }
static void *need(size_t bytes) { void *p = calloc(bytes ? bytes : 1, 1); if (!p) fail("found no memory", ""); return p; }
static double now(clockid_t clock) { struct timespec t; clock_gettime(clock, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
static int least(int a, int b) { return a < b ? a : b; }

/* ---- the table of tasks ---- */

static const char *const columns[] = {"id", "kind", "front", "i", "j", "MB", "NB", "BK", "fronts", "zeros", "coefficients", "released", "flops", "prio", "mem_delta_start", "mem_delta_end", "accesses"};
enum { NCOLUMNS = sizeof columns / sizeof *columns };

static void read_accesses(struct task *t, char *text) {
  t->accesses = strdup(text);
  for (int pass = 0; pass < 2; pass++) {
    int n[3] = {0, 0, 0};
    char *copy = strdup(text), *rest = copy, *word;
    while ((word = strsep(&rest, " ")) != NULL) {
      int mode = word[0] == 'C' ? COMMUTE : strchr(word, 'W') ? WRITE : READ, h = atoi(word + strspn(word, "RWC"));
      if (!*word) continue;
      if (pass) t->handle[mode][n[mode]] = h;
      n[mode]++;
      if (h >= nhandles) nhandles = h + 1;
    }
    free(copy);
    for (int m = 0; m < 3 && !pass; m++) { t->n[m] = n[m]; t->handle[m] = need(sizeof(int) * (size_t)n[m]); }
  }
}

static void read_task(struct task *t, char **field) {
  for (t->kind = 0; t->kind < NKINDS && strcmp(names[t->kind], field[1]); t->kind++) {}
  if (t->kind == NKINDS) fail("found a task that is none of a QR factorization: ", field[1]);
  t->front = atoi(field[2]); t->i = atoi(field[3]); t->j = atoi(field[4]);
  for (int k = 0; k < 7; k++) t->p[k] = atof(field[5 + k]);
  t->flops = atof(field[12]); t->prio = atoi(field[13]); t->grow = atof(field[14]); t->shrink = atof(field[15]);
  read_accesses(t, field[16]);
  if (t->front >= nfronts) nfronts = t->front + 1;
}

static void read_tasks(const char *path) {
  FILE *f = fopen(path, "r");
  char *line = NULL, *rest, *field[NCOLUMNS];
  size_t size = 0, room = 0;
  if (!f) fail("cannot open ", path);
  for (long number = 0; getline(&line, &size, f) > 0; number++) {
    line[strcspn(line, "\r\n")] = 0;
    rest = line;
    int n = 0;
    while (n < NCOLUMNS && rest) field[n++] = strsep(&rest, ",");
    if (n < NCOLUMNS) fail("found a line of too few columns, want those of dagscope sparse analyze --tasks in ", path);
    if (number == 0) {
      for (int k = 0; k < NCOLUMNS; k++) if (strcmp(field[k], columns[k])) fail("found another column, want that of dagscope sparse analyze --tasks: ", columns[k]);
      continue;
    }
    if ((size_t)ntasks == room && !(tasks = realloc(tasks, sizeof *tasks * (room = room ? 2 * room : 1024)))) fail("found no memory", "");
    memset(&tasks[ntasks], 0, sizeof *tasks);
    read_task(&tasks[ntasks++], field);
  }
  free(line);
  fclose(f);
}

/* lay_out finds the block columns of all fronts, and which handle each has. */
static void lay_out(void) {
  fronts = need(sizeof *fronts * (size_t)nfronts);
  of = need(sizeof *of * (size_t)nhandles);
  dep = need((size_t)nhandles);
  for (int k = 0; k < ntasks; k++) {
    struct task *t = &tasks[k];
    int last = t->kind == UPDATE || t->kind == ASSEMBLE ? t->j : t->kind == PANEL ? t->i : 0;
    if (t->front >= 0 && last > fronts[t->front].nblocks) fronts[t->front].nblocks = last;
  }
  for (int f = 0; f < nfronts; f++) fronts[f].block = need(sizeof(struct block) * (size_t)(fronts[f].nblocks + 1));
  for (int k = 0; k < ntasks; k++) {
    struct task *t = &tasks[k];
    if (t->kind != PANEL && t->kind != UPDATE) continue;
    struct front *f = &fronts[t->front];
    struct block *b = &f->block[t->kind == PANEL ? t->i : t->j];
    if ((int)t->p[0] > b->rows) b->rows = (int)t->p[0];
    b->cols = (int)t->p[1];
    if (t->kind == PANEL && t->i == 1) f->width = b->cols;
    if (t->n[WRITE] > 0) of[t->handle[WRITE][0]] = b;
  }
}

/* ---- the kernels ---- */

static void add(double *to, size_t entries, size_t n, size_t step) {
  for (size_t i = 0, at = 0; i < n; i++, at += step) { if (at >= entries) at -= entries; to[at] += numbers[i & (NUMBERS - 1)]; }
}

static double *workspace(int kind, size_t entries) { /* of each thread */
  static __thread double *w[2];
  static __thread size_t size[2];
  if (entries > size[kind]) { free(w[kind]); w[kind] = need(8 * entries); size[kind] = entries; }
  return w[kind];
}

static void activate(const struct task *t) {
  struct front *f = &fronts[t->front];
  size_t all = 0;
  for (int j = 1; j <= f->nblocks; j++) all += (size_t)f->block[j].rows * (size_t)f->block[j].cols;
  for (int j = 1; j <= f->nblocks; j++) {
    struct block *b = &f->block[j];
    size_t entries = (size_t)b->rows * (size_t)b->cols, n = all ? (size_t)(t->p[5] * (double)entries / (double)all) : 0;
    if (!(b->v = malloc(8 * entries + 8)) || !(b->t = malloc(8 * (size_t)ib * (size_t)b->cols + 8))) fail("found no memory", "");
    memset(b->v, 0, 8 * entries + 8);
    if (n) add(b->v, entries, n, entries / n ? entries / n : 1);
  }
}

static void panel(const struct task *t) {
  struct front *f = &fronts[t->front];
  struct block *b = &f->block[t->i];
  int top = (t->i - 1) * f->width, m = (int)t->p[0] - top, n = b->cols, nb = least(ib, least(m, n)), info;
  if (m > 0) dgeqrt_(&m, &n, &nb, b->v + top, &b->rows, b->t, &ib, workspace(0, (size_t)ib * (size_t)n), &info);
}

static void update(const struct task *t) {
  struct front *f = &fronts[t->front];
  struct block *v = &f->block[t->i], *c = &f->block[t->j];
  int top = (t->i - 1) * f->width, m = (int)t->p[0] - top, n = c->cols, k = least(m, v->cols), nb = least(ib, k), info;
  if (m > 0) dgemqrt_("L", "T", &m, &n, &k, &nb, v->v + top, &v->rows, v->t, &ib, c->v + top, &c->rows, workspace(0, (size_t)ib * (size_t)n), &info, 1, 1);
}

/* assemble adds a block column of a child into those of its father that it touches. */
static void assemble(const struct task *t) {
  struct block *from = &fronts[t->front].block[t->j];
  size_t n = t->n[COMMUTE] ? (size_t)t->p[5] / (size_t)t->n[COMMUTE] : 0, entries = (size_t)from->rows * (size_t)from->cols;
  for (int k = 0; k < t->n[COMMUTE]; k++) {
    struct block *to = of[t->handle[COMMUTE][k]];
    if (!to || !to->v || !from->v || !entries) continue;
    size_t room = (size_t)to->rows * (size_t)to->cols;
    for (size_t i = 0, a = (size_t)k * n, b = 0; i < n && room; i++, a++, b += 2) { if (a >= entries) a -= entries; if (b >= room) b -= room; to->v[b] += from->v[a]; }
  }
}

static void deactivate(const struct task *t) {
  struct front *f = &fronts[t->front];
  for (int j = 1; j <= f->nblocks; j++) { free(f->block[j].v); free(f->block[j].t); f->block[j].v = f->block[j].t = NULL; }
}

/* subtree does the work of its fronts on fronts of equal size (see calibrate.md). */
static void subtree(const struct task *t) {
  int n = t->p[3] > 1 ? (int)t->p[3] : 1, some = n;
  double entries = t->p[4] > 1 ? t->p[4] : 1;
  while (some > 1 && 4.0 / 3 * pow(entries, 1.5) / sqrt(some) < t->flops) some = (some + 1) / 2;
  double area = entries / some, low = 1, high = area > 1 ? sqrt(area) : 1;
  for (int k = 0; k < 60; k++) { double c = (low + high) / 2; if (2 * c * area - 2 * c * c * c / 3 < t->flops / some) low = c; else high = c; }
  int cols = (int)lround(low), rows = (int)lround(area / (cols < 1 ? 1 : cols)), info;
  if (cols < 1) cols = 1;
  if (rows < 1) rows = 1;
  double *child = NULL;
  for (int f = 0; f < n; f++) {
    int m = f < some ? rows : 1, k = f < some ? cols : 1, nb = least(ib, least(m, k));
    size_t size = (size_t)m * (size_t)k, coefficients = (size_t)(t->p[5] / n);
    double *front = malloc(8 * size);
    if (!front) fail("found no memory", "");
    memset(front, 0, 8 * size);
    if (coefficients) add(front, size, coefficients, size / coefficients ? size / coefficients : 1);
    dgeqrt_(&m, &k, &nb, front, &m, workspace(1, (size_t)ib * (size_t)k), &nb, workspace(0, (size_t)ib * (size_t)k), &info);
    free(child);
    child = front;
  }
  free(child);
}

static void (*const kernel[])(const struct task *) = {panel, update, subtree, activate, assemble, deactivate};

static void execute(struct task *t) {
  double cpu = now(CLOCK_THREAD_CPUTIME_ID);
  t->start = now(CLOCK_MONOTONIC);
  t->worker = omp_get_thread_num();
  kernel[t->kind](t);
  t->end = now(CLOCK_MONOTONIC);
  t->cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

static void factorize(void) {
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < ntasks; k++) {
    struct task *t = &tasks[k];
    t->submit = now(CLOCK_MONOTONIC);
#pragma omp task firstprivate(t) priority(t->prio) depend(iterator(int h = 0 : t->n[READ]), in : dep[t->handle[READ][h]]) \
    depend(iterator(int h = 0 : t->n[WRITE]), inout : dep[t->handle[WRITE][h]]) depend(iterator(int h = 0 : t->n[COMMUTE]), mutexinoutset : dep[t->handle[COMMUTE][h]])
    execute(t);
  }
}

static void print_number(double v) { if (v != 0) printf("%.0f", v); }

static void report(void) {
  double zero = tasks[0].submit, first = INFINITY, last = -INFINITY;
  puts("id,kind,front,i,j,MB,NB,BK,fronts,zeros,coefficients,released,flops,prio,worker,submit,start,end,cpu,mem_delta_start,mem_delta_end,accesses");
  static const int has[][2] = {{0, 3}, {0, 3}, {3, 6}, {4, 6}, {5, 6}, {6, 7}};
  for (int k = 0; k < ntasks; k++) {
    const struct task *t = &tasks[k];
    printf("%d,%s,%d,%d,%d,", k, names[t->kind], t->front, t->i, t->j);
    for (int j = 0; j < 7; j++) { if (j >= has[t->kind][0] && j < has[t->kind][1]) printf("%.0f", t->p[j]); putchar(','); }
    printf("%.0f,%d,%d,%.9f,%.9f,%.9f,%.9f,", t->flops, t->prio, t->worker, t->submit - zero, t->start - zero, t->end - zero, t->cpu);
    print_number(t->grow); putchar(',');
    print_number(t->shrink); printf(",%s\n", t->accesses);
    if (t->start < first) first = t->start;
    if (t->end > last) last = t->end;
  }
  fprintf(stderr, "%d tasks on %d threads in %.6f s\n", ntasks, omp_get_max_threads(), last - first);
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) fail("usage: qrtasks PROGRAM.csv [IB]", "");
  if (argc == 3) ib = atoi(argv[2]) > 0 ? atoi(argv[2]) : 32;
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  read_tasks(argv[1]);
  if (!ntasks) fail("found no task in ", argv[1]);
  lay_out();
  numbers = need(8 * NUMBERS);
  for (int i = 0; i < NUMBERS; i++) numbers[i] = (double)(i * 7919 % 1000) / 1000 - 0.5;
  factorize();
  report();
  return 0;
}
