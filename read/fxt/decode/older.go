package decode

import "bytes"

// What releases before StarPU 1.4 do otherwise than 1.4 and after it.

// callsOut returns the function of an event that begins something beside a
// thread's work. Before 1.4 a worker's thread leaves its state for it.
func callsOut(kind int32) func(*rank, *args) {
	return func(r *rank, a *args) {
		t := r.anyThread(a.v[0])
		if r.d.version.SetCallback && t.worker >= 0 {
			r.setThread(t, kind)
			return
		}
		r.pushThread(t, kind)
	}
}

// comesBack ends what callsOut began.
func comesBack(r *rank, a *args) {
	t := r.anyThread(a.v[0])
	if r.d.version.SetCallback && t.worker >= 0 {
		r.setThread(t, kindOverhead)
		return
	}
	r.popThread(t)
}

// unnamed is what StarPU calls tasks without a name.
var unnamed = []byte("unknown")

// givenName is the name of a task in an event's text. Whether it has one may be
// told by parameter k. StarPU 1.3 writes the address of "unknown" where it means
// to write that text.
func givenName(a *args, k int) []byte {
	text := a.text()
	if a.has(k) && a.v[k] == 0 || len(text) <= 8 && bytes.ContainsFunc(text, unprintable) {
		return unnamed
	}
	return text
}

// unprintable tells runes that no name has: control characters, and bytes that
// are no text.
func unprintable(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }
