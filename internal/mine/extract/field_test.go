package extract

import (
	"os"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

func TestFieldRepliesOfExtraction(t *testing.T) {
	t.Parallel()
	for name, relations := range map[string]int{
		"e_dbl": 1, "e_fence": 1, "e_nl": 1, "e_nodeid": 1, "e_null": 1, "e_params": 1, "e_prose": 1, "e_py": 1, "e_tagcall": 1, "e_think": 1, "e_thinkclose": 1,
		"e_trail": 1, "e_trunc": 0, "e_wrap": 1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile("../../../../shared/data/field/replies/" + name)
			if os.IsNotExist(err) {
				t.Skip("left out: no ../shared beside the project")
			}
			if err != nil {
				t.Fatal(err)
			}
			checkPilot(t, llm.WithoutThoughts(string(b)), relations)
		})
	}
}

func TestIdsThatAreNumbersJoin(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"nodes":[{"id":1,"name":"Ada Moen","label":"Person"},{"id":2,"name":"Lark","label":"Ship"}],"relationships":[{"source":"1","target":2,"type":"SAILS"}]}`,
		`{"nodes":[{"id":"n1","name":"Ada Moen"},{"id":"n2","name":"Lark"}],"edges":[{"from":"N1","to":"n2","label":"SAILS"}]}`,
		`{"relationships":[{"source_id":1,"target_id":2,"type":"SAILS"}],"nodes":[{"id":1,"name":"Ada Moen"},{"id":2,"name":"Lark"}]}`,
		`{"nodes":"[{\"id\":\"ada_moen\",\"name\":\"Ada Moen\"},{\"id\":\"Lark\"}]","relationships":[{"source":"ada_moen","target":"Lark","type":"SAILS"}]}`,
	} {
		checkPilot(t, text, 1)
	}
}

// checkPilot reads an answer about the pilot and looks for what it says.
func checkPilot(t *testing.T, answer string, relations int) {
	t.Helper()
	const text = "The pilot Ada Moen sails the Lark from Vik to Orsen each morning."
	m, _, err := mine(answer)
	if err != nil {
		t.Fatalf("%q: %v", answer, err)
	}
	c := domain.Chunk{Text: text, Span: domain.Span{End: domain.Runes(text)}}
	g := build(m, passagesOf([]domain.Chunk{c})[0], 0).Graph
	found := map[string]bool{}
	for _, n := range g.Nodes {
		found[n.Name] = true
	}
	sails := 0
	for _, r := range g.Relationships {
		if r.Type == "SAILS" && g.Nodes[r.Source].Name == "Ada Moen" && g.Nodes[r.Target].Name == "Lark" {
			sails++
		}
	}
	if !found["Ada Moen"] || !found["Lark"] || sails != relations {
		t.Errorf("%q: nodes %v, %d relations, want %d", answer, found, sails, relations)
	}
}
