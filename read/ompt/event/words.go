package event

import (
	"fmt"
	"strconv"
	"strings"
)

// String is the word of the type in the plain event form.
func (t Type) String() string {
	if int(t) < len(typeWords) && typeWords[t] != "" {
		return typeWords[t]
	}
	return fmt.Sprintf("type%d", uint8(t))
}

// TypeOf is the type that a word names; None for a word that names none.
func TypeOf(word string) Type {
	if i := find(typeWords[:], word); i >= 0 {
		return Type(i)
	}
	return None
}

// KindWord is the word of a kind of events of a type: a kind of thread, task,
// status or sync region. Kinds that OMPT does not name are their number.
func KindWord(t Type, kind uint8) string {
	if words := kindWords(t); int(kind) < len(words) && words[kind] != "" {
		return words[kind]
	}
	return strconv.Itoa(int(kind))
}

// KindOf is the kind that a word, or a number, stands for.
func KindOf(t Type, word string) (uint8, bool) {
	if i := find(kindWords(t), word); i >= 0 {
		return uint8(i), true
	}
	return number(word)
}

func kindWords(t Type) []string {
	switch t {
	case ThreadBegin, ThreadEnd:
		return threadWords[:]
	case ImplicitBegin, ImplicitEnd, Carry:
		return implicitWords[:]
	case Work:
		return workWords[:]
	case Dispatch:
		return dispatchWords[:]
	case MutexAcquire, MutexAcquired, MutexReleased:
		return mutexWords[:]
	case NestLock:
		return scopeWords[:]
	case Processor:
		return queueWords[:]
	case TaskSchedule:
		return statusWords[:]
	case SyncBegin, SyncEnd, WaitBegin, WaitEnd:
		return syncWords[:]
	case Lost:
		return lostWords[:]
	}
	return nil
}

// DepWord is the word of a type of dependence, "dep0" for a number without.
func DepWord(dep uint8) string {
	if int(dep) < len(depWords) && depWords[dep] != "" {
		return depWords[dep]
	}
	return "dep" + strconv.Itoa(int(dep))
}

// DepOf is the type of dependence that a word stands for.
func DepOf(word string) (uint8, bool) {
	if i := find(depWords[:], word); i >= 0 {
		return uint8(i), true
	}
	if rest, ok := strings.CutPrefix(word, "dep"); ok {
		return number(rest)
	}
	return 0, false
}

// FlagWords are the flags of a task, joined by |; bits that OMPT does not name
// come last, in hexadecimal.
func FlagWords(flags uint32) string {
	var words []string
	for _, f := range flagWords {
		if flags&f.bit != 0 {
			words, flags = append(words, f.word), flags&^f.bit
		}
	}
	if flags != 0 {
		words = append(words, fmt.Sprintf("0x%x", flags))
	}
	return strings.Join(words, "|")
}

// FlagsOf reads what FlagWords writes.
func FlagsOf(text string) (flags uint32, ok bool) {
	for text != "" {
		var word string
		word, text, _ = strings.Cut(text, "|")
		bit, ok := flagOf(word)
		if !ok {
			return 0, false
		}
		flags |= bit
	}
	return flags, true
}

func flagOf(word string) (uint32, bool) {
	for _, f := range flagWords {
		if f.word == word {
			return f.bit, true
		}
	}
	bits, err := strconv.ParseUint(word, 0, 32)
	return uint32(bits), err == nil
}

// Barrier reports whether a sync region is a barrier of any kind.
func Barrier(kind uint8) bool {
	switch kind {
	case SyncBarrier, SyncBarrierImplicit, SyncBarrierExplicit, SyncBarrierImplementation,
		SyncBarrierImplicitWorkshare, SyncBarrierImplicitParallel, SyncBarrierTeams:
		return true
	}
	return false
}

// find is the number of a word, -1 for words not listed.
func find(words []string, word string) int {
	for i, w := range words {
		if w == word && w != "" {
			return i
		}
	}
	return -1
}

func number(word string) (uint8, bool) {
	n, err := strconv.ParseUint(word, 10, 8)
	return uint8(n), err == nil
}
