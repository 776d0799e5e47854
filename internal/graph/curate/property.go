package curate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
)

// Setting gives a property of an entity, or of one of its relations, a value in place of the value Was or, if that is "",
// of all others. The library's schema says of which type it has to be.
type Setting struct {
	One
	Key      string            `json:"property" arg:"PROPERTY"`
	Value    string            `json:"value" arg:"VALUE"`
	Relation domain.RelationID `json:"relation" doc:"a property of this relation, by the id that clew entities show prints"`
	Was      string            `json:"was" doc:"replace only this one of several values"`
}

func (d Setting) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	p, err := c.property(ctx, d.One, d.Relation, d.Key)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if err := checkShort(p.key, "The name of a property"); err != nil {
		return ledger.Curation{}, nil, err
	}
	value, err := oneLine(d.Value, "A value", MaxValue)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if value == "" {
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "Write a value, or remove the property.")
	}
	schema, err := c.schema(ctx)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if err := schema.CheckValue(p.of, p.key, value); err != nil {
		return ledger.Curation{}, nil, err
	}
	if slices.Contains(p.values, value) && (d.Was != "" || len(p.values) == 1) {
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "The property has that value already.")
	}
	if d.Was != "" && !slices.Contains(p.values, d.Was) {
		return ledger.Curation{}, nil, domain.Errorf(domain.Conflict, "Somebody has changed this property meanwhile. Look at it again, then decide.")
	}
	return c.edit(ctx, ledger.CurationSet, p, d.Was, value)
}

// Unsetting removes a value of a property, or all its values if Value is "". The error is NotFound when it has none.
type Unsetting struct {
	One
	Key      string            `json:"property" arg:"PROPERTY"`
	Value    string            `json:"value" arg:"[VALUE]"`
	Relation domain.RelationID `json:"relation" doc:"a property of this relation, by the id that clew entities show prints"`
}

func (d Unsetting) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	p, err := c.property(ctx, d.One, d.Relation, d.Key)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if len(p.values) == 0 || d.Value != "" && !slices.Contains(p.values, d.Value) {
		return ledger.Curation{}, nil, domain.Errorf(domain.NotFound, "There is no such property to remove (any more).")
	}
	return c.edit(ctx, ledger.CurationUnset, p, "", d.Value)
}

// property is a property of an entity, or of one of its relations.
type property struct {
	subject ledger.Operation // names what has it
	of      string           // the label or the type of that
	key     string           // as the other properties spell it, or as it is written for a new one
	values  []string
}

func (c *Curator) property(ctx context.Context, of One, relation domain.RelationID, key string) (property, error) {
	w := domain.WorkspaceOf(ctx)
	e, err := c.One(ctx, w, of.Name)
	if err != nil {
		return property{}, err
	}
	p, have := property{subject: ledger.Operation{Entity: e.ID}, of: e.Label}, e.Properties
	if relation != "" {
		edge, err := c.Relation(ctx, w, e.ID, relation)
		if err != nil {
			return property{}, err
		}
		p, have = property{subject: ledger.Operation{Entity: edge.Source, Target: edge.Target, Relation: edge.ID}, of: edge.Type}, edge.Properties
	}
	p.key = keyAmong(have, key)
	for _, v := range have {
		if v.Key == p.key {
			p.values = append(p.values, v.Value)
		}
	}
	return p, nil
}

// keyAmong returns the key as the properties spell it, or as it is written for
// a new one.
func keyAmong(have domain.Properties, key string) string {
	key = strings.Join(strings.Fields(key), " ")
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", " ")) }
	for _, p := range have {
		if plain(p.Key) == plain(key) {
			return p.Key
		}
	}
	return strings.ReplaceAll(key, " ", "_")
}

// edit returns the entry of an edit. Words that documents say are kept as hashes, unless a
// curator typed them before.
func (c *Curator) edit(ctx context.Context, kind ledger.CurationKind, p property, was, value string) (ledger.Curation, keyed, error) {
	log, err := c.Ledger.Curations(ctx, domain.WorkspaceOf(ctx), latest)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	typed := map[string]bool{}
	for _, e := range log {
		typed[e.Property.Text], typed[e.Value.Text] = true, true
	}
	word := func(s string, said bool) ledger.Word {
		if said && !typed[s] {
			return ledger.Word{Hash: domain.Hash([]byte(s))}
		}
		return ledger.Word{Text: s}
	}
	op := p.subject
	op.Property = word(p.key, len(p.values) > 0)
	if value != "" {
		op.Value = word(value, slices.Contains(p.values, value))
	}
	if was != "" && len(p.values) > 1 {
		op.Was = word(was, true)
	}
	return c.about(ctx, "", kind, op)
}

// schema returns the library's schema, the zero Schema without one.
func (c *Curator) schema(ctx context.Context) (extract.Schema, error) {
	versions, err := c.Ledger.SchemaVersions(ctx, domain.WorkspaceOf(ctx), ledger.SchemaScope{}, 1)
	if err != nil || len(versions) == 0 || versions[0].Body == "" {
		return extract.Schema{}, err
	}
	var g extract.Guide
	if err := json.Unmarshal([]byte(versions[0].Body), &g); err != nil {
		return extract.Schema{}, fmt.Errorf("read the schema: %w", err)
	}
	return g.Schema, nil
}

// Declared returns the properties that the library's schema declares for a label
// or a type.
func (c *Curator) Declared(ctx context.Context, of string) ([]string, error) {
	s, err := c.schema(ctx)
	return s.Keys(of), err
}
