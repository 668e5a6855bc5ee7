package archive

import (
	"embed"
	"errors"
)

// The engine is built by `make engine`; a program built without it says so.
//
//go:embed all:engine
var built embed.FS

// BuiltIn returns the engine that this program carries.
func BuiltIn() (Engine, error) {
	wasm, err := built.ReadFile("engine/engine.wasm.gz")
	exec, execErr := built.ReadFile("engine/wasm_exec.js")
	if err := errors.Join(err, execErr); err != nil {
		return Engine{}, errors.New("this dagscope was built without the engine of archives: build it with make build")
	}
	return Engine{wasm, exec}, nil
}
