package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what commands print to testdata/output.golden")

// transcript runs commands one after the other and notes what they print, with ids numbered and times left out.
type transcript struct {
	shell
	t   *testing.T
	dir string // of files
	all strings.Builder
	ids map[string]string

	far *shell // a server on the same library, on which commands are carried out that can be

	random *drawn // so that ids, and what is ordered by them, are the same each time
}

// drawn is randomness that is the same each time.
type drawn struct {
	mu   sync.Mutex
	from *rand.ChaCha8
}

func (d *drawn) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.from.Read(p)
}

// do runs a command and returns what it prints.
func (tr *transcript) do(args ...string) string {
	tr.t.Helper()
	on := tr.shell
	if tr.far != nil && !stays(args) {
		on = *tr.far
		on.stdin = tr.stdin
		if begins(args) {
			defer tr.working()()
		}
	}
	s, stdout, _ := on.env()
	s.random = tr.random
	root := program(s)
	root.SetArgs(args)
	err := root.ExecuteContext(tr.t.Context())
	out := stdout.String()
	fmt.Fprintf(&tr.all, "$ clew %s\n%s", strings.Join(args, " "), out)
	if out != "" && !strings.HasSuffix(out, "\n") {
		tr.all.WriteString("\n")
	}
	if err != nil {
		fmt.Fprintf(&tr.all, "error: %s\n", strings.Join(sentences(err), "\n"))
	}
	tr.all.WriteString("\n")
	return out
}

// fields runs a command with --json, notes the names and the types of the fields that it prints, and returns its output.
func (tr *transcript) fields(args ...string) string {
	tr.t.Helper()
	before := tr.all.Len()
	out := tr.do(append(args, "--json")...)
	noted := tr.all.String()
	tr.all.Reset()
	fmt.Fprintf(&tr.all, "%s$ clew %s --json\n", noted[:before], strings.Join(args, " "))
	if _, problem, failed := strings.Cut(noted[before:], "\nerror: "); failed {
		fmt.Fprintf(&tr.all, "error: %s", problem)
	}
	seen := map[string]bool{}
	jsonShape("", decoded[any](tr.t, out), seen)
	fmt.Fprintf(&tr.all, "%s\n\n", strings.Join(slices.Sorted(maps.Keys(seen)), "\n"))
	return out
}

// jsonShape notes the names and types of what a JSON value holds.
func jsonShape(path string, v any, seen map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, of := range v {
			if anID.MatchString(name) {
				name = "ID"
			}
			if slices.Contains([]string{".states[].left", ".states[].right", "[].before", "[].after"}, path+"."+name) {
				of = "a state" // which depends on how long its nodes took
			}
			jsonShape(path+"."+name, of, seen)
		}
	case []any:
		for _, of := range v {
			jsonShape(path+"[]", of, seen)
		}
	default:
		seen[fmt.Sprintf("%s %T", path, v)] = true
	}
}

// both runs a command as it is and with --json, and returns the latter's output.
func (tr *transcript) both(args ...string) string {
	tr.t.Helper()
	tr.do(args...)
	return tr.do(append(args, "--json")...)
}

