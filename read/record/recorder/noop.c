/* The no-op tool: the recorder's callbacks, empty. What a program takes longer
 * with it is the runtime's own cost of having a tool at all. */
#include "ompt.h"
#include "recorder.h"

static void thread_begin(int type, ompt_data_t *data) { (void)type, (void)data; }
static void thread_end(ompt_data_t *data) { (void)data; }

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                           int flags, const void *code) {
  (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)code;
}

static void parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code) {
  (void)parallel, (void)task, (void)flags, (void)code;
}

static void task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                        int has_dependences, const void *code) {
  (void)creator, (void)frame, (void)task, (void)flags, (void)has_dependences, (void)code;
}

static void task_schedule(ompt_data_t *prior, int status, ompt_data_t *next) { (void)prior, (void)status, (void)next; }

static void implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team, unsigned index,
                          int flags) {
  (void)endpoint, (void)parallel, (void)task, (void)team, (void)index, (void)flags;
}

static int control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code) {
  (void)command, (void)modifier, (void)argument, (void)code;
  return 0;
}

static void sync_region(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code) {
  (void)kind, (void)endpoint, (void)parallel, (void)task, (void)code;
}

static void dependences(ompt_data_t *task, const ompt_dependence_t *deps, int n) { (void)task, (void)deps, (void)n; }

static void work(int type, int endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count, const void *code) {
  (void)type, (void)endpoint, (void)parallel, (void)task, (void)count, (void)code;
}

static void cancel(ompt_data_t *task, int flags, const void *code) { (void)task, (void)flags, (void)code; }

static void masked(int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code) {
  (void)endpoint, (void)parallel, (void)task, (void)code;
}

static void dispatch(ompt_data_t *parallel, ompt_data_t *task, int kind, ompt_data_t instance) {
  (void)parallel, (void)task, (void)kind, (void)instance;
}

static void mutex_acquire(int kind, unsigned hint, unsigned impl, ompt_wait_id_t lock, const void *code) {
  (void)kind, (void)hint, (void)impl, (void)lock, (void)code;
}

static void mutex(int kind, ompt_wait_id_t lock, const void *code) { (void)kind, (void)lock, (void)code; }

static void nest_lock(int endpoint, ompt_wait_id_t lock, const void *code) { (void)endpoint, (void)lock, (void)code; }

const callback callbacks_noop[] = {
    CALLBACK(OMPT_THREAD_BEGIN, "thread_begin", thread_begin),
    CALLBACK(OMPT_THREAD_END, "thread_end", thread_end),
    CALLBACK(OMPT_PARALLEL_BEGIN, "parallel_begin", parallel_begin),
    CALLBACK(OMPT_PARALLEL_END, "parallel_end", parallel_end),
    CALLBACK(OMPT_TASK_CREATE, "task_create", task_create),
    CALLBACK(OMPT_TASK_SCHEDULE, "task_schedule", task_schedule),
    CALLBACK(OMPT_IMPLICIT_TASK, "implicit_task", implicit_task),
    CALLBACK(OMPT_CONTROL_TOOL, "control_tool", control_tool),
    CALLBACK(OMPT_SYNC_REGION_WAIT, "sync_region", sync_region),
    CALLBACK(OMPT_DEPENDENCES, "dependences", dependences),
    CALLBACK(OMPT_WORK, "work", work),
    CALLBACK(OMPT_SYNC_REGION, "sync_region", sync_region),
    CALLBACK(OMPT_CANCEL, "cancel", cancel),
    CALLBACK(OMPT_MASKED, "masked", masked),
    {0, NULL, NULL},
};

const callback callbacks_noop_chunks[] = {
    CALLBACK(OMPT_DISPATCH, "dispatch", dispatch),
    {0, NULL, NULL},
};

const callback callbacks_noop_mutexes[] = {
    CALLBACK(OMPT_MUTEX_ACQUIRE, "mutex_acquire", mutex_acquire),
    CALLBACK(OMPT_MUTEX_ACQUIRED, "mutex_acquired", mutex),
    CALLBACK(OMPT_MUTEX_RELEASED, "mutex_released", mutex),
    CALLBACK(OMPT_NEST_LOCK, "nest_lock", nest_lock),
    {0, NULL, NULL},
};
