package ingest

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/prose/stated"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/stategraph"
)

//go:embed prompts/fields.tmpl
var fieldsText string

// fieldsPrompt returns the prompt of the model that fills in fields.
func fieldsPrompt() prompts.Prompt {
	return prompts.Prompt{
		Role: RoleFields, About: "Fills in the fields that a schema asks documents for.", Version: "1", Builtin: fieldsText,
		Parts: prompts.Message(formData{}, passagesData{}, "the passages"),
	}
}

type formData struct {
	Fields []string `about:"the fields, with what they are" need:"yes"`
	Plain  bool     `about:"the model is asked in plain text, without a form, so the message must say how to answer"`
}

type passagesData struct {
	Title    prompts.Outside   `about:"title of the document"`
	Passages []prompts.Outside `about:"passages of the document" need:"yes"`
}

// Filling is the model that fills in fields. The zero Filling fills in none.
type Filling struct {
	Chat    llm.Chat
	Fitness *llm.Fitness // of Chat
}

var fieldsForm = llm.Form{Name: "fill_in", Description: "Takes the fields that the passages state.", Schema: json.RawMessage(
	`{"type":"object","properties":{"fields":{"type":"array","items":{"type":"object","properties":{` +
		`"field":{"type":"string","description":"name of the field"},"value":{"type":"string"},"quote":{"type":"string","description":"the words of a passage that say so, copied exactly"}},` +
		`"required":["field","value","quote"],"additionalProperties":false}}},"required":["fields"],"additionalProperties":false}`)}

// The parts of what a model is shown, in tokens, and the bounds of a quotation, in code points.
const (
	shownFirst = extract.FieldTokens / 5 // tokens at the beginning of the document
	shortQuote = 3
	longQuote  = 500

	mostRanked = 200 // passages compared with fields by words
)

// askFields has a model fill in fields of a document, and returns those whose quotation stands in it and says the value. Problem is
// why the model has no answer that can be used; while it can't be reached, that is the error.
func (n nodes) askFields(ctx *stategraph.Context, d domain.Document, mode llm.Mode, pin int, fields []wanted) (sets []ledger.FieldSet, problem, err error) {
	if n.Filling.Chat == nil || n.Prompts == nil || len(fields) == 0 {
		return nil, nil, nil
	}
	n.pauses.Begin(string(d.ID))
	defer func() { n.pauses.End(ctx, string(d.ID), err) }()
	shown, err := n.shown(ctx, d, fields)
	if err != nil {
		return nil, nil, err
	}
	var answer llm.Response
	ask := func(mode llm.Mode) error {
		q, err := n.fieldsRequest(ctx, d, mode, pin, fields, shown)
		if err == nil {
			answer, err = llm.Ask(ctx, n.Filling.Chat, q, func(kind string, payload any) { ctx.Emit(kind, payload) })
		}
		return err
	}
	if mode == "" || mode == llm.ModeAuto {
		err = n.Filling.Fitness.Ask(ctx, nil, ask)
	} else {
		err = ask(mode)
	}
	if err = cmp.Or(err, answer.Unusable()); err != nil {
		if ctx.Err() != nil || failsEveryChunk(err) || domain.Temporary(err) {
			return nil, nil, err
		}
		return nil, err, nil
	}
	return filled(fieldsForm.Output(answer), fields, shown), nil, nil
}

func (n nodes) fieldsRequest(ctx context.Context, d domain.Document, mode llm.Mode, pin int, fields []wanted, shown []domain.Chunk) (llm.Request, error) {
	text, err := n.Prompts.Text(ctx, d.Workspace, RoleFields, pin)
	if err != nil {
		return llm.Request{}, err
	}
	form := formData{Plain: mode == llm.ModePrompt}
	form.Fields = lists.Map(fields, wanted.said)
	user := passagesData{Title: prompts.Fence("title", d.Title)}
	user.Passages = lists.Map(shown, func(c domain.Chunk) prompts.Outside { return prompts.Fence("passage", c.Text) })
	messages, err := llm.Messages(text, prompts.SystemPart, form, prompts.UserPart, user)
	q := llm.Request{Messages: messages, Prompt: RoleFields + "/" + text.Version, Owner: domain.CallOwner{Workspace: d.Workspace, Document: d.Becomes()}}
	fieldsForm.Apply(&q, mode)
	return q, err
}

// said describes a field to a model.
func (w wanted) said() string {
	line := w.field.Name + " (" + cmp.Or(w.Type, extract.Text)
	if len(w.field.Choices) > 0 {
		line += ": " + strings.Join(w.field.Choices, ", ")
	}
	line += ")"
	if w.Description != "" {
		line += ": " + domain.OneLine(w.Description)
	}
	if len(w.Synonyms) > 0 {
		line += "; also called " + strings.Join(w.Synonyms, ", ")
	}
	return line
}

