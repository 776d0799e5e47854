package builtin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// encyclopedia returns passages that are each about their title.
func encyclopedia(articles ...[2]string) []domain.Passage {
	var out []domain.Passage
	for i, a := range articles {
		id := domain.NewDocumentID(domain.DefaultWorkspace, fmt.Sprint(i))
		out = append(out, domain.Passage{Name: a[0], Title: a[0], Chunk: domain.Chunk{
			ID: domain.NewChunkID(id, a[1], 0), Document: id, Text: a[1], Span: domain.Span{End: domain.Runes(a[1])},
		}})
	}
	return out
}

func sentences(r *reading) string {
	var got []string
	for _, e := range r.evidence {
		got = append(got, r.propositions[e].text)
	}
	return strings.Join(got, " | ")
}

func TestWeightedEvidence(t *testing.T) {
	t.Parallel()
	passages := encyclopedia(
		[2]string{"Northern Lights (1962 film)", "Northern Lights is a drama film directed by Ingrid Solberg. It was shot in winter on Svalbard."},
		[2]string{"Ingrid Solberg", "Ingrid Marie Solberg (3 May 1921 – 9 June 1990) was a Norwegian director. She grew up in Bergen."},
		[2]string{"Salt Roads (film)", "Salt Roads is a film by the Danish director Anton Weiss, directed in one summer."},
		[2]string{"Anton Weiss", "Anton Weiss (born 1 March 1930) is a Danish director."},
		[2]string{"Harbour Company", "The Harbour Company is a company that bought the steamer Aurora."},
	)
	const lights, solberg = "Northern Lights is a drama film directed by Ingrid Solberg.", "Ingrid Marie Solberg (3 May 1921 – 9 June 1990) was a Norwegian director."
	for _, tt := range []struct{ question, want string }{
		{"What is the date of birth of the director of film Northern Lights?", lights + " | " + solberg},
		{"Where did the director of Northern Lights grow up?", lights + " | " + solberg + " | She grew up in Bergen."},
		{"Who was born first, Ingrid Solberg or Anton Weiss?", solberg + " | Anton Weiss (born 1 March 1930) is a Danish director."},
		{"Who was born first, Anton Weiss or Ingrid Solberg?", solberg + " | Anton Weiss (born 1 March 1930) is a Danish director."},
		{"Who is younger, Ingrid Solberg or Anton Weiss?", "Anton Weiss (born 1 March 1930) is a Danish director. | " + solberg},
		{"Who was born first, Ingrid Solberg or Petra Holm?", ""}, // one side is missing
		{"Who was born first, Petra Holm or Anton Weiss?", ""},
		{"Where did the director of Southern Lights grow up?", ""},
		{"What prize did the translator of Salt Roads win?", ""},
		{"Tell me about Ingrid Solberg.", solberg + " | " + lights}, // other mentions fill it up
		{"Who was Ingrid Solberg?", solberg + " | " + lights},
		{"Anton Weiss", "Anton Weiss (born 1 March 1930) is a Danish director. | Salt Roads is a film by the Danish director Anton Weiss, directed in one summer."},
		{"Tell me about Svalbard.", ""}, // mentioned, but never introduced
		{"What is the Harbour Company?", "The Harbour Company is a company that bought the steamer Aurora."},
		{"Who was Petra Holm?", ""},
	} {
		if diff := cmp.Diff(tt.want, sentences(read(tt.question, passages))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.question, diff)
		}
	}
}

