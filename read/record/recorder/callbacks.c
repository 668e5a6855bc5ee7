/* The callbacks. Each makes room, stamps the time and stores a record: no lock,
 * no call, no memory but the thread's own. Time is taken last where an interval of
 * work begins and first where one ends, so that recording is not counted as work.
 * Those of which there are many have a short way, brief, for what is the rule, and
 * a full way for everything. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "ompt.h"
#include "recorder.h"

static inline uint64_t value(const ompt_data_t *data) { return data ? data->value : 0; }

/* missed notes that something was not written: the next record is preceded by
 * what a reader can no longer derive. */
__attribute__((noinline)) void missed(void) {
  if (!self.last) thread_first_seen();
  self.stale = true;
  self.end = self.pos;
}

/* brief writes a record of 16 bytes if nothing stands against it. */
static inline bool brief(uint64_t head, uint64_t payload) {
  uint64_t now = counter();
  char *p = quick(16, now);
  if (UNLIKELY(!p)) return false;
  put(p, head, payload, now, 16);
  return true;
}

/* record writes a record of 16 bytes, or of 32 with X if the task is not the
 * one that a reader derives. now 0: take the time last. */
static inline void record(uint64_t head, uint64_t payload, uint64_t task, uint64_t derived, uint64_t now) {
  size_t n = LIKELY(task == derived) ? 16 : 32;
  char *p = reserve(n, now);
  if (UNLIKELY(!p)) return;
  if (UNLIKELY(n == 32)) {
    ((uint64_t *)(void *)p)[2] = task;
    ((uint64_t *)(void *)p)[3] = 0;
    head |= DSOM_HEAD(0, 0, DSOM_X);
  }
  put(p, head, payload, now ? now : ticks(), n);
}

static _Atomic bool ended; /* by the program: nothing is recorded any more */

/* record_long writes a record with words after the payload; n is even. */
static void record_long(uint64_t head, uint64_t payload, const uint64_t *words, size_t n, uint64_t now) {
  if (UNLIKELY(atomic_load_explicit(&ended, memory_order_relaxed))) return;
  char *p = reserve(16 + 8 * n, now);
  if (!p) return;
  if (n) memcpy(p + 16, words, 8 * n);
  put(p, head, payload, now ? now : ticks(), 16 + 8 * n);
}

/* --- threads and regions ------------------------------------------------ */

static void on_thread_begin(int type, ompt_data_t *data) {
  (void)data;
  if (!self.last) thread_first_seen();
  self.type = (uint32_t)type;
  self.begun = file_awaited(); /* the runtime begins anew in every fork, most of which only exec */
  if (self.begun) return;
  record_long(DSOM_HEAD(DSOM_THREAD_BEGIN, type, 0), self.tid, NULL, 0, ticks());
}

static void on_thread_end(ompt_data_t *data) {
  (void)data;
  if (!self.last) return;
  self.due = true; /* the last reading of its processor time; the first was at its first event */
  record_long(DSOM_HEAD(DSOM_THREAD_END, 0, 0), 0, NULL, 0, ticks());
  thread_leaves();
}

static uint64_t parallel_flags(int flags) {
  return ((unsigned)flags & 3) | ((unsigned)flags >> 30) << 2;
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                              unsigned requested, int flags, const void *code) {
  (void)frame;
  uint64_t now = ticks();
  if (!self.last) thread_first_seen();
  describe_places_once();
  describe_new_maps_seldom(now);
  parallel->value = ++self.region;
  uint64_t words[] = {parallel->value, value(task), requested, 0};
  record_long(DSOM_HEAD(DSOM_PARALLEL_BEGIN, 0, parallel_flags(flags)), (uintptr_t)code, words, 4, now);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code) {
  if (!self.last) thread_first_seen();
  uint64_t words[] = {value(parallel), value(task)};
  record_long(DSOM_HEAD(DSOM_PARALLEL_END, 0, parallel_flags(flags)), (uintptr_t)code, words, 2, 0);
  self.current = words[1];
}

/* binding records once per thread where it may run; at its first implicit
 * task the runtime has bound it. */
static void binding(void) {
  self.bound = true;
  enum { WORDS = CPU_SETSIZE / 64 };
  union { cpu_set_t set; uint64_t word[WORDS]; } mask;
  memset(&mask, 0, sizeof mask);
  if (sched_getaffinity(0, sizeof mask.set, &mask.set) != 0) return;
  size_t n = WORDS;
  while (n > 0 && !mask.word[n - 1]) n--;
  uint64_t payload = n | (uint64_t)(uint32_t)place_number() << 32;
  record_long(DSOM_HEAD(DSOM_BINDING, 0, 0), payload, mask.word, (n + 1) & ~(size_t)1, ticks());
}

