package checksum

import "testing"

// A matrix of 960×960: what StarPU's model files have for tasks with one and
// two of them.
func TestChain(t *testing.T) {
	matrix := Chain(Chain(960, 960), 0)
	one := Chain(matrix, 0)
	if two := Chain(matrix, one); one != 0x617e5fe6 || two != 0xff82dda0 {
		t.Errorf("found %08x and %08x, want 617e5fe6 and ff82dda0", one, two)
	}
}

// The sum bit by bit, as it is defined.
func TestChainIsCRC32C(t *testing.T) {
	naive := func(x, sum uint32) uint32 {
		for i := range 4 {
			sum ^= x >> (8 * i) & 0xff << 24
			for range 8 {
				if sum&0x80000000 != 0 {
					sum = sum<<1 ^ castagnoli
				} else {
					sum <<= 1
				}
			}
		}
		return sum
	}
	for x := uint32(1); x != 0; x *= 3 {
		if x > 1<<30 {
			break
		}
		if got, want := Chain(x, ^x), naive(x, ^x); got != want {
			t.Fatalf("Chain(%d) is %08x, want %08x", x, got, want)
		}
	}
}

// The bytes of a number are a text too.
func TestTextIsChain(t *testing.T) {
	for x := uint32(1); x != 0; x *= 3 {
		bytes := string([]byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24)})
		if found, want := Text(bytes, ^x), Chain(x, ^x); found != want {
			t.Fatalf("found %08x for %08x, want %08x", found, x, want)
		}
		if x > 1<<30 {
			break
		}
	}
}
