package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/crawl"
)

// bucket is a bucket of a storage server that checks signatures, with what was asked of
// it.
type bucket struct {
	t       *testing.T
	backend *s3mem.Backend
	server  *httptest.Server

	mu    sync.Mutex
	asked []string // objects
}

func newBucket(t *testing.T) *bucket {
	t.Helper()
	b := &bucket{t: t, backend: s3mem.New()}
	noError(t, b.backend.CreateBucket(t.Context(), "box"))
	storage := gofakes3.New(b.backend, gofakes3.WithV4Auth(map[string]string{"key": "secret"})).Server()
	b.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("list-type") == "" {
			b.mu.Lock()
			b.asked = append(b.asked, r.URL.Path)
			b.mu.Unlock()
		}
		storage.ServeHTTP(w, r)
	}))
	t.Cleanup(b.server.Close)
	return b
}

func (b *bucket) put(key, text string) {
	b.t.Helper()
	_, err := b.backend.PutObject(b.t.Context(), "box", key, nil, strings.NewReader(text), int64(len(text)))
	noError(b.t, err)
}

// fetched returns which objects were asked for since the last call.
func (b *bucket) fetched() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := b.asked
	b.asked = nil
	slices.Sort(asked)
	return asked
}

// settings are those with which the bucket is read.
func (b *bucket) settings(more ...string) []string {
	return append([]string{"S3_ENDPOINT=" + b.server.URL, "S3_ACCESS_KEY=key", "S3_SECRET_KEY=secret", "WEB_ALLOW=127.0.0.1"}, more...)
}

// TestIngestFromStorage adds what is below a prefix of a bucket, adds it again, and once
// more after an object has changed, which is the next version of its document.
func TestIngestFromStorage(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	b.put("letters/2024/a.txt", foundry)
	b.put("letters/b+c (1) ä.txt", bridge)
	b.put("letters/photo.psd", "8BPS")
	b.put("letters/.hidden.txt", "no")
	b.put("letters/film.txt", "\x00\x00\x00\x18ftypmp42")
	b.put("letters-of-others/d.txt", "Berta Quill met Maud Ferring.")
	sh := newShell(t, b.settings()...)
	ingest := func(address string) (got []string) {
		t.Helper()
		out, _ := sh.run(t, "ingest", "--json", address)
		for _, l := range decoded[[]ingested](t, out) {
			got = append(got, l.Document+" "+l.Status)
		}
		return got
	}
	want := []string{"s3://box/letters/film.txt failed", "box/letters/2024/a.txt ready", "box/letters/b+c (1) ä.txt ready"}
	got := ingest("s3://box/letters")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("at first (-want +got)\n%s", diff)
	}
	if got := b.fetched(); len(got) != 3 {
		t.Errorf("asked for %q", got)
	}
	ingest("s3://box/letters/")
	if got := b.fetched(); !slices.Equal(got, []string{"/box/letters/film.txt"}) {
		t.Errorf("the second time, asked for %q", got)
	}
	b.put("letters/2024/a.txt", foundry+" Later it closed.")
	ingest("s3://box/letters/2024")
	if got := b.fetched(); !slices.Equal(got, []string{"/box/letters/2024/a.txt"}) {
		t.Errorf("after a change, asked for %q", got)
	}
	_, err := b.backend.DeleteObject(t.Context(), "box", "letters/b+c (1) ä.txt")
	noError(t, err)
	b.put("letters/film.txt", "It is a text now.")
	ingest("s3://box/letters")
	gone := func() (names []string) {
		t.Helper()
		for _, d := range decoded[[]documents.Listed](t, sh.must(t, "documents", "list", "--state", "gone", "--json")) {
			names = append(names, d.Name)
		}
		return names
	}
	if got := gone(); !slices.Equal(got, []string{"box/letters/b+c (1) ä.txt"}) {
		t.Errorf("gone are %q", got)
	}
	if said := sh.must(t, "ingest", "s3://box/letters"); !strings.Contains(said, "box/letters/b+c (1) ä.txt is no longer at s3://box/letters/b+c") {
		t.Errorf("the command says %s", said)
	}
	b.fetched()
	b.put("letters/b+c (1) ä.txt", bridge)
	ingest("s3://box/letters/b+c (1) ä.txt")
	if got := gone(); len(got) > 0 || len(b.fetched()) != 0 {
		t.Errorf("gone are %q although it is back", got)
	}
	sh.must(t, "documents", "delete", "--match", "film", "--yes")
	if diff := cmp.Diff(map[string]int{"box/letters/2024/a.txt": 2, "box/letters/b+c (1) ä.txt": 1}, sh.names(t)); diff != "" {
		t.Errorf("documents (-want +got)\n%s", diff)
	}
}

// TestStorageRefuses reads a bucket with wrong keys, from where it may not be called, and
// by order of the page without leave.
func TestStorageRefuses(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	b.put("letters/a.txt", foundry)
	for _, tt := range []struct {
		name, address, says string
		settings            []string
	}{
		{"a wrong key", "s3://box/letters", "The storage denies access to s3://box/letters (SignatureDoesNotMatch)", b.settings("S3_SECRET_KEY=other")},
		{"no such bucket", "s3://none", "There is nothing at s3://none/.", b.settings()},
		{"no address", "s3:///letters", "is not the address of a storage", b.settings()},
		{"an inner address", "s3://box/letters", "is not on the public internet", b.settings("WEB_ALLOW=")},
	} {
		out, err := newShell(t, tt.settings...).run(t, "ingest", tt.address)
		if err == nil || !strings.Contains(out+err.Error(), tt.says) {
			t.Errorf("%s: %v, %s", tt.name, err, out)
		}
	}
	for buckets, allowed := range map[string]bool{"": false, "other": false, "box/letters-of-others": false, "box/letters": true, "other,box": true} {
		a := newShell(t, b.settings("S3_BUCKETS="+buckets)...).app(t)
		_, err := a.crawl.Start(t.Context(), domain.DefaultWorkspace, crawl.Order{Address: "s3://box/letters"})
		if allowed != (err == nil) || !allowed && domain.KindOf(err) != domain.Forbidden {
			t.Errorf("with S3_BUCKETS=%q: %v", buckets, err)
		}
	}
}
