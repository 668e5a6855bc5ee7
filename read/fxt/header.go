package fxt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Header is what the file tells of itself before its events. What it tells of
// others, names and ids of all processes of the machine, is not kept.
type Header struct {
	Arch      uint32           // as FxT numbers processors: 2 = x86-64
	ByteOrder binary.ByteOrder // of everything but Arch itself
	Word      int              // bytes of a parameter of the first events: 4 or 8
	CPUs      int              // of the machine; 0 unknown
	Start     time.Time        // wall clock when recording began; zero unknown
	Stop      time.Time        // and when this was written: at the first full buffer, or at the end
}

// bigEndian is the least number of an architecture whose traces are big endian.
const bigEndian = 0x10000

// archs are the processors that FxT has numbers for, in its own names.
var archs = map[uint32]string{
	0: "i386", 1: "ia64", 2: "x86_64", 3: "alpha", 4: "arm32", 5: "arm64", 6: "mipsel", 7: "sh",
	8: "ppc64el", 9: "riscv64", 255: "unknown, little endian",
	0x10000: "ppc", 0x20000: "ppc64", 0x30000: "avr32", 0x40000: "hppa", 0x50000: "m68k",
	0x60000: "mips", 0x70000: "s390", 0x80000: "s390x", 0x90000: "sparc", 0xff0000: "unknown, big endian",
}

// Is reports whether a file that begins with head is a trace of FxT: an
// architecture that FxT numbers, then a block of a known kind.
func Is(head []byte) bool {
	h, err := parseArch(head)
	if err != nil || len(head) < 4+blockHeader {
		return false
	}
	b := h.block(head[4:])
	return b.known()
}

// parseArch reads the file's first word, which is big endian always.
func parseArch(head []byte) (Header, error) {
	if len(head) < 4 {
		return Header{}, fmt.Errorf("found %d bytes, want a trace of FxT", len(head))
	}
	h := Header{Arch: binary.BigEndian.Uint32(head), ByteOrder: binary.LittleEndian}
	if archs[h.Arch] == "" {
		return Header{}, errors.New("found no architecture that FxT numbers in the first 4 bytes, want a trace of FxT")
	}
	if h.Arch >= bigEndian {
		h.ByteOrder = binary.BigEndian
	}
	return h, nil
}

// setTime reads the body of a time block, if it is whole.
func (h *Header) setTime(b []byte) {
	at, ok := h.timeParts(b)
	if !ok {
		return
	}
	h.CPUs = int(h.ByteOrder.Uint32(b[4:]))
	h.Start = time.Unix(int64(h.ByteOrder.Uint64(b[at+8:])), 0).UTC()
	h.Stop = time.Unix(int64(h.ByteOrder.Uint64(b[at+16:])), 0).UTC()
}

// timeParts finds the end of the processors in a time block, which has space,
// processors, MHz of each; then ids of the recording and the recorded process,
// start and stop in seconds, both in ticks of the machine, page size.
func (h *Header) timeParts(b []byte) (ids int, ok bool) {
	if len(b) < 8 {
		return 0, false
	}
	cpus := h.ByteOrder.Uint32(b[4:])
	ids = 8 + 4*int(min(cpus, maxCPUs))
	return ids, cpus <= maxCPUs && len(b) >= ids+44
}

// maxCPUs bounds the processors of a believable header.
const maxCPUs = 1 << 16
