package lang_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/views/lang"
)

// TestSentencesAreFoundByTheirFormats says sentences that were formatted in English.
func TestSentencesAreFoundByTheirFormats(t *testing.T) {
	t.Parallel()
	de := lang.With(t.Context(), lang.Suits("de", ""))
	for text, want := range map[string]string{
		`There is no account named "Bob and Eve.".`:                                                   "Es gibt kein Konto namens „Bob and Eve.“.",
		`There is no document called "Documents". It may have been deleted.`:                          "Kein Dokument heißt „Documents“. Vielleicht wurde es gelöscht.",
		"Documents is empty: it contains nothing to read.":                                            "Documents ist leer: es gibt nichts zu lesen.",
		"Line 3: The question is empty. Write what to ask.":                                           "Zeile 3: Die Frage ist leer. Schreiben Sie, was gefragt werden soll.",
		"The run export-1.json has no step 12: its steps are 0 to 3.":                                 "The run export-1.json has no step 12: its steps are 0 to 3.",
		"The run has no step 12: its steps are 0 to 3.":                                               "Der Lauf hat keinen Schritt 12: seine Schritte sind 0 bis 3.",
		"The run has no step x: its steps are 0 to 3.":                                                "The run has no step x: its steps are 0 to 3.",
		"The upload broke off after 5 bytes. Nothing was kept. Add the file again. And more of this.": "The upload broke off after 5 bytes. Nothing was kept. Add the file again. And more of this.",
		"Found items in each part: 1 of 2":                                                            "In jedem Teil Einträge gefunden: 1 von 2",
		"Found items in each part: It waits for you. It waits for you.":                               "In jedem Teil Einträge gefunden: Er wartet auf Sie. Er wartet auf Sie.",
		"It waits for you. “Nobody” knows. It waits for you.":                                         "Er wartet auf Sie. “Nobody” knows. Er wartet auf Sie.",
		"Nothing of this is known. Nor this.":                                                         "Nothing of this is known. Nor this.",
		"Judged 8 passages: 2 relevant":                                                               "8 Stellen beurteilt: 2 passend",
		"Judging the passages: 3 of 1200":                                                             "Stellen werden beurteilt: 3 von 1200",
		"Found at the second search. Of 5 passages judged, 2 were used.":                              "Bei der zweiten Suche gefunden. Von 5 Stellen wurden 2 benutzt.",
		"It failed at “Judge the passages”, the second time.":                                         "Er scheiterte bei „Stellen beurteilen“, beim zweiten Mal.",
		"Waits until 2 March 2026, 15:04. The model refused to answer.":                               "Wartet bis 2. März 2026, 15:04. Das Modell hat die Antwort verweigert.",
		"Read 1,200 passages: 3 names and 1 relation found.":                                          "1.200 Stellen gelesen: 3 Namen und 1 Beziehung gefunden.",
		"States of 39 ended runs, in the ledger":                                                      "Zustände von 39 beendeten Läufen, im Hauptbuch",
		"Traces do not arrive at http://a:4318. The receiver of traces does not answer in time.":      "Traces kommen bei http://a:4318 nicht an. Der Empfänger von Traces antwortet nicht rechtzeitig.",
		"": "",
	} {
		if got := lang.Sentence(de, text); got != want {
			t.Errorf("%q is said %q, want %q", text, got, want)
		}
	}
	if got := lang.Sentence(t.Context(), "Documents"); got != "Documents" {
		t.Errorf("in English it is %q", got)
	}
}

// TestKindsOfFilesAreTranslated looks for the lists of the kinds of files that can be read, which are put together.
func TestKindsOfFilesAreTranslated(t *testing.T) {
	t.Parallel()
	de := lang.With(t.Context(), lang.Suits("de", ""))
	for _, list := range []string{parse.Kinds(), parse.Readable()} {
		if said := lang.Sentence(de, list); !strings.Contains(said, "PDF") || strings.Contains(said, " and ") {
			t.Errorf("%q is said %q", list, said)
		}
	}
}
