package documents

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/worddiff"
)

// looking are the operations that change nothing.
func looking() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, listing, operation.Page[Listed]]{
			Name: "documents list", Short: "List documents, newest first", Scope: operation.Read, Routes: []string{"GET /documents"},
			Tool: operation.Tool{Name: "list_documents", Title: "List documents", Fields: "words tag format state field sort limit",
				About: "List the documents of the library, newest first, or those that match."},
			Long: `List documents, newest first: all, or those that have the given words in their
name, their title, a tag or a passage, and match every flag. The last line says how
many match. To go on, give the id of the last one to --after.`,
			Example: `  clew documents list --state failed
  clew documents list minutes --format pdf --format docx --from 2026-03-01
  clew documents list --sort=-entities --limit 5 --json`,
			Do: (*Service).listed, Text: printListed,
		},
		operation.Op[*Service, One, Shown]{
			Name: "documents show", Short: "Print the chunks of a document, what was mined from each and what was dropped", Scope: operation.Read, Routes: []string{"GET /documents/{document}"},
			Long: `Print what the page of a document, given by name or id, says of it: its chunks with
their places, the entities and relations that were mined from each, what was
dropped and why, and the questions whose answers cite it.`,
			Example: `  clew documents show minutes.docx
  clew documents show minutes.docx --json | jq '.read_chunks[] | .mined.nodes[].name'`,
			Do: (*Service).show, Text: printShown,
		},
		operation.Op[*Service, oneOrAll, Dropped]{
			Name: "documents dropped", Short: "List what was found in a document and left out of the graph, and why", Scope: operation.Read, Routes: []string{"GET /documents/{document}/dropped", "GET /dropped"},
			Long: `List the entities, relations and properties that were found in a document,
given by name or id, and left out of the graph, each with the reason. Without
DOCUMENT, list the documents that have any. What a schema dropped comes back
without a call of a model when a later schema allows it: see clew schema allow
and clew schema apply.`,
			Example: `  clew documents dropped minutes.docx
  clew documents dropped minutes.docx --json | jq -r '.[].reason'`,
			Do: (*Service).dropped, Text: printDropped,
		},
		operation.Op[*Service, previewing, Previewed]{
			Name: "documents preview", Short: "Show how a file would be cut into chunks, and add nothing", Scope: operation.Read, Routes: []string{"POST /documents/preview"},
			Long: `Show the first ten chunks into which a file would be cut, with their places,
headings and tokens, how many there are in all, and what was guessed or left
out. Nothing of the file is kept, and no model is asked.`,
			Example: `  clew documents preview handbook.md --chunk headings
  clew documents preview mails.jsonl --text-field body --json | jq '.first[].text'`,
			Do: (*Service).previewed, Text: printPreview,
		},
		operation.Op[*Service, struct{}, ReadingNow]{
			Name: "documents reading", Short: "Show how far reading has come, how fast it is and how long it will take", Scope: operation.Read, Routes: []string{"GET /reading"},
			Long: `Show how many documents wait or are being read, how many of their passages are
read, how many that is a second, and between which times everything will be
read. What is paused is counted apart.`,
			Example: `  clew documents reading
  clew documents reading --json | jq .most_seconds`,
			Do: (*Service).readingNow, Text: printReading,
		},
	}
}

// Shown is all that is known of a document.
type Shown struct {
	domain.Document
	Passages []ledger.ReadChunk  `json:"read_chunks"`
	Cited    []ledger.Citing     `json:"cited_in"`
	Fields   []ledger.FieldValue `json:"fields"`
}

func (s *Service) show(ctx context.Context, in One) (shown Shown, err error) {
	if shown.Document, err = s.named(ctx, in.Name); err != nil {
		return shown, err
	}
	if shown.Passages, err = s.Ledger.ReadChunks(ctx, shown.Workspace, shown.ID, 0, 0); err != nil {
		return shown, err
	}
	if shown.Cited, err = s.Ledger.Citing(ctx, shown.Workspace, shown.ID, 0); err != nil {
		return shown, err
	}
	values, err := s.ValuesOf(ctx, shown.Workspace, []domain.Document{shown.Document})
	shown.Fields = values[shown.ID]
	return shown, err
}

func printShown(w io.Writer, d Shown) error {
	fmt.Fprintf(w, "%s, %s: %s, %s, %s, %s dropped\n", d.Name, d.Status, format.Count(len(d.Passages), "chunk", "chunks"),
		format.Count(d.Entities, "entity", "entities"), format.Count(d.Relations, "relation", "relations"), format.Int(d.Dropped))
	for _, v := range d.Fields {
		fmt.Fprintf(w, "%s: %s (%s)\n", v.Name, strings.Join(v.Values, ", "), v.Origin)
	}
	for _, c := range d.Passages {
		fmt.Fprintf(w, "\n%d. %s\n", c.Ordinal+1, domain.Cut(domain.OneLine(c.Text), 120))
		for _, n := range c.Graph.Nodes {
			fmt.Fprintf(w, "   %s (%s)\n", n.Name, n.Label)
		}
		for _, r := range c.Graph.Relationships {
			fmt.Fprintf(w, "   %s %s %s\n", c.Graph.Nodes[r.Source].Name, r.Type, c.Graph.Nodes[r.Target].Name)
		}
		for _, dropped := range c.Dropped {
			fmt.Fprintf(w, "   dropped: %s. %s\n", dropped.Named(), dropped.Reason)
		}
	}
	for _, c := range d.Cited {
		fmt.Fprintf(w, "\ncited in: %s\n", c.Question)
	}
	return nil
}

