package chain

import "slices"

// Class says what an interval of a chain, or of a worker's idle time, went into.
type Class uint8

// Classes. Execute is the only one in which a task makes progress.
const (
	Execute            Class = iota // a segment of a task
	Transfer                        // data on its way between memories, at the link's best bandwidth
	TransferContention              // what it took longer than that
	MessagePost                     // from the end of the task that wrote the data to the posting of the send
	MessageReceiveLate              // the send was posted, the receive was not
	MessageFlight                   // a message on its way, at the network's best bandwidth
	MessageContention               // what it took longer than that
	MessageReceive                  // it had arrived, its tasks could not use it yet
	MemoryWait                      // allocation, eviction or write-back that a start or a transfer waited for
	Submission                      // the task was not submitted yet
	Creation                        // what creating it cost the runtime
	Synchronisation                 // barrier, taskwait, wait for all tasks
	Lock                            // lock or critical section
	OffCPU                          // the thread was off the processor
	Runtime                         // the runtime's own work
	NoReadyTask                     // idle time only: no task that the worker can run was ready
	Unexplained                     // none of these
	classes
)

// names are the classes as they are printed, in tables and in JSON.
var names = [classes]string{
	"execute", "transfer", "transfer-contention", "message-post", "message-receive-late", "message-flight", "message-contention",
	"message-receive", "memory-wait", "submission", "creation", "synchronisation", "lock", "off-cpu", "runtime",
	"no-ready-task", "unexplained",
}

// Classes lists all classes in the order in which they are printed.
func Classes() []Class {
	list := make([]Class, classes)
	for i := range list {
		list[i] = Class(i)
	}
	return list
}

// String is the name of a class.
func (c Class) String() string { return names[c] }

// FindClass is the class of a name.
func FindClass(name string) (Class, bool) {
	i := slices.Index(names[:], name)
	return Class(max(0, i)), i >= 0
}

// Mark says of a segment on the chain that kept the worker of the next one
// busy why that was so, or what else it kept from the next one.
type Mark uint8

// Marks, the first that applies wins.
const (
	NoMark    Mark = iota
	Placement      // an idle worker would have ended the next task earlier
	Order          // the worker ran it first although less depends on it
	Capacity       // neither: there were no free workers
	Exclusion      // it held a handle commutatively that the next task was waiting for
	marks
)

var markNames = [marks]string{"", "placement", "order", "capacity", "exclusion"}

// String is the name of a mark, empty for none.
func (m Mark) String() string { return markNames[m] }
