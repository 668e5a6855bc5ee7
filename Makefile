# dagscope needs Go and nothing else to build and to pass its tests.

.DEFAULT_GOAL := help
.PHONY: help build engine recorder ompt demo gallery test browser web bench bench-ompt lint fmt clean

# No stamp of the version-control state: building must not depend on git.
export GOFLAGS := $(GOFLAGS) -buildvcs=false

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEMO := testdata/starpu/sg-mirage-n12-dmdas/fxt/prof_file_root_0.zst

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: engine recorder ## build bin/dagscope
	@go build -o bin/dagscope ./cmd/dagscope

ENGINE := show/archive/engine
# Compressing takes longer than compiling: it is done when something changed.
engine: ## build the server that archives carry, as WebAssembly
	@GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o build/engine.wasm ./cmd/engine
	@{ [ -f $(ENGINE)/engine.wasm.gz ] && cmp -s build/engine.wasm build/engine.packed; } || { gzip -6 -n -c build/engine.wasm > $(ENGINE)/engine.wasm.gz && \
	  cp build/engine.wasm build/engine.packed; }
	@cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(ENGINE)/wasm_exec.js

# The OpenMP recorder is C, for any compiler there is. dagscope does without it
# until a program is to be recorded, and builds it then if it can.
RECORDER := bin/libdagscope-ompt.so
recorder: ## build the OpenMP recorder's library
	@cc=$$(command -v cc || command -v gcc || command -v clang || command -v clang-19) || \
	  { echo "no C compiler (cc, gcc, clang): $(RECORDER) is not built"; exit 0; }; \
	mkdir -p bin && $$cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden -pthread \
	  -o $(RECORDER).new read/record/recorder/*.c && mv $(RECORDER).new $(RECORDER) || \
	echo "$(RECORDER) is not built: programs cannot be recorded"

demo: build ## import a bundled trace, report on it, draw it
	@mkdir -p build
	bin/dagscope import $(DEMO) -o build/demo.dsr
	bin/dagscope report build/demo.dsr
	bin/dagscope plot build/demo.dsr -o build/demo.svg
	bin/dagscope plot build/demo.dsr -o build/demo.png
	@echo
	@echo "The figure is build/demo.svg (and .png), the run build/demo.dsr. Ask it something:"
	@echo "  bin/dagscope query build/demo.dsr 'SELECT kind, arch, count(*), median(duration) FROM tasks GROUP BY kind, arch'"
	@if bin/dagscope --help | grep -q '^  serve '; then echo "Look at it live, in the browser: bin/dagscope serve --open build/demo.dsr"; fi

gallery: build ## make the pictures of docs/ again
	docs/gallery.sh

test: engine browser ompt ## run all tests
	go test ./...
	cd trace/store/interop && go test ./... # another Parquet library, kept out of our modules
	cd web/e2e && DAGSCOPE_REQUIRE=chromium go test ./... # the pages in Chromium

# Tests of pages need a browser.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	{ echo "installing Chromium for the tests of pages"; \
	  sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$sudo apt-get update -q && $$sudo apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core; }

# Tests of the recorder need a compiler whose OpenMP runtime has OMPT; they say so
# and are skipped where there is none.
ompt: recorder ## build the OpenMP recorder, and get clang and libomp for its tests
	@{ command -v clang-19 >/dev/null && [ -e /usr/lib/llvm-19/lib/libomp.so ]; } || \
	{ echo "installing clang and libomp for the tests of the recorder"; \
	  sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$sudo apt-get update -q && $$sudo apt-get install -q -y --no-install-recommends clang-19 libomp-19-dev; } || \
	echo "clang-19 and libomp-19-dev could not be installed: tests of the recorder are skipped"

web: ## check, test and build the browser client (needs Node 20.19 or newer)
	cd web && npm ci --no-audit --no-fund && npm run check && npm test && npm run build

LARGE := $(CURDIR)/build/large.dsr
bench: build browser ## measure packages, the whole program beside its peer, the live view
	go test -run '^$$' -bench . -benchtime 3x ./...
	go run ./cmd/bench -bin bin/dagscope
	[ -n "$$DAGSCOPE_BIG" ] || go run ./cmd/bench -large $(LARGE) # DAGSCOPE_BIG names another run
	cd web/e2e && DAGSCOPE_BENCH=$${DAGSCOPE_BIG:-$(LARGE)} DAGSCOPE_BIN=$(CURDIR)/bin/dagscope go test -count=1 -run '^TestBench$$' -timeout 30m -v .

bench-ompt: ompt ## measure what recording costs inside OpenMP programs
	go run ./cmd/bench-ompt

lint: ## go vet, staticcheck, gofmt -s
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -s -l); \
	if [ -n "$$unformatted" ]; then echo "run make fmt for: $$unformatted"; exit 1; fi
	go vet ./...
	go run $(STATICCHECK) ./...

fmt: ## gofmt -s on every file
	@git ls-files -co --exclude-standard '*.go' | xargs gofmt -s -w

clean: ## remove what make has built
	rm -rf bin build
