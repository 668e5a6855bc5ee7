# dagscope needs Go and nothing else to build and to pass its tests.

.DEFAULT_GOAL := help
.PHONY: help build engine recorder program demo gallery test test-references race score replays scalings makespans chains predictions soak conformance tools web bench bench-ompt fuzz fuzz-short faults lint fmt vulncheck clean \
  install uninstall release reproducible deb check-source

# No stamp of the version-control state: building must not depend on git. Where
# there is git, dagscope --version names the commit; archives of releases have it,
# and the version, in a file.
export GOFLAGS := $(GOFLAGS) -buildvcs=false
RELEASED := $(shell cat VERSION 2>/dev/null)
COMMIT := $(or $(word 2,$(RELEASED)),$(shell [ ! -e .git ] || git describe --always --dirty --exclude='*' --abbrev=12 2>/dev/null))
DATE := $(or $(word 3,$(RELEASED)),$(shell [ ! -e .git ] || git log -1 --format=%cs 2>/dev/null))
SET := $(if $(RELEASED),-X dagscope/read.Version=$(word 1,$(RELEASED))) $(if $(COMMIT),-X dagscope/cli.commit=$(COMMIT) -X dagscope/cli.date=$(DATE))
STAMP := $(if $(strip $(SET)),-ldflags='$(strip $(SET))')

# Reference data are no part of the repository: tests look for them here.
export DAGSCOPE_REFERENCES ?= $(realpath ../shared)
export DAGSCOPE_BENCH_RUN ?= $(DAGSCOPE_REFERENCES:%=%/data/starpu/sg-mirage-n60-dmdas)

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
DEMO := testdata/starpu/sg-mirage-n12-dmdas/fxt/prof_file_root_0.zst
MODULES := . trace/store/interop web/e2e

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: engine recorder ## build bin/dagscope
	@go build $(STAMP) -o bin/dagscope ./cmd/dagscope

# Archives need the engine: a program without it builds it when it is first asked
# for one, where its sources are. What was built once is kept up to date.
ENGINE := show/archive/engine
program: recorder
	@[ ! -f $(ENGINE)/engine.wasm.gz ] || $(MAKE) --no-print-directory engine
	@go build $(STAMP) -o bin/dagscope ./cmd/dagscope

# Compressing takes longer than compiling: it is done when something changed.
engine: ## build the server that archives carry, as WebAssembly
	@mkdir -p build
	@GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o build/engine.wasm ./cmd/engine
	@{ [ -f $(ENGINE)/engine.wasm.gz ] && cmp -s build/engine.wasm build/engine.packed; } || { gzip -6 -n -c build/engine.wasm > build/engine.wasm.gz && \
	  mv build/engine.wasm.gz $(ENGINE)/engine.wasm.gz && cp build/engine.wasm build/engine.packed; }
	@cmp -s "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(ENGINE)/wasm_exec.js || cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(ENGINE)/wasm_exec.js

