package builtin

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/testkit/race"
)

// The times for which sentences of an encyclopedia say that relations hold, read by a person: the relations that the rules
// find in sentences that name a time, the first 240 in the order of SHA-256 of "clew periods 1/" and the sentence, by turns to
// tune on and kept aside. Each line begins with the first four bytes of the sum; a sentence that says no time of its relations
// has nothing else. Relations that the rules miss are not in it.
//
//go:embed testdata/periods-tuned.txt
var periodsTuned string

//go:embed testdata/periods-held.txt
var periodsHeld string

// TestTimesOfRelations holds precision and recall at what they were when the labels were looked at.
func TestTimesOfRelations(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	sets := []timed{{name: "tuned", want: labelled(periodsTuned), precision: 0.97, recall: 0.82}, {name: "held", want: labelled(periodsHeld), precision: 0.89, recall: 0.72}}
	seen := map[string]bool{}
	for _, p := range realPassages(t) {
		g := (&Miner{}).Mine(p.Title, chunkOf(p.Text))
		for _, span := range prose.Sentences(p.Text) {
			text := span.Slice(p.Text)
			sum := sha256.Sum256([]byte("clew periods 1/" + text))
			hash := hex.EncodeToString(sum[:4])
			at := slices.IndexFunc(sets, func(s timed) bool { return s.labels(hash) })
			if at < 0 || seen[text] {
				continue
			}
			if sets[at].judge(t, g, hash, span) {
				seen[text] = true
				sets[at].sentences++
			}
		}
	}
	for _, s := range sets {
		precision, recall := float64(s.right)/float64(s.given), float64(s.right)/float64(s.said)
		t.Logf("%s: %d sentences, precision %.3f, recall %.3f", s.name, s.sentences, precision, recall)
		if s.sentences < 110 || precision < s.precision || recall < s.recall {
			t.Errorf("%s: of %d sentences, precision is %.3f and recall %.3f, want %.2f and %.2f", s.name, s.sentences, precision, recall, s.precision, s.recall)
		}
	}
}

// TestTimesWithoutAnEnd reads since when, until when and for how long verbs say that something held.
func TestTimesWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Agnes Lovibond has directed the Carrow Foundry since 1902.":                                          "1902..",
		"Clara Voss has been treasurer of the Osterby Trust since 2021.":                                      "2021..",
		"The Carrow Foundry has been owned by Agnes Lovibond since May 1902.":                                 "1902-05..",
		"Since 1 May 2019 the Old Mill has belonged to the Carrow Foundry.":                                   "2019-05-01..",
		"Agnes Lovibond directed the Carrow Foundry until 1902.":                                              "..1902",
		"Until 1999 Edwin Hale directed the Carrow Foundry.":                                                  "..1999",
		"From 1890 to 1902, Edwin Hale directed the Carrow Foundry.":                                          "1890..1902",
		"Agnes Lovibond directed the Carrow Foundry until Maud Ferring bought it in 1902.":                    "",
		"Agnes Lovibond has directed the Carrow Foundry since Maud Ferring left in 1902.":                     "",
		"Agnes Lovibond, who has directed the Carrow Foundry since 1902, founded the Osterby School in 1910.": "1902.. 1910",
	} {
		var got []string
		for _, r := range (&Miner{}).Mine("People", chunkOf(text)).Relationships {
			if len(r.Periods) > 0 {
				got = append(got, domain.WritePeriods(r.Periods))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is dated %q, want %q", text, got, want)
		}
	}
}

// timed is a set of labels, and how the rules do on it.
type timed struct {
	name                          string
	want                          map[string]string // the time of each relation, by sentence and relation
	precision, recall             float64           // at least
	sentences, given, right, said int
}

// labels reports whether a sentence is in the set.
func (s *timed) labels(hash string) bool {
	_, ok := s.want[hash]
	return ok
}

// judge counts the relations that a sentence states, and reports whether there are any.
func (s *timed) judge(t *testing.T, g domain.GraphDocument, hash string, sentence domain.Span) (found bool) {
	for _, r := range g.Relationships {
		if !slices.Contains(r.Spans, sentence) {
			continue
		}
		found = true
		var times []string
		for _, period := range r.Periods {
			if sentence.Contains(period.At) {
				times = append(times, period.String())
			}
		}
		relation := strings.Join([]string{g.Nodes[r.Source].Name, r.Type, g.Nodes[r.Target].Name}, " | ")
		want, got := s.want[hash+" "+relation], strings.Join(times, ", ")
		if want != "" {
			s.said++
		}
		if got != "" {
			s.given++
		}
		switch {
		case got != want:
			t.Logf("%s: %s = %q, want %q", s.name, relation, got, want)
		case got != "":
			s.right++
		}
	}
	return found
}

// labelled returns the labels of a file, with an empty one for each sentence.
func labelled(file string) map[string]string {
	want := map[string]string{}
	for line := range strings.Lines(file) {
		relation, period, _ := strings.Cut(strings.TrimSpace(line), " = ")
		hash, _, _ := strings.Cut(relation, " ")
		want[hash] = ""
		want[relation] = period
	}
	return want
}

func TestATimeBelongsToItsVerb(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"In May 1890, Ada Quill founded Carrow Foundry.":                                      "FOUNDED 1890-05",
		"Carrow Foundry was bought in 1904 by Maud Ferring.":                                  "BOUGHT 1904",
		"Ada Quill was the director of Carrow Foundry in Osterby from 1890 to 1902.":          "DIRECTOR_OF 1890..1902",
		"Ada Quill is the director of Carrow Foundry since 1910.":                             "DIRECTOR_OF 1910..",
		"Ada Quill painted the 1921 Osterby Fair.":                                            "PAINTED ",
		"After 1904, Ada Quill founded Carrow Foundry.":                                       "FOUNDED ",
		"In 1904, which was a wet year, Ada Quill, who left Osterby, founded Carrow Foundry.": "FOUNDED 1904",
	} {
		g := (&Miner{}).Mine("", chunkOf(text))
		got := ""
		for _, r := range g.Relationships {
			var times []string
			for _, p := range r.Periods {
				times = append(times, p.String())
			}
			if strings.HasPrefix(want, r.Type+" ") || want == "" && len(times) > 0 {
				got = r.Type + " " + strings.Join(times, ", ")
			}
		}
		if got != want {
			t.Errorf("%s\n got %q, want %q", text, got, want)
		}
	}
}
