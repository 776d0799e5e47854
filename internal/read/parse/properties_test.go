package parse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

func TestFilesStateProperties(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		format domain.Format
		data   string
		want   map[string][]string
	}{
		{"YAML", domain.FormatMarkdown, "---\nTitle: Bells\nstatus: final\nyear: 1871\ndone: true\ntopics:\n  - oak\n  - ash\nwords: [a, \"b, c\"]\nempty:\nnested: {a: b}\n---\n\nText.\n", map[string][]string{
			"title": {"Bells"}, "status": {"final"}, "year": {"1871"}, "done": {"true"}, "topics": {"oak", "ash"}, "words": {"a", "b, c"},
		}},
		{"broken YAML", domain.FormatMarkdown, "---\nstatus: [final\n---\n\nText.\n", nil},
		{"TOML", domain.FormatMarkdown, "+++\nstatus = \"final\"\ntopics = [\"oak\", \"ash\"]\n+++\n\nText.\n", map[string][]string{"status": {"final"}, "topics": {"oak", "ash"}}},
		{"no front matter", domain.FormatMarkdown, "# Bells\n\nstatus: final\n", nil},
		{"HTML", domain.FormatHTML, `<html><head><meta name="viewport" content="x"><meta name="Keywords" content="oak, ash"><meta property="og:type" content="article"></head><body><p>Text.</p></body></html>`, map[string][]string{
			"keywords": {"oak, ash"}, "og:type": {"article"},
		}},
		{"mail", domain.FormatMail, "From: Ada <ada@example.org>\r\nTo: Maud <maud@example.org>\r\nSubject: Bells\r\nDate: Mon, 02 Jan 2006 15:04:05 +0000\r\n\r\nText.\r\n", map[string][]string{
			"from": {"Ada <ada@example.org>"}, "to": {"Maud <maud@example.org>"}, "subject": {"Bells"}, "date": {"2006-01-02"},
		}},
	} {
		text, err := parse.New(parse.Limits{}).Parse(t.Context(), "file", tt.format, []byte(tt.data))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, text.Properties, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}
}
