package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/folder"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
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
	Same      string   `json:"same_as,omitempty"` // another name under which the library has the content

	id   domain.DocumentID // "" if it was refused
	run  domain.RunID
	note string // about how it was added
	kept bool   // the library had the content

	become domain.DocumentID // the document whose next version it is
}

// goneStatus is the status of a fetched document that is no longer at its address.
const goneStatus = string(domain.StateGone)

// read reports whether the document was read completely.
func (r ingested) read() bool {
	return r.Status == string(domain.DocumentReady) || r.Status == string(domain.DocumentEmpty)
}

const ingestHelp = `Add documents and read them. The command needs no server but may run beside one,
which shows the documents at once. For a folder or a ZIP archive, it adds all
files inside whose kind can be read, and beside mail what is attached to it. A
text of more than 10 MB is added in parts of 2 MB, each a document of its own. It
reads the same content only once. The exit status is 1 if a document could not
be read.

An address that begins with http:// or https:// is fetched from the web; with
--depth also the pages that it links to, below its folder or the path of --below,
and with --sitemap those that it lists. Hosts are asked at the pace of --rate, and
not for what their robots.txt asks programs to leave alone. A page that was fetched
before is read again only if it has changed.

s3://bucket/prefix is an object, or all below a prefix, of a storage that speaks the
protocol of Amazon S3: S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY and S3_SECRET_KEY say
which. An object is read again only if its ETag has changed. WEB_ALLOW must name a
storage that is not on the public internet.

What was fetched before and is no longer there is named, and kept: clew documents
delete --state gone deletes it.

--schema reads them by a schema kept under a name (clew schema scopes lists them),
by a template (clew schema templates), or by a YAML file, which is kept under its
name. Without it, the schema of the library guides them.

A file that is named like a document, and has changed since, becomes its next
version: only what changed is read, and answers go on quoting the version that
they were given. Files of a folder are named by their paths, letters/2024/may.txt,
so that this holds for them too. --separate adds changed files as documents of their
own instead, as is done with the files of archives. --new-version adds one file as
the next version of a document, whatever it is called.

--chunk, --chunk-tokens and --text-field say how the text is cut into chunks;
clew documents preview shows the first of them.

--trace prints the steps of reading each document, with how long each took.

--estimate reads nothing: it splits the files and says how many tokens, calls,
minutes and how much money reading them would take, as ranges, with the model of
the settings. --ask says the same and reads the files after a yes.

clew watch follows a folder: what changes in it changes in the library.`

const ingestExamples = `  clew ingest letters/*.pdf minutes.docx
  clew ingest --schema minutes minutes/*.docx
  clew ingest --limit-to maud --limit-to group:board minutes/*.docx
  clew ingest --chunk headings --chunk-tokens 512 handbook.md
  clew ingest --estimate archive/
  clew ingest --ask archive/
  clew ingest --trace minutes.docx
  clew ingest --depth 2 --max 200 https://example.org/docs/
  clew ingest --sitemap https://example.org/sitemap.xml
  clew ingest s3://archive/letters/2024
  clew ingest --data /srv/clew --json archive/`

func ingestCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, estimate, ask, traced bool
	var schema string
	var limit []string
	var versions versionFlags
	var chunks documents.Cutting
	web := crawl.Order{}
	cmd := &cobra.Command{
		Use:   "ingest FILE|FOLDER|ADDRESS…",
		Short: "Add documents and read them",
		Long:  ingestHelp, Example: ingestExamples,
		Args:        cobra.MinimumNArgs(1),
		Annotations: map[string]string{carriesRemote: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if server, ok := remoteOf(cmd, s); ok {
				_, orders := split(args, web)
				more := len(orders) > 0 || estimate || ask
				return server.ingest(cmd.Context(), args, documents.Adding{Schema: schema, Cutting: chunks, Of: versions.of, Separate: versions.separate, For: documents.For{Limit: limit}}, traced, asJSON, more)
			}
			chunking, err := chunks.Chunking()
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
			ctx, err := a.toChange(cmd.Context())
			if err != nil {
				return err
			}
			a.traced = tracing(traced, false)
			files, orders := split(args, web)
			if len(orders) > 0 && (estimate || ask) {
				return domain.Errorf(domain.Invalid, "Web pages must be fetched before their cost is known. On the page Documents, \"Show the bill first\" fetches and holds them.")
			}
			if estimate {
				return a.estimate(ctx, args, chunking, asJSON)
			}
			if yes, err := a.agreed(ctx, args, chunking, ask); err != nil || !yes {
				return err
			}
			how, err := a.readBy(ctx, schema, chunking)
			if err == nil {
				how, err = a.documents.Limited(ctx, how, limit)
			}
			if err != nil {
				return err
			}
			return a.ingestAs(ctx, files, orders, how, versions, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&estimate, "estimate", false, "print what reading the files would cost, and add nothing")
	cmd.Flags().BoolVar(&ask, "ask", false, "print what reading the files would cost, and read them after confirmation")
	crawlFlags(cmd, &web)
	cmd.Flags().BoolVar(&traced, "trace", false, fmt.Sprintf("print what each step of reading did, on standard error, of the first %d documents", maxTracedDocuments))
	jsonFlag(cmd, &asJSON, jsonArray+", each document as soon as it is read")
	cmd.MarkFlagsMutuallyExclusive("ask", "json")
	cmd.MarkFlagsMutuallyExclusive("ask", "estimate")
	flagsOf(cmd, &chunks)
	cmd.Flags().StringVar(&schema, "schema", "", "name of the schema to read by, or a YAML file")
	limitFlag(cmd, &limit)
	versions.add(cmd)
	return cmd
}

// limitFlag names those who alone may read what is added.
func limitFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringSliceVar(to, "limit-to", nil, "limit them to this account, or `group:NAME`, and to whoever adds them; can be repeated")
}

// crawlFlags say how addresses are fetched.
func crawlFlags(cmd *cobra.Command, web *crawl.Order) {
	cmd.Flags().IntVar(&web.Depth, "depth", 0, "follow links from an address this many times")
	cmd.Flags().IntVar(&web.Most, "max", 0, "add at most this many documents from an address (default 1, or 100 with --depth or --sitemap)")
	cmd.Flags().StringVar(&web.Below, "below", "", "follow links only below this `PATH` of the site (default the folder of the address)")
	cmd.Flags().Float64Var(&web.Rate, "rate", 1, "send a host at most this many requests per second")
	cmd.Flags().BoolVar(&web.Sitemap, "sitemap", false, "the addresses are those of sitemaps: fetch the pages they list")
}

// ingestAs adds files and fetches addresses, the files perhaps as versions of documents.
func (a *app) ingestAs(ctx context.Context, files []string, orders []crawl.Order, how documents.How, versions versionFlags, args []string, asJSON bool) error {
	for i := range orders {
		orders[i].Schema, orders[i].Chunking, orders[i].Limited, orders[i].Readers = how.Schema, how.Chunking, how.Limited, how.Readers
	}
	how, err := a.versioned(ctx, versions, args, how)
	if err != nil {
		return err
	}
	return a.ingest(ctx, files, orders, how, asJSON)
}

// split separates web addresses from files.
func split(args []string, web crawl.Order) (files []string, orders []crawl.Order) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "https://") || strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "s3://") {
			o := web
			o.Address = arg
			orders = append(orders, o)
		} else {
			files = append(files, arg)
		}
	}
	return files, orders
}

// readBy returns how files are added that are read by a schema, "" for the library's,
// and cut by chunking.
func (a *app) readBy(ctx context.Context, schema string, chunking domain.Chunking) (how documents.How, err error) {
	how.Chunking = chunking
	if schema != "" {
		how.Schema, err = a.chooseSchema(ctx, schema)
	}
	return how, err
}

// settleTime bounds the time to settle the documents that were read. The worker may also be reading documents of other
// programs.
const settleTime = time.Second

// ingest adds and reads the files, then what is on the web, and reports on each in
// the given order. A server on the same data folder shares the work.
func (a *app) ingest(ctx context.Context, args []string, orders []crawl.Order, how documents.How, asJSON bool) (err error) {
	files, others, err := expand(args)
	if err != nil {
		return err
	}
	a.env.leftOut(others)
	worker := a.worker(a.kinds().Concurrency(documents.Kind))
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	list := &jsonList{out: a.env.stdout}
	if asJSON {
		defer func() { err = errors.Join(err, list.end()) }()
	}
	var added, every []ingested
	var waiting waits
	failed, all := 0, 0
	report := func() error { // on the first file added
		result, err := a.follow(ctx, added[0], !asJSON, &waiting)
		if err != nil {
			return err
		}
		if added, all = added[1:], all+1; !result.read() && result.Status != goneStatus {
			failed++
		}
		if asJSON {
			return list.add(result)
		}
		a.env.printIngested(result)
		return nil
	}
	for _, from := range files {
		results, refusal := a.add(ctx, from, how)
		for domain.KindOf(refusal) == domain.TooMany && len(added) > 0 { // until the queue has room
			waiting.room(a, refusal)
			if err := report(); err != nil {
				return err
			}
			results, refusal = a.add(ctx, from, how)
		}
		added, every = append(added, results...), append(every, results...)
	}
	crawled, err := a.fetch(ctx, orders)
	if err != nil {
		return err
	}
	added = append(added, crawled...)
	a.notedAdded(ctx, append(every, crawled...))
	for len(added) > 0 {
		if err := report(); err != nil {
			return err
		}
	}
	settling, stop := context.WithTimeout(ctx, settleTime)
	worker.Drain(settling) // each document orders the follow-up work, unless it is already waiting
	stop()
	if err := a.followUp(ctx); err != nil {
		return err
	}
	return notRead(failed, all)
}

// notedAdded records in the trail that documents were added by a command.
func (a *app) notedAdded(ctx context.Context, added []ingested) {
	var ids []string
	for _, one := range added {
		if one.id != "" && !one.kept {
			ids = append(ids, string(one.id))
		}
	}
	if len(ids) > 0 {
		a.noted(ctx, "ingest", nil, ids...)
	}
}

// notRead returns an error if some documents were not read.
func notRead(failed, all int) error {
	if failed > 0 {
		return domain.Errorf(domain.Invalid, "%d of %s could not be read.", failed, domain.Counted(all, "document", "documents"))
	}
	return nil
}

// leftOut names files of kinds that can't be read.
func (s env) leftOut(names []string) {
	if len(names) > 0 {
		fmt.Fprintf(s.stderr, "%s left out, because Clew can't read files of their kind: %s\n", domain.Counted(len(names), "file was", "files were"), strings.Join(names[:min(len(names), 10)], ", "))
	}
}

// fetched returns the results for an address: a document for each that it contains.
func fetched(r crawl.Result) []ingested {
	if r.Err != nil {
		return []ingested{refused(r.Address, r.Err)}
	}
	if r.Gone {
		return []ingested{{Document: r.Name, Status: goneStatus, Warnings: []string{r.Note}}}
	}
	var list []ingested
	for _, d := range r.Documents {
		list = append(list, ingested{Document: r.Name, id: d.ID, run: d.Run})
	}
	return list
}

