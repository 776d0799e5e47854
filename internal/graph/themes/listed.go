package themes

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
)

// labels are those of the entities that a list is of, by what it is of.
var labels = map[string]map[string]bool{
	intent.Person:       prose.KeySet("person people human individual character"),
	intent.Place:        prose.KeySet("place location city town village country region site address"),
	intent.Organisation: prose.KeySet("organisation organization company institution firm agency association authority"),
}

// fitting returns what tells whether a list has entities with a label.
func fitting(of string) func(label string) bool {
	if of == intent.Any {
		return func(string) bool { return true }
	}
	if known := labels[of]; known != nil {
		return func(label string) bool { return known[prose.Key(label)] }
	}
	nouns := prose.Terms(of)
	return func(label string) bool {
		return label != domain.UnknownLabel && slices.ContainsFunc(prose.Terms(label), func(t string) bool { return slices.Contains(nouns, t) })
	}
}

// Entities implements answer.Surveyor.
func (s *Service) Entities(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, of string, most int) (answer.Survey, error) {
	g, err := s.Graphs.Get(ctx, w)
	if err != nil {
		return answer.Survey{}, err
	}
	survey := answer.Survey{Way: answer.ByEntities}
	told := map[string]bool{}
	for _, e := range g.Mentioned(documents, fitting(of), 2*most, maxRead) { // of some no sentence can be quoted
		if len(survey.Parts) == most {
			break
		}
		passages, err := s.Texts.Passages(ctx, w, e.Passages)
		if err != nil {
			return survey, err
		}
		said, err := s.standFor(ctx, passages, told, e.Name)
		if err == nil && len(said) == 0 {
			said, err = s.standFor(ctx, passages, nil, e.Name)
		}
		if err != nil {
			return survey, err
		}
		if len(said) > 0 {
			told[said[0].Text] = true
			survey.Parts = append(survey.Parts, answer.Part{Names: []string{e.Name}, Lines: lines(said[:1])})
		}
	}
	survey.Why = domain.Counted(len(survey.Parts), "entity", "entities") + " of the graph, most mentioned first"
	return survey, nil
}

// Named implements answer.Surveyor.
func (s *Service) Named(ctx context.Context, w domain.WorkspaceID, words string, documents []domain.DocumentID, most int) ([]domain.Document, error) {
	q := ledger.DocumentQuery{Status: []domain.DocumentStatus{domain.DocumentReady}, IDs: documents, Limit: most}
	terms := prose.Terms(words)
	if words == "" {
		found, _, err := s.Texts.Documents(ctx, w, q)
		return found, err
	}
	for _, t := range terms {
		if len(t) > len(q.Text) {
			q.Text = t
		}
	}
	if q.Text == "" {
		return nil, nil
	}
	q.Limit = maxNamed
	found, _, err := s.Texts.Documents(ctx, w, q)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(d domain.Document) bool {
		has := titled(d)
		return slices.ContainsFunc(terms, func(t string) bool { return !slices.Contains(has, t) })
	})
	return found[:min(len(found), most)], nil
}

// titled returns the terms of a document's name and title. In its name words may be
// joined by signs.
func titled(d domain.Document) []string {
	name := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return ' '
		}
		return r
	}, strings.TrimSuffix(d.Name, path.Ext(d.Name))+" "+strings.TrimPrefix(path.Ext(d.Name), "."))
	return prose.Terms(name + " " + d.Title + " " + d.Name)
}
