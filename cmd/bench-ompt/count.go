package main

import (
	"bytes"
	"encoding/binary"
)

// count is what a recording holds: records, those without dependences, and the
// bytes of these.
type count struct {
	events, plain, bytes int64
}

// countRecords walks a .dsom file (docs/ompt-format.md).
func countRecords(data []byte) count {
	var c count
	unit := int(binary.LittleEndian.Uint32(data[16:]))
	for at := int(binary.LittleEndian.Uint32(data[12:])); at+128 <= len(data); {
		if !bytes.HasPrefix(data[at:], []byte("DSOMCHNK")) {
			at += unit
			continue
		}
		end := min(at+unit*int(binary.LittleEndian.Uint32(data[at+12:])), len(data))
		if binary.LittleEndian.Uint32(data[at+8:]) == 1 {
			c.chunk(data[at+128 : end])
		}
		at = end
	}
	return c
}

func (c *count) chunk(data []byte) {
	for len(data) >= 16 && data[0]&0x1f != 0 {
		n := min(recordSize(data), len(data))
		c.events++
		if data[0]&0x1f != 8 {
			c.plain++
			c.bytes += int64(n)
		}
		data = data[n:]
	}
}

// recordSize is the size in bytes of the record that data begins with.
func recordSize(data []byte) int {
	head, payload := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
	size := 16
	if head>>17&1 != 0 {
		size = 32
	}
	switch head & 0x1f {
	case 3:
		return 48
	case 4, 5, 6, 15, 17:
		return 32
	case 8:
		return size + 8*int((payload&0xffffffff+1)&^1)
	case 16:
		return 32 + int((binary.LittleEndian.Uint64(data[24:])+15)&^15)
	case 18:
		return 16 + 8*int((payload&0xffffffff+1)&^1)
	}
	return size
}
