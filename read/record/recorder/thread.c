/* A thread's space: what happens when reserve finds none, once per 64 KiB. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* --- processor time --------------------------------------------------------- */

uint64_t sample_ticks = ~(uint64_t)0;

/* queue_open opens the kernel's account of the thread, far above the numbers that the
 * program's own files get. Of many threads it is left out: files are not the recorder's
 * to use up. */
static void queue_open(void) {
  enum { THREADS = 256, FROM = 512 };
  struct rlimit most;
  self.queue = -1;
  if (self.number >= THREADS || getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur < FROM + 2 * THREADS) return;
  int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  int high = fcntl(fd, F_DUPFD_CLOEXEC, FROM);
  close(fd);
  self.queue = high;
}

void queue_close(void) {
  if (self.queue > 0) close(self.queue);
  self.queue = 0;
}

/* queued is how long the thread could have run and had no processor, ns: the second
 * number of its account. */
static bool queued(uint64_t *ns) {
  char text[96];
  if (self.queue == 0) queue_open();
  ssize_t n = self.queue > 0 ? pread(self.queue, text, sizeof text - 1, 0) : 0;
  if (n <= 0) return false;
  text[n] = 0;
  char *second = strchr(text, ' '), *end;
  if (!second) return false;
  *ns = strtoull(second + 1, &end, 10);
  return end > second + 1;
}

/* sample records the thread's processor time. */
static void sample(uint64_t now) {
  self.due = false;
  if (sample_ticks == ~(uint64_t)0) return;
  uint64_t *word = (uint64_t *)(void *)self.pos, ns = 0, used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  bool known = queued(&ns);
  if (!now) now = ticks();
  word[2] = ns;
  word[3] = 0;
  put(self.pos, DSOM_HEAD(DSOM_PROCESSOR, known, 0), used, now, 32);
  self.sampled = now;
}

/* The window stays in the file as the thread's last chunk. */
void thread_leaves(void) {
  queue_close();
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

/* carry says in a ring what a reader may not have any more: the implicit tasks that the
 * thread is in. */
static void carry(uint64_t now) {
  for (uint32_t i = 0; i < self.implicits && i < IMPLICIT_DEPTH; i++) {
    uint64_t *word = (uint64_t *)(void *)self.pos, *of = self.implicit[i];
    word[2] = of[1];
    word[3] = of[2] & ~((uint64_t)1 << 63);
    put(self.pos, DSOM_HEAD(DSOM_CARRY, of[2] >> 63 ? 2 : 1, 0), of[0], now ? now : ticks(), 32);
  }
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
  if (self.begun)
    late_begin(now);
  else if (file_is_ring())
    carry(now);
  return true;
}

/* space has room for n bytes behind a resync and a sample. */
static char *space(size_t n, uint64_t now) {
  if (!self.chunk || self.full || (size_t)(self.pos - self.chunk) + n + 64 > DSOM_UNIT) {
    if (!turn(now)) return NULL;
  } else {
    self.end = self.chunk + DSOM_UNIT;
    if (self.stale) {
      self.stale = false;
      resync(now);
    }
  }
  if (self.due) sample(now);
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
