// Package dsom reads and writes the files of the OpenMP recorder
// (docs/ompt-format.md): one file per process, made of chunks of records, each
// written by one thread.
//
// [Open] lists the chunks of one or several files and reads what they say about
// their processes; [Recording.Events] then decodes the records thread by thread,
// derives what the recorder left out and merges all threads by time. Nothing is
// held but a piece of each thread's current chunk. [Pack] is the way back and
// [Check] holds a file against the format.
//
// Files come from programs that crashed, from full disks and from strangers:
// what cannot be read is skipped, said in [Recording.Problems] and shows as a
// Lost event; sizes are never taken from a file without a bound.
package dsom

import (
	"encoding/binary"
	"fmt"
)

// Sizes and numbers of the format. Version 1 has no records beyond recBinding.
const (
	magicFile  = "DSOMOMPT"
	magicChunk = "DSOMCHNK"
	version    = 2
	unit       = 65536 // chunks occupy multiples of it

	fileHeaderSize  = 152
	fullHeaderSize  = 168 // with what whoever started the program says of its end; zero where nobody does
	chunkHeaderSize = 128
	maxThreads      = 1 << 20 // of a process; more is damage
	noThread        = 0xffffffff
)

// Kinds of chunks.
const (
	chunkEvents = 1 + iota
	chunkMeta
	chunkMaps
	chunkEnd
)

// Clocks of a file.
const (
	clockCounter   = 1 // the processor's: ticks are converted by pairs
	clockMonotonic = 2 // ticks are ns
)

// Types of records.
const (
	recThreadBegin = 1 + iota
	recThreadEnd
	recParallelBegin
	recParallelEnd
	recImplicitBegin
	recImplicitEnd
	recTaskCreate
	recDependences
	recTaskSchedule
	recSyncBegin
	recSyncEnd
	recWaitBegin
	recWaitEnd
	recCancel
	recWork
	recControl
	recResync
	recBinding
	recDispatch
	recMutexAcquire
	recMutexAcquired
	recMutexReleased
	recNestLock
	recMasked
	recProcessor
	recCarry
	recTypes // one more than the last that is known
	// Types up to 30 are not in use. What is to come (samples, counters, MPI, devices)
	// is an extension, which says how long it is: who does not know it skips it.
	recExtension = 31
)

// Parts of a record's head: ticks << 18 | flags << 10 | kind << 5 | type.
const (
	tickShift = 18
	tickBits  = 46
	flagX     = 0x80 // the task is written: two more words

	deferredDeps = 0x20 // of task_create: it has dependences
	continued    = 1    // of dependences: more items follow

	workBegin = 1
	workEnd   = 2
	workBoth  = 3
)

// fileHeader is what stands at a file's start. Clock pairs are those of the
// recording's start and end.
type fileHeader struct {
	size       uint32 // where the first chunk is
	clock      uint32
	nominal    uint64 // ticks per second, 0 unknown
	start, end pair
	state      uint32
	pid        uint32
	parent     uint32
	threads    uint32
	taken      uint64
	lost       uint64
	ring       uint64
	ringBytes  uint64
	largest    uint64
	died       uint64 // CLOCK_MONOTONIC ns at which another process saw it end, 0 if none did
	signal     uint32 // that ended it, 0 if none did or nobody knows
}

// pair is one moment on three clocks.
type pair struct {
	ticks     uint64
	monotonic uint64 // ns
	realtime  uint64 // ns
	width     uint64 // uncertainty, ticks
}

var little = binary.LittleEndian

func pairAt(b []byte) pair {
	return pair{little.Uint64(b), little.Uint64(b[8:]), little.Uint64(b[16:]), little.Uint64(b[24:])}
}

func (p pair) put(b []byte) {
	little.PutUint64(b, p.ticks)
	little.PutUint64(b[8:], p.monotonic)
	little.PutUint64(b[16:], p.realtime)
	little.PutUint64(b[24:], p.width)
}

// IsRecording tells from a file's first bytes whether it is a recorder's file.
func IsRecording(head []byte) bool {
	return len(head) >= len(magicFile) && string(head[:len(magicFile)]) == magicFile
}

