# Clew. `make run` and `make test` are all that is needed; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export CGO_ENABLED ?= 0
# The built-in embedding model is slower without the experiment, and gives the same numbers. Clones of the project share what is compiled.
export GOEXPERIMENT ?= simd
export GOFLAGS ?= -trimpath
export GORACE := atexit_sleep_ms=0
TOOL := go tool -modfile=tools/go.mod
PACKAGES := ./cmd/... ./docs ./internal/... ./migrations/... ./static/... ./views/...
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# Without the flag for the views each page is compiled with a copy of all its parts: three megabytes.
BUILD = -trimpath -gcflags=github.com/clewhq/clew/views/...=-l -ldflags "-s -w -X main.version=$(VERSION)"
FUZZTIME := 30s
LOAD := 60
FLEET := 300
.PHONY: help run build front generate docs check test test-long times fuzz lint audit size unreachable short compile planted-race unit raced calm modules properties neo4j test-faults load fleet browser pictures model clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 14; $(MAKE) -s -C bench

run: build ## install, build and serve on http://127.0.0.1:8080 (LISTEN=… says where) with the data in ./data
	@bin/clew model fetch --unset
	@exec bin/clew serve
build: front ## build bin/clew
	@.ci/build $(BUILD)
front: static/dist/.built ## install the pinned front-end packages and bundle css and js
static/dist/.built: $(shell find static/src -type f) static/compress.mjs package.json package-lock.json
	@.ci/need go node npm && .ci/first && echo "Fetching and bundling the pages' script and style"
	@npm ci --ignore-scripts --no-audit --no-fund --silent && npm run --silent build && touch $@
generate: ## write the Go code of the templates
	$(TOOL) templ generate -path views
	go run -C tools ./words "$(CURDIR)/views"
docs: generate ## write what the documentation takes from the code
	go run ./cmd/web docs
model: ## fetch the built-in embedding model (23 MB) into the data folder, see docs/models.md
	@go run ./cmd/web model fetch
clean: ## remove what was built; the data stay
	rm -rf bin node_modules static/dist/*

check: front ## format, generated files, vet, lint and unit tests, within two minutes
	@.ci/check
test: ## everything that CI runs
	@.ci/test
test-long: ## the same, with the full numbers of what test repeats a few times
	@CLEW_LONG=1 .ci/test
times: ## write the times of the last runs into docs/testing.md
	@sed -i -e '/^<!-- times -->$$/,/^<!-- end -->$$/{//!d}' -e '/^<!-- times -->$$/r /dev/stdin' docs/testing.md < <(for f in .cache/times-*.md; do echo; cat $$f; done; echo)
lint: ## vet and the other linters, on the files of all build tags
	$(TOOL) golangci-lint run $(PACKAGES) && cd bench && go tool -modfile=../tools/go.mod golangci-lint run ./...
release: front ## archives for six platforms, checksums and a list of components in dist/ (VERSION=v1.2.3, PLATFORMS=linux/amd64 for one), see docs/releases.md
	@case "$(VERSION)" in *-dirty) echo "Commit what has changed first: a release is built from a commit." >&2; exit 1;; esac
	@rm -rf dist && mkdir dist && .ci/build $(BUILD)
	@node .ci/sbom.mjs bin/clew package-lock.json dist/sbom.json
	@go run -C tools ./notices "$(CURDIR)" "$(CURDIR)/dist/THIRD-PARTY.txt"
	@go run -C tools ./release "$(CURDIR)" "$(VERSION)" "$(CURDIR)/dist"
audit: build ## known vulnerabilities, licences, and bin/sbom.json
	@.ci/audit
size: ## lines of product, tests and the largest rooms; internal/arch has the limits
	@go test -count=1 -v -run '^TestTheProjectIsSmall$$' ./internal/arch
unreachable: ## functions that no program calls
	go test -tags unreachable $(PLAIN) -count=1 -run TestEveryFunctionIsReachable ./internal/arch

# Without the debugger's tables, tests are linked in half the time. With RETRY=1 three failed ones run once more, which needs the packages as a flag.
PLAIN := -vet=off -ldflags=-w
TESTS := $(TOOL) gotestsum --format pkgname-and-test-fails --hide-summary=skipped
again = $(if $(RETRY),--rerun-fails=1 --rerun-fails-run-root-test --rerun-fails-max-failures=3 --rerun-fails-abort-on-data-race --rerun-fails-report=.cache/unsteady-$(1).txt) --packages="$(2)" --
# Of these packages, much code and no race of ours: under the detector they run a tenth as fast.
RACE := -race $(patsubst %,-gcflags=%=-race=false,modernc.org/sqlite/lib modernc.org/libc modernc.org/memory golang.org/x/crypto/argon2 github.com/klauspost/compress/... github.com/a-h/templ/...)
RACED := .cache/raced.json
skipped = $$(sed -nE 's/.*"Action":"skip","Package":"([^"]+)","Test":"(Test[A-Za-z0-9]+).*/\$(1)/p' $(RACED) | sort -u | paste -sd'$(2)')
compiled = go list -export -test -deps $(1) >/dev/null
short: front ## unit tests without the race detector, servers and browser
	$(TESTS) -- -short $(PLAIN) -timeout 20m $(PACKAGES)