var (
	anID     = regexp.MustCompile(`\b(run|[a-z]{1,2})[0-9a-f]{20}([0-9a-f]{4})?\b`)
	aTime    = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d[0-9:.]*(Z|[+-]\d\d:\d\d)?|\b\d{1,2} [A-Z][a-z]+ 20\d\d,? \d\d:\d\d|\b20[2-9]\d-\d\d-\d\d\b`)
	aCount   = regexp.MustCompile(`("(?:ms|seconds|took|took_ms|p50_ms|p95_ms|p50|p95|score|nearness|least_seconds|most_seconds|rate)": )[0-9.e+-]+|  \d+\.\d\d  |(?:< )?\b[0-9.]+( ms| s\b|ms\b)`)
	msRow    = regexp.MustCompile(`(?m)^ms +\d+ +\d+$`)
	aTimings = regexp.MustCompile(`(?s)    \{\n      "field": "timing_metrics",.*?\n    \},\n|(?m)^timing_metrics .*\n`)
	spaces   = regexp.MustCompile(`(\S)  +`)
)

// plain returns what was noted without what differs from run to run.
func (tr *transcript) plain() string {
	text := strings.ReplaceAll(strings.ReplaceAll(tr.all.String(), tr.dir, "DIR"), tr.data, "DATA")
	text = anID.ReplaceAllStringFunc(text, func(id string) string {
		if tr.ids[id] == "" {
			tr.ids[id] = fmt.Sprintf("%s#%d", anID.FindStringSubmatch(id)[1], len(tr.ids)+1)
		}
		return tr.ids[id]
	})
	text = msRow.ReplaceAllString(aTimings.ReplaceAllString(text, ""), "ms  N")
	text = aTime.ReplaceAllString(text, "TIME")
	text = aCount.ReplaceAllString(text, "${1}N$2")
	return spaces.ReplaceAllString(text, "$1  ")
}

// value returns what stands at a path of a command's JSON: names of fields and numbers of elements.
func value(t *testing.T, out string, path ...any) string {
	t.Helper()
	v := decoded[any](t, out)
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	if n, ok := v.(float64); ok {
		return fmt.Sprint(int64(n))
	}
	text, ok := v.(string)
	if !ok {
		b, _ := json.Marshal(v)
		t.Fatalf("at %v stands %s", path, b)
	}
	return text
}

// TestOutputIsStable compares what commands print with testdata/output.golden. Scripts read it: whoever changes a name or
// a type of a field in the JSON says so in CHANGELOG.md.
func TestOutputIsStable(t *testing.T) {
	t.Parallel()
	tr := &transcript{shell: newShell(t), t: t, dir: t.TempDir(), ids: map[string]string{}, random: &drawn{from: rand.NewChaCha8([32]byte{})}}
	tr.documents()
	run := tr.asking()
	tr.entities()
	tr.schemas()
	tr.runs(run)
	tr.settings()
	tr.accounts()
	tr.upkeep()
	tr.deletions()
	golden, got := filepath.Join("testdata", "output.golden"), tr.plain()
	if *update {
		noError(t, os.WriteFile(golden, []byte(got), 0o600))
		return
	}
	want, err := os.ReadFile(golden)
	noError(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("what commands print has changed (-want +got); go test ./cmd/web -run TestOutputIsStable -update accepts it:\n%s", diff)
	}
}

// byWhom is who did something: here a command, on a server the account of the token, or nobody.
var byWhom = regexp.MustCompile(`(?m)^ *"(who|person|added_by)": "[^"]*",?\n|^\[?\]?\.(person|who) string\n|\b(command line|clew (schema|user|model|settings)|clew_\w+)  `)

var aSetting = regexp.MustCompile(`page, (command line|clew_\w+)`)

// TestOutputIsTheSameOnAServer compares what commands print with what they print on the library's own machine.
func TestOutputIsTheSameOnAServer(t *testing.T) {
	t.Parallel()
	built(t)
	sh := newShell(t)
	s, _, _ := sh.env()
	s.noWork = true
	cfg, err := s.load("")
	noError(t, err)
	v := launched(t, cfg, s)
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "remote", "--preset", "everything"), "\n")
	far := newShellWithoutData(t, "CLEW_SERVER="+v.url, "CLEW_TOKEN="+secret)
	tr := &transcript{shell: sh, t: t, dir: t.TempDir(), ids: map[string]string{}, random: &drawn{from: rand.NewChaCha8([32]byte{})}, far: &far}
	tr.documents()
	run := tr.asking()
	tr.entities()
	tr.schemas()
	tr.runs(run)
	tr.settings()
	tr.accounts()
	tr.upkeep()
	tr.deletions()
	want, err := os.ReadFile(filepath.Join("testdata", "output.golden"))
	noError(t, err)
	impersonal := func(text string) []string {
		text = aSetting.ReplaceAllString(text, "page")
		text = byWhom.ReplaceAllString(text, "")
		return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, ",\n", "\n"), readsHere, othersRead), "\n")
	}
	if diff := cmp.Diff(impersonal(string(want)), impersonal(tr.plain())); diff != "" {
		t.Errorf("what commands print on a server (-here +there):\n%s", diff)
	}
}