func TestWhatHappenedInAYear(t *testing.T) {
	t.Parallel()
	passages := encyclopedia([2]string{"Messenger", "Osterby Messenger, 7 February 1897\n\nThe river rose in February 1897 and carried the mill away. The mill was old.\n\nPrices of 1897"})
	if got, want := sentences(read("What happened in 1897?", passages)), "The river rose in February 1897 and carried the mill away."; got != want {
		t.Errorf("got %q", got)
	}
	if got := sentences(read("What happened in 1898?", passages)); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestEvidenceIsGradedInWords(t *testing.T) {
	t.Parallel()
	passages := encyclopedia(
		[2]string{"Northern Lights", "Northern Lights is a drama film directed by Ingrid Solberg."},
		[2]string{"Ingrid Solberg", "Ingrid Solberg is a Norwegian director. She grew up in Bergen."},
		[2]string{"Swans", "Swans are hungry."},
	)
	r := read("Where did the director of the famous drama film Northern Lights grow up?", passages)
	for i, p := range passages {
		holds := i < 2
		if got := r.why(i); holds != (got != "") || holds && !strings.Contains(got, "speaks of") && !strings.Contains(got, "hop") && !strings.Contains(got, "names") {
			t.Errorf("%s: %q", p.Title, got)
		}
	}
}

// TestReadsWithWhatStandsAbove asks about sentences that are understood only
// with a heading, an FAQ's question, a first row, a paragraph or a list.
func TestReadsWithWhatStandsAbove(t *testing.T) {
	t.Parallel()
	passages := encyclopedia(
		[2]string{"ferry-faq", "Why does the ferry run only in summer?\n\nThe harbour freezes over from November on.\n\nIs the ferry free?\n\nNo. A crossing costs 40 crowns.\n\n" +
			"How do I take a bicycle aboard?\n\nPut the bicycle into the rack at the stern."},
		[2]string{"ferry-changes", "2.1.0 (2024-05-06)\n\nAdditions\n\n- add a rack for bicycles\n\n2.0.0 (2023-04-01)\n\nAdditions\n\n- add a second deck"},
		[2]string{"harbour-notes", "Paint is harmful, which does not mean that it is forbidden.\n\nbridge(1) no longer carries carts."},
		[2]string{"harbour-rules", "\"Quay day\" means a day on which a ship lies at the quay.\n\nA ship may not anchor in the fairway.\n\n" +
			"To call the harbour master, use this command:\n\nhail --master osterby"},
	)
	for _, tt := range []struct{ question, verdict, want string }{
		{"Why does the ferry run only in summer?", "", "The harbour freezes over from November on."},
		{"Is the ferry free?", no, "No. | A crossing costs 40 crowns."},
		{"May a ship anchor in the fairway?", no, "A ship may not anchor in the fairway."},
		{"How can I take a bicycle aboard?", "", "Put the bicycle into the rack at the stern."},
		{"In which version was the second deck added?", "", "2.0.0 (2023-04-01) | - add a second deck"},
		{"When was version 2.1.0 of the ferry released?", "", "2.1.0 (2024-05-06)"},
		{"What is a quay day?", "", "\"Quay day\" means a day on which a ship lies at the quay."},
		{"How do I call the harbour master?", "", "To call the harbour master, use this command: | hail --master osterby"},
		{"Why does the ferry run only in winter?", "", ""},
		{"Who built the ferry?", "", ""},
		{"When was version 3.0.0 of the ferry released?", "", ""},
		{"Is paint harmful?", yes, "Paint is harmful, which does not mean that it is forbidden."},
		{"Does the bridge carry carts?", no, "bridge(1) no longer carries carts."},
	} {
		r := read(tt.question, passages)
		if diff := cmp.Diff(tt.want, sentences(r)); diff != "" || r.verdict != tt.verdict {
			t.Errorf("%s %q (-want +got):\n%s", tt.question, r.verdict, diff)
		}
	}
}

// TestAQuestionAtTheEndOfAPassage puts an FAQ's answer into the next chunk: both
// passages are relevant.
func TestAQuestionAtTheEndOfAPassage(t *testing.T) {
	t.Parallel()
	passages := encyclopedia([2]string{"faq", "Is the ferry free?"}, [2]string{"faq", "No. A crossing costs 40 crowns."})
	passages[1].Document, passages[1].Ordinal = passages[0].Document, 1
	r := read("Is the ferry free?", passages)
	if got := sentences(r); r.verdict != no || got != "No. | A crossing costs 40 crowns." || r.why(0) == "" || r.why(1) == "" {
		t.Errorf("%q %s; %q, %q", r.verdict, got, r.why(0), r.why(1))
	}
}
