/* Texts about the process: where, how and of what the recording is. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "recorder.h"

struct runtime_facts runtime_facts = {.callbacks = "{}"};

/* --- text ------------------------------------------------------------------ */

static bool text_room(text_buffer *t, size_t more_) {
  if (t->size - t->length > more_) return true;
  size_t size = (t->length + more_) * 2 + 1024;
  char *p = realloc(t->text, size);
  if (!p) return false;
  t->text = p;
  t->size = size;
  return true;
}

void text_add(text_buffer *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (n < 0 || !text_room(t, (size_t)n)) return;
  va_start(arguments, format);
  vsnprintf(t->text + t->length, (size_t)n + 1, format, arguments);
  va_end(arguments);
  t->length += (size_t)n;
}

void text_json(text_buffer *t, const char *s) {
  text_add(t, "\"");
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      text_add(t, "\\%c", c);
    else if (c < 0x20)
      text_add(t, "\\u%04x", c);
    else
      text_add(t, "%c", c);
  }
  text_add(t, "\"");
}

static void field(text_buffer *t, const char *key, const char *string) {
  text_add(t, ",\n\"%s\": ", key);
  text_json(t, string);
}

/* slurp appends a file; those of /proc have no length to ask for. */
static size_t slurp(text_buffer *t, const char *path) {
  size_t before = t->length;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  for (ssize_t n = 1; n > 0 && text_room(t, 65536); t->length += (size_t)(n > 0 ? n : 0))
    n = read(fd, t->text + t->length, 65536);
  close(fd);
  return t->length - before;
}

static void write_text(int kind, text_buffer *t) {
  if (t->text) file_text(kind, t->text, t->length);
  free(t->text);
}

/* --- meta ------------------------------------------------------------------ */

static void command(text_buffer *t) {
  text_buffer raw = {0};
  slurp(&raw, "/proc/self/cmdline");
  text_add(t, ",\n\"command\": [");
  for (size_t at = 0; text_room(&raw, 1) && at < raw.length; at += strlen(raw.text + at) + 1) {
    raw.text[raw.length] = 0;
    if (at) text_add(t, ", ");
    text_json(t, raw.text + at);
  }
  text_add(t, "]");
  free(raw.text);
}

static void link_field(text_buffer *t, const char *key, const char *path) {
  char to[4096];
  ssize_t n = readlink(path, to, sizeof to - 1);
  if (n < 0) return;
  to[n] = 0;
  field(t, key, to);
}

static void affinity(text_buffer *t) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  text_add(t, ",\n\"affinity\": [");
  const char *separator = "";
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET((size_t)i, &set)) {
      text_add(t, "%s%d", separator, i);
      separator = ", ";
    }
  text_add(t, "]");
}

static void rank(text_buffer *t, const char *key, const char *const *names) {
  for (; *names; names++) {
    const char *v = getenv(*names);
    if (v && *v && strspn(v, "0123456789") == strlen(v) && strlen(v) < 10) {
      text_add(t, ",\n\"%s\": %ld", key, strtol(v, NULL, 10));
      return;
    }
  }
}

/* --- the machine ------------------------------------------------------------ */

/* first_line reads the first line of a file into a buffer; "" if there is none. */
static const char *first_line(const char *path, char *to, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);
  if (fd >= 0) close(fd);
  to[n > 0 ? n : 0] = 0;
  to[strcspn(to, "\n")] = 0;
  return to;
}

static void load(text_buffer *t, const char *key) {
  char line[128];
  double one;
  if (sscanf(first_line("/proc/loadavg", line, sizeof line), "%lf", &one) == 1) text_add(t, ",\n\"%s\": %.2f", key, one);
}

/* value is what stands behind the colon of a line of cpuinfo that has a key; NULL for
 * other lines. */
static const char *value_of(const char *line, const char *key) {
  size_t n = strlen(key);
  if (strncmp(line, key, n) != 0) return NULL;
  line += n + strspn(line + n, " \t");
  if (*line != ':') return NULL;
  return line + 1 + strspn(line + 1, " \t");
}

/* model describes the first processor, and counts cores: pairs of package and core. */
static void model(text_buffer *t) {
  text_buffer info = {0};
  size_t n = slurp(&info, "/proc/cpuinfo");
  if (!n || !text_room(&info, 1)) {
    free(info.text);
    return;
  }
  info.text[n] = 0;
  enum { CORES = 8192 };
  unsigned *seen = calloc(CORES, sizeof *seen), cores = 0, package = 0;
  bool named = false, clocked = false;
  for (char *line = info.text, *next; line; line = next) {
    if ((next = strchr(line, '\n'))) *next++ = 0;
    const char *v;
    if (!named && (v = value_of(line, "model name"))) {
      field(t, "processor_model", v);
      named = true;
    }
    if (!clocked && (v = value_of(line, "cpu MHz"))) {
      text_add(t, ",\n\"frequency_mhz\": %.0f", strtod(v, NULL));
      clocked = true;
    }
    if ((v = value_of(line, "physical id"))) package = (unsigned)strtoul(v, NULL, 10) + 1;
    if (seen && (v = value_of(line, "core id"))) {
      unsigned core = package << 16 | (unsigned)strtoul(v, NULL, 10), i = 0;
      while (i < cores && seen[i] != core) i++;
      if (i == cores && cores < CORES) seen[cores++] = core;
    }
  }
  if (cores) text_add(t, ",\n\"cores\": %u", cores);
  free(seen);
  free(info.text);
}

