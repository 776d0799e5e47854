package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/trace"
	"github.com/clewhq/clew/views/format"
)

// ingested is a document in the output of clew ingest --json.
type ingested struct {
	Document  string   `json:"document"`
	Status    string   `json:"status"`
	Chunks    int      `json:"chunks"`
	Entities  int      `json:"entities"`
	Relations int      `json:"relations"`
	Warnings  []string `json:"warnings"`
	Schema    int64    `json:"schema,omitempty"` // number of the version that guided the reading
	Problem   string   `json:"problem,omitempty"`

	id   domain.DocumentID // "" if it was refused
	run  domain.RunID
	note string // about how it was added

	become domain.DocumentID // the document whose next version it is
}

// read reports whether the document was read completely.
func (r ingested) read() bool {
	return r.Status == string(domain.DocumentReady) || r.Status == string(domain.DocumentEmpty)
}

func ingestCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, estimate, ask bool
	var schema string
	var versions versionFlags
	var chunks chunkFlags
	cmd := &cobra.Command{
		Use:   "ingest FILE…",
		Short: "Add documents and read them",
		Long: `Add documents and read them. The command needs no server but may run beside one,
which shows the documents at once. For a folder or a ZIP archive, it adds all
files inside, and beside mail what is attached to it. It reads the same content
only once. The exit status is 1 if a document could not
be read.

--schema reads them by a schema kept under a name (clew schema scopes lists them),
by a template (clew schema templates), or by a YAML file, which is kept under its
name. Without it, the schema of the library guides them.

A file that is named like a document, and has changed since, becomes its next
version: only what changed is read, and answers go on quoting the version that
they were given. --separate adds it as a document of its own instead, as is done
with the files of folders and archives, where several may have one name; with
--new-version these become next versions too. --new-version=DOCUMENT does so with
one file, whatever its name.

--chunk, --chunk-tokens and --text-field say how the text is cut into chunks;
clew documents preview shows the first of them.

--estimate reads nothing: it splits the files and says how many tokens, calls,
minutes and how much money reading them would take, as ranges, with the model of
the settings. --ask says the same and reads the files after a yes.`,
		Example: `  clew ingest letters/*.pdf minutes.docx
  clew ingest --schema minutes minutes/*.docx
  clew ingest --chunk headings --chunk-tokens 512 handbook.md
  clew ingest --estimate archive/
  clew ingest --ask archive/
  clew ingest --data /srv/clew --json archive/`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			chunking, err := chunks.chosen()
			if err != nil {
				return err
			}
			cfg, err := load()
			if err != nil {
				return err
			}
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				return err
			}
			defer a.Close()
			if estimate {
				return a.estimate(cmd.Context(), args, chunking, asJSON)
			}
			if yes, err := a.agreed(cmd.Context(), args, chunking, ask); err != nil || !yes {
				return err
			}
			how := documents.How{Chunking: chunking}
			if schema != "" {
				if how.Schema, err = a.chooseSchema(cmd.Context(), schema); err != nil {
					return err
				}
			}
			each, err := a.versioned(cmd.Context(), versions, args, how)
			if err != nil {
				return err
			}
			return a.ingest(cmd.Context(), args, each, asJSON)
		},
	}
	cmd.Flags().BoolVar(&estimate, "estimate", false, "say what reading the files would cost, and add nothing")
	cmd.Flags().BoolVar(&ask, "ask", false, "say what reading the files would cost, and read them after a yes")
	jsonFlag(cmd, &asJSON, jsonArray+", each document as soon as it is read")
	cmd.MarkFlagsMutuallyExclusive("ask", "json")
	cmd.MarkFlagsMutuallyExclusive("ask", "estimate")
	chunks.add(cmd)
	cmd.Flags().StringVar(&schema, "schema", "", "name of the schema to read by, or a YAML file")
	versions.add(cmd)
	return cmd
}

// ingest adds and reads the files and reports on each in the given order. A
// server on the same data folder shares the work.
func (a *app) ingest(ctx context.Context, args []string, how func(path string) documents.How, asJSON bool) (err error) {
	files, err := expand(args)
	if err != nil {
		return err
	}
	worker := a.worker(a.kinds().Concurrency(documents.Kind))
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	list := &jsonList{out: a.env.stdout}
	if asJSON {
		defer func() { err = errors.Join(err, list.end()) }()
	}
	var added []ingested
	failed, all := 0, 0
	report := func() error { // on the first that was added
		result, err := a.follow(ctx, added[0], !asJSON)
		if err != nil {
			return err
		}
		if added, all = added[1:], all+1; !result.read() {
			failed++
		}
		if asJSON {
			return list.add(result)
		}
		a.printIngested(result)
		return nil
	}
	for _, path := range files {
		results, refusal := a.add(ctx, path, how(path))
		for domain.KindOf(refusal) == domain.TooMany && len(added) > 0 { // until the queue has room
			if err := report(); err != nil {
				return err
			}
			results, refusal = a.add(ctx, path, how(path))
		}
		added = append(added, results...)
	}
	for len(added) > 0 {
		if err := report(); err != nil {
			return err
		}
	}
	if failed > 0 {
		return domain.Errorf(domain.Invalid, "%d of %d documents were not read.", failed, all)
	}
	return nil
}

// add adds one file to the library, with what is in it. A refusal is a result,
// and the last is returned as an error too.
func (a *app) add(ctx context.Context, path string, how documents.How) (results []ingested, refusal error) {
	name := filepath.Base(path)
	file, err := os.Open(path)
	if err != nil {
		err = domain.Because(domain.NotFound, err, "The file can't be read: %v.", err)
		return []ingested{refused(name, err)}, err
	}
	defer file.Close()
	for _, added := range a.documents.AddFile(ctx, domain.DefaultWorkspace, name, how, file) {
		if added.Err != nil {
			refusal = added.Err
			results = append(results, refused(added.Name, added.Err))
			continue
		}
		result := ingested{Document: added.Name, id: added.Document.ID, run: added.Document.Run}
		if added.Existing && added.Document.Chosen != how.Schema {
			result.note = "The library has the same content already, and it keeps its schema. clew documents schema changes that."
		} else if added.Existing && added.Document.Chunking != how.Chunking {
			result.note = "The library has the same content already, and it keeps its chunks. Delete it first to have it cut otherwise."
		}
		result.become = added.Document.VersionOf
		if result.become != "" {
			result.note = "It is the next version of the document of that name."
		}
		results = append(results, result)
	}
	return results, refusal
}

func refused(name string, err error) ingested {
	return ingested{Document: name, Status: string(domain.DocumentFailed), Warnings: []string{}, Problem: domain.InWords(err)}
}

// follow waits until a document has been read and completes the result.
func (a *app) follow(ctx context.Context, r ingested, progress bool) (ingested, error) {
	if r.id == "" {
		return r, nil
	}
	view := trace.NewView(r.run, a.graphs.ingest.Topology())
	for item, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, r.run, 0) {
		if err != nil {
			return r, err
		}
		for _, e := range item.Events {
			view.Apply(e)
		}
		if progress {
			a.progressLine(r.Document, view)
		}
	}
	if ctx.Err() != nil {
		return r, domain.Errorf(domain.Unavailable, "Stopped. Unfinished documents are read the next time the program runs.")
	}
	doc, err := a.ledger.Document(ctx, domain.DefaultWorkspace, r.id)
	if domain.KindOf(err) == domain.NotFound && r.become != "" {
		doc, err = a.ledger.Document(ctx, domain.DefaultWorkspace, r.become)
	}
	if err != nil {
		return r, err
	}
	r.Status, r.Chunks, r.Entities, r.Relations = string(doc.Status), doc.Chunks, doc.Entities, doc.Relations
	r.Warnings, r.Problem, r.Schema = append([]string{}, doc.Warnings...), doc.Problem, doc.Schema
	if r.note != "" {
		r.Warnings = append(r.Warnings, r.note)
	}
	return r, nil
}

func (a *app) printIngested(r ingested) {
	if a.env.terminal {
		fmt.Fprint(a.env.stdout, "\r\x1b[K")
	}
	fmt.Fprintf(a.env.stdout, "%s: %s, %s, %s, %s\n", r.Document, r.Status, format.Count(r.Chunks, "chunk", "chunks"),
		format.Count(r.Entities, "entity", "entities"), format.Count(r.Relations, "relation", "relations"))
	for _, w := range append(r.Warnings, r.Problem) {
		if w != "" {
			fmt.Fprintf(a.env.stdout, "  %s\n", w)
		}
	}
}

// progressLine redraws a document's progress on a terminal.
func (a *app) progressLine(name string, v *trace.View) {
	if !a.env.terminal || len(v.Steps) == 0 {
		return
	}
	step := v.Steps[len(v.Steps)-1]
	line := name + ": " + step.Node
	if p := step.Progress; p != nil {
		line += fmt.Sprintf(" %d of %d, %d entities, %d relations", p.Done, p.Total, p.Entities, p.Relations)
	}
	fmt.Fprintf(a.env.stdout, "\r\x1b[K%s", line)
}

// expand replaces folders with the files inside them, sorted by name and without
// hidden ones. It keeps missing paths, so that they are refused by name.
func expand(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			files = append(files, arg)
			continue
		}
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			hidden := strings.HasPrefix(d.Name(), ".") && path != arg
			switch {
			case err != nil:
				return err
			case hidden && d.IsDir():
				return fs.SkipDir
			case !hidden && d.Type().IsRegular():
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