// fetch adds what is on the web.
func (a *app) fetch(ctx context.Context, orders []crawl.Order) (added []ingested, err error) {
	for _, o := range orders {
		if err := a.crawl.Walk(ctx, domain.WorkspaceOf(ctx), o, func(r crawl.Result) error {
			if r.Note != "" && !r.Gone {
				fmt.Fprintln(a.env.stderr, r.Note)
			}
			added = append(added, fetched(r)...)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return added, nil
}

// add adds a file, and any files in it, to the library. A refusal is a result; the last one is also returned as an
// error.
func (a *app) add(ctx context.Context, from found, how documents.How) (results []ingested, refusal error) {
	file, err := os.Open(from.path)
	if err != nil {
		err = domain.Because(domain.NotFound, err, "The file can't be read: %v.", err)
		return []ingested{refused(from.name, err)}, err
	}
	defer file.Close()
	how.Source = from.source
	for _, added := range a.documents.Add(ctx, domain.WorkspaceOf(ctx), from.name, how, file) {
		if added.Err != nil {
			refusal = added.Err
			results = append(results, refused(added.Name, added.Err))
			continue
		}
		result := ingested{Document: added.Name, id: added.Document.ID, run: added.Document.Run, kept: added.Existing}
		switch {
		case !added.Existing:
		case result.named(added.Document.Name):
		case added.Document.Chosen != how.Schema:
			result.note = "The library already has this content, and it keeps its schema. clew documents schema changes that."
		case added.Document.Chunking != how.Chunking:
			result.note = "The library already has this content, and it keeps its chunks. Delete it first to have it cut differently."
		}
		result.become = added.Document.VersionOf
		if result.become != "" {
			result.note = nextVersion
		}
		results = append(results, result)
	}
	return results, refusal
}

// named notes under which other name the library has the content, and reports whether it has one.
func (r *ingested) named(name string) bool {
	if name == r.Document {
		return false
	}
	r.Same = name
	r.note = "The library has the same content already, as " + r.Same + ": nothing was added. clew documents rename gives it this name."
	return true
}

// noteRead notes how a document was read.
func (r *ingested) noteRead(doc domain.Document) {
	r.Status, r.Chunks, r.Entities, r.Relations = string(doc.Status), doc.Chunks, doc.Entities, doc.Relations
	r.Warnings, r.Problem, r.Schema = append([]string{}, doc.Warnings...), doc.Problem, doc.Schema
	if r.note != "" {
		r.Warnings = append(r.Warnings, r.note)
	}
}

func refused(name string, err error) ingested {
	return ingested{Document: name, Status: string(domain.DocumentFailed), Warnings: []string{}, Problem: domain.InWords(err)}
}

// follow waits until a document has been read and completes the result. It says what the document waits for.
func (a *app) follow(ctx context.Context, r ingested, progress bool, waiting *waits) (ingested, error) {
	if r.id == "" {
		return r, nil
	}
	steps := a.steps(r.run, a.graphs.ingest.Topology())
	traced := a.traced != "" && !r.kept && waiting.traces(a.env, r.Document)
	err := waiting.during(ctx, a, r.run, r.Document, func() error {
		for item, err := range a.hub.Watch(ctx, domain.WorkspaceOf(ctx), r.run, 0) {
			if err != nil {
				return err
			}
			for _, told := range steps.Tell(item.Events) {
				if traced {
					told.Print(a.env.stderr)
				}
			}
			if progress && a.traced == "" {
				a.progressLine(r.Document, steps.View)
			}
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	if ctx.Err() != nil {
		return r, domain.Errorf(domain.Unavailable, "Stopped. Unfinished documents are read the next time the program runs.")
	}
	if traced {
		fmt.Fprintln(a.env.stderr, report.Gist(steps.View))
	}
	doc, err := a.ledger.Document(ctx, domain.WorkspaceOf(ctx), r.id)
	if domain.KindOf(err) == domain.NotFound && r.become != "" {
		doc, err = a.ledger.Document(ctx, domain.WorkspaceOf(ctx), r.become)
	}
	if err != nil {
		return r, err
	}
	r.noteRead(doc)
	return r, nil
}

func (s env) printIngested(r ingested) {
	if s.terminal {
		fmt.Fprint(s.stdout, "\r\x1b[K")
	}
	if r.Status == goneStatus {
		fmt.Fprintln(s.stdout, r.Warnings[0])
		return
	}
	fmt.Fprintf(s.stdout, "%s: %s, %s, %s, %s\n", r.Document, r.Status, format.Count(r.Chunks, "chunk", "chunks"),
		format.Count(r.Entities, "entity", "entities"), format.Count(r.Relations, "relation", "relations"))
	for _, cause := range format.Causes(r.Warnings) {
		fmt.Fprintf(s.stdout, "  %s\n", strings.TrimSpace(cause.Text+" "+cause.Places))
	}
	if r.Problem != "" {
		fmt.Fprintf(s.stdout, "  %s\n", r.Problem)
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

// A found is a file to be added.
type found struct {
	path   string
	name   string // of its document: under a folder, its path from there
	source domain.Source
}

// expand replaces folders with the files inside them whose kind can be read, sorted
// by name and without hidden ones, and names the others. It keeps missing paths, so
// that they are refused by name.
func expand(args []string) (files []found, others []string, err error) {
	for _, arg := range args {
		if arg == "" {
			return nil, nil, domain.Errorf(domain.Invalid, "The name of a file is empty. Name files, folders or addresses, or . for the folder you are in.")
		}
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			files = append(files, found{arg, filepath.Base(arg), domain.SourceUpload})
			continue
		}
		whole, err := filepath.Abs(arg)
		if err != nil {
			return nil, nil, err
		}
		err = folder.Walk(os.DirFS(arg), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
			case parse.MayRead(d.Name()):
				files = append(files, found{filepath.Join(arg, filepath.FromSlash(name)), path.Join(filepath.Base(whole), name), domain.SourceFolder})
			default:
				others = append(others, d.Name())
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return files, others, nil
}