type oneOrAll struct {
	Name string `json:"document" arg:"[DOCUMENT]" doc:"name or id of a document, or the end of its name after a slash"`
}

// Dropped lists what was left out of one document's graph, or counts it for each document.
type Dropped struct {
	Items  []ledger.DroppedItem
	Counts []DroppedCount
	all    bool
}

// DroppedCount is the number of items left out of a document's graph.
type DroppedCount struct {
	ID       domain.DocumentID `json:"id"`
	Document string            `json:"document"`
	Dropped  int               `json:"dropped"`
}

// Array returns the items, or the counts.
func (d Dropped) Array() any {
	if d.all {
		return d.Counts
	}
	return d.Items
}

func (s *Service) dropped(ctx context.Context, in oneOrAll) (d Dropped, err error) {
	if in.Name != "" {
		doc, err := s.named(ctx, in.Name)
		if err != nil {
			return d, err
		}
		d.Items, err = s.Ledger.Dropped(ctx, doc.Workspace, doc.ID, 0)
		return d, err
	}
	d.all = true
	docs, _, err := s.Ledger.Documents(ctx, domain.WorkspaceOf(ctx), ledger.DocumentQuery{})
	for _, doc := range docs {
		if doc.Dropped > 0 {
			d.Counts = append(d.Counts, DroppedCount{doc.ID, doc.Name, doc.Dropped})
		}
	}
	return d, err
}

func printDropped(w io.Writer, d Dropped) error {
	if !d.all {
		return operation.Table("CHUNK\tKIND\tITEM\tREASON", "Nothing was dropped.", func(d ledger.DroppedItem) []any {
			return []any{d.Ordinal + 1, d.Kind, d.Named(), d.Reason}
		})(w, d.Items)
	}
	err := operation.Table("DROPPED\tDOCUMENT", "Nothing was dropped from any document.", func(d DroppedCount) []any { return []any{d.Dropped, d.Document} })(w, d.Counts)
	if err == nil && len(d.Counts) > 0 {
		_, err = fmt.Fprintf(w, "To see what, and why: clew documents dropped %q\n", d.Counts[0].Document)
	}
	return err
}

// ReadingNow is the progress of reading.
type ReadingNow struct {
	ledger.Reading
	LeastSeconds *int `json:"least_seconds,omitempty"` // until everything is read; nil if unknown
	MostSeconds  *int `json:"most_seconds,omitempty"`

	Rereadings []ledger.Rereading `json:"rereadings,omitempty"` // that have not ended
}

func (s *Service) readingNow(ctx context.Context, _ struct{}) (ReadingNow, error) {
	r, err := s.Progress(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return ReadingNow{}, err
	}
	now := ReadingNow{Reading: r.Reading}
	if least, most, known := r.Left(); known {
		now.LeastSeconds, now.MostSeconds = new(int(least.Seconds())), new(int(most.Seconds()))
	}
	now.Rereadings, err = s.Ledger.Rereadings(ctx, domain.WorkspaceOf(ctx))
	return now, err
}

func printReading(w io.Writer, r ReadingNow) error {
	for _, g := range r.Rereadings {
		fmt.Fprintf(w, "Reading %s again: %s read, %s failed, %s not begun.\n",
			domain.Counted(g.Documents, "document", "documents"), domain.Thousands(g.Read), domain.Thousands(g.Failed), domain.Thousands(g.Unbegun))
	}
	_, err := fmt.Fprintf(w, "%s being read, %s paused, %s at a cap. %s\n",
		domain.Counted(r.Documents, "document waits or is", "documents wait or are"), domain.Thousands(r.Paused), domain.Thousands(r.AtCap), Progress{r.Reading})
	return err
}

// ListedVersion is a version of a document.
type ListedVersion struct {
	Version int        `json:"version"`
	Name    string     `json:"name"`
	Size    int64      `json:"size"`
	SHA256  string     `json:"sha256"`
	Chunks  int        `json:"chunks"`
	Since   time.Time  `json:"since"`
	Until   *time.Time `json:"until,omitempty"` // nil for the current version
}

type oneVersion struct {
	One
	Version int `json:"version" arg:"VERSION" wrong:"%q is not a version number. clew documents versions list shows them." doc:"number of a version"`
}

