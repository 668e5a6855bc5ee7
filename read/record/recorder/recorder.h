/* What the parts of the recorder share. */
#ifndef DAGSCOPE_RECORDER_H
#define DAGSCOPE_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "dsom.h"
#include "ompt.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum { IMPLICIT_DEPTH = 8 }; /* of nested regions, beyond which a ring does not keep where a thread is */

/* State of a thread. pos..end is space that can be written at once: in it an
 * event costs a reading of the clock and two stores. */
typedef struct {
  char *pos, *end;
  uint64_t base;          /* ticks from which the chunk's times count */
  uint64_t current;       /* task that the thread runs */
  uint64_t last;          /* last task id given here; 0: thread not seen yet */
  uint64_t region;        /* last parallel id given here */
  char *chunk;            /* the window's mapping, NULL: none */
  uint64_t sequence;      /* of the next chunk */
  uint64_t lost;          /* events for which there was no space */
  uint64_t retry;         /* number of lost events at which to ask for space again */
  uint64_t sampled;       /* ticks at which its processor time was read last */
  uint64_t implicit[IMPLICIT_DEPTH][3]; /* implicit tasks that it is in: id, region, team and number */
  uint32_t implicits, number, tid, type;
  int queue;              /* file in which the kernel counts its waiting for a processor; 0: not opened, -1: none */
  bool due;               /* its processor time is to be read before the next record */
  bool stale;             /* a reader could not derive current and last any more */
  bool full;              /* the window could not be stored: events are lost */
  bool bound;             /* its binding is recorded */
  unsigned char begun;    /* in a forked process: 1 thread_begin, 2 initial task too, not yet written */
} thread_state;

extern _Thread_local thread_state self __attribute__((tls_model("initial-exec")));

/* mode is 0 for the short way through a callback; else what stands against it. */
enum { QUIET = 1,      /* events are not recorded now (paused, or ended); ids are still given */
       MONOTONIC = 2 }; /* the clock is not the processor's counter */
extern _Atomic unsigned char mode;

/* Ticks after which the processor time of a thread is read again at its next event. */
extern uint64_t sample_ticks;

/* file.c: the file. */
bool file_open(void);
extern dsom_header *file_header;
/* file_window gives the calling thread a window; file_turn stores the full one and
 * empties it. base is the time from which its records' times count, 0: now. */
bool file_window(uint64_t base);
bool file_turn(uint64_t base);
void file_leave(void);
void file_text(int kind, const char *text, size_t length);
void file_finish(int state);
void file_forked(void);
/* file_awaited: the process is a fork that has not had an event to open a file for. */
bool file_awaited(void);
const char *file_path(void);

/* file_is_ring: a reader may not have the chunks before one. */
bool file_is_ring(void);

/* name.c: name_expand replaces the % letters of a pattern; false: no room. */
bool name_expand(const char *pattern, char *to, size_t size);

/* thread.c: a thread's space. */
void thread_first_seen(void);
void thread_leaves(void);
void queue_close(void);
/* more makes room for n bytes when reserve found none; now is the event's time
 * if it was taken already, else 0. NULL: no room, the event is lost. */
char *more(size_t n, uint64_t now);

/* A thread without a chunk has sampled = 0, and is due at its first event. */
static inline bool overdue(uint64_t now) { return UNLIKELY(now - self.sampled >= sample_ticks); }

static inline char *reserve(size_t n, uint64_t now) {
  if (overdue(now ? now : ticks())) self.due = true;
  if (LIKELY((size_t)(self.end - self.pos) >= n && !self.due)) return self.pos;
  return more(n, now);
}

/* The head goes last: a record is whole or absent, whatever kills the program. */
static inline void put(char *at, uint64_t head, uint64_t payload, uint64_t now, size_t n) {
  uint64_t *word = (uint64_t *)(void *)at;
  word[1] = payload;
  atomic_store_explicit((_Atomic uint64_t *)(void *)at, head | (now - self.base) << DSOM_TIME_SHIFT,
                        memory_order_release);
  self.pos = at + n;
}

/* describe.c: texts about the process. */
typedef struct {
  char *text;
  size_t length, size;
} text_buffer; /* grows as it is written to; stays as it is when memory runs out */
void text_add(text_buffer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_json(text_buffer *t, const char *string); /* quoted */

extern struct runtime_facts {
  char version[256];
  unsigned omp;
  char callbacks[1024]; /* JSON: answers of ompt_set_callback */
} runtime_facts;

void describe_start(void);
void describe_maps(void);
/* describe_new_maps does so if objects were loaded since the last time. */
void describe_new_maps(void);
void describe_new_maps_seldom(uint64_t now);
void describe_end(void);

/* environment.c: variables that say how the program runs, none that look like secrets. */
void describe_environment(text_buffer *t);

/* callbacks.c, regions.c, noop.c: register with the runtime; the answers go into meta. */
typedef void (*callback_function)(void);
typedef struct { int event; const char *name; callback_function function; } callback;
extern const callback callbacks[], callbacks_chunks[], callbacks_mutexes[];
extern const callback callbacks_noop[], callbacks_noop_chunks[], callbacks_noop_mutexes[];
#define CALLBACK(event, name, function) {event, name, (callback_function)(void (*)(void))function}

/* regions.c: the one of its callbacks that is always registered. */
void on_masked(int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code);

/* callbacks.c: what callbacks write records with. */
void missed(void);
static inline bool is_quiet(void) { return UNLIKELY(atomic_load_explicit(&mode, memory_order_relaxed) & QUIET); }

/* quick has room for a record of n bytes if nothing stands against it; else NULL. */
static inline char *quick(size_t n, uint64_t now) {
  char *p = self.pos;
  if (UNLIKELY(atomic_load_explicit(&mode, memory_order_relaxed) || (size_t)(self.end - p) < n) || overdue(now)) return NULL;
  return p;
}

/* tool.c: what needs the runtime's inquiry functions, and the end. */
int place_number(void);
void describe_places_once(void);
void recorder_flush(void);
void recorder_end(int state);

#endif
