package ingest

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/resolve"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// parse parses the file and stores its text.
func (n nodes) parse(ctx *stategraph.Context, s State) (update, error) {
	doc, err := n.Ledger.BeginStage(ctx, s.Workspace, s.Document, "parse")
	if err != nil {
		return update{}, err
	}
	var text domain.Text
	number, err := n.schemaFor(ctx, doc)
	if err != nil {
		return update{}, err
	}
	pin, err := n.pin(ctx, s)
	if err != nil {
		return update{}, err
	}
	err = n.survive(ctx, doc, func(large func() error) error {
		file, size, err := n.Files.Open(ctx, s.Workspace, doc.Hash)
		if err != nil {
			return fmt.Errorf("read %s: %w", doc.Name, err)
		}
		defer file.Close()
		text, err = n.Parser.Parse(ctx, doc.Format, doc.Chunking, file, size, large)
		return err
	})
	if err != nil {
		return update{}, err
	}
	if text.TitledByFile(doc.Name) {
		text.Title = ""
	}
	if doc.Format == domain.FormatImage && text.Content == "" {
		text = parse.WithWords(text, parse.NamedAs(path.Base(doc.Name)))
	}
	before, err := n.keepPictures(ctx, doc, text.Pictures)
	if err != nil {
		return update{}, err
	}
	if text, err = n.describe(ctx, doc, text, pin); err != nil {
		return update{}, err
	}
	length, found := domain.Runes(text.Content), text.Facts
	if spoken := prose.Language(text.Content); spoken != "" && doc.Format != domain.FormatCode {
		found.Language = spoken // templates of pages and letters may state any language
	}
	var known domain.Facts
	_, err = n.Ledger.UpdateDocument(ctx, s.Workspace, s.Document, func(d *domain.Document) {
		known = d.With(found)
		d.Pages, d.Chars, d.Pictures, d.Facts = text.PageCount(), length, len(text.Pictures), known
		if text.Title != "" {
			d.Title = text.Title
		}
		d.Stage = "split"
	}, func(tx *sql.Tx) error { return n.Ledger.SaveTextTx(ctx, tx, s.Workspace, s.Document, text) },
		func(tx *sql.Tx) error { return n.Ledger.SavePictures(ctx, tx, doc, text.Pictures) },
		func(tx *sql.Tx) error {
			return n.Ledger.SaveStated(ctx, tx, s.Workspace, s.Document, text.Content, properties(text.Properties, known))
		})
	if err == nil {
		err = n.dropPictures(ctx, s.Workspace, before)
	}
	return state.Merge(into.Set(doc.VersionOf), guided.Set(number), pinned.Set(pin), pages.Set(text.PageCount()), chars.Set(length), warnings.Add(text.Warnings...)), err
}

// properties returns what a file states of itself, with the facts that are known of it under names of their own.
func properties(stated map[string][]string, known domain.Facts) map[string][]string {
	all := maps.Clone(stated)
	if all == nil {
		all = map[string][]string{}
	}
	for name, value := range map[string]string{"author": known.Author, "published": known.Published, "language": known.Language, "link": known.Link} {
		if value != "" {
			all[name] = []string{value}
		}
	}
	return all
}

// schemaFor returns the number of the schema that guides the reading of a document.
func (n nodes) schemaFor(ctx context.Context, d domain.Document) (int64, error) {
	if n.Schemas == nil {
		return 0, nil
	}
	return n.Schemas.NumberFor(ctx, d.Workspace, d.Becomes())
}

// pin returns the pin of the prompts that a run reads with.
func (n nodes) pin(ctx context.Context, s State) (int, error) {
	if n.Prompts == nil {
		return 0, nil
	}
	return n.Prompts.Pin(ctx, s.Workspace)
}

// guide returns the schema of a number with the prompt as of a pin.
func (n nodes) guide(ctx context.Context, w domain.WorkspaceID, number int64, pin int) (g extract.Guide, err error) {
	if n.Schemas != nil && number > 0 {
		if g, err = n.Schemas.GuideAt(ctx, w, number); err != nil {
			return g, err
		}
	}
	g.Prompt, err = n.prompt(ctx, w, pin)
	return g, err
}

