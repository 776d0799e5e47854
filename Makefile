# Clew. `make run` and `make test` are all that is needed; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export CGO_ENABLED ?= 0
# The built-in embedding model multiplies with the processor's vector instructions. Without the experiment it is slower, and gives the same numbers.
export GOEXPERIMENT ?= simd
# Clones of the project share what is compiled.
export GOFLAGS ?= -trimpath

TOOL := go tool -modfile=tools/go.mod
DIST := static/dist/.built
SOURCES := $(shell find static/src -type f 2>/dev/null) static/compress.mjs package.json package-lock.json
PACKAGES := ./cmd/... ./docs ./internal/... ./migrations/... ./static/... ./views/...
CHECKED := $(PACKAGES) ./bench/...

.PHONY: help run build first front docs generate check short test test-long test-faults times fuzz properties need lint audit size unreachable planted-race unit neo4j browser pictures bench bench-engine bench-answer bench-graph bench-growth bench-ingest bench-resolve bench-summarize bench-stores bench-text bench-travel try-model model clean load

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: build ## install, build and serve on http://127.0.0.1:8080 (LISTEN=… says where) with the data in ./data
	@bin/clew model fetch --unset
	@exec bin/clew serve

build: need first front ## build bin/clew
	@.ci/build -trimpath -ldflags "-s -w -X main.version=$(VERSION)"

first: # says what the first build takes
	@.ci/first

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

need: # names what is not installed before anything is tried
	@.ci/need go node npm

front: $(DIST) ## install the pinned front-end packages and bundle css and js

$(DIST): $(SOURCES)
	@echo "Fetching and bundling the pages' script and style"
	@npm ci --ignore-scripts --no-audit --no-fund --silent
	@npm run --silent build
	@touch $@

generate: ## write the Go code of the templates
	$(TOOL) templ generate -path views

docs: generate ## write what the documentation takes from the code
	go run ./cmd/web docs

check: need front ## format, generated files, vet, lint and unit tests, within two minutes
	@.ci/check

test: need front ## everything that CI runs
	@.ci/test

test-long: need front ## the same, with the full numbers of what test repeats a few times
	@CLEW_LONG=1 .ci/test

times: ## write the times of the last runs into docs/testing.md
	@sed -i -e '/^<!-- times -->$$/,/^<!-- end -->$$/{//!d}' -e '/^<!-- times -->$$/r /dev/stdin' docs/testing.md < <(for f in .cache/times-*.md; do echo; cat $$f; done; echo)

FUZZTIME := 30s

