/* The part of the OMPT interface (OpenMP 5.2, chapter 19) that the recorder
 * uses, declared here so that it builds without omp-tools.h: gcc has none. */
#ifndef DAGSCOPE_OMPT_H
#define DAGSCOPE_OMPT_H

#include <stdint.h>

typedef union { uint64_t value; void *ptr; } ompt_data_t;
typedef struct ompt_frame ompt_frame_t;
typedef struct { ompt_data_t variable; int type; } ompt_dependence_t;

typedef struct { uint64_t start, iterations; } ompt_dispatch_chunk_t;
typedef uint64_t ompt_wait_id_t;

typedef void (*ompt_callback_t)(void);
typedef void (*ompt_function_t)(void);
typedef ompt_function_t (*ompt_lookup_t)(const char *name);
typedef int (*ompt_set_callback_t)(int event, ompt_callback_t callback);
typedef int (*ompt_get_num_places_t)(void);
typedef int (*ompt_get_place_proc_ids_t)(int place, int size, int *ids);
typedef int (*ompt_get_place_num_t)(void);

typedef struct {
  int (*initialize)(ompt_lookup_t lookup, int device, ompt_data_t *tool);
  void (*finalize)(ompt_data_t *tool);
  ompt_data_t tool;
} ompt_start_tool_result_t;

/* Numbers of the callbacks (ompt_callbacks_t). */
enum {
  OMPT_THREAD_BEGIN = 1, OMPT_THREAD_END = 2, OMPT_PARALLEL_BEGIN = 3, OMPT_PARALLEL_END = 4,
  OMPT_TASK_CREATE = 5, OMPT_TASK_SCHEDULE = 6, OMPT_IMPLICIT_TASK = 7, OMPT_CONTROL_TOOL = 11,
  OMPT_SYNC_REGION_WAIT = 16, OMPT_MUTEX_RELEASED = 17, OMPT_DEPENDENCES = 18, OMPT_WORK = 20, OMPT_MASKED = 21,
  OMPT_SYNC_REGION = 23, OMPT_MUTEX_ACQUIRE = 26, OMPT_MUTEX_ACQUIRED = 27, OMPT_NEST_LOCK = 28, OMPT_CANCEL = 30,
  OMPT_DISPATCH = 32
};

enum { OMPT_SCOPE_BEGIN = 1, OMPT_SCOPE_END = 2 };                 /* ompt_scope_endpoint_t */
enum { OMPT_SYNC_TASKGROUP = 6 };                                  /* ompt_sync_region_t */
enum { OMPT_DISPATCH_ITERATION = 1, OMPT_DISPATCH_SECTION = 2 };  /* ompt_dispatch_t */
enum { OMPT_TASK_IMPLICIT = 2 };                                   /* ompt_task_flag_t */
enum { OMPT_STATUS_YIELD = 2, OMPT_STATUS_SWITCH = 7 };            /* ompt_task_status_t */

#endif