// stays reports whether a command of the transcript works on the library of this machine alone.
func stays(args []string) bool {
	return slices.Contains([]string{"rebuild", "fsck", "doctor", "backup"}, args[0]) || len(args) > 1 && args[1] == "resolve"
}

// begins reports whether a command of the transcript begins runs that the server carries out.
func begins(args []string) bool {
	words := strings.Join(args, " ") + " "
	return slices.ContainsFunc([]string{"ask ", "ingest ", "run replay ", "run fork ", "run methods ", "eval questions run ", "schema apply "}, func(c string) bool { return strings.HasPrefix(words, c) })
}

// working works on the queue of the server's library until the returned function is called.
func (tr *transcript) working() (stop func()) {
	s, _, _ := tr.env()
	cfg, err := s.load("")
	noError(tr.t, err)
	ctx, cancel := context.WithCancel(tr.t.Context())
	worked := make(chan error, 1)
	go func() { worked <- work(ctx, cfg, s) }()
	return func() {
		cancel()
		if err := <-worked; err != nil && !errors.Is(err, context.Canceled) { // it may not have begun
			tr.t.Error(err)
		}
	}
}

func (tr *transcript) documents() {
	t, d := tr.t, tr.dir
	tr.both("documents", "list")
	tr.both("documents", "dropped")
	tr.do("ingest", file(t, d, "foundry.txt", foundry))
	tr.do("ingest", file(t, d, "bridge.md", bridge))
	tr.do("ingest", file(t, d, "school.txt", "Agnes Lovibond taught at the school of Osterby. Mrs Lovibond founded the Velm Mutual Office."))
	tr.do("ingest", "--json", file(t, d, "foundry.txt", foundry+"\nMaud Ferring was born in Velm.\n"))
	tr.both("documents", "list", "--sort", "name")
	tr.both("documents", "list", "foundry", "--format", "text", "--limit", "1")
	tr.do("documents", "list", "--state", "odd")
	tr.do("documents", "list", "--sort", "colour")
	tr.do("documents", "list", "--from", "May")
	tr.both("documents", "show", "bridge.md")
	tr.do("documents", "show", "no such")
	tr.both("documents", "tag", "bridge.md", "--add", "Old, inbox")
	tr.do("documents", "tag", "bridge.md", "--add", "old")
	tr.do("documents", "tag", "bridge.md")
	tr.do("documents", "tag", "--add", "x")
	tr.both("documents", "dropped")
	tr.both("documents", "dropped", "bridge.md")
	tr.both("documents", "preview", filepath.Join(d, "bridge.md"), "--chunk", "sentences")
	tr.do("documents", "original", "bridge.md")
	tr.do("documents", "schema", "bridge.md")
	tr.do("documents", "schema", "bridge.md", "minutes")
	tr.do("documents", "schema", "bridge.md", "minutes", "--library")
	tr.do("documents", "schema", "bridge.md", "--library")
	tr.both("documents", "versions", "list", "foundry.txt")
	tr.both("documents", "versions", "diff", "foundry.txt", "1")
	tr.do("documents", "versions", "diff", "foundry.txt", "x")
	tr.do("documents", "versions", "remove", "foundry.txt", "1")
	tr.do("documents", "versions", "remove", "foundry.txt", "1")
	tr.do("documents", "rename", "school.txt", "lesson.txt")
	tr.do("documents", "rename", "lesson.txt", "lessons.txt", "--json")
	tr.do("documents", "retry", "--state", "ready", "--yes")
	tr.both("documents", "reading")
	tr.do("documents", "pause", "bridge.md")
	tr.do("documents", "go-on", "--all", "--json")
	tr.do("documents", "first", "bridge.md", "--json")
	tr.do("documents", "retry", "--leave-rest", "--json")
	tr.do("documents", "stop", "--all")
	tr.do("documents", "reading")
}

