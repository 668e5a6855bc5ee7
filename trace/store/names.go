package store

import "dagscope/trace"

// naming writes names out. Names mostly count: those of one prefix follow each
// other, and then all but the last digits are there already.
type naming struct {
	keys *trace.Keys
	last []name // by prefix; of the first ones, where they are many
}

// name is the last name of a prefix that was written.
type name struct {
	code int64
	text []byte
}

// manyPrefixes is the number of prefixes above which names are not remembered.
const manyPrefixes = 1 << 12

func newNaming(k *trace.Keys) *naming {
	n := &naming{keys: k, last: make([]name, min(len(k.Prefix), manyPrefixes))}
	for i := range n.last {
		n.last[i].code = trace.NoKey - 1 // nothing follows it
	}
	return n
}

// appendTo appends the name of a code that is not NoKey.
func (n *naming) appendTo(buf []byte, code int64) []byte {
	p, _ := n.keys.Split(code)
	if _, ok := n.keys.Number(code); !ok || int(p) >= len(n.last) {
		return n.keys.AppendTo(buf, code)
	}
	l := &n.last[p]
	if code != l.code+1 || !countOn(l.text[len(n.keys.Prefix[p]):]) {
		l.text = n.keys.AppendTo(l.text[:0], code)
	}
	l.code = code
	return append(buf, l.text...)
}

// countOn turns a decimal number into the next one, unless that has more
// digits, and tells whether it has.
func countOn(digits []byte) bool {
	i := len(digits) - 1
	for i >= 0 && digits[i] == '9' {
		i--
	}
	if i < 0 {
		return false
	}
	digits[i]++
	for i++; i < len(digits); i++ {
		digits[i] = '0'
	}
	return true
}
