/* The file: its name, its header, and chunks for threads.
 *
 * A thread records into its window, a chunk of the file that is mapped. A full window is
 * copied to its place further on with one write, and filled anew. So whatever ends the
 * program, all records are in the file; the pages that records are stored to are always the
 * same, mapped and in the cache; and a full disk is an error of a write, not a SIGBUS. Mapping the
 * places themselves costs three times as much: a page fault each 4 KiB. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder.h"

dsom_header *file_header;

static struct {
  char path[4096];
  int fd;
  uint64_t limit;             /* the file grows no further */
  uint64_t ring;              /* offset of the first slot */
  uint64_t end;               /* offset of the end chunk: kept free from the start */
  int slots;
  _Atomic uint64_t turn;       /* of the ring: slots taken so far */
  _Atomic unsigned char *busy; /* of the ring: a thread writes this slot */
  pid_t parent;
  bool forked;
  pthread_mutex_t opening;
} file = {.fd = -1, .opening = PTHREAD_MUTEX_INITIALIZER};

const char *file_path(void) { return file.path; }

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  char *end;
  if (!text || !*text) return otherwise;
  unsigned long long n = strtoull(text, &end, 10);
  if (!*end && n <= 1ull << 40) return n;
  fprintf(stderr, "dagscope: found %s=%s, wanted a number: ignored\n", name, text);
  return otherwise;
}

static uint64_t whole(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

/* create never overwrites a file: another process may be writing it. */
static bool create(void) {
  const char *pattern = getenv("DAGSCOPE_OMPT_FILE");
  if (!name_expand(pattern && *pattern ? pattern : "ompt.%h.%p.dsom", file.path, sizeof file.path - 16)) {
    errno = ENAMETOOLONG;
    return false;
  }
  enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC };
  file.fd = open(file.path, FLAGS, 0666);
  if (file.fd < 0 && errno == EEXIST) {
    snprintf(file.path + strlen(file.path), 16, ".%d", (int)getpid());
    file.fd = open(file.path, FLAGS, 0666);
  }
  return file.fd >= 0;
}

/* allocate makes sure that a range to be mapped can be stored to: a hole in the file
 * would be a SIGBUS in the program when the disk is full. */
static bool allocate(uint64_t offset, uint64_t size) {
  int e = posix_fallocate(file.fd, (off_t)offset, (off_t)size);
  if (e != EOPNOTSUPP && e != EINVAL) return e == 0;
  static const char zeros[4096];
  for (uint64_t at = 0; at < size; at += sizeof zeros)
    if (pwrite(file.fd, zeros, sizeof zeros, (off_t)(offset + at)) != sizeof zeros) return false;
  return true;
}

static void set_limit(void) {
  uint64_t mib = number("DAGSCOPE_OMPT_LIMIT", 0);
  file.limit = mib ? mib << 20 : (uint64_t)1 << 62;
  struct rlimit most; /* beyond it the kernel would send SIGXFSZ */
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < file.limit) file.limit = most.rlim_cur;
}

/* take reserves space at the end of the file; 0: there is none. */
static uint64_t take(uint64_t size) {
  uint64_t offset = atomic_fetch_add(&file_header->taken, size);
  if (offset + size <= file.limit) return offset;
  atomic_fetch_sub(&file_header->taken, size);
  return 0;
}

/* untake gives space back unless more was taken behind it. */
static void untake(uint64_t offset, uint64_t size) {
  uint64_t end = offset + size;
  atomic_compare_exchange_strong(&file_header->taken, &end, offset);
}

static bool open_ring(uint64_t mib) {
  uint64_t bytes = mib << 20;
  file.slots = (int)(bytes / DSOM_UNIT);
  file.busy = calloc((size_t)file.slots, 1);
  file.ring = file.busy ? take(bytes) : 0;
  return file.ring && allocate(file.ring, bytes);
}

