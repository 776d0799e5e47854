package ingest

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prose/stated"
	"github.com/clewhq/clew/internal/stategraph"
)

// The labels of the edges that leave resolve.
const (
	fieldsAsked = "fields asked for"
	noFields    = "no fields"
)

// askedFor returns the label of the edge to follow: whether the schema asks the document for fields.
func askedFor(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if s.Asks {
		return stategraph.Choose[State](fieldsAsked), nil
	}
	return stategraph.Choose[State](noFields), nil
}

// wanted is a field that a document is asked for.
type wanted struct {
	extract.FieldRule
	field domain.Field
}

// fillIn fills in the fields that the schema asks for: those that lines of the text state, and the others by a model, where one reads.
// Each value has the words that state it.
func (n nodes) fillIn(ctx *stategraph.Context, s State) (update, error) {
	doc, err := n.Ledger.BeginStage(ctx, s.Workspace, s.Document, "fill_in")
	if err != nil {
		return update{}, err
	}
	guide, err := n.guide(ctx, s.Workspace, s.Schema, s.Prompts)
	if err != nil {
		return update{}, err
	}
	all, notes, err := n.wanted(ctx, s.Workspace, guide.Fields)
	if err != nil {
		return update{}, err
	}
	text, err := n.Ledger.Text(ctx, s.Workspace, s.Document)
	if err != nil {
		return update{}, err
	}
	sets, left := statedIn(text.Content, all)
	asked, problem, err := n.askFields(ctx, doc, guide.Mode, s.Prompts, left)
	if err != nil {
		return update{}, err
	}
	if problem != nil {
		notes = append(notes, "A model could not be asked for the fields that no line states: "+domain.InWords(problem))
	}
	return warnings.Add(notes...), n.saveAsked(ctx, s, append(sets, asked...))
}

// saveAsked stores the values of the fields that the schema asks for, replacing all earlier ones of the document.
func (n nodes) saveAsked(ctx context.Context, s State, sets []ledger.FieldSet) error {
	_, err := n.Ledger.UpdateDocument(ctx, s.Workspace, s.Document, func(*domain.Document) {}, func(tx *sql.Tx) error {
		return n.Ledger.SaveAsked(ctx, tx, s.Workspace, s.Document, sets)
	})
	return err
}

// wanted returns the fields of the workspace that rules ask for, and notes on those that it does not have so any more.
func (n nodes) wanted(ctx context.Context, w domain.WorkspaceID, rules []extract.FieldRule) (all []wanted, notes []string, err error) {
	fields, err := n.Ledger.Fields(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rules {
		switch f, found, err := r.Of(fields); {
		case err != nil:
			notes = append(notes, domain.InWords(err))
		case !found:
			notes = append(notes, fmt.Sprintf("The schema asks for the field %s, which was deleted. Save the schema again to define it, or take it out.", r.Name))
		default:
			all = append(all, wanted{r, f})
		}
	}
	return all, notes, nil
}

// statedIn returns the values that lines of a text state, and the fields that none states.
func statedIn(text string, all []wanted) (sets []ledger.FieldSet, left []wanted) {
	lines := stated.Read(text)
	for _, w := range all {
		values, at := w.In(lines, w.field)
		if len(values) == 0 {
			left = append(left, w)
			continue
		}
		sets = append(sets, ledger.FieldSet{Field: w.field, Values: values, Span: at})
	}
	return sets, left
}
