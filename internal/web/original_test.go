package web

import (
	"mime"
	"net/http"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestAnOriginalRunsNothing adds files that are pages to a careless browser. Each is
// sent as something that runs no script here, however it is asked for.
func TestAnOriginalRunsNothing(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	const script = `<script>fetch("/documents")</script>`
	hostile := map[string]string{
		"page.html":  "<!DOCTYPE html><html><body><p>Bells.</p>" + script + "</body></html>",
		"notes.txt":  "Bells.\n\n<html><body>" + script + "Bells.</body></html>\n",
		"sheet.csv":  "a,b\n" + script + ",2\n",
		"readme.md":  "# Bells\n\n" + script + "\n",
		"drawing.md": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">` + script + "</svg>\n",
	}
	for name, content := range hostile {
		doc := b.Read(t, name, content)
		for _, path := range []string{link.Original(doc.ID), link.SaveOriginal(doc.ID)} {
			p := b.get(t, path)
			kind, _, err := mime.ParseMediaType(p.header.Get("Content-Type"))
			how, params, bad := mime.ParseMediaType(p.header.Get("Content-Disposition"))
			if err != nil || bad != nil || p.status != http.StatusOK || p.body != content || params["filename"] != name {
				t.Errorf("%s: status %d, %q (%v), %q (%v), %q", path, p.status, kind, err, params, bad, p.body)
			}
			if saved := strings.Contains(path, "save") || strings.HasSuffix(name, ".html"); saved != (how == "attachment") || saved != (kind == "application/octet-stream") || !saved && kind != "text/plain" {
				t.Errorf("%s of %s is sent as %s, %s", path, name, kind, how)
			}
			if csp := p.header.Values("Content-Security-Policy"); len(csp) != 1 || !strings.HasPrefix(csp[0], "sandbox;") || strings.Contains(csp[0], "allow-") {
				t.Errorf("%s has the policies %q", path, csp)
			}
			if p.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("the type of %s may be guessed", path)
			}
		}
	}
}

// TestAnOriginalIsSentOnceAndInParts asks as a browser does that has the file, and
// as a viewer does that needs a part of it.
func TestAnOriginalIsSentOnceAndInParts(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "odd.txt", odd)
	path := link.Original(doc.ID)
	whole := b.get(t, path, "Accept-Encoding", "gzip")
	tag := whole.header.Get("ETag")
	if tag != `"`+domain.Hash([]byte(odd))+`"` || whole.header.Get("Content-Encoding") != "" || whole.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("headers %v", whole.header)
	}
	if p := b.get(t, path, "If-None-Match", tag); p.status != http.StatusNotModified || p.body != "" {
		t.Errorf("a browser that has it gets status %d, %q", p.status, p.body)
	}
	if p := b.get(t, path, "Range", "bytes=8-11", "Accept-Encoding", "gzip"); p.status != http.StatusPartialContent || p.body != odd[8:12] {
		t.Errorf("four bytes: status %d, %q, want %q", p.status, p.body, odd[8:12])
	}
	if p := b.get(t, path, "Range", "bytes=99999-"); p.status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("bytes behind the end: status %d", p.status)
	}
	if p := b.do(t, http.MethodHead, path, nil); p.status != http.StatusOK || p.header.Get("Content-Length") == "" {
		t.Errorf("HEAD: status %d, headers %v", p.status, p.header)
	}
}

// TestTheNameOfAnOriginalIsEscaped gives files names that would end a header's
// value, or are in another script.
func TestTheNameOfAnOriginalIsEscaped(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	for i, name := range []string{`a"; filename="b.html.txt`, "Glocken Österby – 鐘.txt", "semi;colon, comma.txt"} {
		doc := b.Read(t, name, strings.Repeat("Bells. ", i+1))
		p := b.get(t, link.SaveOriginal(doc.ID))
		_, params, err := mime.ParseMediaType(p.header.Get("Content-Disposition"))
		if err != nil || params["filename"] != doc.Name {
			t.Errorf("%q is sent as %q: %v", doc.Name, p.header.Get("Content-Disposition"), err)
		}
	}
}

// TestAnOriginalBelongsToItsWorkspace asks for a document of another workspace, and for one
// whose file is gone.
func TestAnOriginalBelongsToItsWorkspace(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "odd.txt", odd)
	other := doc
	other.Workspace, other.ID = "other", "d-other"
	_, _, err := b.Ledger.AddDocument(t.Context(), other)
	testkit.Must(t, err)
	if p := b.get(t, link.Original("d-other")); p.status != http.StatusNotFound {
		t.Errorf("another workspace's: status %d", p.status)
	}
	testkit.Must(t, b.Files.Remove(t.Context(), testkit.Workspace, doc.Hash))
	if p := b.get(t, link.Original(doc.ID)); p.status != http.StatusNotFound || !strings.Contains(p.main(t), "Add it again") || p.header.Get("ETag") != "" {
		t.Errorf("a file that is gone: status %d, %q", p.status, p.main(t))
	}
}
