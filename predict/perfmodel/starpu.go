package perfmodel

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/regular"
)

// Models of StarPU: sampling/codelets/45/SYMBOL.HOST (docs/design/starpu.md,
// Performance models). Values come in a fixed order; comments differ between
// versions and hosts and are passed over.

// modelVersion is the layout of the files of StarPU 1.3 and 1.4.
const modelVersion = 45

// StarPUOptions complete what model files do not say.
type StarPUOptions struct {
	// Formulas are the terms of multi-linear models by kind, in the order of the
	// program's combinations ([ParseFormula]); the constant comes first. Without
	// one the file's comment is believed if it names parameters P0, P1, …
	Formulas map[string]string
}

// Measurements that StarPU wants before it believes a regression, or a history
// entry where a regression does not reach (STARPU_CALIBRATE_MINIMUM).
const leastMeasurements = 10

const mostBytes = 64 << 20 // of a model file: a history of a million entries

// ReadStarPU reads the models of kinds by their symbols, as a host was measured.
// dir is StarPU's sampling directory. A kind without file of that host is an
// error.
func ReadStarPU(dir, host string, symbols map[string]string, o StarPUOptions) (*Set, error) {
	var models []Model
	for _, kind := range slices.Sorted(maps.Keys(symbols)) {
		file := filepath.Join(dir, "codelets", strconv.Itoa(modelVersion), symbols[kind]+"."+host)
		text, err := readBounded(file)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("read models of %s: found no %s, want the model of one of these hosts: %s", kind, file, modelHosts(dir, symbols[kind]))
		}
		if err != nil {
			return nil, fmt.Errorf("read models of %s: %w", kind, err)
		}
		found, err := parseStarPU(file, string(text), kind, o.Formulas[kind])
		if err != nil {
			return nil, err
		}
		models = append(models, found...)
	}
	return NewSet(models)
}

// modelHosts lists the hosts that a symbol was measured on.
func modelHosts(dir, symbol string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "codelets", strconv.Itoa(modelVersion), symbol+".*"))
	for i, f := range files {
		files[i] = strings.TrimPrefix(filepath.Base(f), symbol+".")
	}
	return cmp.Or(strings.Join(files, ", "), "none for "+symbol)
}

func readBounded(file string) ([]byte, error) {
	return regular.Read(file, mostBytes)
}