# The time to shrink an interesting input counts as no execution: without a bound it takes all there is.
fuzz: ## damaged input for each reader and for splitting (FUZZTIME=10m each)
	@set -o pipefail; for package in $$(grep -rl '^func Fuzz' --include='*_test.go' internal | xargs -n1 dirname | sort -u); do \
		for target in $$(sed -nE 's/^func (Fuzz[A-Za-z]+)\(.*/\1/p' $$package/*_test.go); do \
			echo "== $$package $$target"; \
			go test -run '^$$' -vet=off -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x ./$$package | tail -n 20 || exit 1; \
		done; \
	done

lint: ## vet and the other linters, on the files of all build tags
	$(TOOL) golangci-lint run $(CHECKED)

audit: build ## known vulnerabilities, licences, and bin/sbom.json
	@.ci/audit

size: ## lines of product, tests and the largest rooms; internal/arch has the limits
	@go test -count=1 -v -run '^TestTheProjectIsSmall$$' ./internal/arch

unreachable: ## functions that no program calls
	go test -tags unreachable $(PLAIN) -count=1 -run TestEveryFunctionIsReachable ./internal/arch

GOTESTSUM := $(TOOL) gotestsum --format pkgname-and-test-fails

# With RETRY=1 at most three failed tests run once more, and what then passes is reported as unsteady. A race is never retried.
# The packages have to be a flag for that: $(call again,step,packages).
again = $(if $(RETRY),--rerun-fails=1 --rerun-fails-run-root-test --rerun-fails-max-failures=3 --rerun-fails-abort-on-data-race --rerun-fails-report=.cache/unsteady-$(1).txt) --packages="$(2)" --

# Lint has vetted the tests, and no debugger looks at them: without its tables they are linked in half the time.
PLAIN := -vet=off -ldflags=-w

short: front ## unit tests without the race detector, servers and browser
	$(GOTESTSUM) -- -short $(PLAIN) -timeout 20m $(PACKAGES)

# Binaries that detect races wait a second before they exit, unless told not to.
export GORACE := atexit_sleep_ms=0

# SQLite is C translated to Go: with the race detector it runs a tenth as fast. Its own
# code is left out, but not package sqlite, which shares generic code with ours. Hashing,
# compressing and writing pages, a third of what the detector costs the pages' tests, are
# left out, too.
RACE := -race $(foreach package,modernc.org/sqlite/lib modernc.org/libc modernc.org/memory golang.org/x/crypto/argon2 github.com/klauspost/compress/... github.com/a-h/templ/...,-gcflags=$(package)=-race=false)

planted-race: # the race detector still finds a race in our code
	@.ci/planted-race $(RACE)

# What one goroutine does to much data, or very often, runs without the race detector: hostile, damaged and large files,
# histories of a library or of a run that are compared with a reference, every order of two processes' requests, answers without
# each of their sources.
HEAVY := \
	TestHostileInputOfCommands TestHostileForms TestHostileReplies TestHostileArchivesAreBounded TestHostileFiles TestHostileLinks TestLargeFiles TestGraphsAreBounded TestDecompressionBombIsRefused TestHostileArchives TestReadDOCXRefuses TestALargeGraphIsSmallOnTheWire \
	TestUndoingAllRestoresTheGraph TestStoresMatchARebuild TestOrderDoesNotMatter TestOrderDoesNotMatterToNeo4j TestTheOrderOfEntitiesDoesNotMatter \
	TestBatchesAreBounded TestDeletingASourceTakesItsQuotesAway TestTheLadderHasThreeRungs \
	TestManyHostileFiles TestMutations TestTwoProcessesAtOnce TestADeadProcess TestNothingLeavesItsFence TestWordsAreScoredByBM25 \
	TestPDFOfManyProducers TestRunsThatDieAtEveryWriteEndLikeTheReference TestForksOfRandomRunsEndLikeTheReference TestConformanceOfTheDouble TestTheSampleIsAnsweredFromTheStores

# Most tests of commands and pages send one request after the other, and the detector triples what they cost. Under it run
# those in which the program works while it is asked, streams, is stopped or killed; with CLEW_LONG=1 all of them.
WHOLE := ./cmd/web ./internal/web
MEETING := \
	TestWorkersAndPagesApart TestTheServerSeesWhatCommandsDo TestStoppingLosesNothing TestAKilledServerFinishesWhatItWasAt TestAKilledServerLosesNoQuestionThatWaits \
	TestEverySetOfStores TestHealth TestDocumentsThatWaitTakeTurns TestStoppingADocumentEndsItsParser TestWatchFollowsAFolder TestIngestFromTheWeb TestIngestOfAFolder \
	TestIngestWaitsForRoomInTheQueue TestABackupBesideTheServerAndARestoreThatIsNotTakenThere TestAModelConnectedInThePageIsUsedAtOnce TestAModelThatAppearsLater \
	TestUsageAndCaps TestProposalsFromTheCommandLine TestThemesAreSummedUpByAModel TestSummarizeOnTheCommandLine TestReplaysCallNoModel TestAProgramChoosesPassages \
	TestAKillBetweenPlaceholderAndChart TestIngestOfANewVersion \
	TestARunIsStreamedWhileItWorks TestAStreamResumesAfterTheLastEventSeen TestStopFromThePage TestStopByHTMXStaysOnThePage TestTheListOfDocumentsIsUpdated \
	TestWhatChangedBeforeTheStreamBeganIsSent TestARowThatWentBeforeTheStreamBegan TestStreamsEndWithTheServer TestAStreamOfARunThatIsStoppedBeforeItBegins \
	TestASessionHasFewStreams TestStreamsAreBounded TestStreamsOfDocumentsShareOneReader TestStreamsTravelPlain TestAStreamEndsWithItsSession TestTheStreamSendsCurrentCharts \
	TestTheStreamOfAQuestionEndsWithWhatItAsks TestAFrontHandsOverWithoutRefusing TestTheEndOfASiteIsBounded TestConnectionsBeyondTheMostAreClosed TestOneBackupIsDownloadedAtATime \
	TestOneQuestionTooMany TestOneDocumentTooMany TestASlowUploadDoesNotBlockStop TestADroppedConnectionLeavesNoFile TestGoodAndBadFilesInOneUpload TestAskingFromThePages \
	TestMethodsAtWorkAreShownAsTheyCome TestTwoPeopleSaveASchema TestGuessingPasswordsIsSlowedDown TestReviewingADraft TestChoosingPassagesBeforeTheAnswer TestARunIsForkedOnItsPage \
	TestEvaluationInPages TestAQuestionWaitsForTheSample TestTheStoresAreCheckedFromThePage TestASummaryFromTheFormToItsPage TestAnAnswerShowsWhereItsEvidenceCameFrom

# Run in steps of their own.
ALONE := $(subst $() ,|,$(WHOLE) ./internal/builtin)

any = ^($(subst $() ,|,$(strip $(1))))$$
holding = $$(grep -rlE '^func ($(subst $() ,|,$(strip $(1))))\(' --include='*_test.go' $(2) | xargs -n1 dirname | sort -u | sed 's|^|./|')

# Packages wait for servers and processes: three at a time, beside the other lanes, keep two cores busy.
unit: front ## unit, conformance and golden tests, with the race detector
	@CGO_ENABLED=1 $(GOTESTSUM) $(call again,race,$$(.ci/calm -v $(PACKAGES) | grep -vxE '$(ALONE)')) $(RACE) -p 3 -skip '$(call any,$(HEAVY))' $(PLAIN) -timeout 20m
	@CGO_ENABLED=1 $(GOTESTSUM) $(call again,whole,$(WHOLE)) $(RACE) $(if $(CLEW_LONG),-skip '$(call any,$(HEAVY))',-run '$(call any,$(MEETING))') $(PLAIN) -timeout 20m
	@$(GOTESTSUM) $(call again,calm,$$(.ci/calm $(PACKAGES)) ./internal/builtin) $(PLAIN) -timeout 20m
	@$(GOTESTSUM) $(call again,pages,$(WHOLE)) -skip '$(call any,$(MEETING))' $(PLAIN) -timeout 20m
	@$(GOTESTSUM) $(call again,heavy,$(call holding,$(HEAVY),internal)) $(PLAIN) -timeout 20m -run '$(call any,$(HEAVY))'

properties: # each property on more cases than usual
	$(GOTESTSUM) -- -short $(PLAIN) -timeout 60m $$(grep -rl pgregory.net/rapid --include='*_test.go' internal views | xargs -n1 dirname | sort -u | sed 's|^|./|') -rapid.checks=2000

NEO4J := .cache/neo4j

neo4j: $(NEO4J).jsa ## fetch the Neo4j server that the tests start, by Maven

$(NEO4J)/.complete: internal/testkit/servers/neo4j/pom.xml
	@.ci/need mvn java
	rm -rf $(NEO4J)
	mvn -q -B -ntp -f $< dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(NEO4J)
	@touch $@

$(NEO4J).jsa: $(NEO4J)/.complete
	go run ./internal/testkit/servers/classes

# Every test of a fault is called TestFault…, wherever its store is, and is
# listed in docs/faults.md. CLEW_KILLS and CLEW_KILL_SEED set how often and
# when the process is killed while it reads.
test-faults: ## kill the process, stop the stores, fill the disk, and see what holds
	go test -tags faults -run '^TestFault[A-Z]' -count=1 $(PLAIN) -timeout 40m -v $$(grep -rlE '^func TestFault[A-Z]' --include='*_test.go' cmd internal | xargs -n1 dirname | sort -u | sed 's|^|./|') \
		| grep --line-buffered -vE '^(=== |[[:space:]]*\{"document")'; exit $${PIPESTATUS[0]}

browser: front ## headless Chromium drives the program through its main job
	$(GOTESTSUM) $(call again,browser,./cmd/web ./views/viewstest) -tags e2e $(PLAIN) -timeout 20m -count=1 -run "^($$(grep -lE '^//go:build e2e' cmd/web/*_test.go views/viewstest/*_test.go | \
		xargs sed -nE 's/^func (Test[A-Za-z]+)\(.*/\1/p' | paste -sd'|'))$$"

pictures: front ## take the documentation's pictures again
	@mkdir -p docs/pictures
	CLEW_PICTURES=$(CURDIR)/docs/pictures go test -tags e2e -timeout 20m -count=1 -run 'TestTheMainJob|TestTheTraceMoves|TestASummaryIs|TestAChartComes|TestTheStoresAre|TestTheGraphIs|TestPairsAre|TestARunIsTravelled' ./cmd/web

bench: build ## ingest and retrieval on real passages, see docs/benchmarks.md
	go run ./bench/ingest
	@for set in ../shared/data/multihop/*/; do echo; echo "$$set"; bin/clew eval retrieval "$$set"; done

ANSWER := .cache/bench-answer

bench-answer: build ## what a question costs, beside the same loop in LangGraph, see docs/benchmarks.md
	@.ci/need python3
	@mkdir -p $(ANSWER)
	python3 -m venv $(ANSWER)/venv && $(ANSWER)/venv/bin/pip install -q -r bench/answer/langgraph/requirements.txt
	go run ./bench/answer -langgraph "$(ANSWER)/venv/bin/python bench/answer/langgraph/bench.py"

READING := .cache/bench-ingest

bench-ingest: build ## what adding documents costs where a model reads them, beside LightRAG, see docs/benchmarks.md
	@.ci/need python3
	@mkdir -p $(READING)
	python3 -m venv $(READING)/venv && $(READING)/venv/bin/pip install -q -r bench/reading/lightrag/requirements.txt
	go run ./bench/reading -lightrag "$(READING)/venv/bin/python bench/reading/lightrag/bench.py"

bench-text: front ## how long a document of 1 MB takes to be painted, for a quiet machine
	CLEW_BENCH_TEXT=1 go test -tags e2e -vet=off -v -run TestAPDFCitationOnItsPage -count=1 -timeout 20m ./cmd/web

bench-graph: front ## frame times of the explorer with 20,000 entities and 60,000 relations, drawn by software
	go test -v -run TestALargeGraphIsSmallOnTheWire -count=1 ./internal/explore
	CLEW_BENCH_GRAPH=1 go test -tags e2e -vet=off -v -run TestALargeGraphMoves -count=1 -timeout 20m ./cmd/web

bench-growth: ## what adding and deleting one document costs as a library grows, see docs/benchmarks.md (SIZES=10000 for a short look)
	go test -run '^$$' -bench '^BenchmarkGrowth$$' -benchtime 1x -count 1 -timeout 3h ./bench/stores -args -sizes $(SIZES)

bench-resolve: ## compare 50,000 entities, and measure what is found on real names
	go test -run "^$$" -bench "^BenchmarkMatch$$" -benchtime 1x -count 5 ./internal/resolve
	go run ./cmd/web eval resolution --held-out ../shared/data/multihop

bench-summarize: ## calls, seconds and overhead of summaries, with a model that takes 200 ms
	go run ./bench/summarize

bench-travel: ## lists of runs, states, pages and what keeping threads costs, see docs/benchmarks.md
	go test -run '^$$' -bench '^BenchmarkAList$$' -benchtime 20x ./internal/job
	go test -run '^$$' -bench '^BenchmarkStateAt$$' ./internal/checkpoint/sql
	CLEW_LONG=1 go test -v -count=1 -run '^(TestTravellingIsFast|TestKeepingThreadsCostsLittle)$$' ./internal/web

load: build ## 64 people asking and 4 uploading for a minute, with 2,000 streams open
	go run ./bench/load

DOCUMENTS := 10000
BATCH := 100
DIMENSIONS := 384
SET := .
SIZES := 10000,50000,100000

try-model: build ## run the main job against a real, tiny model on this machine, see docs/models.md
	@.ci/need python3
	@bench/trymodel/run

model: ## fetch the built-in embedding model (23 MB) into the data folder, see docs/models.md
	@go run ./cmd/web model fetch

bench-stores: $(NEO4J)/.complete ## rates, memory and disk of each set of stores, see docs/benchmarks.md (DOCUMENTS=2000 for a short look)
	go test -run '^$$' -bench '^BenchmarkStores$$/$(SET)' -benchtime 1x -count 1 -timeout 3h ./bench/stores -args -n $(DOCUMENTS) -batch $(BATCH) -dimensions $(DIMENSIONS)

clean: ## remove what was built; the data stay
	rm -rf bin node_modules static/dist/* 

BENCH := .cache/bench-engine

bench-engine: ## the engine beside LangGraph and eino, see docs/benchmarks-engine.md
	@.ci/need go python3
	@mkdir -p $(BENCH)
	python3 -m venv $(BENCH)/venv && $(BENCH)/venv/bin/pip install -q -r bench/engine/langgraph/requirements.txt
	cd bench/engine/eino && go build -o ../../../$(BENCH)/eino .
	go build -o $(BENCH)/ ./bench/engine ./bench/engine/clew
	CLEW_KILLS=200 CLEW_KILL_SEED=$$RANDOM go test -count=1 -v -run 'LosesNothing|BesideAFailure' ./internal/checkpoint/sql
	$(BENCH)/engine -langgraph "$(BENCH)/venv/bin/python bench/engine/langgraph/bench.py" -eino $(BENCH)/eino -clew $(BENCH)/clew