static bool fill_header(void) {
  dsom_header *h = file_header;
  h->version = DSOM_VERSION;
  h->header_size = DSOM_UNIT; /* chunks aligned to their size are cheaper to write */
  h->unit = DSOM_UNIT;
  h->clock = clock_is_counter ? DSOM_COUNTER : DSOM_MONOTONIC;
  h->frequency = clock_frequency();
  h->start = clock_pair();
  h->pid = (uint32_t)getpid();
  h->parent = (uint32_t)file.parent;
  h->taken = h->header_size;
  file.end = take(DSOM_UNIT);
  if (!file.end || !allocate(file.end, DSOM_UNIT)) return false;
  uint64_t mib = number("DAGSCOPE_OMPT_RING", 0);
  if (mib && !open_ring(mib)) return false;
  h->ring = file.ring;
  h->ring_bytes = mib << 20;
  h->largest = DSOM_UNIT;
  atomic_thread_fence(memory_order_release);
  memcpy(h->magic, "DSOMOMPT", 8);
  return true;
}

static bool map_header(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  errno = ENOSPC;
  if (!allocate(0, page)) return false;
  void *map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
  if (map == MAP_FAILED) return false;
  file_header = map;
  errno = ENOSPC;
  return fill_header();
}

bool file_open(void) {
  set_limit();
  if (!create()) return false;
  if (map_header()) return true;
  int saved = errno;
  unlink(file.path);
  close(file.fd);
  file_header = NULL;
  errno = saved;
  return false;
}

/* In the child of a fork the chunk and the header are still the parent's: leave them, and
 * open a file of its own should anything be recorded. Most children only exec. */
void file_forked(void) {
  if (!file_header) return;
  file.parent = (pid_t)file_header->pid;
  file.forked = true;
  file_leave();
  self.sequence = self.lost = self.retry = self.sampled = 0;
  self.full = self.bound = self.due = false;
  queue_close(); /* it is the account of the parent's thread */
  self.tid = (uint32_t)syscall(SYS_gettid);
  munmap(file_header, (size_t)sysconf(_SC_PAGESIZE));
  file_header = NULL;
  close(file.fd);
  file.fd = -1;
  free((void *)file.busy);
  file.busy = NULL;
  file.slots = 0;
  file.ring = 0;
  pthread_mutex_init(&file.opening, NULL);
}

bool file_is_ring(void) { return file.slots > 0; }

bool file_awaited(void) { return file.forked; }

/* reopen opens the file of a forked process at its first event. */
static bool reopen(void) {
  pthread_mutex_lock(&file.opening);
  if (file.forked) {
    file.forked = false;
    if (file_open()) describe_start();
  }
  pthread_mutex_unlock(&file.opening);
  return file_header != NULL;
}

/* take_slot finds the oldest slot of the ring that no thread is writing. */
static int take_slot(void) {
  for (int i = 0; i < file.slots; i++) {
    int slot = (int)(atomic_fetch_add(&file.turn, 1) % (uint64_t)file.slots);
    unsigned char no = 0;
    if (atomic_compare_exchange_strong(&file.busy[slot], &no, 1)) return slot;
  }
  return -1;
}

/* begin_chunk makes the window a chunk without records. */
static void begin_chunk(uint64_t base) {
  dsom_chunk *c = (dsom_chunk *)(void *)self.chunk;
  c->kind = DSOM_EVENTS;
  c->units = 1;
  c->thread = self.number;
  c->tid = self.tid;
  c->sequence = self.sequence++;
  c->pair = clock_pair();
  c->base = self.base = base ? base : ticks();
  c->current = self.current;
  c->last = self.last;
  c->region = self.region;
  c->lost = self.lost;
  c->thread_type = self.type;
  c->flags = DSOM_WINDOW;
  if (file_header->threads <= self.number) file_header->threads = self.number + 1;
  c->later_ticks = c->later_monotonic = 0;
  atomic_store_explicit(&c->magic, DSOM_CHUNK_MAGIC, memory_order_release);
  self.pos = self.chunk + sizeof *c;
  self.end = self.chunk + DSOM_UNIT;
}

