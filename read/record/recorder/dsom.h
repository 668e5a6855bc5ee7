/* The file that the recorder writes, as docs/ompt-format.md defines it. */
#ifndef DAGSCOPE_DSOM_H
#define DAGSCOPE_DSOM_H

#include <stdatomic.h>
#include <stdint.h>

#define DSOM_VERSION 2
#define DSOM_UNIT 65536

typedef struct {
  uint64_t ticks, monotonic, realtime, uncertainty;
} dsom_pair;

typedef struct {
  char magic[8]; /* DSOMOMPT, written last */
  uint32_t version, header_size, unit, clock;
  uint64_t frequency;
  dsom_pair start, end;
  uint32_t state, pid, parent, threads;
  _Atomic uint64_t taken, lost;
  uint64_t ring, ring_bytes, largest;
  uint64_t died;             /* written by whoever started the program, read/record/died.go */
  uint32_t signal, reserved;
} dsom_header;

typedef struct {
  _Atomic uint64_t magic; /* DSOMCHNK, written last */
  uint32_t kind, units, thread, tid;
  uint64_t sequence; /* of text: its length */
  dsom_pair pair;
  uint64_t base, current, last, region, lost;
  uint32_t thread_type, flags;
  uint64_t later_ticks, later_monotonic;
} dsom_chunk;

_Static_assert(sizeof(dsom_header) == 168, "layout of the file header");
_Static_assert(sizeof(dsom_chunk) == 128, "layout of the chunk header");

#define DSOM_WINDOW 1 /* flag of a chunk: its thread still writes it, or did last */
#define DSOM_CHUNK_MAGIC 0x4b4e48434d4f5344ull /* "DSOMCHNK" */

enum { DSOM_COUNTER = 1, DSOM_MONOTONIC = 2 };
enum { DSOM_RECORDING = 0, DSOM_FINALISED = 1, DSOM_EXITED = 2, DSOM_ENDED = 3 };
enum { DSOM_EVENTS = 1, DSOM_META = 2, DSOM_MAPS = 3, DSOM_END = 4 };

enum dsom_type {
  DSOM_NONE, DSOM_THREAD_BEGIN, DSOM_THREAD_END, DSOM_PARALLEL_BEGIN, DSOM_PARALLEL_END,
  DSOM_IMPLICIT_BEGIN, DSOM_IMPLICIT_END, DSOM_TASK_CREATE, DSOM_DEPENDENCES, DSOM_TASK_SCHEDULE,
  DSOM_SYNC_BEGIN, DSOM_SYNC_END, DSOM_WAIT_BEGIN, DSOM_WAIT_END, DSOM_CANCEL, DSOM_WORK,
  DSOM_CONTROL, DSOM_RESYNC, DSOM_BINDING, DSOM_DISPATCH, DSOM_MUTEX_ACQUIRE, DSOM_MUTEX_ACQUIRED,
  DSOM_MUTEX_RELEASED, DSOM_NEST_LOCK, DSOM_MASKED, DSOM_PROCESSOR, DSOM_CARRY,
  DSOM_EXTENSION = 31 /* says its length in the payload, in words with the head: for kinds to come */
};

/* A record's head without its time. */
#define DSOM_HEAD(type, kind, flags) \
  ((uint64_t)(type) | ((uint64_t)(kind) & 0x1f) << 5 | ((uint64_t)(flags) & 0xff) << 10)
#define DSOM_TIME_SHIFT 18
#define DSOM_X 0x80         /* flag: w2 and w3 say which task it is */
#define DSOM_CONTINUED 0x01 /* flag of dependences: the next record goes on */

#endif
