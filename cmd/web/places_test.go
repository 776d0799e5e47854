package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// TestCitationsNameThePageOfTheirSentence asks for facts of each page of a PDF whose chunks span pages, and of files with
// other units, and summarises them: each citation is placed where its own sentence stands.
func TestCitationsNameThePageOfTheirSentence(t *testing.T) {
	t.Parallel()
	people := []string{"Agnes Lovibond", "Tobias Quennell", "Maud Ferring", "Orrin Sallow", "Bertha Quill", "Ivo Tarrant"}
	var pages []string
	captions := "WEBVTT\n"
	csv := "Keeper,Lighthouse\n"
	for i, p := range people {
		pages = append(pages, pdftest.Lines(72, 700, 12, fmt.Sprintf("%s kept the lighthouse of Skerry %c.", p, 'A'+i), "The tower was white and its lamp burned oil."))
		captions += fmt.Sprintf("\n00:%02d:00.000 --> 00:%02d:20.000\n%s rowed the boat of Brae %c.\n", i, i, p, 'A'+i)
		csv += fmt.Sprintf("%s,Harbour %c\n", p, 'A'+i)
	}
	sh := newShell(t)
	dir := t.TempDir()
	sh.must(t, "ingest", file(t, dir, "lights.pdf", pdftest.Pages(pages, "")), file(t, dir, "boats.vtt", captions), file(t, dir, "keepers.csv", csv))
	cites := func(out []questions.Cited, document, sentence string) (found *questions.Cited) {
		for i, c := range out {
			if c.Document == document && strings.Contains(c.Text, sentence) {
				found = &out[i]
			}
		}
		return found
	}
	for i, p := range people {
		got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--within", "doc:lights.pdf", fmt.Sprintf("Who kept the lighthouse of Skerry %c?", 'A'+i)))
		if c := cites(got.Citations, "lights.pdf", p); c == nil || c.Page != i+1 || c.Place != "" {
			t.Errorf("page %d: %+v", i+1, got.Citations)
		}
		got = decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--within", "doc:boats.vtt", fmt.Sprintf("Who rowed the boat of Brae %c?", 'A'+i)))
		if c := cites(got.Citations, "boats.vtt", p); c == nil || c.Place != fmt.Sprintf("00:%02d:00", i) {
			t.Errorf("minute %d: %+v", i, got.Citations)
		}
	}
	summary := decoded[summaries.Summed](t, sh.must(t, "summarize", "--json", "lights.pdf"))
	for _, c := range summary.Citations {
		for i, p := range people {
			if strings.Contains(c.Text, p) && (c.Page != i+1 || strings.Count(c.Text, "lighthouse") == 1 && c.Place != "") {
				t.Errorf("the summary cites %+v, which is on page %d", c, i+1)
			}
		}
	}
	found := decoded[[]questions.Found](t, sh.must(t, "search", "--json", "--within", "doc:lights.pdf", "lighthouse"))
	if len(found) == 0 || found[0].Place != "Pages 1–6" {
		t.Errorf("the search finds %+v", found)
	}
}
