package git_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/git"
	"github.com/clewhq/clew/internal/testkit/gitserver"
)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// at returns the repository of an address.
func at(t *testing.T, address string) git.Repository {
	t.Helper()
	u, err := url.Parse(address)
	noError(t, err)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return git.Repository{Client: client, Agent: "Clew/test", Address: u, User: "maud"}
}

// TestARepositoryIsRead lists and reads what the newest commits of two branches hold, from a server that leaves files out of packs and
// from one that does not.
func TestARepositoryIsRead(t *testing.T) {
	t.Parallel()
	for name, partial := range map[string]bool{"partial": true, "whole": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gitserver.New(t, partial)
			for n := range 40 { // so that folders are told as differences to others
				noError(t, os.MkdirAll(filepath.Join(s.Work(), "many", fmt.Sprint(n%4)), 0o700))
				noError(t, os.WriteFile(filepath.Join(s.Work(), "many", fmt.Sprint(n%4), fmt.Sprintf("%02d.txt", n)), []byte(strings.Repeat(fmt.Sprint("Bell ", n, ". "), 2000)), 0o600))
			}
			noError(t, os.Symlink("/etc/passwd", filepath.Join(s.Work(), "link.txt")))
			s.Put("docs/a.txt", "Maud Ferring cast the bell.")
			s.Put("docs/b.txt", "The bridge of Osterby.")
			s.Git("checkout", "--quiet", "-b", "old")
			s.Drop("docs/b.txt")
			s.Git("checkout", "--quiet", "main")
			s.Git("gc", "--quiet", "--aggressive")
			r := at(t, s.Address)
			noError(t, r.Open(t.Context()))
			for branch, want := range map[string]int{"": 42, "main": 42, "old": 41} {
				commit, err := r.Head(t.Context(), branch)
				noError(t, err)
				files, others, err := r.Files(t.Context(), commit)
				if err != nil || len(files) != want || others != 1 {
					t.Fatalf("branch %q: %d files, %d others, error %v; want %d and 1", branch, len(files), others, err, want)
				}
				for _, f := range files {
					data, err := r.Content(t.Context(), f.ID, 100_000)
					noError(t, err)
					if told := s.Git("hash-object", filepath.Join(s.Work(), f.Path)); branch != "old" && told != f.ID {
						t.Errorf("%s has the id %s, want %s", f.Path, f.ID, told)
					}
					if f.Path == "docs/a.txt" && string(data) != "Maud Ferring cast the bell." {
						t.Errorf("%s holds %q", f.Path, data)
					}
				}
			}
		})
	}
}

