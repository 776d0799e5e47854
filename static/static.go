// Package static embeds the built style sheets and scripts and serves them
// under addresses that carry a hash of their content, compressed by the build.
package static

import (
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed all:dist
var dist embed.FS

// Prefix is the address under which Handler serves.
const Prefix = "/static/"

// hashLength is the number of hexadecimal digits of the content's SHA-256 in an address.
const hashLength = 12

// required are the files that a build makes and the pages name.
var required = []string{"app.css", "app.js", "chart.js", "graph.js", "pdf-worker.js", "pdf.css", "pdf.js", "theme.js", "work.css"}

// embedded are the files of the build. They are read by the first who wants one:
// most commands, and the processes that parse files, want none.
var embedded = sync.OnceValue(func() files { return load(dist, "dist") })

// URL returns the address of a built file, for instance /static/app.3f2a….css for
// app.css. A file that was not built has the address of nothing; see Ready.
func URL(name string) string { return embedded().url(name) }

// Handler serves the built files to be kept for ever, since their addresses
// change with their content. Any other address is not found.
func Handler() http.Handler { return embedded() }

// Ready returns an error that names the missing command if the program was built without the front end.
func Ready() error { return embedded().ready() }

// file is one built file.
type file struct {
	name, hash, kind string
	content          []byte
	compressed       map[string][]byte // by content coding; what the build compressed
}

// codings are the content codings of a build by the ending of their files, the
// denser first.
var codings = []struct{ name, ending string }{{"br", ".br"}, {"gzip", ".gz"}}

// as returns the content in the first coding that the request accepts, and the
// name of the coding, "" for none.
func (f file) as(r *http.Request) (string, []byte) {
	accepted := r.Header.Get("Accept-Encoding")
	for _, c := range codings {
		if content, ok := f.compressed[c.name]; ok && accepts(accepted, c.name) {
			return c.name, content
		}
	}
	return "", f.content
}

// accepts reports whether an Accept-Encoding header names a coding without
// refusing it by q=0.
func accepts(header, coding string) bool {
	for each := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(each), ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		_, q, given := strings.Cut(weight, "q=")
		return !given || strings.Trim(q, "0. ") != ""
	}
	return false
}

// url returns the file's address.
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

// load reads every file of dir but those whose name begins with a dot, each with its compressed forms. Of a file that
// the build compressed, it keeps only those, so that the program is smaller by the file itself.
func load(from fs.FS, dir string) files {
	out := files{byName: map[string]file{}, byURL: map[string]file{}}
	out.err = fs.WalkDir(from, dir, func(p string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") || path.Ext(p) == ".br" {
			return err
		}
		p = strings.TrimSuffix(p, ".gz") // one that stands beside its file gives the same again
		content, err := contentOf(from, p)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		f := file{
			name: strings.TrimPrefix(p, dir+"/"), hash: hex.EncodeToString(sum[:])[:hashLength],
			kind: mime.TypeByExtension(path.Ext(p)), content: content, compressed: map[string][]byte{},
		}
		for _, c := range codings {
			if dense, err := fs.ReadFile(from, p+c.ending); err == nil {
				f.compressed[c.name] = dense
			}
		}
		out.byName[f.name], out.byURL[f.url()] = f, f
		return nil
	})
	return out
}

// contentOf returns a file's content, unpacked if only that is there.
func contentOf(from fs.FS, name string) ([]byte, error) {
	content, err := fs.ReadFile(from, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return content, err
	}
	dense, err := from.Open(name + ".gz")
	if err != nil {
		return nil, err
	}
	defer dense.Close()
	r, err := gzip.NewReader(dense)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
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
	h.Set("Vary", "Accept-Encoding")
	coding, content := f.as(r)
	tag := `"` + f.hash + coding + `"`
	h.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) // a client that has gone is no fault of ours
	}
}
