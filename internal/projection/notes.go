package projection

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
)

// notes are kept in the graph for the day a document is deleted, when the ledger has forgotten it: its chunks'
// statements about each name, to subtract them from the tallies, and its relations.
type notes struct {
	Names      map[string]*fold.Tally `json:"names"` // by key
	Statements []statement            `json:"statements"`
}

// note returns a document's notes as they are stored.
func (u *update) note(said map[string]*fold.Sources, contributions []ledger.Contribution) ([]byte, error) {
	n, seen := notes{Names: map[string]*fold.Tally{}}, map[statement]bool{}
	for key, s := range said {
		n.Names[key] = fold.Count(*s)
	}
	for _, c := range contributions {
		for _, s := range u.statedIn(c) {
			if !seen[s] {
				seen[s], n.Statements = true, append(n.Statements, s)
			}
		}
	}
	return u.packer.pack(n)
}

// A packer packs notes, with the memory that the first ones took.
type packer struct{ writer *flate.Writer }

func (p *packer) pack(n notes) (_ []byte, err error) {
	var packed bytes.Buffer
	if p.writer == nil {
		p.writer, err = flate.NewWriter(&packed, flate.BestSpeed)
	} else {
		p.writer.Reset(&packed)
	}
	if err == nil {
		err = json.NewEncoder(p.writer).Encode(n)
	}
	if err == nil {
		err = p.writer.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("write notes about a document: %w", err)
	}
	return packed.Bytes(), nil
}

// decodeNotes returns stored notes, false if they are malformed.
func decodeNotes(stored []byte) (n notes, ok bool) {
	return n, json.NewDecoder(flate.NewReader(bytes.NewReader(stored))).Decode(&n) == nil
}

// saidIn returns the statements of a document's contributions about each key.
func (u *update) saidIn(d document, contributions []ledger.Contribution) map[string]*fold.Sources {
	chunks := lists.By(d.chunks, func(c domain.Chunk) domain.ChunkID { return c.ID })
	said := map[string]*fold.Sources{}
	for _, c := range contributions {
		at, ok := chunks[c.Chunk]
		if !ok {
			continue
		}
		add := func(n domain.GraphNode, byRule bool) {
			key := u.Key(n.Name)
			if said[key] == nil {
				said[key] = &fold.Sources{}
			}
			said[key].Mentions = append(said[key].Mentions, ledger.MentionRow{
				Key: key, Label: n.Label, Name: n.Name, Aliases: n.Aliases, Properties: n.Properties,
				Chunk: c.Chunk, Document: at.Document, Ordinal: at.Ordinal, Spans: n.Spans, ByRule: byRule,
			})
		}
		for _, n := range c.Graph.Nodes {
			add(n, false)
		}
		for _, n := range c.Graph.Names {
			n.Label = domain.UnknownLabel
			add(n, true)
		}
	}
	return said
}

// statedIn returns the relations that a contribution states.
func (u *update) statedIn(c ledger.Contribution) []statement {
	named := lists.Map(c.Graph.Nodes, func(n domain.GraphNode) string { return u.Key(n.Name) })
	var stated []statement
	for _, r := range c.Graph.Relationships {
		stated = append(stated, statement{named[r.Source], r.Type, named[r.Target]})
	}
	return stated
}

// A loss is what an entity loses with deleted documents.
type loss struct{ mentions, chunks, documents int }

// readNotes reads the notes about deleted documents.
func (r *reader) readNotes(ctx context.Context) error {
	if len(r.u.deleted) == 0 {
		return nil
	}
	stored, err := r.Graph.Notes(ctx, r.u.Workspace, r.u.deleted)
	for id, n := range stored {
		if n, ok := decodeNotes(n); ok {
			r.u.notes[id] = n
		}
	}
	return err
}

// lose records what an entity loses with a deleted document, and reports whether that can be subtracted: there are notes,
// and the document was not titled like it.
func (u *update) lose(id domain.DocumentID, e graphstore.Entity) bool {
	n, ok := u.notes[id]
	if !ok {
		return false
	}
	l := u.lost[e.ID]
	for _, link := range e.Links {
		if link.Kind&graphstore.LinkTitle != 0 {
			return false
		}
		l.mentions += len(link.Spans)
	}
	l.chunks, l.documents = l.chunks+len(e.Links), l.documents+1
	u.lost[e.ID] = l
	if t := n.Names[e.Key]; t != nil && !u.taken[id][e.Key] {
		u.minus[e.Key] = append(u.minus[e.Key], t)
		if u.taken[id] == nil {
			u.taken[id] = map[string]bool{}
		}
		u.taken[id][e.Key] = true
	}
	return true
}

// readStatedBefore reads the graph's relations that deleted documents stated, by
// their notes, and adds them to those that may go.
func (r *reader) readStatedBefore(ctx context.Context, stated map[statement]bool) error {
	u := r.u
	var refs []graphstore.RelationRef
	for _, n := range u.notes {
		for _, s := range n.Statements {
			stated[s] = true
			for _, from := range u.before[s.Source] {
				for _, to := range u.before[s.Target] {
					refs = append(refs, graphstore.RelationRef{ID: domain.NewRelationID(from.ID, s.Kind, to.ID), Source: from.ID, Target: to.ID})
				}
			}
		}
	}
	if len(refs) == 0 {
		return nil
	}
	edges, err := r.Graph.Stated(ctx, u.Workspace, refs)
	for _, e := range edges {
		u.relations[e.ID] = e.Relation
	}
	return err
}
