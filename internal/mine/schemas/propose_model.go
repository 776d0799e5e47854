package schemas

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prompts"
)

//go:embed prompts/propose.tmpl
var builtinText string

const promptRole = "propose"

// Prompt returns the prompt that asks a model to propose a schema.
func Prompt() prompts.Prompt {
	return prompts.Prompt{
		Role: promptRole, About: "Proposes a schema from passages of the library.", Version: "1", Builtin: builtinText,
		Parts: prompts.Message(systemData{}, userData{}, "the passages"),
	}
}

type systemData struct {
	Plain  bool `about:"the model is asked in plain text, without a form, so the message must say how to answer"`
	Labels int  `about:"the most labels"`
	Types  int  `about:"the most types of relations"`
}

type userData struct {
	Passages []passageData `about:"passages of several documents"`
}

type passageData struct {
	Title prompts.Outside `about:"title of the document"`
	Text  prompts.Outside `about:"the passage" need:"yes"`
}

// A Model proposes schemas.
type Model struct {
	Chat    llm.Chat
	Fitness *llm.Fitness // of Chat
	Prompts *prompts.Book
}

var form = llm.Form{Name: "propose_schema", Description: "Takes the proposed schema.", Schema: json.RawMessage(`{"type":"object","properties":{` +
	`"labels":{"type":"array","description":"kinds of entities, in PascalCase","items":` + meaningForm + `},` +
	`"types":{"type":"array","description":"types of relations, in capitals with underscores","items":` + meaningForm + `},` +
	`"triples":{"type":"array","items":{"type":"object","properties":{` +
	`"source":{"type":"string","description":"a label"},"type":{"type":"string","description":"a type"},"target":{"type":"string","description":"a label"}},` +
	`"required":["source","type","target"],"additionalProperties":false}},` +
	`"instructions":{"type":"string","description":"one or two sentences on what is easily mistaken here; may be empty"}},` +
	`"required":["labels","types","triples","instructions"],"additionalProperties":false}`)}

const meaningForm = `{"type":"object","properties":{"name":{"type":"string"},` +
	`"description":{"type":"string","description":"what it is, in a few words"},` +
	`"synonyms":{"type":"array","description":"other words for it in these passages","items":{"type":"string"}}},` +
	`"required":["name","description","synonyms"],"additionalProperties":false}`

// proposed is a schema as the model gives it.
type proposed struct {
	Labels       []extract.LabelRule
	Types        []extract.TypeRule
	Triples      []extract.Triple
	Instructions string
}

// proposedRule is a label or a type as the model gives it.
type proposedRule struct {
	name, description string
	synonyms          []string
}

func proposedRules(o llm.Object, list string) []proposedRule {
	var all []proposedRule
	for _, item := range o.List(list) {
		f, named := item.(llm.Object)
		m := proposedRule{name: f.Text("name"), description: f.Text("description")}
		if !named { // only the name
			m.name = llm.Scalar(item)
		}
		m.synonyms = lists.Map(f.List("synonyms"), llm.Scalar)
		all = append(all, m)
	}
	return all
}

// samplePassages is the number of passages that a model is shown.
const samplePassages = 16

// proposeByModel asks the model. The call is not recorded, because it contains words of many documents, each of which
// may be deleted.
func (s *Service) proposeByModel(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) (Proposal, error) {
	docs = spread(docs, samplePassages)
	var passages []domain.Passage
	for _, d := range docs {
		chunks, err := s.Ledger.Chunks(ctx, w, d.ID)
		if err != nil {
			return Proposal{}, err
		}
		for _, c := range spread(chunks, max(1, samplePassages/len(docs))) {
			passages = append(passages, domain.Passage{Chunk: c, Name: d.Name, Title: d.Title})
		}
	}
	var answer llm.Response
	err := s.Model.Fitness.Ask(ctx, nil, func(mode llm.Mode) error {
		q, err := s.Model.request(ctx, w, mode, passages)
		if err != nil {
			return err
		}
		answer, err = llm.Ask(ctx, s.Model.Chat, q, func(string, any) {})
		return err
	})
	if err != nil {
		return Proposal{}, err
	}
	if err := answer.Unusable(); err != nil {
		return Proposal{}, err
	}
	g, err := s.Model.read(form.Output(answer))
	return Proposal{Guide: g, Documents: len(docs), By: s.Model.Chat.Model()}, err
}

