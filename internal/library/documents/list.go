package documents

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/views/facts"
	"github.com/clewhq/clew/views/lang"
)

// Listed is a document in a list. Each field is a column, described here for everyone: JSON and the API name it as its tag json
// does, the command's table shows it below the heading in its tag column, and the page's list says what Facts returns.
type Listed struct {
	Name      string                `json:"name" column:"DOCUMENT"`
	Title     string                `json:"title"`
	Format    domain.Format         `json:"format"`
	Pages     int                   `json:"pages,omitempty" doc:"or slides, rows, messages: whatever the format has"`
	Bytes     int64                 `json:"bytes"`
	Status    domain.DocumentStatus `json:"status" column:"STATE"`
	Problem   string                `json:"problem,omitempty"`
	Passages  int                   `json:"passages" column:"PASSAGES"`
	Entities  int                   `json:"entities" column:"ENTITIES"`
	Relations int                   `json:"relations"`
	Tags      []string              `json:"tags" column:"TAGS"`
	Source    domain.Source         `json:"source,omitempty" column:"SOURCE" doc:"how it came: upload, web, folder, s3, archive, mail or git"`
	Added     time.Time             `json:"added" column:"ADDED"`
	ID        domain.DocumentID     `json:"id" column:"ID"`
	Fields    map[string][]string   `json:"fields,omitempty" doc:"values by the names of fields"`
	Place     ledger.DocumentPlace  `json:"-" cursor:"after"` // in the list; it stays when the document is deleted
}

// ListedOf returns the list entry of a document with tags.
func ListedOf(d domain.Document, tags []string) Listed {
	return Listed{
		Name: d.Name, Title: d.Title, Format: d.Format, Pages: d.Pages, Bytes: d.Size, Status: d.Status, Problem: d.Problem,
		Passages: d.Chunks, Entities: d.Entities, Relations: d.Relations, Tags: append([]string{}, tags...), Source: d.Source, Added: d.CreatedAt, ID: d.ID,
	}
}

// Facts returns the text below the name of a document in the page's list.
func (l Listed) Facts(ctx context.Context) []string {
	kind := parse.Of(l.Format)
	said := []string{kind.Label}
	if l.Pages > 0 {
		one := cmp.Or(string(kind.Unit), "page")
		said = append(said, lang.Count(ctx, l.Pages, one, one+"s"))
	}
	said = append(said, lang.Bytes(ctx, l.Bytes))
	if l.Source != "" && l.Source != domain.SourceUpload {
		said = append(said, facts.Source(ctx, l.Source))
	}
	return said
}

// Known returns a document, given by name or id, and how it is listed.
func (s *Service) Known(ctx context.Context, name string) (domain.Document, Listed, error) {
	doc, err := s.named(ctx, name)
	if err != nil {
		return doc, Listed{}, err
	}
	tags, err := s.Ledger.TagsOfAll(ctx, doc.Workspace, []domain.Document{doc})
	return doc, ListedOf(doc, tags[doc.ID]), err
}

type listing struct {
	Words string `json:"words" arg:"[WORDS]" words:"" doc:"words in the name, title, tags or passages"`
	Filter
	Sort  string `json:"sort" doc:"sort by added, name, size, passages, entities, state or field:NAME; with a minus sign before it the other way round"`
	After string `json:"after" doc:"only those listed after the document with an id, to go on from the last one"` // or its place
	Limit int    `json:"limit" default:"50" doc:"list at most this many; 0 lists all"`
}

func (s *Service) listed(ctx context.Context, in listing) (list operation.Page[Listed], err error) {
	f, err := in.with(in.Words)
	f.Sort = domain.DocumentSort(in.Sort)
	if err = cmp.Or(err, f.Check()); err != nil {
		return list, err
	}
	w := domain.WorkspaceOf(ctx)
	query, err := s.Selected(ctx, w, f)
	if err != nil {
		return list, err
	}
	query.Limit = in.Limit
	if strings.Contains(in.After, "~") {
		query.After = ledger.DocumentPlace(in.After)
	} else if in.After != "" {
		found, err := s.Ledger.ListDocuments(ctx, w, ledger.DocumentQuery{IDs: []domain.DocumentID{domain.DocumentID(in.After)}, Sort: query.Sort, SortField: query.SortField})
		if err == nil && len(found) == 0 {
			_, err = s.Ledger.Document(ctx, w, domain.DocumentID(in.After)) // it does not exist
		}
		if err != nil || len(found) == 0 {
			return list, err
		}
		query.After = query.Place(found[0])
	}
	docs, total, err := s.Ledger.Documents(ctx, w, query)
	if err != nil {
		return list, err
	}
	tags, err := s.Ledger.TagsOfAll(ctx, w, docs)
	list = operation.Page[Listed]{Items: make([]Listed, len(docs)), Total: total}
	if err != nil {
		return list, err
	}
	values, err := s.ValuesOf(ctx, w, docs)
	for i, d := range docs {
		list.Items[i] = ListedOf(d, tags[d.ID])
		list.Items[i].Fields = byName(values[d.ID])
		list.Items[i].Place = query.Place(d)
	}
	return list, err
}

func printListed(w io.Writer, list operation.Page[Listed]) error {
	err := operation.TableOf[Listed]("No document matches. clew ingest FILE adds one.")(w, list.Items)
	if len(list.Items) > 0 {
		fmt.Fprintf(w, "%s of %s.\n", domain.Thousands(len(list.Items)), domain.Counted(list.Total, "document that matches", "documents that match"))
	}
	return err
}
