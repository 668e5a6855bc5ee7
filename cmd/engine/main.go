//go:build js && wasm

// Command engine is the server of the live view inside a page: it answers the
// same requests with the same code, compiled to WebAssembly, over runs that the
// page holds in memory. `dagscope archive` puts it beside the runs, so that an
// archive needs no dagscope and no network.
//
// The page sets, before it starts the engine,
//
//	dagscopeVersion    of the program that wrote the archive
//	dagscopeRuns       [{name: string, files: {name: Uint8Array}}, …]: files of run directories
//
// and may call, once dagscopeReady has been called,
//
//	dagscopeHandle(method, path, body) → Promise of {status, type, disposition, body: Uint8Array}
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall/js"

	"dagscope/show/serve"
)

func main() {
	sources, err := openRuns(js.Global().Get("dagscopeRuns"))
	if err != nil {
		js.Global().Call("dagscopeReady", err.Error())
		return
	}
	server := serve.New(sources, serve.Options{Version: js.Global().Get("dagscopeVersion").String()})
	js.Global().Set("dagscopeHandle", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return promise(func() any { return answer(server, args) })
	}))
	js.Global().Call("dagscopeReady", "")
	server.Warm(context.Background())
	select {} // answers from now on
}

// promise runs work aside and resolves to what it returns. The panics of a
// request stay its own.
func promise(work func() any) js.Value {
	var run js.Func
	run = js.FuncOf(func(_ js.Value, args []js.Value) any {
		resolve := args[0]
		go func() {
			defer run.Release()
			resolve.Invoke(work())
		}()
		return nil
	})
	return js.Global().Get("Promise").New(run)
}

// answer has the server answer a request.
func answer(h http.Handler, args []js.Value) any {
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	r, err := request(args)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	} else {
		h.ServeHTTP(w, r)
	}
	body := js.Global().Get("Uint8Array").New(len(w.body))
	js.CopyBytesToJS(body, w.body)
	return map[string]any{"status": w.status, "type": w.header.Get("Content-Type"),
		"disposition": w.header.Get("Content-Disposition"), "body": body}
}

func request(args []js.Value) (*http.Request, error) {
	if len(args) != 3 {
		return nil, fmt.Errorf("handle a request: found %d arguments, want method, path and body", len(args))
	}
	u, err := url.Parse(args[1].String())
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(args[0].String(), u.String(), strings.NewReader(args[2].String()))
	if err == nil && r.Method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

// recorder keeps an answer in memory.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) { w.status = status }

func (w *recorder) Write(b []byte) (int, error) {
	w.body = append(w.body, b...)
	return len(b), nil
}
