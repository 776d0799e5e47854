package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/questions"
)

// TestWhatIsAskedBesidesPassages asks for a summary, a list, a comparison, a chart and
// nothing at all by command, and expects each to go its own way.
func TestWhatIsAskedBesidesPassages(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	files := []string{"ingest"}
	for name, text := range map[string]string{
		"lease.md":       "# Lease\n\nThis lease is made between Ada Moss, the landlord, and Jonas Crake, the tenant. The rent is 840 euros a month. The notice period is three months.\n\nCopyright 2024 by Moss Estates. All rights reserved.\n",
		"house-rules.md": "# House rules\n\nQuiet hours are from 10 pm to 7 am. Bicycles are kept in the cellar of the house. Ada Moss may change these rules.\n",
		"visitors.md":    "# Visitors\n\nJonas Crake counts the visitors of the museum in Brenn.\n\n| Month | Visitors |\n| --- | --- |\n| January | 1200 |\n| February | 980 |\n| March | 1450 |\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	sh.must(t, files...)
	for question, want := range map[string]struct {
		path  []string
		says  []string
		cited []string // documents, in order of their first citation
		not   string
	}{
		"Hello!":                                 {[]string{"greet"}, []string{"Hello! Ask", "What topics do the documents cover?"}, nil, "lease"},
		"Danke schön":                            {[]string{"greet"}, []string{"Gern geschehen!", "Welche Themen"}, nil, "welcome"},
		"Summarise the lease":                    {[]string{"route", "summarise"}, []string{"The rent is 840 euros a month. [2]"}, []string{"lease.md"}, "Copyright"},
		"Summarise everything, please":           {[]string{"route", "summarise"}, []string{"840 euros"}, []string{"house-rules.md", "lease.md", "visitors.md"}, "Copyright"},
		"Who are the most important people?":     {[]string{"route", "generate", "check_support"}, []string{"Ada Moss:\n", "Jonas Crake:\n"}, []string{"house-rules.md", "lease.md"}, "Nothing"},
		"Compare the lease with the house rules": {[]string{"route", "generate", "check_support"}, []string{"the lease:\n", "the house rules:\n"}, []string{"house-rules.md", "lease.md"}, "museum"},
		"What topics do the documents cover?":    {[]string{"route", "generate", "check_support"}, []string{"The documents, in this order: "}, []string{"house-rules.md", "lease.md", "visitors.md"}, "Copyright"},
		"Summarise the ferry":                    {[]string{"route", "retrieve", "grade_documents"}, nil, nil, "Copyright"},
	} {
		got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", question))
		if len(got.Path) < len(want.path) || !slices.Equal(got.Path[:len(want.path)], want.path) {
			t.Errorf("%s: went %v, want %v", question, got.Path, want.path)
		}
		for _, says := range want.says {
			if !strings.Contains(got.Answer, says) {
				t.Errorf("%s: %q is not in\n%s", question, says, got.Answer)
			}
		}
		if strings.Contains(got.Answer, want.not) {
			t.Errorf("%s: %q is in\n%s", question, want.not, got.Answer)
		}
		var cited []string
		for _, c := range got.Citations {
			cited = append(cited, c.Document)
		}
		slices.Sort(cited)
		if cited = slices.Compact(cited); want.cited != nil && !slices.Equal(cited, want.cited) {
			t.Errorf("%s: cites %v, want %v", question, cited, want.cited)
		}
	}
	drawn := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Draw a chart of the visitors per month"))
	if len(drawn.Figures) != 1 || drawn.Figures[0].Chart == nil || len(drawn.Figures[0].Chart.Categories) != 3 {
		t.Errorf("drew %+v for\n%s", drawn.Figures, drawn.Answer)
	}
}

// TestSummariesAreAskedForByName asks for summaries of documents by their names, of one that is missing, and of one where
// several are called so.
func TestSummariesAreAskedForByName(t *testing.T) {
	t.Parallel()
	sh, folder := newShell(t), t.TempDir()
	for name, text := range map[string]string{
		"minutes.md":      "# Minutes\n\nThe board of Osterby agreed to repair the Velm Bridge. The repair costs 400 crowns.\n",
		"minutes-june.md": "# Board in June\n\nThe board of Osterby sold the mill to Una Marsh. She pays 90 crowns a year.\n",
		"report.txt":      "The foundry cast 200 bells in 1922. It sold 180 of them to churches in Carrow.\n",
	} {
		file(t, folder, name, text)
	}
	sh.must(t, "ingest", folder)
	for question, want := range map[string]struct {
		says  string
		cited []string
	}{
		"Summarise minutes.md":                           {"400 crowns", []string{"minutes.md"}},
		"Give me a short summary of the file minutes.md": {"crowns", []string{"minutes.md"}},
		"Fasse minutes-june.md zusammen":                 {"mill", []string{"minutes-june.md"}},
		"Peux-tu me faire un résumé de report.txt ?":     {"bells", []string{"report.txt"}},
		"Hazme un resumen de report.txt":                 {"bells", []string{"report.txt"}},
		"Summarise minutes.md and report.txt":            {"bells", []string{"minutes.md", "report.txt"}},
		"Summarise the minutes":                          {"mill", []string{"minutes-june.md", "minutes.md"}},
		"Summarise the minute":                           {"Ask for one of them:", nil},
		"Fasse den Minutes zusammen":                     {"Mehrere Dokumente heißen so.", nil},
		"Summarise plan.docx":                            {"No document that has been read is called “plan.docx”.", nil},
		"Fasse plan.docx zusammen":                       {"Kein gelesenes Dokument heißt „plan.docx“.", nil},
	} {
		got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", question))
		var cited []string
		for _, c := range got.Citations {
			cited = append(cited, filepath.Base(c.Document))
		}
		slices.Sort(cited)
		if cited = slices.Compact(cited); !strings.Contains(got.Answer, want.says) || !slices.Equal(cited, want.cited) || got.Answered != (want.cited != nil) {
			t.Errorf("%s: went %v, cites %v, answered %v:\n%s", question, got.Path, cited, got.Answered, got.Answer)
		}
	}
	asked := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Summarise minutes.md"))
	if next := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--in", string(asked.Conversation), "Who agreed to repair the Velm Bridge?")); !strings.Contains(next.Answer, "The board of Osterby") {
		t.Errorf("a follow-up is answered by\n%s", next.Answer)
	}
}
