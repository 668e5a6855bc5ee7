/* A thread's space: what happens when reserve finds none, once per 64 KiB. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder.h"

_Thread_local thread_state self;
_Atomic bool quiet;
static _Atomic uint32_t threads;

void thread_first_seen(void) {
  self.number = atomic_fetch_add(&threads, 1);
  self.tid = (uint32_t)syscall(SYS_gettid);
  self.last = self.region = (uint64_t)(self.number + 1) << 40;
  self.slot = -1;
  if (file_header) file_header->threads = self.number + 1;
}

/* opened: the next stretch of the chunk may be written. Its pages are mapped in
 * one go, cheaper than a fault for each; a slot of the ring may hold old records. */
static void open_stretch(size_t n) {
  size_t room = (size_t)(self.limit - self.pos), step = n > DSOM_UNIT ? n : DSOM_UNIT;
  if (step > room) step = room;
  if (self.slot >= 0) {
    char *from = self.end > self.pos ? self.end : self.pos;
    size_t ahead = step + 16 > room ? room : step + 16;
    if (from < self.pos + ahead) memset(from, 0, (size_t)(self.pos + ahead - from));
  } else {
    uintptr_t page = (uintptr_t)self.pos & ~(uintptr_t)4095;
#ifdef MADV_POPULATE_WRITE
    madvise((void *)page, (uintptr_t)self.pos + step - page, MADV_POPULATE_WRITE);
#else
    madvise((void *)page, (uintptr_t)self.pos + step - page, 23);
#endif
  }
  self.end = self.pos + step;
}

/* resync tells a reader what it can no longer derive. */
static void resync(uint64_t now) {
  uint64_t *word = (uint64_t *)(void *)self.pos;
  word[2] = self.last;
  word[3] = self.region;
  put(self.pos, DSOM_HEAD(DSOM_RESYNC, 0, 1), self.current, now ? now : ticks(), 32);
}

static void later_pair(void) {
  dsom_chunk *chunk = (dsom_chunk *)(void *)self.chunk;
  dsom_pair pair = clock_pair();
  chunk->later_monotonic = pair.monotonic;
  atomic_thread_fence(memory_order_release);
  chunk->later_ticks = pair.ticks;
}

/* lose counts an event that has no space. */
static void lose(void) {
  self.lost++;
  if (file_header) atomic_fetch_add_explicit(&file_header->lost, 1, memory_order_relaxed);
}

/* next_chunk moves the thread to a new chunk; its header says all that a resync
 * would. */
static bool next_chunk(size_t n, uint64_t now) {
  file_leave();
  if (!file_take(n + sizeof(dsom_chunk), now)) return false;
  self.stale = false;
  return true;
}

/* A disk that was full may have room again, but asking takes long: a thread does so once
 * in RETRY lost events. */
enum { RETRY = 65536 };

static char *space(size_t n, uint64_t now) {
  size_t need = self.stale ? n + 32 : n;
  if (!self.chunk || (size_t)(self.limit - self.pos) < need) {
    if (!self.chunk && self.lost < self.retry) return NULL;
    self.retry = self.lost + RETRY;
    if (!next_chunk(n, now)) return NULL;
    self.retry = 0;
    open_stretch(n);
    return self.pos;
  }
  open_stretch(need);
  later_pair();
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
  errno = saved;
  if (!p) {
    self.pos = self.end = NULL;
    lose();
  }
  return p;
}