// asking asks and judges questions, and returns the run of the first.
func (tr *transcript) asking() string {
	run := value(tr.t, tr.fields("ask", "Who founded the Carrow Foundry?"), "run")
	tr.do("ask", "--method", "words", "Who built the Velm Bridge?")
	tr.fields("search", "--limit", "2", "Who founded the Carrow Foundry?")
	tr.do("search", "--method", "odd", "Who?")
	tr.fields("suggest")
	tr.fields("themes")
	list := tr.both("conversations", "list")
	k := value(tr.t, list, 1, "id")
	tr.both("conversations", "list", "--find", "Foundry")
	tr.do("conversations", "rename", k, "The foundry")
	tr.do("conversations", "pin", k)
	tr.both("conversations", "show", k)
	tr.both("conversations", "list", "--limit", "1")
	tr.do("conversations", "unpin", k)
	tr.do("conversations", "judge", run, "bad", "--reason", "It leaves out when.")
	tr.both("conversations", "feedback")
	tr.do("conversations", "judge", run, "none")
	tr.do("conversations", "judge", run, "odd")
	tr.both("conversations", "feedback")
	tr.do("conversations", "share", k)
	tr.do("conversations", "unshare", k)
	tr.both("conversations", "shared")
	tr.do("conversations", "folders", "add", "Bridges")
	tr.do("conversations", "folders", "add", "Bridges")
	tr.do("conversations", "folders", "rename", "Bridges", "Foundries")
	tr.do("conversations", "move", k, "--folder", "Foundries")
	tr.do("conversations", "move", k, "--folder", "Bells")
	tr.both("conversations", "list", "--folder", "Foundries")
	tr.both("conversations", "folders", "list")
	tr.do("conversations", "folders", "delete", "Foundries")
	tr.both("conversations", "makers")
	tr.do("conversations", "clear")
	tr.do("conversations", "clear", "--person", "ada", "--yes")
	tr.do("conversations", "rename", "k0123456789abcdef0123", "x")
	tr.do("conversations", "restore", k)
	return run
}

func (tr *transcript) entities() {
	tr.do("entities", "list", "foundry")
	tr.do("entities", "list", "--limit", "3")
	tr.do("entities", "path", "Maud Ferring", "Carrow Foundry")
	tr.do("entities", "path", "Maud Ferring", "Nobody")
	tr.do("entities", "export", "--format", "csv", "-")
	tr.both("entities", "show", "Maud Ferring")
	tr.do("entities", "rename", "Maud Ferring", "M. Ferring")
	tr.do("entities", "rename", "M. Ferring", "Maud B. Ferring", "--json")
	tr.do("entities", "relabel", "Carrow Foundry", "Firm")
	tr.do("entities", "relabel", "Carrow Foundry", "Company", "--json")
	tr.do("entities", "set", "Maud B. Ferring", "born", "1831")
	tr.do("entities", "set", "Maud B. Ferring", "trade", "founder", "--json")
	tr.do("entities", "unset", "Maud B. Ferring", "born", "1831")
	tr.do("entities", "unset", "Maud B. Ferring", "trade", "--json")
	tr.do("entities", "create", "Guild of Bell Founders", "--label", "Organisation")
	tr.do("entities", "create", "Guild of Bell Founders", "--label", "Organisation")
	tr.do("entities", "create", "Guild of Masons", "--json")
	tr.do("entities", "relate", "Guild of Bell Founders", "NAMED", "Carrow Foundry")
	tr.do("entities", "relate", "Guild of Masons", "NAMED", "Carrow Foundry", "--json")
	shown := tr.do("entities", "show", "Guild of Bell Founders", "--json")
	tr.do("entities", "retype", "Guild of Bell Founders", value(tr.t, shown, "relations", 0, "id"), "PRAISED", "--json")
	tr.do("entities", "merge", "Guild of Bell Founders", "Guild of Masons", "--name", "The guilds", "--json")
	tr.do("entities", "merge", "The guilds", "Nobody at all")
	tr.do("entities", "split", "Osterby", "--form", "Osterby", "--name", "Osterby, the parish")
	tr.do("entities", "delete", "The guilds", "--json")
	tr.do("entities", "delete", "Nobody at all")
	changes := tr.both("changes", "list")
	tr.both("changes", "list", "--kind", "rename", "--limit", "1")
	tr.do("changes", "undo", value(tr.t, changes, 0, "change"))
	tr.do("changes", "undo", "x")
	tr.both("entities", "worklist")
	tr.both("entities", "worklist", "unlabelled")
	tr.both("entities", "worklist", "weak")
	tr.both("entities", "worklist", "orphans", "--limit", "2")
	tr.both("entities", "resolve", "--dry")
	tr.both("entities", "resolve")
	proposed := tr.both("entities", "proposals")
	if proposed != "[]\n" {
		id := value(tr.t, proposed, 0, "id")
		tr.do("entities", "later", id)
		tr.do("entities", "again", id)
		tr.do("entities", "reject", id)
	}
	tr.do("entities", "accept")
	tr.do("entities", "accept", "--pattern", "initials")
	tr.both("entities", "proposals", "--decided")
}

