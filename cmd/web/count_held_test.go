package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// madeForCounts are texts in four languages in which things can be counted.
var madeForCounts = map[string]string{
	"observatory.md": `# The Dunmere Observatory

Sabine Korrel founded the Dunmere Observatory in 1921. Sabine Korrel discovered Comet Halvard. Sabine Korrel and Piet Anders discovered Comet Ostara.
Comet Brenna was discovered by Piet Anders. Piet Anders worked at the Dunmere Observatory. Lise Bakken worked at the Dunmere Observatory until 1940.
Lise Bakken wrote the Dunmere Catalogue. Lise Bakken also wrote the Winter Catalogue. The Winter Catalogue was printed by Cole Press.
Sabine Korrel won the Larsen Medal and the Frost Medal. Piet Anders won the Larsen Medal. The Dunmere Observatory bought four telescopes in 1930.
Sabine Korrel married Piet Anders. Sabine Korrel lived in Kestrel Bay. Lise Bakken lived in Kestrel Bay. Mara Quist joined the Aster Society.
Piet Anders founded the Aster Society.
`,
	"werft.md": `# Die Werft von Hollmoor

Jannis Brekwoldt gründete die Werft Hollmoor im Jahr 1871. Jannis Brekwoldt baute die Brücke Hollmoor und die Brücke Sandegg. Antje Lührs baute
das Haus Wieseneck. Antje Lührs arbeitete in der Werft Hollmoor. Ocke Tadsen arbeitete in der Werft Hollmoor.
`,
	"chantier.md": `# Le chantier de Valbrune

Armand Teyssot a fondé le chantier de Valbrune en 1880. Armand Teyssot a construit le pont de Lormes et le pont Saint-Aubin. Odile Fresnac a
construit la tour Margelle. Le pont Neuf de Valbrune a été construit par Armand Teyssot.
`,
	"astillero.md": `# El astillero de Peñalba

Ramiro Ezcurra fundó el astillero de Peñalba en 1875. Ramiro Ezcurra construyó el puente de Lardero y el puente Nuevo. Inés Bolívar construyó
la torre Almena. El puente Viejo fue construido por Ramiro Ezcurra.
`,
}

// askedForCounts are questions with their counts as a reader finds them in the texts; notCounted stands for what relations
// can't tell.
var askedForCounts = []struct {
	library, question string
	want              int
}{
	{"sample", "How many bridges did Tobias Quennell design?", 1},
	{"sample", "How many bridges did Henrike Aldous design?", 1},
	{"sample", "How many bridges did Konrad Iversen design?", 1},
	{"sample", "How many schools did Piers Maddock design?", 1},
	{"sample", "How many schools did Hester Pryor found?", 1},
	{"sample", "How many people founded the Carrow Foundry?", 1},
	{"sample", "How many bells did the Carrow Foundry cast?", 1},
	{"sample", "How many bridges cross the Velm?", 5},
	{"sample", "How many people did the Osterby Bridge Trust appoint?", 2},
	{"sample", "How many ferries did the Ferrymen's Guild sell?", 2},
	{"sample", "How many people bought a ferry from the Ferrymen's Guild?", 2},
	{"sample", "How many lamps hang beneath the roof of Copper Bridge?", notCounted},
	{"sample", "How many children did Tobias Quennell have?", notCounted},
	{"sample", "How many bullocks were driven across the Withen Chain Bridge?", notCounted},
	{"sample", "How many bridges did Jonah Brandreth build?", 1},
	{"sample", "How many people drowned when the Good Intent capsized?", notCounted},
	{"sample", "How many bridges did Simon Attley rebuild?", 1},
	{"sample", "How many people taught at Tarnwick School?", 4},
	{"sample", "How many people married Tobias Quennell?", 1},
	{"sample", "How many people work at the Carrow Foundry today?", notCounted},
	{"films", "How many films did Declan O'Brien direct?", 3},
	{"films", "How many films did Harold D. Schuster direct?", 3},
	{"films", "How many films did Carlo Campogalliani direct?", 2},
	{"films", "How many films did Gus Meins direct?", 2},
	{"films", "How many films did Gordon Flemyng direct?", 2},
	{"films", "How many films did Milton Subotsky write?", 2},
	{"films", "How many people directed The Past of Mary Holmes?", 2},
	{"films", "How many people directed Bommalattam?", 1},
	{"films", "How many people wrote Peter's Friends?", 2},
	{"films", "How many people produced Waiting for the Clouds?", 3},
	{"films", "How many people produced Captain Apache?", 2},
	{"films", "How many people wrote Make the World Move?", 6},
	{"films", "How many people wrote The Tender Years?", 3},
	{"films", "How many people wrote Love, Honor and Goodbye?", 3},
	{"films", "How many people wrote Aas Ka Panchhi?", 2},
	{"films", "How many people founded Track & Field News?", 2},
	{"films", "How many clubs did David Elliot play for?", 5},
	{"films", "How many people produced Amira & Sam?", 3},
	{"films", "How many people wrote Fat Man and Little Boy?", 2},
	{"films", "How many people wrote Final Exam?", 1},
	{"films", "How many people directed Naked Tango?", 1},
	{"films", "How many films did Sean Mullin direct?", 1},
	{"films", "How many films did Henrik Ruben Genz direct?", 1},
	{"made", "How many comets did Sabine Korrel discover?", 2},
	{"made", "How many comets did Piet Anders discover?", 2},
	{"made", "How many people discovered Comet Ostara?", 2},
	{"made", "How many people worked at the Dunmere Observatory?", 2},
	{"made", "How many catalogues did Lise Bakken write?", 2},
	{"made", "How many medals did Sabine Korrel win?", 2},
	{"made", "How many people won the Larsen Medal?", 2},
	{"made", "How many telescopes did the Dunmere Observatory buy?", notCounted},
	{"made", "How many people lived in Kestrel Bay?", 2},
	{"made", "How many people founded the Aster Society?", 1},
	{"made", "How many societies did Piet Anders found?", 1},
	{"made", "How many comets are mentioned?", 3},
	{"made", "Wie viele Brücken baute Jannis Brekwoldt?", 2},
	{"made", "Combien de ponts Armand Teyssot a-t-il construits ?", 3}, //nolint:misspell // French
	{"made", "¿Cuántos puentes construyó Ramiro Ezcurra?", 3},
	{"made", "How many people worked at the Dunmere Observatory in 1935?", notCounted},
	{"made", "How many observatories did Sabine Korrel found?", 1},
}

