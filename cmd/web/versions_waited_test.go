package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
)

func TestAProgramWaitsForTheNextVersionOfADocument(t *testing.T) {
	t.Parallel()
	l := openPeopled(t)
	add := func(text string, wait int) documents.AddedFile {
		t.Helper()
		status, said := l.send("ada", http.MethodPost, "/documents", map[string]any{"name": "bell.txt", "text": text, "wait": wait})
		if status > 299 {
			t.Fatalf("status %d: %s", status, said)
		}
		return decoded[documents.AddedFiles](t, said).Documents[0]
	}
	first := add("Maud Ferring cast the bell.", 60)
	next := add("Aldous Penn cast the bell.", 60)
	if next.ID != first.ID || next.Of != first.ID || next.Status != domain.DocumentReady {
		t.Errorf("the next version of %s is %+v", first.ID, next)
	}
	later := documents.AddedFiles{Documents: []documents.AddedFile{add("Ivo Threnody cast the bell.", 0)}}
	if at := later.At(); !strings.HasPrefix(at, "/runs/") {
		t.Errorf("a version that is read is looked at by %s", at)
	}
	l.must("ada", http.MethodGet, later.At(), nil) // also before it begins
	if again := add("Ivo Threnody cast the bell.", 60); again.Problem != "" {
		t.Errorf("the same file again: %+v", again)
	}
}