# The OpenMP recorder is C, for any compiler there is. dagscope does without it
# until a program is to be recorded, and builds it then if it can.
RECORDER := bin/libdagscope-ompt.so
recorder: ## build the OpenMP recorder's library
	@cc=$$(command -v cc || command -v gcc || command -v clang || command -v clang-19) || \
	  { echo "no C compiler (cc, gcc, clang): $(RECORDER) is not built"; exit 0; }; \
	mkdir -p bin && $$cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden -pthread \
	  -o $(RECORDER).new read/record/recorder/*.c && mv $(RECORDER).new $(RECORDER) || \
	echo "$(RECORDER) is not built: programs cannot be recorded"

demo: program ## import a bundled trace, report on it, draw it
	@mkdir -p build
	bin/dagscope import $(DEMO) -o build/demo.dsr
	bin/dagscope report build/demo.dsr
	bin/dagscope plot build/demo.dsr -o build/demo.svg
	bin/dagscope plot build/demo.dsr -o build/demo.png
	@echo
	@echo "The figure is build/demo.svg (and .png), the run build/demo.dsr. Ask it something:"
	@echo "  bin/dagscope query build/demo.dsr 'SELECT kind, arch, count(*), median(duration) FROM tasks GROUP BY kind, arch'"
	@echo "Look at it live, in the browser: bin/dagscope serve --open build/demo.dsr"

gallery: build ## make the pictures of docs/ again
	docs/gallery.sh

# make lint vets.
TESTFLAGS := -vet=off
test: tools ## run all tests but the slow ones
	@go run ./cmd/testsummary $(MODULES:%=-in %) -- $(TESTFLAGS) ./...

test-references: ## run the slow tests: comparisons with outside references, large inputs
	@go run ./cmd/testsummary -slow $(MODULES:%=-in %) -- $(TESTFLAGS)

chains: ## divide the makespans of recorded runs and write docs/reference/chain.md
	go run ./cmd/chain -o docs/reference/chain.md $(CHAINFLAGS)

replays: ## simulate recorded runs again and write docs/reference/replays.md
	go run ./cmd/replay -o docs/reference/replays.md $(REPLAYFLAGS)

makespans: ## simulate the reference makespans of StarPU and write docs/reference/makespans.md
	go run ./cmd/makespans -o docs/reference/makespans.md $(MAKESPANSFLAGS)

scalings: build ## predict OpenMP programs on two threads, run them, and write docs/reference/scaling.md
	go run ./cmd/scaling -o docs/reference/scaling.md $(SCALINGFLAGS)

predictions: ## predict StarPU's makespans from other runs, and healthy runs from faulty ones: docs/reference/predictions.md
	go run ./cmd/predictions -o docs/reference/predictions.md $(PREDICTIONFLAGS)

# Inputs of the reference data are no part of the page: it is the same everywhere.
conformance: ## damage the inputs of every reader 10 080 times and write docs/reference/robustness.md
	DAGSCOPE_REFERENCES= go run ./cmd/conform -n 480 -seed 1 -o docs/reference/robustness.md

# What several goroutines work on: requests, campaigns, imports, run directories,
# queries. The detector needs cgo, and so a C compiler; tests take some five times
# as long, which is why CI does without.
RACE := ./show/serve ./cmd/soak ./predict/campaign ./trace/store ./explain/query ./internal/parallel ./read/...
race: ## run the race detector on what is done in parallel (needs a C compiler)
	@cc=$$(go env CC); command -v $${cc%% *} >/dev/null || { echo "no C compiler ($$cc): the race detector, which needs one, is skipped"; exit 0; }; \
	failed=; for package in $$(go list $(RACE)); do \
	  CGO_ENABLED=1 go test -race $(TESTFLAGS) -timeout 30m $$package || failed="$$failed $$package"; \
	done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

# The diagnosis of runs of which it is known what is wrong with them; SCOREFLAGS has
# others, such as -detectors.
SCORE := docs/reference/score.md
score: program ## report on runs with known faults, compare, and write docs/reference/score.md
	go run ./cmd/score -o $(SCORE) $(SCOREFLAGS)

SOAK := docs/reference/soak.md
soak: program ## drive dagscope serve for half an hour with clients that misbehave; SOAKFLAGS has others
	@mkdir -p $(dir $(SOAK))
	go run ./cmd/soak -o $(SOAK) $(SOAKFLAGS)

tools: ## install what tests need besides Go: Chromium, clang and libomp
	@.ci/tools chromium openmp

web: ## check, test and build the browser client (needs Node 20.19 or newer)
	cd web && npm ci --no-audit --no-fund && npm run check && npm test && npm run build

LARGE := $(CURDIR)/build/large.dsr
bench: build ## measure packages, the whole program beside its peer, the live view
	@.ci/tools chromium
	go test -run '^$$' -bench . -benchtime 3x ./...
	go run ./cmd/bench -bin bin/dagscope
	[ -n "$$DAGSCOPE_BIG" ] || go run ./cmd/bench -large $(LARGE) # DAGSCOPE_BIG names another run
	cd web/e2e && DAGSCOPE_BENCH=$${DAGSCOPE_BIG:-$(LARGE)} DAGSCOPE_BIN=$(CURDIR)/bin/dagscope go test -count=1 -run '^TestBench$$' -timeout 30m -v .

bench-ompt: recorder ## measure what recording costs inside OpenMP programs
	@.ci/tools openmp
	go run ./cmd/bench-ompt

# Before a release: make fuzz gives each target an hour. ONLY is a regular
# expression, as in make fuzz TIME=5m ONLY=read/.
TIME ?= 1h
fuzz: ## run each fuzz target for TIME (1h), or those that match ONLY
	go run ./cmd/fuzz -time $(TIME) -only '$(ONLY)' -page docs/reference/fuzzing.md

fuzz-short: ## fuzz for two minutes: twelve targets, others after the next commit
	go run ./cmd/fuzz -time 10s -total 2m

faults: ## let every call that changes a file fail, or be a program's last: hours
	DAGSCOPE_SLOW=1 go test ./cmd/dagscope -count=1 -run TestFaults -timeout 12h -v -args -faults 150

SYSTEMS := ./trace/store ./predict/campaign ./predict/calibrate ./read/record ./internal/regular ./internal/wholefile ./show/archive
lint: ## go vet, staticcheck, gofmt -s
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -s -l); \
	if [ -n "$$unformatted" ]; then echo "run make fmt for: $$unformatted"; exit 1; fi
	@for module in $(MODULES); do echo "go vet in $$module"; (cd $$module && go vet ./...) || exit 1; done
	@# What differs between systems; make release compiles the rest for them.
	@for system in windows darwin; do echo "go build for $$system"; GOOS=$$system CGO_ENABLED=0 go build $(SYSTEMS) || exit 1; done
	go run $(STATICCHECK) ./...

fmt: ## gofmt -s on every file
	@git ls-files -co --exclude-standard '*.go' | xargs gofmt -s -w

vulncheck: ## look for known vulnerabilities that the program can reach (needs vuln.go.dev)
	go run $(GOVULNCHECK) ./...

PREFIX ?= /usr/local
install: build ## install below PREFIX (/usr/local), for packages below DESTDIR
	@rm -rf build/pages && go run $(STAMP) ./cmd/manpages -date '$(DATE)' build/pages
	@packaging/install.sh bin/dagscope bin/dagscope build/pages '$(DESTDIR)$(PREFIX)' $$([ ! -f $(RECORDER) ] || echo $(RECORDER))

uninstall: ## remove what make install has put there
	@packaging/uninstall.sh '$(DESTDIR)$(PREFIX)'

RELEASE := build/release
release: ## make everything that is published as VERSION=x.y.z, in build/release
	@packaging/release.sh '$(VERSION)' $(RELEASE)

reproducible: ## make release VERSION twice and compare (PLATFORMS="linux/amd64" for some)
	@packaging/reproducible.sh '$(VERSION)' build/reproducible

deb: ## make Debian packages of the release VERSION
	@packaging/deb.sh '$(VERSION)' $(RELEASE)

check-source: ## build the release VERSION from its archives as Spack and Apptainer do
	@packaging/check-source.sh '$(VERSION)' $(RELEASE)

clean: ## remove what make has built
	rm -rf bin build