// prompt returns the extractor's prompt as of a pin, "" for the built-in one. A
// text that can't be used is an error: every chunk would fail of it.
func (n nodes) prompt(ctx context.Context, w domain.WorkspaceID, pin int) (string, error) {
	if n.Prompts == nil {
		return "", nil
	}
	if _, err := n.Prompts.Text(ctx, w, extract.PromptRole, pin); err != nil {
		return "", err
	}
	return n.Prompts.Edited(ctx, w, extract.PromptRole, pin)
}

// split splits the text into chunks.
func (n nodes) split(ctx *stategraph.Context, s State) (update, error) {
	doc, err := n.Ledger.Document(ctx, s.Workspace, s.Document)
	if err != nil {
		return update{}, err
	}
	text, err := n.Ledger.Text(ctx, s.Workspace, s.Document)
	if err != nil {
		return update{}, err
	}
	var pieces []domain.Chunk
	err = n.survive(ctx, doc, func(large func() error) (err error) {
		pieces, err = n.Parser.Split(ctx, doc.Becomes(), text, doc.Chunking, large)
		return err
	})
	if err != nil {
		return update{}, err
	}
	if doc.Format == domain.FormatGraph { // its rows have no header row
		for i := range pieces {
			pieces[i].Headings = []string{}
		}
	}
	guide, err := n.guide(ctx, s.Workspace, s.Schema, s.Prompts)
	if err != nil {
		return update{}, err
	}
	var kept map[domain.ChunkID]domain.Chunk
	if s.Into != "" {
		if kept, err = n.unchanged(ctx, s, pieces); err != nil {
			return update{}, err
		}
	}
	recorded, err := n.save(ctx, s, doc, guide, kept, pieces)
	ids := lists.Map(pieces, func(c domain.Chunk) domain.ChunkID { return c.ID })
	return state.Merge(chunks.Set(ids), windows.Set(n.windows(pieces, recorded)), mined.Put(recorded...), asks.Set(len(ids) > 0 && len(guide.Fields) > 0)), err
}

// save saves the chunks, and returns those that this extractor mined by the same guide in an earlier run.
func (n nodes) save(ctx context.Context, s State, doc domain.Document, guide extract.Guide, kept map[domain.ChunkID]domain.Chunk, pieces []domain.Chunk) ([]Mined, error) {
	doc.Stage, doc.Chunks, doc.ChunksDone, doc.Entities, doc.Relations = "extract", len(pieces), 0, 0, 0
	before, err := n.Ledger.Cut(ctx, doc, pieces, "stage", "chunks", "chunks_done", "entities", "relations")
	if err != nil || !before && len(kept) == 0 {
		return nil, err
	}
	if err := n.inherit(ctx, s, guide, kept, pieces); err != nil {
		return nil, err
	}
	recorded, err := n.recorded(ctx, s, guide, pieces)
	if err != nil || len(recorded) == 0 {
		return nil, err
	}
	_, err = n.Ledger.UpdateDocument(ctx, s.Workspace, s.Document, func(d *domain.Document) {
		d.ChunksDone, d.Entities, d.Relations = len(recorded), 0, 0
		for _, m := range recorded {
			d.Entities += m.Entities
			d.Relations += m.Relations
		}
	})
	return recorded, err
}

// windows returns how many unrecorded chunks share each request.
func (n nodes) windows(pieces []domain.Chunk, recorded []Mined) []int {
	done := chunksOf(recorded)
	left := slices.DeleteFunc(slices.Clone(pieces), func(c domain.Chunk) bool { return done[c.ID] })
	var sizes []int
	for _, w := range extract.Windows(left, n.Window) {
		sizes = append(sizes, len(w))
	}
	return sizes
}

func chunksOf(list []Mined) map[domain.ChunkID]bool {
	return lists.SetOf(list, func(m Mined) domain.ChunkID { return m.Chunk })
}

