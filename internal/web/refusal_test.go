package web

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
)

// taken counts the bytes of a body that a handler reads.
type taken struct {
	io.ReadCloser
	bytes *atomic.Int64
}

func (r taken) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.bytes.Add(int64(n))
	return n, err
}

// TestAFileIsRefusedByItsFirstBytes sends files that can't be added, of many times the
// size that a form may have, and counts what the server reads of them.
func TestAFileIsRefusedByItsFirstBytes(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	var read atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = taken{r.Body, &read}
		b.server.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	const limit, whole = 1 << 20, 64 << 20
	for _, tt := range []struct {
		name, path, file, begins string
		says                     string
		stated                   bool // the length of the whole
		status                   int
		most                     int64 // bytes read
	}{
		{"too large, and said so", "/documents", "large.txt", "x", "None of it was read", true, 413, 0},
		{"too large, its length unknown", "/documents", "large.txt", "x", "The file is larger than 1 MB", false, 422, limit + 2*formRoomOfTest},
		{"of a format that can't be read", "/documents", "film.txt", "\x00\x00\x00\x18ftypmp42", "looks like a video", false, 422, 2 * formRoomOfTest},
		{"a bill of one too large", "/documents/bill", "large.txt", "x", "None of it was read", true, 413, 0},
		{"a bill of a format that can't be read", "/documents/bill", "film.txt", "\x00\x00\x00\x18ftypmp42", "looks like a video", false, 200, 2 * formRoomOfTest},
		{"pasted text", "/documents/text", "", "", "too large", true, 413, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			read.Store(0)
			var head bytes.Buffer
			form := multipart.NewWriter(&head)
			if tt.file != "" {
				_, err := form.CreateFormFile("files", tt.file)
				testkit.Must(t, err)
			}
			head.WriteString(tt.begins)
			body := io.MultiReader(&head, io.LimitReader(letters{}, whole))
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+library+tt.path, body)
			testkit.Must(t, err)
			r.Header.Set("Content-Type", form.FormDataContentType())
			r.Header.Set("Expect", "100-continue") // so that a refusal is heard before the file is sent
			if tt.stated {
				r.ContentLength = int64(head.Len()) + whole
			}
			response, err := server.Client().Do(r)
			testkit.Must(t, err)
			defer response.Body.Close()
			said, err := io.ReadAll(response.Body)
			testkit.Must(t, err)
			if response.StatusCode != tt.status || !strings.Contains(string(said), tt.says) {
				t.Errorf("status %d: %s", response.StatusCode, said)
			}
			if n := read.Load(); n > tt.most {
				t.Errorf("the server read %d bytes, want at most %d", n, tt.most)
			}
		})
	}
	if n := len(b.documents(t)); n != 0 {
		t.Errorf("%d documents", n)
	}
}

// formRoomOfTest is what a form may hold beside its files.
const formRoomOfTest = 1 << 20

// letters is text without an end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestALargeFileIsRefusedAndTheRestSaid sends a form of a browser without a script, in
// which a file follows one that is refused.
func TestALargeFileIsRefusedAndTheRestSaid(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	p := b.send(t, []upload{{"first.txt", "Maud Ferring."}, {"film.txt", "\x00\x00\x00\x18ftypmp42" + strings.Repeat("x", 1<<20+1<<13)}, {"last.txt", "Agnes Lovibond."}})
	if said := p.main(t); p.status != 422 || !strings.Contains(said, "looks like a video") || !strings.Contains(said, "What came after it") {
		t.Errorf("status %d: %s", p.status, said)
	}
	if docs := b.documents(t); len(docs) != 1 || docs[0].Name != "first.txt" {
		t.Errorf("documents %+v, want the first alone", docs)
	}
}

// TestFilesOfAFolderKeepTheirPaths adds two folders with files of one name, and one of
// them once more with a change.
func TestFilesOfAFolderKeepTheirPaths(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	add := func(path, text string) {
		t.Helper()
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		testkit.Must(t, w.WriteField("named", "next"))
		part, err := w.CreateFormFile("folder", path)
		testkit.Must(t, err)
		_, err = io.WriteString(part, text)
		testkit.Must(t, err)
		testkit.Must(t, w.Close())
		if got := results(t, b.do(t, http.MethodPost, "/documents", &body, "Accept", "application/json", "Content-Type", w.FormDataContentType())); got[0].Name != path {
			t.Errorf("%s: %+v", path, got)
		}
	}
	add("letters/2024/may.txt", "Maud Ferring wrote to Agnes Lovibond.")
	add("letters/2025/may.txt", "Agnes Lovibond wrote to Maud Ferring.")
	for _, d := range b.documents(t) {
		b.Watch(t, d.Run)
	}
	add("letters/2025/may.txt", "Agnes Lovibond wrote to Maud Ferring twice.")
	versions := map[string]int{}
	for _, d := range b.documents(t) {
		b.Watch(t, d.Run)
	}
	for _, d := range b.documents(t) {
		versions[d.Name] = d.Version
		if d.Source != "folder" || d.Title != "may" {
			t.Errorf("%s: %+v", d.Name, d)
		}
	}
	if len(versions) != 2 || versions["letters/2024/may.txt"] != 0 || versions["letters/2025/may.txt"] != 1 {
		t.Errorf("versions %v", versions)
	}
}
