package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// TestWhatIsListed tells entities that are listed from names that only lead to a chunk.
func TestWhatIsListed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, listed, names string }{
		{"identifiers", "The option is passed to the daemon Brelka by the function WriteFrame. An empty string returns NULL as the value of the option.", "Brelka", "WriteFrame, NULL"},
		{"capitals that shout", "She went home to Osterby with her shoes. PLEASE BRING YOUR SHOES. She met Ada Moen there.", "Osterby, Ada Moen", ""},
		{"headings and commands", "Output Modes\n\nAdd Support. Run the command with care in the town of Osterby.", "Osterby", "Output Modes"},
		{"first names in a list", "Present: Ada Moen (chair), Bo Berg, Ulf Dahl", "Ada Moen, Bo Berg, Ulf Dahl", ""},
		{"spelled as parts of programs", "In the evening the PRs that Ada Moen had sent were read in Osterby, the limit of 4KB and US/Pacific with them, and so was ParseIn.", "Ada Moen, Osterby", "PRs, US/Pacific, ParseIn"},
		{"headlines", "In the evening we read Why Neon Is the Symbol in the paper of Osterby.", "Osterby", ""},
		{"acronyms among words of programs", "The command of the server writes a file as TIFF, and the option of the user is kept by the Brelka Foundation.", "Brelka Foundation", "TIFF"},
		{"nouns with capitals", "When the Ray falls on a Prism, the Light of the Sun is parted by this Glass, and the Colour of each Ray is seen on the Wall behind the Board, as Isaac Newton tells. He laid a Board upon a Table, and this Table before his Window, where a Beam of it fell.", "Isaac Newton", "Glass, Wall, Light of the Sun"},
		{"German nouns", "Der Vertrag für die Wohnung endet im Herbst. Ich wohne jetzt in Basel und die Heizung ist von der Firma Kopf. Das Fahrrad steht noch im Keller.", "Basel", ""},
	} {
		g := (&Miner{}).Mine("", chunkOf(tt.text))
		listed, names := namesOf(g.Nodes), namesOf(g.Names)
		for n := range strings.SplitSeq(tt.listed, ", ") {
			if !slices.Contains(listed, n) {
				t.Errorf("%s: %q is not listed; listed %q, names %q", tt.name, n, listed, names)
			}
		}
		if tt.names != "" {
			for n := range strings.SplitSeq(tt.names, ", ") {
				if slices.Contains(listed, n) || !slices.Contains(names, n) {
					t.Errorf("%s: %q should lead to the chunk alone; listed %q, names %q", tt.name, n, listed, names)
				}
			}
		}
		if extra := len(listed) - len(strings.Split(tt.listed, ", ")); extra > 0 {
			t.Errorf("%s: listed %q, want only %s", tt.name, listed, tt.listed)
		}
	}
}

func namesOf(nodes []domain.GraphNode) (all []string) {
	for _, n := range nodes {
		all = append(all, n.Name)
	}
	return all
}

// TestNamesHaveNoLabel leaves names that are not listed without a label, and relations
// with their ends.
func TestNamesHaveNoLabel(t *testing.T) {
	t.Parallel()
	g := (&Miner{}).Mine("", chunkOf("Output Modes\n\nIlse Marrant designed the Lantern Bridge. See the file README for the option VERBOSE and the code."))
	for _, n := range g.Names {
		if n.Label != domain.UnknownLabel {
			t.Errorf("name %+v has a label", n)
		}
	}
	if len(g.Names) == 0 || len(g.Relationships) != 1 {
		t.Fatalf("names %q, relations %+v", namesOf(g.Names), g.Relationships)
	}
	r := g.Relationships[0]
	if d := cmp.Diff([]string{"Ilse Marrant", "Lantern Bridge"}, []string{g.Nodes[r.Source].Name, g.Nodes[r.Target].Name}); d != "" {
		t.Errorf("ends of the relation (-want +got)\n%s", d)
	}
}
