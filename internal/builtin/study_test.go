package builtin

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/summarize/study"
)

// studied returns the items of a text, "front = back", with the text of the sentence of each checked to be in its place.
func studied(t *testing.T, kind domain.StudyKind, text string) (list []string) {
	t.Helper()
	const before = 7 // of the part in its document
	items, err := Studying().Make(t.Context(), study.Request{Wanted: study.Wanted{Kind: kind, Most: 30}, Part: summarize.Part{N: 1, Span: domain.Span{Start: before}}, Text: text}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if i.Span.Empty() || i.Span.Start < before || i.Span.End > before+domain.Runes(text) {
			t.Errorf("%q has the span %v", i.Front, i.Span)
		}
		list = append(list, i.Front+" = "+i.Back)
	}
	return list
}

func TestTermsAreDefined(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"A cassone is a rich Italian chest, which may be gilded.":                                            "cassone = a rich Italian chest, which may be gilded",
		"Photosynthesis is the process by which plants make sugar from light.":                               "Photosynthesis = the process by which plants make sugar from light",
		"Maud Ferring (born 1840) was a reporter of the Courant for forty years.":                            "Maud Ferring = a reporter of the Courant for forty years",
		"Ferries are boats that carry people and carts over a river.":                                        "Ferries = boats that carry people and carts over a river",
		"The term kerf refers to the slot that a saw leaves in wood.":                                        "kerf = the slot that a saw leaves in wood",
		"Kerf refers to the slot that a saw leaves in wood.":                                                 "Kerf = the slot that a saw leaves in wood",
		"Lucas Thorpe, a builder of steam launches, moved to Port Ansel.":                                    "Lucas Thorpe = a builder of steam launches",
		"The World Health Organization (WHO) was asked.":                                                     "WHO = World Health Organization",
		"It was agreed with the Board (see below) that nothing be paid.":                                     "",
		"It is a rowing boat for six people and a dog.":                                                      "",
		"The bridge is a danger to everyone who crosses it.":                                                 "",
		"The result is a list of names that nobody has read.":                                                "",
		"This lamp is a gift of the mayor to the town.":                                                      "",
		"The Heron was the oldest, a flat boat for carts.":                                                   "",
		"On Mondays the hall is a market for fish and bread.":                                                "",
		"Is a ferry a boat that carries people over a river?":                                                "",
		"Ada, a cook, and Ben, a smith, came late.":                                                          "",
		"- Kiln: an oven in which clay is fired\n- Slip: clay that is thin as cream":                         "Kiln = an oven in which clay is fired; Slip = clay that is thin as cream",
		"Ada: we should go to the mill\nBen: the mill is closed on Mondays\nAda: then to the bridge at noon": "",
		"Date: the first of May in the hall":                                                                 "",
		"Eine Fähre ist ein Boot, das Menschen über einen Fluss bringt.":                                     "Fähre = ein Boot, das Menschen über einen Fluss bringt",
		"Clara Vogt (geboren 1840) war eine deutsche Malerin und Lehrerin.":                                  "Clara Vogt = eine deutsche Malerin und Lehrerin",
		"Diese Brücke ist eine Gefahr für alle, die sie benutzen.":                                           "",
		"Der Grund ist ein Streit, der bis heute nicht beendet ist.":                                         "",
		"Das Deutsche Rote Kreuz (DRK) wurde gerufen und kam sofort.":                                        "DRK = Deutsche Rote Kreuz",
	} {
		if got := strings.Join(studied(t, domain.Glossary, text), "; "); got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ruth Garland was a pupil at Tarnwick School. Garland was a friend of Maud.":                "What was Ruth Garland? = Ruth Garland was a pupil at Tarnwick School.",
		"Maud Ferring (born 1840) was the best reporter of the Courant.":                            "Who was Maud Ferring? = Maud Ferring (born 1840) was the best reporter of the Courant.",
		"Josias Thorne founded the Carrow Foundry in 1831.":                                         "When did Josias Thorne found the Carrow Foundry? = Josias Thorne founded the Carrow Foundry in 1831.",
		"How is the tank drained?\n\nPull the plug at the bottom. Wait for an hour.\n\nThen go on.": "How is the tank drained? = Pull the plug at the bottom. Wait for an hour.",
		"How is the tank drained?\n\nWhere is the plug of the tank?":                                "",
		"Clara Vogt (geboren 1840) war eine deutsche Malerin aus Bremen.":                           "Wer war Clara Vogt? = Clara Vogt (geboren 1840) war eine deutsche Malerin aus Bremen.",
		"They came late, and nobody knew why.":                                                      "",
	} {
		if got := strings.Join(studied(t, domain.FAQ, text), "; "); got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

// TestCards finds a gap for a date, and asks for a term once.
func TestCards(t *testing.T) {
	t.Parallel()
	got := studied(t, domain.Cards, "The Kittiwake is a steam launch with two masts. Tobias Quennell was born at Port Ansel in 1837, the fifth child of a sailmaker.")
	want := []string{"The Kittiwake = a steam launch with two masts", "Tobias Quennell was born at Port Ansel in […], the fifth child of a sailmaker. = 1837"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for _, text := range []string{"", "\n\n", "?", "(", ".", "A.", "Is.", "x is", strings.Repeat("(", 500)} {
		studied(t, domain.Cards, text) // must not panic
	}
}
