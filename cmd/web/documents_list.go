package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

// documentFlags adds the flags of a filter to a command.
func documentFlags(cmd *cobra.Command, f *documentFilter) {
	flags := cmd.Flags()
	flags.StringVar(&f.state, "state", "", "only those in a state: working, paused, look (failed, stopped, or nothing found), gone (no longer where it was fetched from), waiting, ready, empty, failed, stopped")
	flags.StringSliceVar(&f.formats, "format", nil, "only those of a format: pdf, docx, markdown, …; may be given again")
	flags.StringVar(&f.Tag, "tag", "", "only those with a tag")
	flags.StringVar(&f.From, "from", "", "only those added on a day or later: 2026-03-01")
	flags.StringVar(&f.To, "to", "", "only those added on a day or earlier")
	flags.StringSliceVar(&f.languages, "lang", nil, "only those in a language: en; may be given again")
	flags.StringSliceVar(&f.sources, "source", nil, "only those that came by upload, web, folder, s3, archive or mail")
	flags.StringSliceVar(&f.authors, "author", nil, "only those by an author: a part of the name")
	flags.StringVar(&f.published, "published", "", "only those published then: 1924, 1924-05, or 1900..1931")
}

// documentFilter is what commands about several documents are narrowed by.
type documentFilter struct {
	domain.DocumentFilter
	state, published                     string
	formats, languages, sources, authors []string
}

// parsed returns the filter with the words that a document's name, title, tag or text holds.
func (f documentFilter) parsed(words []string) (domain.DocumentFilter, error) {
	f.Text, f.State, f.Tag = strings.Join(words, " "), domain.DocumentState(f.state), domain.Tag(f.Tag)
	for _, name := range f.formats {
		f.Formats = append(f.Formats, domain.Format(strings.ToLower(name)))
	}
	for kind, values := range map[string][]string{
		domain.WithinLanguage: f.languages, domain.WithinSource: f.sources, domain.WithinAuthor: f.authors, domain.WithinPublished: {f.published},
	} {
		for _, value := range values {
			if err := f.AddFact(kind, value); err != nil {
				return f.DocumentFilter, err
			}
		}
	}
	return f.DocumentFilter, f.Check()
}

func documentsListCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var f documentFilter
	var sort, after string
	var most int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [WORDS]",
		Short: "List documents, newest first",
		Long: `List documents, newest first: all, or those that have the given words in their
name, their title, a tag or a passage, and match every flag. The last line says how
many match. To go on, give the id of the last one to --after.`,
		Example: `  clew documents list --state failed
  clew documents list minutes --format pdf --format docx --from 2026-03-01
  clew documents list --sort=-entities --limit 5 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Sort = domain.DocumentSort(sort)
			filter, err := f.parsed(args)
			if err != nil {
				return err
			}
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				docs, total, err := a.listDocuments(cmd.Context(), filter, domain.DocumentID(after), most)
				switch {
				case err != nil:
					return err
				case asJSON:
					return printJSON(s.stdout, docs)
				}
				return a.printDocuments(docs, total)
			})
		},
	}
	documentFlags(cmd, &f)
	cmd.Flags().StringVar(&sort, "sort", "", "sort by added, name, size, passages, entities or state; with a minus sign before it the other way round")
	cmd.Flags().StringVar(&after, "after", "", "only those listed after the document with an id, to go on from the last one")
	cmd.Flags().IntVar(&most, "limit", 50, "list at most so many; 0 lists all")
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

// listedDocument is an element of clew documents list --json.
type listedDocument struct {
	ID        domain.DocumentID     `json:"id"`
	Name      string                `json:"name"`
	Title     string                `json:"title"`
	Format    domain.Format         `json:"format"`
	Bytes     int64                 `json:"bytes"`
	Status    domain.DocumentStatus `json:"status"`
	Problem   string                `json:"problem,omitempty"`
	Passages  int                   `json:"passages"`
	Entities  int                   `json:"entities"`
	Relations int                   `json:"relations"`
	Tags      []string              `json:"tags"`
	Added     time.Time             `json:"added"`
}

// listDocuments returns a page of a list and how many documents match in all.
func (a *app) listDocuments(ctx context.Context, f domain.DocumentFilter, after domain.DocumentID, most int) ([]listedDocument, int, error) {
	query, err := a.documents.Selected(ctx, domain.DefaultWorkspace, f)
	if err != nil {
		return nil, 0, err
	}
	query.Limit = most
	if after != "" {
		last, err := a.ledger.Document(ctx, domain.DefaultWorkspace, after)
		if err != nil {
			return nil, 0, err
		}
		query.After = query.Place(last)
	}
	docs, total, err := a.ledger.Documents(ctx, domain.DefaultWorkspace, query)
	if err != nil {
		return nil, 0, err
	}
	tags, err := a.ledger.TagsOfAll(ctx, domain.DefaultWorkspace, docs)
	list := make([]listedDocument, len(docs))
	for i, d := range docs {
		list[i] = listedDocument{
			ID: d.ID, Name: d.Name, Title: d.Title, Format: d.Format, Bytes: d.Size, Status: d.Status, Problem: d.Problem,
			Passages: d.Chunks, Entities: d.Entities, Relations: d.Relations, Tags: append([]string{}, tags[d.ID]...), Added: d.CreatedAt,
		}
	}
	return list, total, err
}

func (a *app) printDocuments(docs []listedDocument, total int) error {
	if len(docs) == 0 {
		fmt.Fprintln(a.env.stdout, "No document matches.")
		return nil
	}
	table := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DOCUMENT\tSTATE\tPASSAGES\tENTITIES\tTAGS\tADDED\tID")
	for _, d := range docs {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", d.Name, d.Status, d.Passages, d.Entities, strings.Join(d.Tags, ", "), d.Added.Format(time.DateOnly), d.ID)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.env.stdout, "%s of %s that match.\n", domain.Thousands(len(docs)), domain.Counted(total, "document", "documents"))
	return err
}