func (m *Model) request(ctx context.Context, w domain.WorkspaceID, mode llm.Mode, passages []domain.Passage) (llm.Request, error) {
	pin, err := m.Prompts.Pin(ctx, w)
	if err != nil {
		return llm.Request{}, err
	}
	text, err := m.Prompts.Text(ctx, w, promptRole, pin)
	if err != nil {
		return llm.Request{}, err
	}
	var data userData
	for _, p := range passages {
		data.Passages = append(data.Passages, passageData{prompts.Fence("title", p.Title), prompts.Fence("passage", p.Text)})
	}
	messages, err := llm.Messages(text, prompts.SystemPart, systemData{mode == llm.ModePrompt, mostLabels, mostTypes}, prompts.UserPart, data)
	if err != nil {
		return llm.Request{}, err
	}
	q := llm.Request{
		Messages: messages,
		Prompt:   "propose-schema/" + text.Version,
		Owner:    domain.CallOwner{Workspace: w},
		Fresh:    true,
	}
	form.Apply(&q, mode)
	return q, nil
}

// read returns the schema in a model's answer, without what is invalid in it.
func (m *Model) read(text string) (extract.Guide, error) {
	bad := func(err error) error {
		return domain.Because(domain.Unavailable, err, "The model %s returned no readable schema. Try again, or start from a template.", m.Chat.Model())
	}
	o, _, ok := llm.ReadObject(text, "labels", "types")
	if !ok {
		return extract.Guide{}, bad(nil)
	}
	p := proposed{Instructions: o.Text("instructions")}
	for _, l := range proposedRules(o, "labels") {
		p.Labels = append(p.Labels, extract.LabelRule{Name: l.name, Description: l.description, Synonyms: l.synonyms})
	}
	for _, t := range proposedRules(o, "types") {
		p.Types = append(p.Types, extract.TypeRule{Name: t.name, Description: t.description, Synonyms: t.synonyms})
	}
	for _, item := range o.List("triples") {
		t, _ := item.(llm.Object)
		p.Triples = append(p.Triples, extract.Triple{Source: t.Text("source"), Type: t.Text("type"), Target: t.Text("target")})
	}
	g := extract.Guide{Schema: extract.Schema{Labels: p.Labels, Types: p.Types, Triples: p.Triples}, Instructions: domain.Cut(p.Instructions, 1000)}
	if err := repair(&g); err != nil {
		return extract.Guide{}, bad(err)
	}
	if g.Schema.Empty() {
		return extract.Guide{}, bad(nil)
	}
	return g, nil
}

// repair removes the items of a schema that are invalid. It returns the error of
// one that can't be removed.
func repair(g *extract.Guide) error {
	for i := range g.Schema.Labels {
		g.Schema.Labels[i].Name = ItemName(Labels, g.Schema.Labels[i].Name)
	}
	for i := range g.Schema.Types {
		g.Schema.Types[i].Name = ItemName(Types, g.Schema.Types[i].Name)
	}
	for {
		place, err := Check(*g)
		if err == nil {
			return nil
		}
		if !remove(g, place) {
			return err
		}
	}
}

// remove removes an item from a schema, and reports whether it could.
func remove(g *extract.Guide, p Place) bool {
	switch p.Part {
	case Labels:
		g.Schema.Labels = slices.Delete(g.Schema.Labels, p.Index, p.Index+1)
	case Types:
		g.Schema.Types = slices.Delete(g.Schema.Types, p.Index, p.Index+1)
	case Triples:
		g.Schema.Triples = slices.Delete(g.Schema.Triples, p.Index, p.Index+1)
	case Properties:
		g.Schema, _ = WithProperties(g.Schema, slices.Delete(PropertiesOf(g.Schema), p.Index, p.Index+1))
	case Examples:
		g.Examples = slices.Delete(g.Examples, p.Index, p.Index+1)
	default:
		return false
	}
	return true
}
