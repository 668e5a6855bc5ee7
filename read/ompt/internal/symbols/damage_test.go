package symbols

import (
	"debug/elf"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestDamage looks addresses up in programs whose ELF headers, symbols and debug
// information were changed at random: nothing may panic or go on for ever.
func TestDamage(t *testing.T) {
	path := build(t, "gcc", program, "-g", "-O2", "-gdwarf-5")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	places := interesting(t, path)
	damaged := filepath.Join(t.TempDir(), "p")
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		b := append([]byte{}, whole...)
		for range 1 + r.IntN(8) {
			p := places[r.IntN(len(places))]
			at := p[0] + r.Uint64N(max(1, p[1]))
			if at < uint64(len(b)) {
				b[at] = byte(r.Uint32())
			}
		}
		if err := os.WriteFile(damaged, b, 0o600); err != nil {
			t.Fatal(err)
		}
		table := NewLoader().Table([][]Map{{{Low: base, High: base + uint64(len(b)), File: damaged}}})
		for code := uint64(base); code < base+uint64(len(b)); code += 97 {
			table.Lookup(code)
		}
	}
}

// interesting lists offset and size of the headers, and of the sections that
// are read.
func interesting(t *testing.T, path string) [][2]uint64 {
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	places := [][2]uint64{{16, 48}, {64, 56 * uint64(len(file.Progs))}}
	for _, s := range file.Sections {
		if len(s.Name) > 6 && s.Name[:6] == ".debug" || s.Name == ".symtab" || s.Name == ".dynsym" || s.Name == ".note.gnu.build-id" {
			places = append(places, [2]uint64{s.Offset, s.FileSize})
		}
	}
	return places
}
