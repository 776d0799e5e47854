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

// A Subject has properties: an entity, or one of its relations.
type Subject struct {
	Entity   domain.EntityID
	Relation domain.RelationID // "" for the entity itself
}

// subject returns the arguments that name a subject, its label or type, and its
// properties.
func (c *Curator) subject(ctx context.Context, w domain.WorkspaceID, of Subject) (ledger.Operation, string, domain.Properties, error) {
	if of.Relation == "" {
		e, err := c.Entity(ctx, w, of.Entity)
		return ledger.Operation{Entity: e.ID}, e.Label, e.Properties, err
	}
	edge, err := c.Relation(ctx, w, of.Entity, of.Relation)
	return ledger.Operation{Entity: edge.Source, Target: edge.Target, Relation: edge.ID}, edge.Type, edge.Properties, err
}

// schema returns the library's schema, the zero Schema without one.
func (c *Curator) schema(ctx context.Context, w domain.WorkspaceID) (extract.Schema, error) {
	versions, err := c.Ledger.SchemaVersions(ctx, w, ledger.SchemaScope{}, 1)
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
func (c *Curator) Declared(ctx context.Context, w domain.WorkspaceID, of string) ([]string, error) {
	s, err := c.schema(ctx, w)
	return s.Keys(of), err
}

// Set gives a property of a subject a value, in place of the value was or, if
// was is "", of all others. The library's schema says of which type it has to be.
func (c *Curator) Set(ctx context.Context, w domain.WorkspaceID, who string, of Subject, key, was, value string) (ledger.Curation, error) {
	op, kind, have, err := c.subject(ctx, w, of)
	if err != nil {
		return ledger.Curation{}, err
	}
	key = keyAmong(have, key)
	if err := short(key, "The name of a property"); err != nil {
		return ledger.Curation{}, err
	}
	if value, err = oneLine(value, "A value", MaxValue); err != nil {
		return ledger.Curation{}, err
	}
	if value == "" {
		return ledger.Curation{}, domain.Errorf(domain.Invalid, "Write a value, or remove the property.")
	}
	schema, err := c.schema(ctx, w)
	if err != nil {
		return ledger.Curation{}, err
	}
	if err := schema.CheckValue(kind, key, value); err != nil {
		return ledger.Curation{}, err
	}
	values := valuesOf(have, key)
	if slices.Contains(values, value) && (was != "" || len(values) == 1) {
		return ledger.Curation{}, domain.Errorf(domain.Invalid, "The property has that value already.")
	}
	if was != "" && !slices.Contains(values, was) {
		return ledger.Curation{}, domain.Errorf(domain.Conflict, "Somebody has changed this property meanwhile. Look at it again, then decide.")
	}
	return c.edit(ctx, w, ledger.Curation{Who: who, Kind: ledger.CurationSet, Operation: op}, have, key, was, value)
}

// Unset removes a value of a property of a subject, or all its values if value
// is "". The error is NotFound when it has none.
func (c *Curator) Unset(ctx context.Context, w domain.WorkspaceID, who string, of Subject, key, value string) (ledger.Curation, error) {
	op, _, have, err := c.subject(ctx, w, of)
	if err != nil {
		return ledger.Curation{}, err
	}
	key = keyAmong(have, key)
	if values := valuesOf(have, key); len(values) == 0 || value != "" && !slices.Contains(values, value) {
		return ledger.Curation{}, domain.Errorf(domain.NotFound, "There is no such property to remove (any more).")
	}
	return c.edit(ctx, w, ledger.Curation{Who: who, Kind: ledger.CurationUnset, Operation: op}, have, key, "", value)
}

// edit stores an edit. Words that documents say are kept as hashes, unless a
// curator typed them before.
func (c *Curator) edit(ctx context.Context, w domain.WorkspaceID, entry ledger.Curation, have domain.Properties, key, was, value string) (ledger.Curation, error) {
	log, err := c.Ledger.Curations(ctx, w, latest)
	if err != nil {
		return entry, err
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
	values := valuesOf(have, key)
	entry.Property = word(key, len(values) > 0)
	if value != "" {
		entry.Value = word(value, slices.Contains(values, value))
	}
	if was != "" && len(values) > 1 {
		entry.Was = word(was, true)
	}
	return c.decide(ctx, w, entry, "")
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

// valuesOf returns the values of a key.
func valuesOf(have domain.Properties, key string) []string {
	var values []string
	for _, p := range have {
		if p.Key == key {
			values = append(values, p.Value)
		}
	}
	return values
}