static void on_implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team,
                             unsigned index, int flags) {
  uint64_t words[] = {value(parallel), team | (uint64_t)index << 32};
  if (endpoint == OMPT_SCOPE_END) {
    uint64_t now = ticks();
    if (!self.last) thread_first_seen();
    if (self.implicits) self.implicits--;
    record_long(DSOM_HEAD(DSOM_IMPLICIT_END, flags, 0), value(task), words, 2, now);
    return;
  }
  if (!self.last) thread_first_seen();
  if (!self.bound && (flags & OMPT_TASK_IMPLICIT)) binding();
  uint64_t id = self.last + 1;
  if (self.begun && file_awaited()) {
    self.implicits = 0;
    self.last = self.current = task->value = id;
    self.begun = 2;
    return;
  }
  record_long(DSOM_HEAD(DSOM_IMPLICIT_BEGIN, flags, 0), id, words, 2, 0);
  self.last = self.current = task->value = id;
  if (self.implicits < IMPLICIT_DEPTH) {
    uint64_t *at = self.implicit[self.implicits];
    at[0] = id, at[1] = words[0], at[2] = words[1] | (uint64_t)(flags & OMPT_TASK_IMPLICIT) << 62;
  }
  self.implicits++;
}

/* --- tasks ---------------------------------------------------------------- */

static __attribute__((noinline)) void create_full(uint64_t creator, ompt_data_t *task, uint64_t head, const void *code) {
  if (!self.last) thread_first_seen();
  uint64_t id = self.last + 1;
  if (is_quiet()) {
    missed();
  } else if (creator == self.current) {
    record(head, (uintptr_t)code, 0, 0, 0);
  } else {
    uint64_t words[] = {creator, id};
    record_long(head | DSOM_HEAD(0, 0, DSOM_X), (uintptr_t)code, words, 2, 0);
  }
  task->value = self.last = id;
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                           int has_dependences, const void *code) {
  (void)frame;
  uint64_t head = DSOM_HEAD(DSOM_TASK_CREATE, flags, ((unsigned)flags >> 27) | (has_dependences ? 0x20 : 0));
  if (LIKELY(value(creator) == self.current) && brief(head, (uintptr_t)code))
    task->value = ++self.last;
  else
    create_full(value(creator), task, head, code);
}

/* unknown gives a task that the runtime never announced an id, and says so. */
static __attribute__((noinline)) uint64_t unknown(ompt_data_t *task) {
  if (!self.last) thread_first_seen();
  uint64_t words[] = {0, self.last + 1};
  record_long(DSOM_HEAD(DSOM_TASK_CREATE, 0, DSOM_X), 0, words, 2, ticks());
  return task->value = ++self.last;
}

enum { ITEMS = 2048 }; /* of one record of dependences: far less than the smallest chunk holds */

static void dependences(uint64_t task, const ompt_dependence_t *deps, size_t n, bool continued) {
  bool x = task != self.last;
  size_t head = x ? 32 : 16, size = head + 8 * ((n + 1) & ~(size_t)1);
  char *p = reserve(size, 0);
  if (UNLIKELY(!p)) return;
  uint64_t *word = (uint64_t *)(void *)p;
  word[size / 8 - 1] = 0;
  if (x) word[2] = task, word[3] = 0;
  for (size_t i = 0; i < n; i++)
    word[head / 8 + i] = deps[i].variable.value << 6 | ((unsigned)deps[i].type & 0x3f);
  uint64_t flags = (x ? DSOM_X : 0) | (continued ? DSOM_CONTINUED : 0);
  put(p, DSOM_HEAD(DSOM_DEPENDENCES, 0, flags), n, ticks(), size);
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *deps, int count) {
  if (is_quiet()) {
    missed();
    return;
  }
  size_t n = count > 0 ? (size_t)count : 0;
  for (; n > ITEMS; n -= ITEMS, deps += ITEMS) dependences(value(task), deps, ITEMS, true);
  dependences(value(task), deps, n, false);
}

static __attribute__((noinline)) void schedule_full(ompt_data_t *prior, int status, ompt_data_t *next) {
  uint64_t now = status == OMPT_STATUS_SWITCH || status == OMPT_STATUS_YIELD ? 0 : ticks();
  if (is_quiet()) {
    missed();
    if (next) self.current = next->value;
    return;
  }
  uint64_t id = 0;
  if (next) id = next->value ? next->value : unknown(next);
  record(DSOM_HEAD(DSOM_TASK_SCHEDULE, status, 0), id, value(prior), self.current, now);
  if (id) self.current = id;
}

static void on_task_schedule(ompt_data_t *prior, int status, ompt_data_t *next) {
  uint64_t id = value(next);
  if (LIKELY(id && value(prior) == self.current) && brief(DSOM_HEAD(DSOM_TASK_SCHEDULE, status, 0), id))
    self.current = id;
  else
    schedule_full(prior, status, next);
}

