/* The tool as the runtime finds it: start, registration of callbacks, the end. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompt.h"
#include "recorder.h"

static ompt_get_num_places_t num_places;
static ompt_get_place_proc_ids_t place_proc_ids;
static ompt_get_place_num_t place_num;
static bool noop;

static bool is(const char *variable, const char *word) {
  const char *v = getenv(variable);
  return v && !strcmp(v, word);
}

/* expect says that a variable has a value that means nothing: words are those that
 * do, up to NULL. */
static void expect(const char *variable, const char *const *words) {
  const char *v = getenv(variable);
  if (!v || !*v) return;
  for (const char *const *w = words; *w; w++)
    if (!strcmp(v, *w)) return;
  fprintf(stderr, "dagscope: found %s=%s, wanted %s%s%s: ignored\n", variable, v, words[0], words[1] ? " or " : "",
          words[1] ? words[1] : "");
}

/* --- what the runtime knows ------------------------------------------------- */

int place_number(void) { return place_num ? place_num() : -1; }

static void places(text_buffer *t, int n) {
  text_add(t, "{\"places\": [");
  for (int i = 0; i < n; i++) {
    int ids[1024], count = place_proc_ids(i, 1024, ids);
    text_add(t, "%s[", i ? ", " : "");
    for (int k = 0; k < count && k < 1024; k++) text_add(t, "%s%d", k ? ", " : "", ids[k]);
    text_add(t, "]");
  }
  text_add(t, "]}\n");
}

/* Places are known from the first region on, not when the tool is started. */
void describe_places_once(void) {
  static _Atomic bool done;
  if (atomic_load_explicit(&done, memory_order_relaxed) || atomic_exchange(&done, true)) return;
  int n = num_places && place_proc_ids ? num_places() : 0;
  text_buffer t = {0};
  if (n <= 0) return;
  places(&t, n);
  if (t.text) file_text(DSOM_META, t.text, t.length);
  free(t.text);
}

/* --- the end ------------------------------------------------------------------ */

static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
static int over; /* the state of the file's header, DSOM_RECORDING until the end */

void recorder_end(int state) {
  pthread_mutex_lock(&ending);
  if (file_header && over == DSOM_RECORDING) {
    over = state;
    describe_end();
    file_finish(state);
  }
  pthread_mutex_unlock(&ending);
}

void recorder_flush(void) { describe_maps(); }

/* A process may leave without the runtime finalising the tool: exit in a region. */
__attribute__((destructor)) static void unload(void) { recorder_end(DSOM_EXITED); }

static void in_child(void) {
  pthread_mutex_init(&ending, NULL);
  over = DSOM_RECORDING;
  file_forked();
}

/* --- start -------------------------------------------------------------------- */

static void answer(ompt_set_callback_t set, const callback *c) {
  int result = set(c->event, c->function);
  char *to = runtime_facts.callbacks;
  size_t n = strlen(to), room = sizeof runtime_facts.callbacks - n;
  snprintf(to + n - 1, room + 1, "%s\"%s\": %d}", n > 2 ? ", " : "", c->name, result);
}

static void answers(ompt_set_callback_t set, const callback *c) {
  for (; c->function; c++) answer(set, c);
}

static int initialize(ompt_lookup_t lookup, int device, ompt_data_t *tool) {
  (void)device, (void)tool;
  ompt_set_callback_t set = (ompt_set_callback_t)(void (*)(void))lookup("ompt_set_callback");
  if (!set) return 0;
  num_places = (ompt_get_num_places_t)lookup("ompt_get_num_places");
  place_proc_ids = (ompt_get_place_proc_ids_t)lookup("ompt_get_place_proc_ids");
  place_num = (ompt_get_place_num_t)lookup("ompt_get_place_num");
  answers(set, noop ? callbacks_noop : callbacks);
  if (!is("DAGSCOPE_OMPT_CHUNKS", "off")) answers(set, noop ? callbacks_noop_chunks : callbacks_chunks);
  if (!is("DAGSCOPE_OMPT_LOCKS", "off")) answers(set, noop ? callbacks_noop_mutexes : callbacks_mutexes);
  if (!noop) describe_start();
  return 1;
}

static void finalize(ompt_data_t *tool) {
  (void)tool;
  recorder_end(DSOM_FINALISED);
}

static bool start(void) {
  expect("DAGSCOPE_OMPT", (const char *const[]){"off", "noop", NULL});
  expect("DAGSCOPE_OMPT_START", (const char *const[]){"paused", NULL});
  expect("DAGSCOPE_OMPT_CHUNKS", (const char *const[]){"off", NULL});
  expect("DAGSCOPE_OMPT_LOCKS", (const char *const[]){"off", NULL});
  expect("DAGSCOPE_OMPT_PROCESSOR", (const char *const[]){"off", NULL});
  expect("DAGSCOPE_OMPT_CLOCK", (const char *const[]){"tsc", "monotonic", NULL});
  clock_choose(getenv("DAGSCOPE_OMPT_CLOCK"));
  if (!is("DAGSCOPE_OMPT_PROCESSOR", "off")) sample_ticks = clock_millisecond();
  mode = (is("DAGSCOPE_OMPT_START", "paused") ? QUIET : 0) | (clock_is_counter ? 0 : MONOTONIC);
  if (!file_open()) {
    fprintf(stderr, "dagscope: cannot record into %s: %s\n", file_path(), strerror(errno));
    return false;
  }
  if (is("DAGSCOPE_OMPT_VERBOSE", "1")) fprintf(stderr, "dagscope: recording OpenMP into %s\n", file_path());
  pthread_atfork(NULL, NULL, in_child);
  return true;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned version,
                                                                                  const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  static atomic_flag started = ATOMIC_FLAG_INIT; /* a second runtime in the process has no tool */
  if (is("DAGSCOPE_OMPT", "off") || atomic_flag_test_and_set(&started)) return NULL;
  runtime_facts.omp = version;
  snprintf(runtime_facts.version, sizeof runtime_facts.version, "%s", runtime ? runtime : "");
  noop = is("DAGSCOPE_OMPT", "noop");
  if (!noop && !start()) return NULL;
  return &result;
}