compile: # what test runs, so that no compiler competes with tests for the processors: they have limits of time
	@$(if $(RACE),CGO_ENABLED=1 $(call compiled,$(RACE) $(PACKAGES)))
	@$(call compiled,$(PACKAGES)) && $(call compiled,-tags e2e ./cmd/web ./views/viewstest) && $(call compiled,-tags faults $(PACKAGES))
	@cd bench && $(call compiled,./...) && cd ../deploy && $(call compiled,./...)
	@$(TOOL) -n gotestsum >/dev/null && $(TOOL) -n golangci-lint >/dev/null
planted-race: # the race detector still finds a race in our code
	@.ci/planted-race $(RACE)
unit: front ## unit, conformance and golden tests, with the race detector; then, without it, those that it skipped
	@mkdir -p .cache && $(MAKE) --no-print-directory -k raced calm modules
raced:
	@CGO_ENABLED=$(if $(RACE),1,0) $(TESTS) --jsonfile $(RACED) $(call again,race,$(PACKAGES)) $(RACE) -p 3 $(PLAIN) -timeout 40m
calm:
	@$(if $(RACE),$(TESTS) $(call again,calm,$(call skipped,1, )) $(PLAIN) -timeout 40m -run "^($(call skipped,2,|))$$")
modules:
	@cd bench && go test $(PLAIN) ./...
	@cd deploy && go test $(PLAIN) ./...
	@cd tools && go test $(PLAIN) ./notices ./release ./words
properties: # each property on more cases than usual
	$(TESTS) -- -short $(PLAIN) -timeout 60m $$(grep -rl pgregory.net/rapid --include='*_test.go' internal views | xargs -n1 dirname | sort -u | sed 's|^|./|') -rapid.checks=2000
fuzz: ## damaged input for each reader and for splitting (FUZZTIME=10m each)
	@.ci/fuzz $(FUZZTIME)
test-faults: ## kill the process, stop the stores, fill the disk, and see what holds
	go test -tags faults -run '^TestFault[A-Z]' -count=1 $(PLAIN) -timeout 40m -v $$(grep -rlE '^func TestFault[A-Z]' --include='*_test.go' cmd internal | xargs -n1 dirname | sort -u | sed 's|^|./|') \
		| grep --line-buffered -vE '^(=== |[[:space:]]*\{"document")'; exit $${PIPESTATUS[0]}
load: ## 64 programs ask as streams beside readers of pages, and a workspace is flooded beside two others, for LOAD=60 seconds each
	CLEW_LOAD=$(LOAD) go test -run '^(TestManyProgramsAskAtOnce|TestAFloodDelaysNoOtherWorkspace)$$' -count=1 $(PLAIN) -timeout 10m -v ./cmd/web
fleet: front ## kill processes of a fleet at random while it is asked and fed, for FLEET=300 seconds
	CLEW_FLEET=$(FLEET) go test -tags faults -run '^TestFaultAFleetIsKilledUnderLoad$$' -count=1 $(PLAIN) -timeout 30m -v ./cmd/web
browser: front ## headless Chromium drives the program through its main job
	$(TESTS) $(call again,browser,./cmd/web ./views/viewstest) -tags e2e $(PLAIN) -timeout 40m -count=1 -run "^($$(grep -lE '^//go:build e2e' cmd/web/*_test.go views/viewstest/*_test.go | xargs sed -nE 's/^func (Test[A-Za-z]+)\(.*/\1/p' | paste -sd'|'))$$"
pictures: front ## take the documentation's pictures again
	@rm -rf .cache/pictures && mkdir -p .cache/pictures
	CLEW_PICTURES=$(CURDIR)/.cache/pictures go test -tags e2e -timeout 20m -count=1 -run 'TestTheMainJob|TestTheTraceMoves|TestASummaryIsWatched|TestAChartComes|TestTheStoresAre|TestTheGraphIsWalked|TestPairsAreDecidedByKeyboard|TestARunIsTravelled' ./cmd/web
	@cd .cache/pictures && cp $$(ls ../../docs/pictures) ../../docs/pictures
neo4j: .cache/neo4j.jsa ## fetch the Neo4j server that the tests start, by Maven
.cache/neo4j/.complete: internal/testkit/servers/neo4j/pom.xml
	@.ci/need mvn java && rm -rf .cache/neo4j
	mvn -q -B -ntp -f $< dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/.cache/neo4j && touch $@
.cache/neo4j.jsa: .cache/neo4j/.complete
	go run ./internal/testkit/servers/classes
bench-%: # a benchmark of bench/Makefile
	@$(MAKE) --no-print-directory -C bench $*