// TestCountsAreRightOrNotMade asks for counts in libraries of three kinds. A seeded shuffle halves the questions; the words and
// rules of counting were chosen by the first half alone. What is not certain is searched for, so no count may be wrong.
func TestCountsAreRightOrNotMade(t *testing.T) {
	t.Parallel()
	libraries := map[string]shell{"sample": readFiles(t, sampleFiles(t)), "made": readFiles(t, madeForCounts)}
	if films := filmTexts(t); films == nil {
		t.Log("left out: no ../shared beside the project")
	} else {
		libraries["films"] = readFiles(t, films)
	}
	says := regexp.MustCompile(`Counted in the documents: (\d+) `)
	var right, searched, wrong [2]int
	order := rand.New(rand.NewPCG(7, 60)).Perm(len(askedForCounts)) //nolint:gosec // the same halves each time
	for i, at := range order {
		half, q := i*2/len(order), askedForCounts[at]
		sh, ok := libraries[q.library]
		if !ok {
			continue
		}
		got := notCounted
		out := sh.must(t, "ask", q.question)
		if m := says.FindStringSubmatch(out); m != nil {
			n, err := strconv.Atoi(m[1])
			noError(t, err)
			got = n
		}
		switch got {
		case q.want:
			right[half]++
		case notCounted:
			searched[half]++
			t.Logf("half %d: %s is searched for, %d would be right", half, q.question, q.want)
		default:
			wrong[half]++
			t.Errorf("half %d: %s %d, want %d\n%s", half, q.question, got, q.want, out)
		}
	}
	if len(libraries) == 3 && (right[0] < 20 || right[1] < 20) {
		t.Errorf("%v of %d questions in each half are counted rightly", right, len(order)/2)
	}
	t.Logf("first half: %d right, %d searched for, %d wrong", right[0], searched[0], wrong[0])
	t.Logf("second half: %d right, %d searched for, %d wrong", right[1], searched[1], wrong[1])
}

// readFiles returns a shell with a library of texts.
func readFiles(t *testing.T, texts map[string]string) shell {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		file(t, dir, name, text)
	}
	sh := newShell(t)
	sh.must(t, "ingest", dir)
	return sh
}

func sampleFiles(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../../internal/sample/files/*")
	noError(t, err)
	files := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		noError(t, err)
		files[filepath.Base(name)] = string(data)
	}
	return files
}

// filmTexts returns the passages about films that share a name with a question, or nil without ../shared.
func filmTexts(t *testing.T) map[string]string {
	t.Helper()
	packed, err := os.ReadFile("../../../shared/data/multihop/2wiki/passages.jsonl.gz")
	if err != nil {
		return nil
	}
	lines, err := gzip.NewReader(bytes.NewReader(packed))
	noError(t, err)
	capital := regexp.MustCompile(`[A-Z][a-z]{4,}`)
	names := map[string]bool{}
	for _, q := range askedForCounts {
		if q.library == "films" {
			for _, name := range capital.FindAllString(q.question, -1) {
				names[name] = true
			}
		}
	}
	texts := map[string]string{}
	for d := json.NewDecoder(lines); d.More(); {
		var p struct{ ID, Title, Text string }
		noError(t, d.Decode(&p))
		for _, word := range capital.FindAllString(p.Title+" "+p.Text, -1) {
			if names[word] {
				texts[p.ID+".md"] = "# " + p.Title + "\n\n" + strings.TrimSpace(p.Text) + "\n"
			}
		}
	}
	return texts
}