// stored returns the number of the version as it is stored.
func (v oneVersion) stored() (int, error) {
	if v.Version < 1 {
		return 0, domain.Errorf(domain.Invalid, "There is no version \"%d\": clew documents versions list shows the numbers.", v.Version)
	}
	return v.Version - 1, nil
}

// VersionChange is a difference between two versions.
type VersionChange struct {
	Same  int          `json:"same"` // identical passages before it
	Parts []ChangePart `json:"parts"`
}

// ChangePart is a part of a difference.
type ChangePart struct {
	Kind string `json:"kind"` // same, gone or new
	Text string `json:"text"`
}

// RemovedVersion is a version that was removed.
type RemovedVersion struct {
	Version  int    `json:"version"`
	Document string `json:"document"`
}

// versioning are the operations on the versions of a document.
func versioning() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, One, []ListedVersion]{
			Name: "documents versions list", Short: "List the versions of a document, given by name or id, newest first", Scope: operation.Read, Routes: []string{"GET /documents/{document}/versions"}, Example: "  clew documents versions list minutes.docx",
			Do: (*Service).versions,
			Text: operation.Table("VERSION\tSINCE\tUNTIL\tSIZE\tNAME", "", func(v ListedVersion) []any {
				until := "in force"
				if v.Until != nil {
					until = format.Moment(*v.Until)
				}
				return []any{v.Version, format.Moment(v.Since), until, format.Bytes(v.Size), v.Name}
			}),
		},
		operation.Op[*Service, oneVersion, []VersionChange]{
			Name: "documents versions diff", Short: "Compare an earlier version of a document with the one in force, by words", Scope: operation.Read, Routes: []string{"GET /documents/{document}/versions/{version}/diff"}, Example: "  clew documents versions diff minutes.docx 1",
			Long: `Compare an earlier version of a document with the one in force, passage by
passage and by words: [-what went-] and {+what came+}.`,
			Do: (*Service).diff, Text: printDiff,
		},
		operation.Op[*Service, oneVersion, RemovedVersion]{
			Name: "documents versions remove", Short: "Remove an earlier version of a document", Scope: operation.DeleteDocuments, Routes: []string{"DELETE /documents/{document}/versions/{version}"}, Example: "  clew documents versions remove minutes.docx 1",
			Long: `Remove an earlier version of a document: its text, its file, and what answers and
summaries quote of it. The document stays.`,
			Do: func(s *Service, ctx context.Context, in oneVersion) (RemovedVersion, error) {
				n, err := in.stored()
				if err != nil {
					return RemovedVersion{}, err
				}
				d, err := s.named(ctx, in.Name)
				if err == nil {
					err = s.RemoveVersion(ctx, d.Workspace, d.ID, n)
				}
				if err != nil {
					return RemovedVersion{}, err
				}
				return RemovedVersion{in.Version, d.Name}, nil
			},
			Text: operation.Line(func(v RemovedVersion) string {
				return fmt.Sprintf("Version %d of %s was deleted.", v.Version, v.Document)
			}),
		},
	}
}

func (s *Service) versions(ctx context.Context, in One) ([]ListedVersion, error) {
	d, err := s.named(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	list := []ListedVersion{{d.Version + 1, d.Name, d.Size, d.Hash, d.Chunks, d.VersionSince(), nil}}
	earlier, err := s.Ledger.Versions(ctx, d.Workspace, d.ID)
	for _, v := range earlier {
		list = append(list, ListedVersion{v.Number + 1, v.Name, v.Size, v.Hash, v.Chunks, v.Since, &v.Until})
	}
	return list, err
}

var changeKinds = map[worddiff.Kind]string{worddiff.Same: "same", worddiff.Gone: "gone", worddiff.New: "new"}

func (s *Service) diff(ctx context.Context, in oneVersion) ([]VersionChange, error) {
	number, err := in.stored()
	if err != nil {
		return nil, err
	}
	d, err := s.named(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	after, err := s.Ledger.Text(ctx, d.Workspace, d.ID)
	if err != nil {
		return nil, err
	}
	before := after
	if number != d.Version {
		if before, err = s.Ledger.VersionText(ctx, d.Workspace, d.ID, number); err != nil {
			return nil, err
		}
	}
	found, _ := worddiff.Passages(before.Content, after.Content)
	changes := make([]VersionChange, len(found))
	for i, c := range found {
		changes[i].Same = c.Same
		for _, p := range c.Parts {
			changes[i].Parts = append(changes[i].Parts, ChangePart{changeKinds[p.Kind], p.Text})
		}
	}
	return changes, nil
}

func printDiff(w io.Writer, changes []VersionChange) error {
	if len(changes) == 0 {
		fmt.Fprintln(w, "Their text is the same.")
	}
	marks := map[string]string{"same": "%s", "gone": "[-%s-]", "new": "{+%s+}"}
	for _, c := range changes {
		words := lists.Map(c.Parts, func(p ChangePart) string { return fmt.Sprintf(marks[p.Kind], p.Text) })
		fmt.Fprintln(w, strings.Join(words, " "))
	}
	return nil
}
