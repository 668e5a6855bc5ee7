/* A thread's space: what happens when reserve finds none, once per 64 KiB. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder.h"

_Thread_local thread_state self;
_Atomic unsigned char mode;
static _Atomic uint32_t threads;

void thread_first_seen(void) {
  self.number = atomic_fetch_add(&threads, 1);
  self.tid = (uint32_t)syscall(SYS_gettid);
  self.last = self.region = (uint64_t)(self.number + 1) << 40;
}

/* The window stays in the file as the thread's last chunk. */
void thread_leaves(void) {
  dsom_chunk *chunk = (dsom_chunk *)(void *)self.chunk;
  if (!chunk) return;
  dsom_pair pair = clock_pair();
  chunk->later_monotonic = pair.monotonic;
  atomic_signal_fence(memory_order_release);
  chunk->later_ticks = pair.ticks;
  file_leave();
}

/* resync tells a reader what it can no longer derive. */
static void resync(uint64_t now) {
  uint64_t *word = (uint64_t *)(void *)self.pos;
  word[2] = self.last;
  word[3] = self.region;
  put(self.pos, DSOM_HEAD(DSOM_RESYNC, 1, 0), self.current, now ? now : ticks(), 32);
}

/* late_begin writes what a forked process did before it was known that it has events. */
static void late_begin(uint64_t now) {
  uint64_t *word = (uint64_t *)(void *)self.pos, at = now ? now : ticks();
  put(self.pos, DSOM_HEAD(DSOM_THREAD_BEGIN, self.type, 0), self.tid, at, 16);
  if (self.begun > 1) {
    word[4] = 0;
    word[5] = 1 | (uint64_t)1 << 32;
    put(self.pos, DSOM_HEAD(DSOM_IMPLICIT_BEGIN, 1, 0), self.current, at, 32);
  }
  self.begun = 0;
}

/* A disk that was full may have room again, but asking takes long: a thread does so
 * once in RETRY lost events. */
enum { RETRY = 65536 };

/* turn makes room by a new chunk, whose header says all that a resync would. */
static bool turn(uint64_t now) {
  if (self.lost < self.retry) return false;
  self.retry = self.lost + RETRY;
  self.full = !(self.chunk ? file_turn(now) : file_window(now));
  if (self.full) return false;
  self.retry = 0;
  self.stale = false;
  if (self.begun) late_begin(now);
  return true;
}

static char *space(size_t n, uint64_t now) {
  if (!self.chunk || self.full || (size_t)(self.pos - self.chunk) + n + 32 > DSOM_UNIT)
    return turn(now) ? self.pos : NULL;
  self.end = self.chunk + DSOM_UNIT;
  if (self.stale) {
    self.stale = false;
    resync(now);
  }
  return self.pos;
}

char *more(size_t n, uint64_t now) {
  int saved = errno;
  if (!self.last) thread_first_seen();
  char *p = space(n, now);
  if (!p) {
    self.end = self.pos;
    self.lost++;
    if (file_header) atomic_fetch_add_explicit(&file_header->lost, 1, memory_order_relaxed);
  }
  errno = saved;
  return p;
}