// recorded returns the chunks that this extractor mined by the same guide in an
// earlier run.
func (n nodes) recorded(ctx context.Context, s State, guide extract.Guide, pieces []domain.Chunk) ([]Mined, error) {
	contributions, err := n.Ledger.Contributions(ctx, s.Workspace, s.Document)
	if err != nil {
		return nil, err
	}
	reader := n.Extractor.Reader(guide)
	ordinals := lists.Pairs(pieces, func(c domain.Chunk) (domain.ChunkID, int) { return c.ID, c.Ordinal })
	var list []Mined
	for _, c := range contributions {
		ordinal, ok := ordinals[c.Chunk]
		if ok && c.Reader == reader {
			list = append(list, Mined{Chunk: c.Chunk, Ordinal: ordinal, Entities: len(c.Graph.Nodes), Relations: len(c.Graph.Relationships), Recorded: true})
		}
	}
	return list, nil
}

// sendWindows sends a task for each window of chunks that are not mined yet, and
// one for each batch of chunks to embed.
func (n nodes) sendWindows(mine stategraph.Target[State, windowTask], embed stategraph.Target[State, batchTask]) func(*stategraph.Context, State) (stategraph.Route[State], error) {
	return func(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
		if len(s.Chunks) == 0 {
			return stategraph.Choose[State](noText), nil
		}
		var sends []stategraph.Send[State]
		done, at := chunksOf(s.Mined), 0
		for _, size := range s.Windows {
			for done[s.Chunks[at]] {
				at++
			}
			t := windowTask{Workspace: s.Workspace, Document: s.Document, Schema: s.Schema, Prompts: s.Prompts, Chunks: s.Chunks[at : at+size], First: at, Of: len(s.Chunks)}
			if at > 0 {
				t.Before = s.Chunks[at-1]
			}
			sends = append(sends, mine.Send(t))
			at += size
		}
		if n.Embedding.Embedder != nil {
			for batch := range slices.Chunk(s.Chunks, embedAtOnce) {
				sends = append(sends, embed.Send(batchTask{s.Workspace, s.Document, batch}))
			}
		}
		if len(sends) == 0 {
			return stategraph.Choose[State](nothingNew), nil
		}
		return stategraph.Fan(sends...), nil
	}
}

// resolve gives each entity of the document one name.
func (n nodes) resolve(ctx *stategraph.Context, s State) (update, error) {
	contributions, err := n.Ledger.Contributions(ctx, s.Workspace, s.Document)
	if err != nil {
		return update{}, err
	}
	graphs := lists.Map(contributions, func(c ledger.Contribution) domain.GraphDocument { return c.Graph })
	whole, renamed := resolve.WithinDocument(graphs, n.Key)
	if renamed > 0 {
		doc, err := n.Ledger.Document(ctx, s.Workspace, s.Document)
		if err != nil {
			return update{}, err
		}
		if doc.Format == domain.FormatGraph { // its names are complete
			whole, renamed = graphs, 0
		} else if err := n.replaceGraphs(ctx, s.Workspace, contributions, whole); err != nil {
			return update{}, err
		}
	}
	graphs = whole
	distinctEntities, distinctRelations := n.countDistinct(graphs)
	return state.Merge(merged.Set(renamed), entities.Set(distinctEntities), relations.Set(distinctRelations)), nil
}

// replaceGraphs replaces the graphs that differ from those of the contributions.
func (n nodes) replaceGraphs(ctx context.Context, w domain.WorkspaceID, of []ledger.Contribution, graphs []domain.GraphDocument) error {
	var others []ledger.Contribution
	for i, c := range of {
		if !reflect.DeepEqual(c.Graph, graphs[i]) {
			c.Graph = graphs[i]
			others = append(others, c)
		}
	}
	return n.Ledger.ReplaceGraph(ctx, w, others...)
}

// countDistinct counts the entities and relations of a document.
func (n nodes) countDistinct(graphs []domain.GraphDocument) (entities, relations int) {
	type entity struct{ label, key string }
	type relation struct {
		source entity
		kind   string
		target entity
	}
	seenEntities, seenRelations := map[entity]bool{}, map[relation]bool{}
	for _, g := range graphs {
		ends := make([]entity, len(g.Nodes))
		for i, node := range g.Nodes {
			ends[i] = entity{node.Label, n.Key(node.Name)}
			seenEntities[ends[i]] = true
		}
		for _, r := range g.Relationships {
			seenRelations[relation{ends[r.Source], r.Type, ends[r.Target]}] = true
		}
	}
	return len(seenEntities), len(seenRelations)
}