// TestWhatCanNotBeRead checks the errors for repositories that can't be read.
func TestWhatCanNotBeRead(t *testing.T) {
	t.Parallel()
	s := gitserver.New(t, true)
	s.Put("a.txt", strings.Repeat("Maud Ferring cast the bell. ", 1000))
	s.Token = "bells"
	empty := gitserver.New(t, true)
	moved := gitserver.New(t, true)
	moved.Put("a.txt", "words")
	moved.Answer = func(w http.ResponseWriter, r *http.Request) bool {
		if rest, is := strings.CutPrefix(r.URL.Path, "/old.git"); is {
			http.Redirect(w, r, "/box.git"+rest+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return true
		}
		if rest, is := strings.CutPrefix(r.URL.Path, "/away.git"); is {
			http.Redirect(w, r, "http://10.0.0.1/box.git"+rest, http.StatusFound)
			return true
		}
		return false
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<p>A page.") }))
	t.Cleanup(page.Close)
	old := answering(t, "001e# service=git-upload-pack\n0000003c0123456789012345678901234567890123456789 HEAD\x00ofs-delta\n0000")
	for name, tt := range map[string]struct {
		address, token, branch string
		kind                   domain.Kind
		words                  string
	}{
		"without the token":    {s.Address, "", "", domain.Forbidden, "requires signing in"},
		"with a wrong token":   {s.Address, "bell", "", domain.Forbidden, "refuses the name or the token"},
		"no such branch":       {s.Address, "bells", "none", domain.Invalid, "has no branch none"},
		"no such repository":   {s.URL + "/none.git", "bells", "", domain.NotFound, "no Git repository"},
		"an empty one":         {empty.Address, "", "", domain.Invalid, "is empty"},
		"a page":               {page.URL, "", "", domain.Invalid, "no Git repository"},
		"an old server":        {old, "", "", domain.Invalid, "follow the folder"},
		"moved elsewhere":      {moved.URL + "/away.git", "", "", domain.Invalid, "redirects to http://10.0.0.1"},
		"nobody":               {"http://127.0.0.1:9/box.git", "", "", domain.Unavailable, "does not answer"},
		"what breaks off":      {answering(t, "001e# service=git-upload-pack\n0000000eversion"), "", "", domain.Unavailable, "does not answer"},
		"what is no line":      {answering(t, "zzzz"), "", "", domain.Unavailable, "does not answer"},
		"sha256":               {answering(t, "000eversion 2\n0019object-format=sha256\n0000"), "", "", domain.Invalid, "sha256"},
		"what the server says": {answering(t, "0010ERR too busy"), "", "", domain.Unavailable, "too busy"},
	} {
		r := at(t, tt.address)
		r.Password = tt.token
		err := r.Open(t.Context())
		if err == nil {
			_, err = r.Head(t.Context(), tt.branch)
		}
		if domain.KindOf(err) != tt.kind || !strings.Contains(domain.InWords(err), tt.words) {
			t.Errorf("%s: %v, want kind %v and %q", name, err, tt.kind, tt.words)
		}
	}
	r := at(t, moved.URL+"/old.git")
	noError(t, r.Open(t.Context()))
	if r.Address.String() != moved.Address {
		t.Errorf("a moved repository is read at %s", r.Address)
	}
	r = at(t, s.Address)
	r.Password = "bells"
	noError(t, r.Open(t.Context()))
	commit, err := r.Head(t.Context(), "")
	noError(t, err)
	files, _, err := r.Files(t.Context(), commit)
	noError(t, err)
	if _, err := r.Content(t.Context(), files[0].ID, 1000); domain.KindOf(err) != domain.TooLarge {
		t.Errorf("a large file: %v", err)
	}
	if _, err := r.Content(t.Context(), strings.Repeat("0", 39)+"1", 1000); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("a file that is not there: %v", err)
	}
}

// answering returns the address of a server that answers everything with a text.
func answering(t *testing.T, text string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// packOf returns a pack of objects, each behind its kind. Lengths are stated as they are, or as large.
func packOf(stated int, objects ...string) []byte {
	b := bytes.NewBufferString("PACK\x00\x00\x00\x02")
	_ = binary.Write(b, binary.BigEndian, uint32(len(objects)))
	for _, o := range objects {
		n := max(len(o)-1, stated)
		head := []byte{(o[0]-'0')<<4 | byte(n&15)}
		for n >>= 4; n > 0; n >>= 7 {
			head[len(head)-1] |= 0x80
			head = append(head, byte(n&0x7f))
		}
		b.Write(head)
		z := zlib.NewWriter(b)
		_, _ = io.WriteString(z, o[1:])
		_ = z.Close()
	}
	return b.Bytes()
}

// TestHostilePacks has a server answer with packs that are damaged, too large or lead astray.
func TestHostilePacks(t *testing.T) {
	t.Parallel()
	commit := "1tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\nempty"
	for name, tt := range map[string]struct {
		pack []byte
		kind domain.Kind
	}{
		"no pack":           {[]byte("page"), domain.Unavailable},
		"cut off":           {packOf(0, commit, commit)[:60], domain.Unavailable},
		"no commit":         {packOf(0, "3words"), domain.Unavailable},
		"states too much":   {packOf(1<<40, commit), domain.TooLarge},
		"inflates too much": {packOf(100<<20, commit), domain.TooLarge},
		"says less":         {packOf(1000, commit), domain.Unavailable},
		"no such base":      {packOf(0, commit, "7"+strings.Repeat("x", 20)), domain.Unavailable},
		"a wrong kind":      {packOf(0, "5words"), domain.Unavailable},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
				_, _ = io.WriteString(w, "000eversion 2\n0000")
				return
			}
			_, _ = io.WriteString(w, "000dpackfile\n")
			for part := range slices.Chunk(tt.pack, 60_000) {
				fmt.Fprintf(w, "%04x\x01%s", len(part)+5, part)
			}
			_, _ = io.WriteString(w, "0000")
		}))
		r := at(t, s.URL)
		noError(t, r.Open(t.Context()))
		_, _, err := r.Files(t.Context(), "0123456789012345678901234567890123456789")
		if domain.KindOf(err) != tt.kind {
			t.Errorf("%s: %v, want kind %v", name, err, tt.kind)
		}
		s.Close()
	}
}
