// Command notices writes the licences and notices of everything that is in the
// program: the Go modules of all platforms that are released, Go's own library, and the
// npm packages that the pages' scripts and styles are made of.
//
//	go run -C tools ./notices ROOT FILE
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: notices ROOT FILE")
		os.Exit(2)
	}
	if err := write(ctx, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// notices are the components by the text that they require.
type notices map[string][]string

func write(ctx context.Context, root, to string) error {
	all := notices{}
	if err := errors.Join(all.library(ctx), all.modules(ctx, root), all.packages(root)); err != nil {
		return err
	}
	return os.WriteFile(to, all.text(), 0o644)
}

// add reads the licences and notices of a component in dir.
func (n notices) add(component, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !required.MatchString(e.Name()) || slices.Contains(code, filepath.Ext(e.Name())) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		text := strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n"))
		if !slices.Contains(n[text], component) {
			n[text] = append(n[text], component)
			slices.Sort(n[text])
		}
	}
	return nil
}

// code are the endings of files that are no texts.
var code = []string{".go", ".js", ".mjs", ".json", ".ts", ".map"}

// required are the names of files whose text goes with the program.
var required = regexp.MustCompile(`(?i)^(.*[-_])?(licen[cs]e|copying|unlicense|notice|patents)([-_.].*)?$`)

// systems are those for which the program is released. Modules differ by them.
var systems = []string{"linux", "darwin", "windows"}

// library adds Go's own library.
func (n notices) library(ctx context.Context) error {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("asking go where its library is: %w", err)
	}
	return n.add("Go", strings.TrimSpace(string(root)))
}

// modules adds the modules whose packages are in the program. It looks for licences in
// the folder of each package and in those above it, since parts of a module may have
// their own.
func (n notices) modules(ctx context.Context, root string) error {
	const each = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{"\t"}}{{$.Dir}}{{end}}{{end}}`
	seen := map[string]bool{}
	for _, system := range systems {
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-f", each, "./cmd/web")
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system)
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("listing the packages for %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			parts := strings.Split(strings.TrimSpace(line), "\t")
			if len(parts) != 3 {
				continue // a package of the project, or of Go's library
			}
			for dir := parts[2]; strings.HasPrefix(dir, parts[1]) && !seen[dir]; dir = filepath.Dir(dir) {
				seen[dir] = true
				if err := n.add(parts[0], dir); err != nil {
					return err
				}
			}
			if !n.has(parts[0]) {
				return fmt.Errorf("%s has no licence in %s", parts[0], parts[1])
			}
		}
	}
	return nil
}

// packages adds the npm packages that are bundled.
func (n notices) packages(root string) error {
	data, err := os.ReadFile(filepath.Join(root, "package-lock.json"))
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]struct {
			Version       string
			Dev, Optional bool
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return fmt.Errorf("package-lock.json: %w", err)
	}
	for folder, p := range lock.Packages {
		if folder == "" || p.Dev || p.Optional {
			continue
		}
		_, name, _ := strings.Cut(folder, "node_modules/")
		component := name + " " + p.Version
		err := filepath.WalkDir(filepath.Join(root, folder), func(at string, e fs.DirEntry, err error) error {
			switch {
			case err != nil || !e.IsDir():
				return err
			case e.Name() == "node_modules":
				return fs.SkipDir
			}
			return n.add(component, at)
		})
		if err == nil && !n.has(component) {
			err = fmt.Errorf("%s has no licence in %s", component, folder)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (n notices) has(component string) bool {
	for _, components := range n {
		if slices.Contains(components, component) {
			return true
		}
	}
	return false
}

// text returns each text once, after the components that it is for.
func (n notices) text() []byte {
	texts := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(strings.Compare(n[a][0], n[b][0]), strings.Compare(a, b))
	})
	var b bytes.Buffer
	b.WriteString("Clew contains what others have made. These are their licences and notices.\n")
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(n[text], "\n"), text)
	}
	return b.Bytes()
}