func (tr *transcript) schemas() {
	tr.both("schema", "templates")
	tr.do("schema", "show")
	tr.both("schema", "use", "minutes", "--tag", "minutes")
	tr.do("schema", "set", file(tr.t, tr.dir, "a.yaml", "schema:\n  labels:\n    - name: Person\n    - name: Company\n  types:\n    - name: FOUNDED\n  strict: true\n"), "--note", "first")
	tr.do("schema", "set", file(tr.t, tr.dir, "b.yaml", "schema:\n  labels:\n    - name: Person\n  types:\n    - name: FOUNDED\n  strict: true\n"), "--json")
	tr.do("schema", "set", "")
	tr.both("schema", "show")
	tr.do("schema", "show", "1")
	tr.do("schema", "show", "x")
	tr.do("schema", "export", "-")
	list := tr.both("schema", "list")
	tr.both("schema", "scopes")
	tr.both("schema", "diff", value(tr.t, list, 1, "number"), value(tr.t, list, 0, "number"))
	tr.do("schema", "diff", value(tr.t, list, 0, "number"), value(tr.t, list, 0, "number"))
	tr.both("schema", "try", filepath.Join(tr.dir, "b.yaml"))
	tr.both("schema", "apply", "--dry")
	tr.do("schema", "apply", "--json")
	tr.both("documents", "dropped")
	tr.both("documents", "dropped", "bridge.md")
	tr.do("schema", "allow", "label", "Place")
	tr.do("schema", "allow", "label", "Place")
	tr.do("schema", "allow", "type", "BUILT", "--json")
	tr.both("schema", "restore", value(tr.t, list, 1, "number"))
	tr.both("schema", "propose")
	tr.do("schema", "clear", "--note", "no more")
	tr.do("schema", "clear", "--tag", "minutes", "--json")
	tr.do("schema", "apply")
	tr.do("schema", "list", "--tag", "a, b")
	tr.both("prompts", "list")
	tr.both("prompts", "show", "condense", "--variables")
	tr.do("prompts", "show", "condense")
	tr.do("prompts", "show", "odd")
	text := tr.do("prompts", "show", "rewrite")
	tr.do("prompts", "set", "rewrite", file(tr.t, tr.dir, "rewrite.tmpl", strings.Replace(text, "{{end}}", "More.{{end}}", 1)), "--note", "more")
	tr.both("prompts", "versions", "rewrite")
	tr.both("prompts", "diff", "rewrite", "0", "1")
	tr.do("prompts", "diff", "rewrite", "0", "x")
	tr.both("prompts", "try", "grade", "Who founded the foundry?")
	tr.do("prompts", "reset", "rewrite", "--json")
}

