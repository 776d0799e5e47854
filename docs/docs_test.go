// Package docs tests that the documentation speaks of things that exist.
package docs

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = ".." // from this package

// elsewhere lists code spans that look like a path of the module and are none.
var elsewhere = []string{
	"files/", // in the data folder
}

// tree is what the documentation may speak of.
type tree struct {
	files    []string          // by path from the module root, folders with a slash at the end
	sources  map[string]string // the Go code of each folder
	targets  map[string]bool   // of the Makefile
	commands map[string]bool   // of clew
}

func readTree(t *testing.T) tree {
	t.Helper()
	tr := tree{sources: map[string]string{}, targets: map[string]bool{}, commands: map[string]bool{}}
	root := os.DirFS(module)
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", ".cache", "node_modules", "bin", "data", "dist"}, p) {
				return fs.SkipDir
			}
			tr.files = append(tr.files, p+"/")
			return nil
		}
		tr.files = append(tr.files, p)
		if strings.HasSuffix(p, ".go") {
			source, err := fs.ReadFile(root, p)
			tr.sources[path.Dir(p)] += string(source)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for prefix, file := range map[string]string{"": "Makefile", "bench-": "bench/Makefile"} {
		makefile, err := fs.ReadFile(root, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`).FindAllSubmatch(makefile, -1) {
			tr.targets[prefix+string(m[1])] = true
		}
	}
	for _, m := range regexp.MustCompile(`Use: +"([a-z][a-z-]*)`).FindAllStringSubmatch(tr.sources["cmd/web"], -1) {
		tr.commands[m[1]] = true
	}
	for _, source := range tr.sources {
		if !strings.Contains(source, "operation.Op[") {
			continue
		}
		for _, m := range regexp.MustCompile(`Name: +"([a-z][a-z-]*)[ "]`).FindAllStringSubmatch(source, -1) {
			tr.commands[m[1]] = true
		}
	}
	return tr
}

// has reports whether a file or folder of the module ends in name.
func (tr tree) has(name string) bool {
	name = "/" + strings.TrimSuffix(name, "/")
	return slices.ContainsFunc(tr.files, func(f string) bool { return strings.HasSuffix("/"+strings.TrimSuffix(f, "/"), name) })
}

// declares reports whether a package whose path ends in pkg declares an identifier.
func (tr tree) declares(pkg, identifier string) bool {
	declaration := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var |const |\t)` + regexp.QuoteMeta(identifier) + `\b`)
	for dir, source := range tr.sources {
		if strings.HasSuffix("/"+dir, "/"+pkg) && declaration.MatchString(source) {
			return true
		}
	}
	return false
}

// tests reports whether a package declares a test, a benchmark or an example.
func (tr tree) tests(name string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(tr.sources)), func(s string) bool { return strings.Contains(s, "\nfunc "+name+"(") })
}

var (
	fenced     = regexp.MustCompile("(?ms)^```.*?^```$")
	span       = regexp.MustCompile("`([^`\n]+)`")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.+)$`)
	pathLike   = regexp.MustCompile(`^(?:[\w.-]+/)*[\w.-]*$`)
	sourceFile = regexp.MustCompile(`\.(?:go|md|templ|sql|ya?ml|sh|js|css|cypher|tmpl)$`)
	qualified  = regexp.MustCompile(`^((?:[a-z]\w*/)*[a-z]\w+)\.([A-Z]\w*)$`)
	testName   = regexp.MustCompile(`^(?:Test|Benchmark|Example)[A-Z]\w*$`)
	target     = regexp.MustCompile(`(?m)(?:^|[^\w-])make ([a-z][a-z0-9-]*)`)
	command    = regexp.MustCompile(`(?m)(?:^|[^\w-])clew ([a-z]+(?:-[a-z]+)*)`)
)

func TestEverythingNamedExists(t *testing.T) {
	t.Parallel()
	tr := readTree(t)
	pages := slices.DeleteFunc(slices.Clone(tr.files), func(f string) bool {
		return path.Ext(f) != ".md" || f == "CHANGELOG.md" || path.Dir(f) != "." && !strings.HasPrefix(f, "docs/") // the changelog names removed commands
	})
	if len(pages) < 10 {
		t.Fatalf("found only %d pages", len(pages))
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path.Join(module, page))
			if err != nil {
				t.Fatal(err)
			}
			for _, complaint := range tr.complaints(path.Dir(page), string(text)) {
				t.Error(complaint)
			}
		})
	}
}

// TestEveryPictureIsShown finds pictures that no page shows any more: taking them again would be in vain.
func TestEveryPictureIsShown(t *testing.T) {
	t.Parallel()
	tr := readTree(t)
	var pages strings.Builder
	for _, f := range tr.files {
		if path.Ext(f) == ".md" {
			text, err := os.ReadFile(path.Join(module, f))
			if err != nil {
				t.Fatal(err)
			}
			pages.Write(text)
		}
	}
	pictures := slices.DeleteFunc(slices.Clone(tr.files), func(f string) bool { return path.Dir(f) != "docs/pictures" || strings.HasSuffix(f, "/") })
	if len(pictures) == 0 {
		t.Fatal("found no pictures")
	}
	for _, f := range pictures {
		if !strings.Contains(pages.String(), "pictures/"+path.Base(f)+")") {
			t.Errorf("no page shows %s", f)
		}
	}
}