static bool map_window(uint64_t offset) {
  if (!allocate(offset, DSOM_UNIT)) return false;
  void *map = mmap(NULL, DSOM_UNIT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file.fd, (off_t)offset);
  if (map == MAP_FAILED) return false;
  self.chunk = map;
  return true;
}

bool file_window(uint64_t base) {
  if (!file_header && !reopen()) return false;
  describe_new_maps();
  uint64_t offset = take(DSOM_UNIT);
  if (!offset) return false;
  if (!map_window(offset)) {
    untake(offset, DSOM_UNIT);
    return false;
  }
  begin_chunk(base);
  return true;
}

/* copy stores the window at its place; what is stored only in part is no chunk. Should
 * the process be killed meanwhile, the flag tells the window from its copy. */
static bool copy(uint64_t offset) {
  dsom_chunk c = *(dsom_chunk *)(void *)self.chunk;
  c.flags = 0;
  struct iovec parts[] = {{&c, sizeof c}, {self.chunk + sizeof c, DSOM_UNIT - sizeof c}};
  ssize_t n = pwritev(file.fd, parts, 2, (off_t)offset);
  if (n == DSOM_UNIT) return true;
  static const char zeros[sizeof c.magic];
  if (n > 0 && pwrite(file.fd, zeros, sizeof zeros, (off_t)offset) < 0) return false;
  return false;
}

static bool store_slot(void) {
  int slot = take_slot();
  if (slot < 0) return false;
  bool stored = copy(file.ring + (uint64_t)slot * DSOM_UNIT);
  atomic_store(&file.busy[slot], 0);
  return stored;
}

static bool store(void) {
  if (file.slots) return store_slot();
  uint64_t offset = take(DSOM_UNIT);
  if (!offset) return false;
  if (copy(offset)) return true;
  untake(offset, DSOM_UNIT);
  return false;
}

bool file_turn(uint64_t base) {
  describe_new_maps();
  if (!store()) return false;
  dsom_chunk *c = (dsom_chunk *)(void *)self.chunk;
  atomic_store_explicit(&c->magic, 0, memory_order_release); /* killed here, the copy counts */
  atomic_signal_fence(memory_order_seq_cst);
  memset(c + 1, 0, (size_t)(self.pos - (char *)(c + 1)));
  begin_chunk(base);
  return true;
}

void file_leave(void) {
  if (self.chunk) munmap(self.chunk, DSOM_UNIT);
  self.chunk = self.pos = self.end = NULL;
}

/* text_place is where a text goes. That of the end must be found even on a full disk. */
static uint64_t text_place(int kind, uint64_t size) {
  return kind == DSOM_END && size == DSOM_UNIT ? file.end : take(size);
}

/* write_chunk writes the header last. If there is no room for all, there is no chunk. */
static bool write_chunk(const dsom_chunk *c, const char *text, uint64_t offset) {
  ssize_t length = (ssize_t)c->sequence;
  return pwrite(file.fd, text, (size_t)length, (off_t)(offset + sizeof *c)) == length &&
         pwrite(file.fd, c, sizeof *c, (off_t)offset) == sizeof *c;
}

void file_text(int kind, const char *text, size_t length) {
  if (!file_header) return;
  uint64_t size = whole(sizeof(dsom_chunk) + length, DSOM_UNIT), offset = text_place(kind, size);
  if (!offset) return;
  dsom_chunk c = {.kind = (uint32_t)kind, .units = (uint32_t)(size / DSOM_UNIT), .thread = 0xffffffffu,
                  .sequence = length, .pair = clock_pair(), .magic = DSOM_CHUNK_MAGIC};
  if (!write_chunk(&c, text, offset)) untake(offset, size);
}

void file_finish(int state) {
  file_header->end = clock_pair();
  atomic_thread_fence(memory_order_release);
  file_header->state = (uint32_t)state;
}
