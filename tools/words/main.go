// Command words puts the words of templates into the language of whoever reads them: it rewrites the Go code that templ generated from
// the templates below a folder, so that what is written as it stands is markup and words by turns, as lang.Write takes them.
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: words folder")
		os.Exit(2)
	}
	err := filepath.WalkDir(os.Args[1], func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_templ.go") {
			return err
		}
		return rewrite(path)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

// written is a call that writes a part of a template as it stands, as templ generates it.
var written = regexp.MustCompile(`templruntime\.WriteString\(templ_7745c5c3_Buffer, \d+, ("(?:[^"\\]|\\.)*")\)`)

// rewrite puts calls of lang.Write into a file that has words.
func rewrite(path string) error {
	code, err := os.ReadFile(path) //nolint:gosec // a file of this project
	if err != nil {
		return err
	}
	var in splitter
	found := false
	split := written.ReplaceAllFunc(code, func(call []byte) []byte {
		literal, fault := strconv.Unquote(string(written.FindSubmatch(call)[1]))
		if fault != nil {
			err = fmt.Errorf("%s: %w", path, fault)
			return call
		}
		parts := in.split(literal)
		if len(parts) < 2 {
			return call
		}
		found = true
		var b bytes.Buffer
		b.WriteString("lang.Write(ctx, templ_7745c5c3_Buffer")
		for _, p := range parts {
			b.WriteString(", " + strconv.Quote(p))
		}
		b.WriteString(")")
		return b.Bytes()
	})
	if err != nil || !found {
		return err
	}
	if own := []byte("\"github.com/clewhq/clew/views/lang\"\n"); !bytes.Contains(split, own) {
		split = bytes.Replace(split, []byte("import templruntime"), append([]byte("import "), append(own, []byte("import templruntime")...)...), 1)
	}
	return os.WriteFile(path, split, 0o644) //nolint:gosec // code is for all to read
}