// complaints lists what a page in dir names and the module does not have.
func (tr tree) complaints(dir, text string) []string {
	var all []string
	blocks := fenced.FindAllString(text, -1)
	prose := fenced.ReplaceAllString(text, "")
	for _, m := range link.FindAllStringSubmatch(prose, -1) {
		if !tr.linked(dir, text, m[1]) {
			all = append(all, "no such page or heading: "+m[1])
		}
	}
	code := blocks
	for _, m := range span.FindAllStringSubmatch(prose, -1) {
		code = append(code, m[1])
		if named := m[1]; !tr.named(dir, named) {
			all = append(all, "no such file, package or identifier: "+named)
		}
	}
	for _, c := range code {
		for _, m := range target.FindAllStringSubmatch(c, -1) {
			if !tr.targets[m[1]] {
				all = append(all, "no such target: make "+m[1])
			}
		}
		for _, m := range command.FindAllStringSubmatch(c, -1) {
			if !tr.commands[m[1]] {
				all = append(all, "no such command: clew "+m[1])
			}
		}
	}
	return all
}

// linked reports whether a link on a page leads somewhere, as far as the module can tell.
func (tr tree) linked(dir, text, to string) bool {
	if strings.Contains(to, ":") { // another site
		return true
	}
	to, fragment, _ := strings.Cut(to, "#")
	if to != "" {
		p := path.Join(dir, to)
		if !slices.Contains(tr.files, p) && !slices.Contains(tr.files, p+"/") {
			return false
		}
		if fragment == "" || path.Ext(p) != ".md" {
			return true
		}
		page, err := os.ReadFile(path.Join(module, p))
		if err != nil {
			return false
		}
		text = string(page)
	}
	return slices.ContainsFunc(heading.FindAllStringSubmatch(text, -1), func(m []string) bool { return anchor(m[1]) == fragment })
}

// anchor returns the fragment by which GitHub links a heading.
func anchor(heading string) string {
	heading = regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(heading, " ", "-")
}

// named reports whether a code span is either no name of the module's, or one that exists.
func (tr tree) named(dir, code string) bool {
	if slices.Contains(elsewhere, code) {
		return true
	}
	if testName.MatchString(code) {
		return tr.tests(code)
	}
	if m := qualified.FindStringSubmatch(code); m != nil {
		return tr.declares(m[1], m[2])
	}
	code, _, _ = strings.Cut(code, "<") // internal/graphstore/<name>
	code, _, _ = strings.Cut(code, "{") // bench/engine/{clew,eino}
	first, _, nested := strings.Cut(code, "/")
	switch {
	case !pathLike.MatchString(code) || !nested && !sourceFile.MatchString(code):
		return true
	case first == "" || strings.Contains(strings.TrimLeft(first, "."), ".") && nested: // a route, another module
		return true
	}
	return tr.has(code) || tr.has(path.Join(dir, code)) || standard(code)
}

// standard reports whether pkg belongs to the standard library.
func standard(pkg string) bool {
	root, err := exec.Command("go", "env", "GOROOT").Output() // runtime.GOROOT is empty under -trimpath
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(strings.TrimSpace(string(root)), "src", pkg))
	return err == nil
}

func TestComplaints(t *testing.T) {
	t.Parallel()
	tr := tree{
		files:    []string{"docs/", "docs/a.md", "internal/", "internal/run/job/", "internal/run/job/lease.go"},
		sources:  map[string]string{"internal/run/job": "func (q *Queue) Claim() {\n"},
		targets:  map[string]bool{"test": true},
		commands: map[string]bool{"serve": true},
	}
	for text, want := range map[string]int{
		"[a](a.md) [b](https://example.org/b.md)": 0,
		"[b](b.md)":        1,
		"# A b\n[x](#a-b)": 0,
		"# A b\n[x](#b)":   1,
		"`internal/run/job` `job/lease.go` `lease.go` `job/` `txt/<name>` `/healthz`": 1,
		"`job.Claim` `job.Release`":      1,
		"`library.Add`":                  1,
		"`make test`, or make do":        0,
		"`make tests`":                   1,
		"```\nclew serve\nclew fly\n```": 1,
	} {
		if got := tr.complaints("docs", text); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}

// TestTheTourIsShort keeps architecture.md something one reads at a sitting.
func TestTheTourIsShort(t *testing.T) {
	const most = 150
	text, err := fs.ReadFile(os.DirFS("."), "architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > most {
		t.Errorf("architecture.md has %d lines, want at most %d", lines, most)
	}
}