// shown returns the chunks that a model is shown for some fields, in their order: the first ones, and then for each field in turn
// the next nearest one, as far as the tokens suffice.
func (n nodes) shown(ctx context.Context, d domain.Document, fields []wanted) (shown []domain.Chunk, err error) {
	chunks, err := n.Ledger.Chunks(ctx, d.Workspace, d.ID)
	if err != nil || len(chunks) == 0 {
		return nil, err
	}
	chunks[0].Text = domain.Cut(chunks[0].Text, 4*extract.FieldTokens) // it may be longer if it is split by parts
	ranked, err := n.nearest(ctx, d, fields, chunks)
	if err != nil {
		return nil, err
	}
	taken, used := map[int]bool{}, 0
	take := func(i, most int) {
		if size := chunks[i].Tokens; !taken[i] && (used+size <= most || used == 0) {
			taken[i], used = true, used+size
		}
	}
	for i := range chunks {
		take(i, shownFirst)
	}
	for place := range chunks {
		for _, order := range ranked {
			if place < len(order) {
				take(order[place], extract.FieldTokens)
			}
		}
	}
	for i, c := range chunks {
		if taken[i] {
			shown = append(shown, c)
		}
	}
	return shown, nil
}

// nearest orders chunks for each field, the nearest first: by their vectors where they have some, or by the words they share.
func (n nodes) nearest(ctx context.Context, d domain.Document, fields []wanted, chunks []domain.Chunk) ([][]int, error) {
	queries, ranked := make([]string, len(fields)), make([][]int, len(fields))
	for i, w := range fields {
		queries[i] = w.said()
	}
	if n.Embedding.Embedder == nil {
		return ranked, n.nearestByWords(ctx, queries, chunks, ranked)
	}
	hashes := lists.Map(chunks, func(c domain.Chunk) string { return domain.Hash([]byte(n.Embedding.Text(d, c))) })
	vectors, err := llm.Vectors(llm.WithOwner(ctx, domain.CallOwner{Document: d.Becomes()}), n.Ledger, n.Embedding.Embedder, queries, hashes...)
	for i, query := range queries {
		of := vectors[domain.Hash([]byte(query))]
		near := make([]float64, len(chunks))
		for j := range chunks {
			ranked[i] = append(ranked[i], j)
			near[j] = llm.Cosine(of, vectors[hashes[j]])
		}
		slices.SortStableFunc(ranked[i], func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	}
	return ranked, err
}

func (n nodes) nearestByWords(ctx context.Context, queries []string, chunks []domain.Chunk, ranked [][]int) error {
	passages := make([]domain.Passage, min(len(chunks), mostRanked))
	for i := range passages {
		passages[i].Chunk = chunks[i]
	}
	for i, query := range queries {
		sentences, err := nearest.Ranker{}.Sentences(ctx, query, passages)
		if err != nil {
			return err
		}
		for _, s := range sentences {
			if s.Score > 0 && !slices.Contains(ranked[i], s.Passage) {
				ranked[i] = append(ranked[i], s.Passage)
			}
		}
	}
	return nil
}

// filled reads a model's answer: for each field it takes the first value whose quotation occurs in the text the model
// was shown and states the value.
func filled(answer string, fields []wanted, shown []domain.Chunk) (sets []ledger.FieldSet) {
	o, _, _ := llm.ReadObject(answer, "fields")
	has := map[domain.FieldID]bool{}
	for _, item := range o.List("fields") {
		said, _ := item.(llm.Object)
		at := slices.IndexFunc(fields, func(w wanted) bool {
			return strings.EqualFold(w.field.Name, domain.OneLine(said.Text("field", "name")))
		})
		if at < 0 || has[fields[at].field.ID] {
			continue
		}
		if set, ok := evidenced(fields[at].field, said.Text("value"), said.Text("quote"), shown); ok {
			has[set.Field.ID] = true
			sets = append(sets, set)
		}
	}
	return sets
}

// evidenced returns a value with the place of its quotation, unless the quotation is missing or states something else.
func evidenced(f domain.Field, value, quote string, shown []domain.Chunk) (ledger.FieldSet, bool) {
	set := ledger.FieldSet{Field: f}
	if n := domain.Runes(quote); n < shortQuote || n > longQuote {
		return set, false
	}
	for _, c := range shown {
		at, ok := prose.Quote(c.Text, quote)
		if !ok {
			continue
		}
		if before := (domain.Span{Start: at.Start - 1, End: at.Start}).Slice(c.Text); before == "-" || before == "−" {
			at.Start-- // include the minus sign
		}
		words := at.Slice(c.Text)
		language := prose.Language(c.Text)
		set.Values, set.Span = stated.Values(f, value, "en"), at.Shift(c.Span.Start)
		if stated.Holds(f, set.Values, words, language) {
			return set, true
		}
	}
	return set, false
}
