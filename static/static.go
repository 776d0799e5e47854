// Package static embeds the built style sheets and scripts and serves them
// under addresses that carry a hash of their content.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Prefix is the address under which Handler serves.
const Prefix = "/static/"

// hashLength is how many hexadecimal digits of the content's SHA-256 stand in
// an address.
const hashLength = 12

// required are the files that a build makes and the pages name.
var required = []string{"app.css", "app.js", "chart.js", "graph.js", "theme.js"}

// embedded are the files of the build, read once.
var embedded = load(dist, "dist")

// URL is the address of a built file, for instance /static/app.3f2a….css for
// app.css. A file that was not built has the address of nothing; see Ready.
func URL(name string) string { return embedded.url(name) }

// Handler serves the built files to be kept for ever, since their addresses
// change with their content. Any other address is not found.
func Handler() http.Handler { return embedded }

// Ready says which command is missing when the program was built without the
// front end, and is nil otherwise.
func Ready() error { return embedded.ready() }

// file is one built file.
type file struct {
	name, hash, kind string
	content          []byte
}

// url is the file's address.
func (f file) url() string {
	ext := path.Ext(f.name)
	return Prefix + strings.TrimSuffix(f.name, ext) + "." + f.hash + ext
}

// files are a build. It is an http.Handler.
type files struct {
	byName map[string]file
	byURL  map[string]file
	err    error
}

// load reads every file of dir but those whose name begins with a dot.
func load(from fs.FS, dir string) files {
	out := files{byName: map[string]file{}, byURL: map[string]file{}}
	out.err = fs.WalkDir(from, dir, func(p string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		content, err := fs.ReadFile(from, p)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		f := file{
			name: strings.TrimPrefix(p, dir+"/"), hash: hex.EncodeToString(sum[:])[:hashLength],
			kind: mime.TypeByExtension(path.Ext(p)), content: content,
		}
		out.byName[f.name], out.byURL[f.url()] = f, f
		return nil
	})
	return out
}

func (fs files) url(name string) string {
	if f, ok := fs.byName[name]; ok {
		return f.url()
	}
	return Prefix + name
}

func (fs files) ready() error {
	if fs.err != nil {
		return fmt.Errorf("read the built front end: %w", fs.err)
	}
	for _, name := range required {
		if _, ok := fs.byName[name]; !ok {
			return errors.New("the program was built without its style sheets and scripts: run make build, which runs npm ci and npm run build first")
		}
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (fs files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := fs.byURL[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+f.hash+`"`)
	if r.Header.Get("If-None-Match") == `"`+f.hash+`"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.content) // a client that has gone is no fault of ours
	}
}