/* quota is what the control group lets the process have, in processors. */
static void quota(text_buffer *t) {
  text_buffer groups = {0};
  char path[4200] = "/sys/fs/cgroup/cpu.max", line[128];
  if (slurp(&groups, "/proc/self/cgroup") && text_room(&groups, 1)) {
    groups.text[groups.length] = 0;
    char *own = strstr(groups.text, "0::/"), *end = own ? strchr(own, '\n') : NULL;
    if (end) *end = 0;
    if (own && end - own < 4000) snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", own + 3);
  }
  free(groups.text);
  double most, period;
  if (sscanf(first_line(path, line, sizeof line), "%lf %lf", &most, &period) != 2) {
    if (sscanf(first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line, sizeof line), "%lf", &most) != 1 || most <= 0 ||
        sscanf(first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", line, sizeof line), "%lf", &period) != 1)
      return;
  }
  if (most > 0 && period > 0) text_add(t, ",\n\"quota\": %.3f", most / period);
}

static void machine(text_buffer *t) {
  struct utsname u;
  if (uname(&u) == 0) {
    char kernel[sizeof u.sysname + sizeof u.release + 1];
    snprintf(kernel, sizeof kernel, "%s %s", u.sysname, u.release);
    field(t, "host", u.nodename);
    field(t, "kernel", kernel);
    field(t, "machine", u.machine);
  }
  text_add(t, ",\n\"processors\": %ld,\n\"page_size\": %ld", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_PAGESIZE));
  affinity(t);
  model(t);
  quota(t);
  load(t, "load");
  field(t, "clock", clock_name());
  text_buffer source = {0};
  size_t n = slurp(&source, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (n && source.text[n - 1] == '\n') {
    source.text[n - 1] = 0;
    field(t, "clock_source", source.text);
  }
  free(source.text);
}

void describe_start(void) {
  text_buffer t = {0};
  text_add(&t, "{\"recorder\": \"dagscope-ompt 2\"");
  command(&t);
  link_field(&t, "executable", "/proc/self/exe");
  link_field(&t, "directory", "/proc/self/cwd");
  text_add(&t, ",\n\"pid\": %d,\n\"ppid\": %d", (int)getpid(), (int)getppid());
  rank(&t, "rank", (const char *const[]){"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", NULL});
  rank(&t, "ranks", (const char *const[]){"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL});
  machine(&t);
  field(&t, "runtime", runtime_facts.version);
  text_add(&t, ",\n\"omp_version\": %u,\n\"callbacks\": %s", runtime_facts.omp, runtime_facts.callbacks);
  describe_environment(&t);
  text_add(&t, "}\n");
  write_text(DSOM_META, &t);
  describe_maps();
}

/* --- maps ------------------------------------------------------------------ */

/* One line for an object's build id: a note of type 3 named GNU. */
static void build_id(text_buffer *t, const struct dl_phdr_info *object, const ElfW(Phdr) *segment) {
  const char *p = (const char *)(object->dlpi_addr + segment->p_vaddr), *end = p + segment->p_memsz;
  while (p + sizeof(ElfW(Nhdr)) <= end) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)p;
    const char *name = p + sizeof *note, *id = name + ((note->n_namesz + 3u) & ~3u);
    if (note->n_type == 3 && note->n_namesz == 4 && !memcmp(name, "GNU", 4) && id + note->n_descsz <= end) {
      for (unsigned i = 0; i < note->n_descsz; i++) text_add(t, "%02x", (unsigned char)id[i]);
      text_add(t, " %lx %s\n", (unsigned long)object->dlpi_addr, object->dlpi_name);
      return;
    }
    p = id + ((note->n_descsz + 3u) & ~3u);
  }
}

static int object(struct dl_phdr_info *o, size_t size, void *t) {
  (void)size;
  for (int i = 0; i < o->dlpi_phnum; i++)
    if (o->dlpi_phdr[i].p_type == PT_NOTE) build_id(t, o, &o->dlpi_phdr[i]);
  return 0;
}

void describe_maps(void) {
  text_buffer t = {0};
  slurp(&t, "/proc/self/maps");
  text_add(&t, "\n");
  dl_iterate_phdr(object, &t);
  write_text(DSOM_MAPS, &t);
}

static int loads(struct dl_phdr_info *o, size_t size, void *adds) {
  (void)size;
  *(unsigned long long *)adds = o->dlpi_adds;
  return 1; /* the first object says it for all */
}

void describe_new_maps(void) {
  static _Atomic unsigned long long seen;
  unsigned long long adds = 0;
  dl_iterate_phdr(loads, &adds);
  unsigned long long before = atomic_exchange(&seen, adds);
  if (before && before != adds) describe_maps();
}

/* Regions may follow one another fast, and asking takes longer than recording one:
 * 2^21 ticks are about a millisecond. */
void describe_new_maps_seldom(uint64_t now) {
  static _Atomic uint64_t next;
  if (now < atomic_load_explicit(&next, memory_order_relaxed)) return;
  atomic_store_explicit(&next, now + (1u << 21), memory_order_relaxed);
  describe_new_maps();
}

/* --- end ------------------------------------------------------------------- */

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }

void describe_end(void) {
  describe_maps();
  struct rusage use = {0};
  getrusage(RUSAGE_SELF, &use);
  text_buffer t = {0};
  text_add(&t, "{\"threads\": %u, \"lost\": %llu, \"bytes\": %llu", file_header->threads,
           (unsigned long long)file_header->lost, (unsigned long long)file_header->taken);
  load(&t, "load");
  text_add(&t, ", \"user_s\": %.6f, \"system_s\": %.6f, \"max_rss_kib\": %ld}\n", seconds(use.ru_utime),
           seconds(use.ru_stime), use.ru_maxrss);
  write_text(DSOM_END, &t);
}