// parseFileHeader reads the first fileHeaderSize bytes of a file.
func parseFileHeader(b []byte) (h fileHeader, err error) {
	if !IsRecording(b) {
		return h, fmt.Errorf("found a file that begins with %q, wanted %q", b[:min(len(b), 8)], magicFile)
	}
	if len(b) < fileHeaderSize {
		return h, fmt.Errorf("found a header of %d bytes, wanted %d", len(b), fileHeaderSize)
	}
	if v := little.Uint32(b[8:]); v < 1 || v > version {
		return h, fmt.Errorf("found version %d of the format, wanted 1 to %d", v, version)
	}
	if u := little.Uint32(b[16:]); u != unit {
		return h, fmt.Errorf("found chunks in units of %d bytes, wanted %d", u, unit)
	}
	h = fileHeader{
		size: little.Uint32(b[12:]), clock: little.Uint32(b[20:]), nominal: little.Uint64(b[24:]),
		start: pairAt(b[32:]), end: pairAt(b[64:]),
		state: little.Uint32(b[96:]), pid: little.Uint32(b[100:]), parent: little.Uint32(b[104:]),
		threads: little.Uint32(b[108:]), taken: little.Uint64(b[112:]), lost: little.Uint64(b[120:]),
		ring: little.Uint64(b[128:]), ringBytes: little.Uint64(b[136:]), largest: little.Uint64(b[144:]),
	}
	if len(b) >= fullHeaderSize && h.size >= fullHeaderSize {
		h.died, h.signal = little.Uint64(b[fileHeaderSize:]), little.Uint32(b[fileHeaderSize+8:])
	}
	if h.size < fileHeaderSize {
		return h, fmt.Errorf("found a header of %d bytes, wanted at least %d", h.size, fileHeaderSize)
	}
	if h.clock != clockCounter && h.clock != clockMonotonic {
		return h, fmt.Errorf("found clock %d, wanted 1 (counter) or 2 (monotonic)", h.clock)
	}
	return h, nil
}

func (h fileHeader) put(b []byte) {
	copy(b, magicFile)
	little.PutUint32(b[8:], version)
	little.PutUint32(b[12:], h.size)
	little.PutUint32(b[16:], unit)
	little.PutUint32(b[20:], h.clock)
	little.PutUint64(b[24:], h.nominal)
	h.start.put(b[32:])
	h.end.put(b[64:])
	for i, v := range []uint32{h.state, h.pid, h.parent, h.threads} {
		little.PutUint32(b[96+4*i:], v)
	}
	for i, v := range []uint64{h.taken, h.lost, h.ring, h.ringBytes, h.largest} {
		little.PutUint64(b[112+8*i:], v)
	}
}

// chunk is where a chunk lies, and its header.
type chunk struct {
	offset int64 // of its header in the file
	size   int64 // with its header, as far as the file has it
	kind   uint32
	thread uint32
	system uint32 // the system's thread id
	number uint64 // sequence number in the thread; of texts: length in bytes
	taken  pair
	base   uint64
	// Of the thread before the first record:
	current      uint64
	last         uint64
	lastParallel uint64
	lost         uint64
	threadType   uint32
	window       bool // the thread's last chunk
	later        pair // ticks and monotonic only
}

// parseChunk reads a chunk header of chunkHeaderSize bytes at an offset of a
// file of size bytes; ok is false where there is none.
func parseChunk(b []byte, offset, size int64) (c chunk, ok bool) {
	if string(b[:8]) != magicChunk {
		return c, false
	}
	units := int64(little.Uint32(b[12:]))
	c = chunk{
		offset: offset, size: min(units*unit, size-offset),
		kind: little.Uint32(b[8:]), thread: little.Uint32(b[16:]), system: little.Uint32(b[20:]), number: little.Uint64(b[24:]),
		taken: pairAt(b[32:]), base: little.Uint64(b[64:]),
		current: little.Uint64(b[72:]), last: little.Uint64(b[80:]), lastParallel: little.Uint64(b[88:]), lost: little.Uint64(b[96:]),
		threadType: little.Uint32(b[104:]), window: little.Uint32(b[108:])&1 != 0,
		later: pair{ticks: little.Uint64(b[112:]), monotonic: little.Uint64(b[120:])},
	}
	return c, units > 0
}

func (c chunk) put(b []byte, units uint32) {
	copy(b, magicChunk)
	for i, v := range []uint32{c.kind, units, c.thread, c.system} {
		little.PutUint32(b[8+4*i:], v)
	}
	little.PutUint64(b[24:], c.number)
	c.taken.put(b[32:])
	for i, v := range []uint64{c.base, c.current, c.last, c.lastParallel, c.lost} {
		little.PutUint64(b[64+8*i:], v)
	}
	little.PutUint32(b[104:], c.threadType)
	little.PutUint64(b[112:], c.later.ticks)
	little.PutUint64(b[120:], c.later.monotonic)
}