func (tr *transcript) runs(run string) {
	tr.fields("run", "list", "--kind", "answer")
	tr.fields("run", "list", "foundry", "--state", "done", "--limit", "1")
	tr.do("run", "list", "--state", "odd")
	tr.do("run", "list", "--from", "May")
	tr.fields("run", "show", run)
	tr.fields("run", "state", run, "--step", "1")
	tr.fields("run", "replay", run)
	branch := value(tr.t, tr.fields("run", "fork", run, "--step", "0", "--set", "question=Who built the Velm Bridge?"), "run")
	tr.fields("run", "compare", run, branch)
	tr.fields("run", "branches", run)
	tr.do("run", "delete", branch)
	tr.do("run", "delete", run)
	tr.fields("run", "methods", run)
	tr.do("run", "show", "run0123456789abcdef0123")
	tr.do("run", "stop", run)
	tr.do("run", "stop", "run0123456789abcdef0123")
	tr.do("run", "export", run, filepath.Join(tr.dir, "run.json"))
	tr.do("eval", "questions", "add", "Who founded the Carrow Foundry?", "--answer", "Maud Ferring")
	tr.fields("eval", "questions", "list")
	tr.fields("eval", "questions", "sets")
	tr.fields("eval", "questions", "run")
	tr.fields("eval", "questions", "history")
}

func (tr *transcript) settings() {
	tr.do("settings", "loops")
	tr.both("settings", "set", "max_loops", "1")
	tr.both("settings", "--changed")
	tr.both("settings", "undo", "MAX_LOOPS")
	tr.both("settings", "reset", "MAX_LOOPS")
	tr.do("settings", "set", "MAX_LOOPS", "many")
	tr.do("settings", "set", "ODD", "1")
	tr.both("model", "list")
	tr.both("model", "test")
	tr.both("model", "again", "--bill")
	tr.do("model", "forget", "answer")
	tr.both("prices", "gpt-4o-mini")
	tr.do("prices", "no-such-model")
	tr.do("prices", "set", "mine", "--input", "0.15", "--output", "0.60", "--from", "2026-11-01")
	tr.both("prices", "mine")
	tr.both("usage", "--from", "2026-11-01", "--to", "2026-11-02")
	tr.do("usage", "--by", "odd")
	tr.do("usage", "--from", "2026-11-02", "--to", "2026-11-01")
	tr.do("usage", "--from", "May")
	tr.do("usage", "--csv")
	tr.both("usage", "caps")
	tr.both("usage", "caps", "day", "5.00")
	tr.do("usage", "caps", "document", "500000 tokens")
	tr.do("usage", "caps", "year", "5.00")
	tr.do("usage", "caps", "day")
}

func (tr *transcript) accounts() {
	tr.do("user", "list")
	tr.stdin = "a long password indeed\n"
	tr.do("user", "add", "ada")
	tr.do("user", "add", "bob", "--role", "odd")
	tr.do("user", "add", "bob", "--role", "contributor")
	tr.do("user", "password", "ada")
	tr.do("user", "list")
	tr.do("user", "role", "bob", "owner")
	tr.do("user", "role", "bob", "odd")
	tr.do("user", "remove", "bob")
	tr.do("user", "remove", "nobody")
	tr.do("rebuild", "--store", "odd")
	tr.do("rebuild", "--store", "graph")
}

// upkeep looks after the library here.
func (tr *transcript) upkeep() {
	tr.both("rebuild", "--store", "graph")
	tr.both("fsck")
	tr.fields("doctor")
	tr.fields("version")
	tr.fields("graph", "chart")
	archive := filepath.Join(tr.dir, "all.tar.zst")
	tr.fields("backup", archive, "--force")
	tr.do("backup", "-", "--json")
	tr.do("search")
	tr.do("fsck", "all")
	tr.do("fsck", "--odd")
}

func (tr *transcript) deletions() {
	list := tr.do("conversations", "list", "--json")
	tr.do("conversations", "delete", value(tr.t, list, 0, "id"))
	tr.stdin = "n\n"
	tr.do("documents", "delete", "bridge.md")
	tr.do("documents", "delete")
	tr.do("documents", "delete", "bridge.md", "--all")
	tr.do("documents", "delete", "bridge.md", "--yes")
	tr.do("documents", "delete", "--all", "--yes", "--json")
	tr.both("documents", "list")
}
