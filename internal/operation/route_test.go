package operation

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

func TestAnInputIsSentByItsRoute(t *testing.T) {
	t.Parallel()
	note := ""
	in := chosen{ID: "a/b", Times: 2, Share: .5, Loud: true, Tags: []domain.Format{"pdf", "docx"}, Note: &note, inner: 3}
	for route, want := range map[string]Target{
		"GET /documents/{document}/tags": {
			Method: "GET", Path: "/documents/a%2Fb/tags", Query: url.Values{"share": {"0.5"}, "loud": {"true"}, "tags": {"pdf", "docx"}, "note": {""}}, Files: map[string][]File{},
		},
		"POST /documents/{tags}": {
			Method: "POST", Path: "/documents/pdf,docx", Query: url.Values{}, Files: map[string][]File{},
			Body: map[string]any{"document": domain.DocumentID("a/b"), "share": .5, "loud": true, "note": ""},
		},
	} {
		if diff := cmp.Diff(want, ParseRoute(route).Target(&in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", route, diff)
		}
	}
}
