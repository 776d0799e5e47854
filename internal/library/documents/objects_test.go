package documents_test

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/object"
	"github.com/clewhq/clew/internal/testkit"
)

// storage serves an empty bucket "box" with the protocol of Amazon S3.
func storage(t *testing.T) (object.Server, *s3mem.Backend) {
	t.Helper()
	backend := s3mem.New()
	testkit.Must(t, backend.CreateBucket(t.Context(), "box"))
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithV4Auth(map[string]string{"key": "secret"})).Server())
	t.Cleanup(server.Close)
	return object.Server{Endpoint: server.URL, Region: "us-east-1", Key: "key", Secret: "secret"}, backend
}

func TestObjects(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"s3://box", "s3://box/library/files/"} {
		testStore(t, func(t *testing.T) (documents.FileStore, func() int) {
			server, backend := storage(t)
			dir := t.TempDir()
			o, err := documents.NewObjects(server, address, dir)
			testkit.Must(t, err)
			return o, func() int {
				list, err := backend.ListBucket(t.Context(), "box", nil, gofakes3.ListBucketPage{})
				testkit.Must(t, err)
				under, err := os.ReadDir(dir)
				testkit.Must(t, err)
				return len(list.Contents) + len(under)
			}
		})
	}
}

func TestObjectsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	server, _ := storage(t)
	for says, change := range map[string]func(*object.Server, *string){
		"denies access": func(s *object.Server, _ *string) { s.Secret = "other" },
		"no bucket":     func(_ *object.Server, address *string) { *address = "s3://none/files" },
		"FILES_URL":     func(s *object.Server, _ *string) { s.Endpoint = "http://127.0.0.1:1" },
	} {
		server, address := server, "s3://box/files"
		change(&server, &address)
		o, err := documents.NewObjects(server, address, t.TempDir())
		testkit.Must(t, err)
		_, err = o.Put(t.Context(), ws, strings.NewReader("copper"), 100)
		if got := domain.InWords(err); !strings.Contains(got, says) {
			t.Errorf("Put: got %q, want %q in it", got, says)
		}
		if err := o.Answers(t.Context(), ws); err == nil || !strings.Contains(domain.InWords(err), says) {
			t.Errorf("Answers: got %v, want %q in it", err, says)
		}
	}
}

// TestObjectsAreListedAndCleared has more files than a page of a list.
func TestObjectsAreListedAndCleared(t *testing.T) {
	t.Parallel()
	server, _ := storage(t)
	o, err := documents.NewObjects(server, "s3://box/files", t.TempDir())
	testkit.Must(t, err)
	b := bench{FileStore: o}
	for i := range 1003 {
		b.put(t, "one", strings.Repeat("x", i))
	}
	b.put(t, "two", "stays")
	testkit.Must(t, o.Clear(t.Context(), "one"))
	for w, want := range map[domain.WorkspaceID]int{"one": 0, "two": 1} {
		if n := filesIn(t, o, w); n != want {
			t.Errorf("workspace %s: %d files are left, want %d", w, n, want)
		}
	}
}

func filesIn(t *testing.T, o documents.FileStore, w domain.WorkspaceID) (n int) {
	t.Helper()
	testkit.Must(t, o.Each(t.Context(), w, func(hash string, stored time.Time) error {
		if len(hash) != 64 || stored.IsZero() {
			t.Errorf("got file %q, stored at %v", hash, stored)
		}
		n++
		return nil
	}))
	return n
}
