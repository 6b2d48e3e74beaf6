# The loop that matters: make test. CONTRIBUTING.md says the rest.

GO   ?= go
BIN  := bin
E2E  := compat/e2e
REF  := compat/reference
NPM  := remote/testdata/npm
HOST := examples/javascript-host
WEB  := cmd/codemode/testdata/browser
SHARED ?= ../shared
# Everything a test may skip elsewhere must be there, and must pass, under make.
export CI := true

.PHONY: all build conformance test test-go test-providers test-kubernetes lint fmt bench hammer hammer-http hammer-clock hammer-remote bench-catalogue platforms bench-proxy bench-platform bench-remote bench-compat compat clean deps help release mcpb man govulncheck

all: fmt lint test

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

build: ## build bin/codemode
	$(GO) build -trimpath -ldflags '-s -w' -o $(BIN)/codemode ./cmd/codemode

test: deps lint test-go compat test-providers test-kubernetes ## everything: lint, every Go test, the end-to-end tests, the catalogue

test-go: build
	CODEMODE_WHOLE=1 $(GO) test -timeout 20m ./...

# -mod=mod: the module follows the requirements of ours, which grow without it.
test-providers: ## the example over Anthropic's and OpenAI's SDKs, a module of its own
	cd examples/agent-loop/providers && $(GO) test -mod=mod ./...

lint: $(BIN)/staticcheck $(E2E)/node_modules ## gofmt, vet, staticcheck, eslint
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "gofmt wants to change: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(BIN)/staticcheck ./...
	$(E2E)/node_modules/.bin/eslint --config .ci/eslint.config.mjs $$(git ls-files '*.js' '*.mjs' ':!*/testdata/*')

PLATFORMS ?= windows/amd64 windows/arm64 darwin/arm64 linux/arm64
platforms: ## vet the command, without its engine, for the systems that this one has no C compiler for; a few minutes each when nothing is built
	for p in $(PLATFORMS); do echo "$$p"; GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) vet ./cmd/codemode || exit 1; done

fmt: ## format the Go files
	gofmt -w $$(git ls-files '*.go')

bench: ## the executor's benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./executor/...

HAMMER ?= 10m
HAMMER_RUNS ?= 20000
hammer: ## a soak of the executor with faults, many runs in workers that stay, every road to memory (HAMMER=30s HAMMER_RUNS=1000 for a short one); prints its report
	CODEMODE_HAMMER=$(HAMMER) CODEMODE_HAMMER_RUNS=$(HAMMER_RUNS) $(GO) test ./executor -run 'TestHammer|TestRoadsToMemory' -count 1 -timeout 60m -v

HAMMER_REMOTE ?= 60s
hammer-clock: ## the tests of the executor and the daemon under a wall clock that jumps by minutes; builds Go's time package anew
	mkdir -p $(BIN)/_jumping-clock && .ci/jumping-clock.sh $(BIN)/_jumping-clock
	CODEMODE_CLOCK_JUMPS=1 $(GO) test -overlay $(BIN)/_jumping-clock/overlay.json -count 1 -timeout 20m ./executor ./remote/...

hammer-remote: build hammer-clock ## a soak of daemons and clients with faults (HAMMER_REMOTE=30s for a short one), after the tests under a jumping clock; prints its report
	CODEMODE_HAMMER_REMOTE=$(HAMMER_REMOTE) CODEMODE_BINARY=$(CURDIR)/$(BIN)/codemode $(GO) test ./remote -run TestHammerRemote -count 1 -timeout 30m -v

test-kubernetes: ## the manifests of the example, decoded by the real API types, a module of its own
	cd examples/kubernetes && $(GO) test ./...

hammer-http: ## a soak of serve --http with 200 clients (HAMMER=20s for a short one); prints its report
	CODEMODE_HAMMER_HTTP=$(if $(filter file,$(origin HAMMER)),2m,$(HAMMER)) $(GO) test ./mcpserver -run TestHammerHTTP -count 1 -timeout 30m -v

compat: build ## the handed catalogue on our dialect, a column a release; prints differences and "N passed, N failed"
	$(GO) run ./compat/cmd/compat -cases $(SHARED)/reference/cases.json -expect $(SHARED)/reference/expected-0.5.6.json -version all

conformance: $(E2E)/node_modules ## the official MCP conformance suite on serve --http and on our client; prints its report
	$(GO) test ./compat/e2e -run Conforms -count 1 -v

bench-compat: build $(REF)/node_modules $(NPM)/node_modules ## the reference and us in one run; writes docs/performance.*
	$(GO) run ./compat/cmd/bench -codemode $(BIN)/codemode

bench-catalogue: ## declarations, search and describe of 1,500 functions; writes docs/performance.*
	$(GO) run ./compat/cmd/bench -catalogue $(SHARED)/mcp-tools

bench-proxy: build ## serve in front of 60 servers, and a nested call beside a direct one; writes docs/performance.*
	$(GO) run ./compat/cmd/bench -codemode $(BIN)/codemode -proxy

bench-remote: build $(NPM)/node_modules ## a daemon beside npm capnweb and a local pool, as ratios; writes docs/performance.*
	$(GO) run ./compat/cmd/bench -codemode $(BIN)/codemode -daemon

bench-platform: ## the web platform in a sandbox beside node 20; writes docs/performance.*
	$(GO) run ./compat/cmd/bench -platform

deps: $(E2E)/node_modules $(REF)/node_modules $(NPM)/node_modules $(WEB)/node_modules $(HOST)/node_modules ## what the tests need from lock files

$(E2E)/node_modules $(REF)/node_modules $(NPM)/node_modules $(WEB)/node_modules $(HOST)/node_modules .ci/release/node_modules: %/node_modules: %/package-lock.json
	cd $* && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(BIN)/staticcheck: .ci/tools/go.mod .ci/tools/go.sum
	cd .ci/tools && $(GO) build -o $(CURDIR)/$@ honnef.co/go/tools/cmd/staticcheck

release: ## build dist/: archives for each platform, checksums, bills of materials, completions (VERSION=1.2.3, TARGETS="linux/amd64")
	.ci/release/build.sh $(TARGETS)

mcpb: .ci/release/node_modules ## after release: the bundle for Claude Desktop, validated, and server.json
	.ci/release/bundle.sh

man: build ## the manual page and shell completions, in bin/
	$(BIN)/codemode man > $(BIN)/codemode.1
	for shell in bash zsh fish; do $(BIN)/codemode completion $$shell > $(BIN)/codemode.$$shell; done

govulncheck: ## known vulnerabilities of what is linked; asks the Go vulnerability database on the internet
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

clean: ## remove what was built and installed
	rm -rf dist $(BIN) .ci/release/node_modules $(E2E)/node_modules $(REF)/node_modules $(NPM)/node_modules $(WEB)/node_modules $(HOST)/node_modules