static void on_cancel(ompt_data_t *task, int flags, const void *code) {
  if (is_quiet()) {
    missed();
    return;
  }
  uint64_t now = ticks();
  record(DSOM_HEAD(DSOM_CANCEL, 0, flags & 0x7f), (uintptr_t)code, value(task), self.current, now);
}

/* --- waiting and worksharing ---------------------------------------------- */

static __attribute__((noinline)) void region_full(uint64_t head, int endpoint, uint64_t task, const void *code) {
  uint64_t now = endpoint == OMPT_SCOPE_BEGIN ? ticks() : 0;
  if (is_quiet())
    missed();
  else
    record(head, (uintptr_t)code, task, self.current, now);
}

static inline void region(int begin_type, int kind, int endpoint, ompt_data_t *task, const void *code) {
  uint64_t head = DSOM_HEAD(begin_type + (endpoint != OMPT_SCOPE_BEGIN), kind, 0);
  if (UNLIKELY(value(task) != self.current) || !brief(head, (uintptr_t)code))
    region_full(head, endpoint, value(task), code);
}

/* Of other regions begin and end are those of the wait. */
static void on_sync_region(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code) {
  (void)parallel;
  if (kind == OMPT_SYNC_TASKGROUP) region(DSOM_SYNC_BEGIN, kind, endpoint, task, code);
}

static void on_sync_region_wait(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code) {
  (void)parallel;
  region(DSOM_WAIT_BEGIN, kind, endpoint, task, code);
}

static void on_work(int type, int endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
                    const void *code) {
  (void)parallel;
  if (is_quiet()) {
    missed();
    return;
  }
  uint64_t words[] = {value(task), count};
  record_long(DSOM_HEAD(DSOM_WORK, type, endpoint), (uintptr_t)code, words, 2, 0);
}

/* --- control --------------------------------------------------------------- */

enum { START = 1, PAUSE = 2, FLUSH = 3, END = 4, MARK = 64, NAME = 1024 };

/* mark_name copies a mark's name. Its argument may be anything: the kernel,
 * asked about a file of that name, tells whether there is a string to read. */
static size_t mark_name(char *to, const char *from) {
  if (!from || (access(from, F_OK) != 0 && errno == EFAULT)) return 0;
  size_t n = strnlen(from, NAME);
  memcpy(to, from, n);
  return n;
}

static void control(uint64_t command, uint64_t modifier, const char *name) {
  uint64_t words[2 + NAME / 8] = {command, 0};
  int saved = errno;
  if (command >= MARK) words[1] = mark_name((char *)(words + 2), name);
  errno = saved;
  record_long(DSOM_HEAD(DSOM_CONTROL, 0, 0), modifier, words, 2 + (words[1] + 15) / 16 * 2, ticks());
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code) {
  (void)code;
  if (!self.last) thread_first_seen();
  if (atomic_load(&ended)) return 0;
  if (command == START) atomic_fetch_and(&mode, (unsigned char)~QUIET);
  if (!is_quiet()) control(command, modifier, argument);
  if (command == PAUSE || command == END) atomic_fetch_or(&mode, QUIET);
  if (command == FLUSH) recorder_flush();
  if (command == END && !atomic_exchange(&ended, true)) recorder_end(DSOM_ENDED);
  return 0;
}

const callback callbacks[] = {
    CALLBACK(OMPT_THREAD_BEGIN, "thread_begin", on_thread_begin),
    CALLBACK(OMPT_THREAD_END, "thread_end", on_thread_end),
    CALLBACK(OMPT_PARALLEL_BEGIN, "parallel_begin", on_parallel_begin),
    CALLBACK(OMPT_PARALLEL_END, "parallel_end", on_parallel_end),
    CALLBACK(OMPT_TASK_CREATE, "task_create", on_task_create),
    CALLBACK(OMPT_TASK_SCHEDULE, "task_schedule", on_task_schedule),
    CALLBACK(OMPT_IMPLICIT_TASK, "implicit_task", on_implicit_task),
    CALLBACK(OMPT_CONTROL_TOOL, "control_tool", on_control_tool),
    CALLBACK(OMPT_SYNC_REGION_WAIT, "sync_region_wait", on_sync_region_wait),
    CALLBACK(OMPT_DEPENDENCES, "dependences", on_dependences),
    CALLBACK(OMPT_WORK, "work", on_work),
    CALLBACK(OMPT_SYNC_REGION, "sync_region", on_sync_region),
    CALLBACK(OMPT_CANCEL, "cancel", on_cancel),
    CALLBACK(OMPT_MASKED, "masked", on_masked),
    {0, NULL, NULL},
};
