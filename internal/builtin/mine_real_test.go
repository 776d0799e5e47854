package builtin

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/race"
)

// passage is a paragraph of an encyclopedia.
type passage struct{ Title, Text string }

// realPassages reads the passages of the development sets.
func realPassages(t testing.TB) []passage {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "multihop", "*", "passages.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("left out: the folder with real passages is not here")
	}
	var list []passage
	for _, name := range files {
		list = append(list, readPassages(t, name)...)
	}
	return list
}

func readPassages(t testing.TB, path string) []passage {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var list []passage
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p passage
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return list
}

func TestRealPassages(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	nodes, labelled, relations := 0, 0, 0
	passages := realPassages(t)
	for _, p := range passages {
		g := (&Miner{}).Mine(p.Title, chunkOf(p.Text))
		relations += len(g.Relationships)
		for _, n := range g.Nodes {
			nodes++
			if n.Label != domain.UnknownLabel {
				labelled++
			}
			for _, s := range n.Spans {
				if got := s.Slice(p.Text); got != n.Name && !slices.Contains(n.Aliases, got) {
					t.Errorf("%s: a span of %s holds %q", p.Title, n.Name, got)
				}
			}
		}
		for _, r := range g.Relationships {
			for _, s := range r.Spans {
				checkStated(t, p, g, r, s)
			}
		}
	}
	n := len(passages)
	t.Logf("%d passages: %.1f entities each, %d%% with a label, %.2f relations each", n, float64(nodes)/float64(n), 100*labelled/nodes, float64(relations)/float64(n))
	if nodes < 6*n || labelled < nodes*7/10 || relations < n {
		t.Error("too little is read from real prose")
	}
}

// checkStated fails if a sentence that states a relation contains neither end's
// name; one of them may be a pronoun.
func checkStated(t *testing.T, p passage, g domain.GraphDocument, r domain.GraphRelationship, sentence domain.Span) {
	t.Helper()
	for _, end := range []int{r.Source, r.Target} {
		if slices.ContainsFunc(g.Nodes[end].Spans, sentence.Contains) {
			return
		}
	}
	t.Errorf("%s: %q names neither end of %s", p.Title, sentence.Slice(p.Text), r.Type)
}

// TestRealRelations records what is read from a few real sentences, good and
// bad, so that a change of the rules shows its effect.
func TestRealRelations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ title, text, want string }{
		{"Lambert, Margrave of Tuscany",
			"Lambert( died after 938) was the second son of Adalbert II of Tuscany and Bertha, daughter of Lothair II of Lotharingia.",
			"Lambert SON_OF Adalbert II of Tuscany\nLambert SON_OF Bertha\nBertha DAUGHTER_OF Lothair II of Lotharingia"},
		{"Journal of Mathematical Physics",
			"The Journal of Mathematical Physics is a peer-reviewed journal published monthly by the American Institute of Physics devoted to the publication of papers in mathematical physics.",
			""},
		{"Urbis", "Urbis was an exhibition and museum in Manchester, England, designed by Ian Simpson.", "Ian Simpson DESIGNED Urbis\nUrbis MUSEUM_IN Manchester"},
		{"The Goose Woman",
			"The Goose Woman is a 1925 silent film drama directed by Clarence Brown and starring Louise Dresser with Jack Pickford as her son. The film was released by Universal Pictures.",
			"Clarence Brown DIRECTED The Goose Woman\nThe Goose Woman STARRING Louise Dresser\nUniversal Pictures RELEASED The Goose Woman"},
		{"Tarcisio Fusco",
			"Tarcisio Fusco was an Italian composer of film scores. He was the brother of the composer Giovanni Fusco and the uncle of operatic soprano Cecilia Fusco.",
			"Tarcisio Fusco BROTHER_OF Giovanni Fusco\nTarcisio Fusco UNCLE_OF Cecilia Fusco"},
	} {
		if diff := cmp.Diff(tt.want, relationsOf(tt.title, tt.text)); diff != "" {
			t.Errorf("relations of %s (-want +got)\n%s", tt.title, diff)
		}
	}
}

// TestSampleLibrary reads the documents that come with the program.
func TestSampleLibrary(t *testing.T) {
	t.Parallel()
	var got []string
	for _, name := range []string{"carrow-foundry.md", "obituary-maud-ferring.md", "schools-of-the-upper-valley.md", "ferries-of-the-velm.txt", "inscriptions.txt"} {
		text, err := os.ReadFile(filepath.Join("..", "sample", "files", name))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Split(relationsOf("", string(text)), "\n")...)
	}
	for _, want := range []string{
		"Josias Thorne FOUNDED Carrow Foundry (date 1831)",
		"Matthias Dole SUCCEEDED Josias Thorne (date 1866)",
		"Carrow Foundry CAST Great Margery (date 1872)",
		"Ansel Ironworks MADE_LAMPS_OF Copper Bridge",
		"Clara Munnings WROTE_COLUMN_FOR Velmdale Courant",
		"Lavinia Crouch HEADMISTRESS_OF Dame Alley School",
		"Wilhelmina Stroud TAUGHT Agnes Lovibond",
		"Lucas Thorpe BUILT Kittiwake",
		"Daniel Rook BOUGHT_FROM Ferrymen's Guild (date 1898)",
		"Dorothea Lindqvist COMPOSED_INSCRIPTION_ON Weir Bridge",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q was not read", want)
		}
	}
}

func BenchmarkMine(b *testing.B) {
	passages := realPassages(b)[:500]
	m := &Miner{}
	for b.Loop() {
		for _, p := range passages {
			m.Mine(p.Title, chunkOf(p.Text))
		}
	}
	b.ReportMetric(float64(b.N*len(passages))/b.Elapsed().Seconds(), "passages/s")
}
