package main

import (
	"strings"
	"testing"

	"github.com/rclone/gofakes3"
)

// TestUploadedFilesInABucket adds, backs up, checks, damages and restores a library whose files are in a bucket.
func TestUploadedFilesInABucket(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	sh := newShell(t, "FILES_URL=s3://box/files", "S3_ENDPOINT="+b.server.URL, "S3_ACCESS_KEY=key", "S3_SECRET_KEY=secret")
	held := func() []string {
		t.Helper()
		list, err := b.backend.ListBucket(t.Context(), "box", nil, gofakes3.ListBucketPage{})
		noError(t, err)
		var keys []string
		for _, c := range list.Contents {
			keys = append(keys, c.Key)
		}
		return keys
	}
	folder := t.TempDir()
	sh.must(t, "ingest", file(t, folder, "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871."))
	keys := held()
	if len(keys) != 1 || !strings.HasPrefix(keys[0], "files/") {
		t.Fatalf("the bucket holds %v, want the uploaded file", keys)
	}
	if out := sh.must(t, "fsck"); strings.Contains(out, "missing") {
		t.Errorf("fsck: %s", out)
	}
	archive := folder + "/library.tar.zst"
	sh.must(t, "backup", archive)
	_, err := b.backend.DeleteObject(t.Context(), "box", keys[0])
	noError(t, err)
	if out, _ := sh.run(t, "fsck"); !strings.Contains(out, "missing") {
		t.Errorf("fsck without the file: %s", out)
	}
	sh.must(t, "restore", "--force", archive)
	if now := held(); len(now) != 1 || now[0] != keys[0] {
		t.Errorf("after the restore the bucket holds %v, want %v", now, keys)
	}
	if out, _ := sh.run(t, "doctor"); !strings.Contains(out, "up to date") {
		t.Errorf("doctor: %s", out)
	}
	b.server.Close()
	if out, _ := sh.run(t, "doctor"); !strings.Contains(out, "Files of workspace") || !strings.Contains(out, "does not answer") {
		t.Errorf("doctor without the storage: %s", out)
	}
}
