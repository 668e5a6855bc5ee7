/* The callbacks of what is handed out of loops and sections, of masked regions and of
 * mutual exclusion. They can be left out (DAGSCOPE_OMPT_CHUNKS, DAGSCOPE_OMPT_LOCKS):
 * programs may take a lock or a chunk every few dozen nanoseconds. */
#include "ompt.h"
#include "recorder.h"

/* put_two writes a record with two words behind the payload. now 0: take the time last. */
static inline void put_two(uint64_t head, uint64_t payload, uint64_t second, uint64_t third, uint64_t now) {
  uint64_t at = now ? now : ticks();
  char *p = quick(32, at);
  if (UNLIKELY(!p)) {
    if (is_quiet()) {
      missed();
      return;
    }
    if (!(p = reserve(32, now))) return;
    if (!now) at = ticks();
  }
  ((uint64_t *)(void *)p)[2] = second;
  ((uint64_t *)(void *)p)[3] = third;
  put(p, head, payload, at, 32);
}

static inline void put_one(uint64_t head, uint64_t payload, uint64_t now) {
  uint64_t at = now ? now : ticks();
  char *p = quick(16, at);
  if (UNLIKELY(!p)) {
    if (is_quiet()) {
      missed();
      return;
    }
    if (!(p = reserve(16, now))) return;
    if (!now) at = ticks();
  }
  put(p, head, payload, at, 16);
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, int kind, ompt_data_t instance) {
  (void)parallel, (void)task;
  uint64_t first = instance.value, iterations = 1;
  if (kind > OMPT_DISPATCH_SECTION) {
    const ompt_dispatch_chunk_t *chunk = instance.ptr;
    first = chunk ? chunk->start : 0;
    iterations = chunk ? chunk->iterations : 0;
  }
  put_two(DSOM_HEAD(DSOM_DISPATCH, kind, 0), first, iterations, 0, 0);
}

void on_masked(int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code) {
  (void)parallel;
  uint64_t head = DSOM_HEAD(DSOM_MASKED, 0, endpoint), of = task ? task->value : 0;
  uint64_t now = endpoint == OMPT_SCOPE_END ? ticks() : 0;
  if (of == self.current)
    put_one(head, (uintptr_t)code, now);
  else
    put_two(head | DSOM_HEAD(0, 0, DSOM_X), (uintptr_t)code, of, 0, now);
}

/* Waiting begins with the request and ends with the acquisition. */
static void on_mutex_acquire(int kind, unsigned hint, unsigned impl, ompt_wait_id_t lock, const void *code) {
  (void)hint, (void)impl;
  put_two(DSOM_HEAD(DSOM_MUTEX_ACQUIRE, kind, 0), (uintptr_t)code, lock, 0, ticks());
}

static void on_mutex_acquired(int kind, ompt_wait_id_t lock, const void *code) {
  (void)code;
  put_one(DSOM_HEAD(DSOM_MUTEX_ACQUIRED, kind, 0), lock, 0);
}

static void on_mutex_released(int kind, ompt_wait_id_t lock, const void *code) {
  (void)code;
  put_one(DSOM_HEAD(DSOM_MUTEX_RELEASED, kind, 0), lock, ticks());
}

static void on_nest_lock(int endpoint, ompt_wait_id_t lock, const void *code) {
  (void)code;
  put_one(DSOM_HEAD(DSOM_NEST_LOCK, endpoint, 0), lock, 0);
}

const callback callbacks_chunks[] = {
    CALLBACK(OMPT_DISPATCH, "dispatch", on_dispatch),
    {0, NULL, NULL},
};

const callback callbacks_mutexes[] = {
    CALLBACK(OMPT_MUTEX_ACQUIRE, "mutex_acquire", on_mutex_acquire),
    CALLBACK(OMPT_MUTEX_ACQUIRED, "mutex_acquired", on_mutex_acquired),
    CALLBACK(OMPT_MUTEX_RELEASED, "mutex_released", on_mutex_released),
    CALLBACK(OMPT_NEST_LOCK, "nest_lock", on_nest_lock),
    {0, NULL, NULL},
};
