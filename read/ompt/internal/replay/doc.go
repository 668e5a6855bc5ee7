// Package replay turns the events of an OpenMP runtime (OMPT) into the tables
// of a run: it follows every task through the states of POT (Pereira 2024,
// Figure 2 and Algorithm 2; docs/design/methods.md, Time breakdown) and builds
// the graph of true dependences from the addresses and kinds that tasks name,
// which the runtime's own edges do not give: it leaves out those whose
// predecessor is done.
//
// The rules, where OMPT or libomp leave room (the order of events is that of
// the source; "on" is the thread of the event):
//
//	R1  Time never goes back: an event earlier than the one before is taken to happen with it.
//	R2  Workers are the threads with a thread_begin, from then to their thread_end. Hidden
//	    helpers of the runtime (a later initial thread whose region is the runtime's, and that
//	    region's team) are no workers, nor are threads that only fulfil an event.
//	    Own threads of the program that begin regions are workers, as their teams are.
//	R3  An implicit or initial task runs at once.
//	R4  parallel_begin suspends the encountering task, parallel_end resumes it.
//	R5  wait_begin suspends a task and marks it as waiting; wait_end resumes it. libomp
//	    schedules other tasks inside: a waiting task that it names as the next does not run.
//	R6  A task without dependences is ready when it is created. An undeferred task suspends
//	    its creator until it ends. The pseudo task of "taskwait depend" makes its creator
//	    wait until it is complete, and is never ready itself.
//	R7  A task with dependences is ready when all predecessors are complete.
//	R8  task_schedule ends, detaches, discards or preempts the prior task (a preempted task is
//	    ready; one with an undeferred child is suspended) and runs the next one.
//	R9  implicit_end ends the task; its thread has none until parallel_end.
//	R10 A waiting task is resumable when nothing is left to wait for: in a taskwait when its
//	    last child is complete, in a taskgroup when the last task of the group is, in a
//	    taskwait depend when the predecessors are. In a barrier it never is.
//
// What no program can have done is counted in the import log and changes as
// little as possible; no input makes the replay fail.
package replay