// project publishes the document and updates the graph and the search index.
func (n nodes) project(ctx *stategraph.Context, s State) (update, error) {
	if err := n.publish(ctx, s); err != nil {
		return update{}, err
	}
	return update{}, n.Project(ctx, s.Workspace)
}

func (n nodes) publish(ctx *stategraph.Context, s State) error {
	if s.Into != "" {
		if err := ctx.Flush(); err != nil { // the nodes before can't read a version that was adopted
			return err
		}
		before, err := n.Ledger.Pictures(ctx, s.Workspace, s.Into)
		if err != nil {
			return err
		}
		if err := n.Ledger.AdoptVersion(ctx, s.Workspace, s.Document, s.Into); err != nil {
			return err
		}
		return n.dropPictures(ctx, s.Workspace, before)
	}
	return n.Ledger.PublishRead(ctx, s.Workspace, s.Document, "project")
}

// report marks the document as ready, or as empty when it has no text or what it names could not be taken over. A text
// that names nothing is ready: its passages are found.
func (n nodes) report(ctx *stategraph.Context, s State) (update, error) {
	id, added, done := cmp.Or(s.Into, s.Document), []string(nil), 0
	for _, m := range s.Mined {
		if m.Problem != "" {
			added = append(added, fmt.Sprintf("Chunk %d of %d was left out: %s", m.Ordinal+1, len(s.Chunks), m.Problem))
		} else {
			done++
		}
	}
	dropped, err := n.Ledger.CountDropped(ctx, s.Workspace, id)
	if err != nil {
		return update{}, err
	}
	if len(s.Chunks) > 0 && s.Entities == 0 && len(added) == 0 && s.Schema > 0 && dropped > 0 {
		added = append(added, "The schema dropped everything that was found. Look at what was dropped, and allow what belongs in the graph.")
	}
	prompt, err := n.prompt(ctx, s.Workspace, s.Prompts)
	if err != nil {
		return update{}, err
	}
	all := append(append([]string{}, s.Warnings...), added...)
	d := domain.Document{
		Workspace: s.Workspace, ID: id, Status: domain.DocumentReady, Entities: s.Entities, Relations: s.Relations, Warnings: all, Reader: n.Extractor.Reader(extract.Guide{Prompt: prompt}),
		Dropped: dropped, Schema: s.Schema, Chunks: len(s.Chunks), ChunksDone: done,
	}
	if s.Entities == 0 && (len(s.Chunks) == 0 || len(added) > 0) {
		d.Status = domain.DocumentEmpty
	}
	columns := []string{"status", "stage", "problem", "entities", "relations", "warnings", "reader", "dropped", "schema_number", "chunks", "chunks_done"}
	err = n.Ledger.SetDocument(ctx, d, columns, func(tx *sql.Tx) error {
		if s.Asks {
			return nil
		}
		return n.Ledger.SaveAsked(ctx, tx, s.Workspace, id, nil)
	})
	return warnings.Add(added...), err
}

// keepPictures stores the bytes of the pictures of a document and sets their hashes. It returns the pictures that the document
// had before.
func (n nodes) keepPictures(ctx context.Context, d domain.Document, all []domain.Picture) (before []domain.Picture, err error) {
	for i, p := range all {
		all[i].Hash = domain.Hash(p.Data)
		if err := n.Files.Keep(ctx, d.Workspace, all[i].Hash, bytes.NewReader(p.Data)); err != nil {
			return nil, fmt.Errorf("keep a picture: %w", err)
		}
	}
	if d.Pictures == 0 {
		return nil, nil
	}
	return n.Ledger.Pictures(ctx, d.Workspace, d.ID)
}

// dropPictures removes the bytes of pictures that no document shows any more.
func (n nodes) dropPictures(ctx context.Context, w domain.WorkspaceID, all []domain.Picture) error {
	for _, p := range all {
		if needed, err := n.Ledger.NeedsFile(ctx, w, p.Hash); err != nil {
			return err
		} else if needed {
			continue
		}
		if err := n.Files.Remove(ctx, w, p.Hash); err != nil {
			return err
		}
	}
	return nil
}
