package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/studies"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/library/timeline"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/models"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prompts/tryout"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/questions/researches"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/upkeep/retention"
	"github.com/clewhq/clew/internal/webhooks"
	"github.com/clewhq/clew/internal/workspaces"
)

// env is the program's environment. Tests replace it and run the whole program.
type env struct {
	environ  []string
	stdin    io.Reader
	stdout   io.Writer
	stderr   io.Writer
	terminal bool // stdout is a terminal: progress may be redrawn
	now      domain.Clock
	random   io.Reader
	stores   func(*app, context.Context) error              // opens graph and vectors; nil opens the stores of the settings
	onEvents func(thread string, events []stategraph.Event) // called before a run's events are stored; may be nil
	foreign  bool                                           // open stores even if they belong to another library
	noWork   bool                                           // serve leaves the queue to other processes
	pace     time.Duration                                  // between two words of the built-in mode; 0 writes them at once
	process  bool                                           // the process is the program's own, so it may limit the heap
}

// readingPace slows the words down to reading speed.
const readingPace = 12 * time.Millisecond

func systemEnv() env {
	return env{
		environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: term.IsTerminal(int(os.Stdout.Fd())), now: time.Now, random: rand.Reader, process: true,
	}
}

// program returns the root command.
func program(s env) *cobra.Command {
	root := &cobra.Command{
		Use:   "clew",
		Short: "Ask your documents, and follow the thread back to the words",
		Long: `Clew reads your documents, draws who and what is connected, and answers
questions with the exact sentence it relied on, showing every step.

It needs no server, no key and no model: everything lives in one folder.
Settings are environment variables; docs/config.md lists them.`,
		Example: `  clew                                         serve on http://127.0.0.1:8080
  clew ingest letters/*.pdf minutes.docx       read some documents
  clew ask "Who paid for the repair?"          ask a question here
  clew summarize minutes.docx                  sum a document up
  clew user add ada                            make an account
  clew model connect ollama --model qwen3:8b   connect a model`,
		Version:       release(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownWord,
	}
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), "{{if .Runnable}}", `{{if and .Runnable (not (index .Annotations "`+holds+`"))}}`, 1))
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	data := root.PersistentFlags().String("data", "", "folder that holds everything (the setting DATA_DIR; ./data by default)")
	workspace := root.PersistentFlags().String(workspaceFlag, "", "name of the workspace in which the command works (the setting WORKSPACE; library by default)")
	serverFlags(root)
	root.PersistentPreRunE = refuseServer(s)
	load := func() (config.Config, error) {
		s := s
		s.environ = s.with(workspaceSetting, *workspace)
		return s.load(*data)
	}
	serve := serveCommand(s, load)
	root.RunE = serve.RunE
	root.AddCommand(ingestCommand(s, load), askCommand(s, load), summarizeCommand(s, load), healthCommand(s, load), evalCommand(s, load),
		withoutLibrary(graphCommand(s)), withoutLibrary(docsCommand(s)), withoutLibrary(parserCommand(s)), withoutLibrary(confineCommand(s)), withoutLibrary(versionCommand(s)),
		here(serve, "it is the server."),
		here(workCommand(s, load), "it works on the queue of the library here."),
		here(watchCommand(s, load), "it follows a folder, and changes the library here with it. clew ingest sends a folder to a server."),
		here(mcpCommand(s, load), "it is for programs of this machine. A server speaks MCP itself, at /mcp."),
		here(backupCommand(s, load), "a backup is made where the library is."),
		here(restoreCommand(s, load), "a backup is restored where the library is, while no server runs."),
		here(fsckCommand(s, load), "it opens the stores."),
		here(rebuildCommand(s, load), "it opens the stores."),
		here(doctorCommand(s, load), "it opens the stores."))
	root.Annotations = serve.Annotations
	gather(root, gatherings)
	for _, o := range offers() {
		offered{o, s, load}.add(root)
	}
	below(root, "documents").AddCommand(documentsSchemaCommand(s, load))
	below(root, "model").AddCommand(modelCommands(s, load)...)
	below(root, "schema").AddCommand(schemaApplyCommand(s, load), schemaEditCommand(s, load))
	below(root, "run").AddCommand(runReplayCommand(s, load))
	explainUse(root)
	return root
}

// offers are all operations on the program.
func offers() []offer {
	from := operation.On[*app, *questions.Service]
	asking := func(a *app) *questions.Service { return a.questions }
	all := []offer{
		{rows: operation.On(func(a *app) *documents.Service { return a.documents }, documents.Operations()), then: map[string]func(context.Context, *app) error{
			"documents delete": func(ctx context.Context, a *app) error { return a.followUp(ctx) },
		}},
		{rows: operation.On(func(a *app) crawl.Desk {
			return crawl.Desk{Service: a.crawl, Schemas: a.schemas, Documents: a.documents}
		}, crawl.Operations())},
		{rows: operation.On(func(a *app) *source.Service { return a.sources }, source.Operations()), person: atTerminal},
		{rows: operation.On(func(a *app) documents.Tagger { return documents.Tagger{Service: a.documents, Curator: a.curator} }, slices.Concat(documents.Tagging(), documents.FieldOperations())), person: atTerminal},
		{rows: operation.On(func(a *app) *curate.Curator { return a.curator }, curate.Operations()), person: atTerminal},
		{rows: operation.On((*app).reader, explore.Operations())},
		{rows: operation.On(func(a *app) *proposals.Service { return a.proposals }, proposals.Operations())},
		{rows: operation.On(func(a *app) proposals.Comparison {
			return proposals.Comparison{Service: a.proposals, CarryOut: func(ctx context.Context) error { return a.carryOut(ctx, a.proposals.Background, "Comparing") }}
		}, proposals.Comparing())},
		{rows: operation.On((*app).worklist, worklist.Operations())},
		{rows: slices.Concat(from(asking, questions.BranchOperations()), from(asking, questions.Operations()), from(asking, questions.SearchOperations()))},
		{rows: operation.On((*app).asker, slices.Concat(questions.AskOperations(), questions.RunOperations()))},
		{rows: operation.On(func(a *app) questions.MethodsDesk {
			return questions.MethodsDesk{Asker: a.asker(), Comparisons: a.comparisons()}
		}, questions.MethodOperations())},
		{rows: operation.On(func(a *app) run.Desk { return run.Desk{Queue: a.queue, Kinds: a.kinds(), Access: a.auth} }, run.Operations())},
		{rows: operation.On(func(a *app) run.Exporter { return run.Exporter{Files: a.runFiles, Kinds: a.kinds()} }, run.ExportOperations())},
		{rows: operation.On((*app).summaryDesk, summaries.Operations())},
		{rows: operation.On(func(a *app) studies.Desk { return studies.Desk{Service: a.studies, Documents: a.documents} }, studies.Operations())},
		{rows: operation.On(func(a *app) researches.Desk { return researches.Desk{Service: a.researches} }, researches.Operations())},
		{rows: operation.On(func(a *app) *evaluation.Service { return a.evaluation }, evaluation.Operations()), kinds: []string{evaluation.Kind}},
		{rows: operation.On((*app).schemaDesk, schemas.Operations()), person: schemaOperator},
		{rows: operation.On(func(a *app) schemas.TrialDesk { return schemas.TrialDesk{Trials: a.trial, Schemas: a.schemaDesk()} }, schemas.TrialOperations())},
		{rows: operation.On(func(a *app) *prompts.Book { return a.prompts }, prompts.Operations())},
		{rows: operation.On((*app).tryout, tryout.Operations())},
		{rows: operation.On((*app).comparisons, questions.ComparisonOperations())},
		{rows: operation.On(func(a *app) themes.Desk {
			return themes.Desk{Service: a.themes, Scopes: a.questions, SumUp: a.sumUpThemes}
		}, themes.Operations())},
		{rows: operation.On(func(a *app) *connections.Service { return a.connections }, connections.Operations()), person: modelOperator},
		{rows: operation.On(func(a *app) *suggest.Service { return a.suggest }, suggest.Operations())},
		{rows: operation.On(func(a *app) timeline.Desk { return timeline.Desk{Ledger: a.ledger, Scopes: a.questions} }, timeline.Operations())},
		{rows: operation.On(func(a *app) *costs.Service { return a.costs }, costs.Operations())},
		{rows: operation.On((*app).reports, report.Operations())},
		{rows: operation.On(func(a *app) *costs.Service { return a.costs }, costs.PriceOperations()), open: openPrices},
		{rows: operation.On(func(a *app) *auth.Auth { return a.auth }, auth.Operations()), person: operator},
		{rows: operation.On(func(a *app) *auth.Auth { return a.auth }, auth.MemberOperations()), person: operator},
		{rows: operation.On(func(a *app) *auth.Auth { return a.auth }, auth.HelpOperations()), person: operator},
		{rows: operation.On(func(a *app) *auth.Auth { return a.auth }, auth.InvitationOperations()), person: operator},
		{rows: operation.On(func(a *app) *auth.Auth { return a.auth }, auth.TokenOperations()), person: operator},
		{rows: operation.On(func(a *app) *signon.Service { return a.signOn }, signon.Operations()), person: operator},
		{rows: operation.On(func(a *app) *workspaces.Service { return a.workspaces }, workspaces.Operations()), person: operator},
		{rows: operation.On((*app).retention, retention.Operations())},
		{rows: operation.On((*app).auditDesk, audit.Operations()), person: operator},
		{rows: operation.On(func(a *app) *webhooks.Service { return a.webhooks }, webhooks.Operations()), person: operator},
		{rows: operation.On(func(a *app) *models.Set { return a.models }, models.Operations())},
		{rows: operation.On(func(a *app) maintenance.Desk { return maintenance.Desk{Upkeep: a.maintenance, Monitor: a.monitor()} }, maintenance.Operations())},
		{rows: operation.On((*app).backupSource, backup.Operations())},
		{rows: operation.On((*app).importer, backup.ImportOperations())},
		{rows: operation.On((*app).overview, settings.Operations()), person: atTerminal},
	}
	for i := range all {
		all[i].rows = audit.Over(func(a *app) *audit.Trail { return a.trail }, all[i].rows)
	}
	return all
}

// openPrices opens the ledger and its prices.
func openPrices(ctx context.Context, cfg config.Config, s env) (*app, error) {
	return assemble(ctx, cfg, s, (*app).openLedger, (*app).openCosts)
}

// gatherings are the commands that only hold others.
var gatherings = []gathering{
	{"documents", "List, show, tag, set, rename, retry, pause, stop and delete documents, choose their schema, compare their versions, get their files", `List documents, and do something with those that are named. DOCUMENT is an id, a
whole name as clew documents list shows it, or the end of a name after a slash
where no other name ends so: b/minutes.txt for letters/b/minutes.txt. Case and the
Unicode normal form don't matter. A name that fits several documents, or none, is an
error, and nothing is done to the others that are named with it.`, ""},
	{"fields", "Define, list, change and delete fields of documents, set their values from CSV and export them", `A field holds a property of documents: text, a number, a date, yes or no, a choice
or a list. Lists of documents, questions and searches can be narrowed by them: --field
status=final, --within field:year>=2020.`, ""},
	{"conversations", "List, search, show, rename, pin, share, copy, move, delete and restore conversations, and judge their answers", `A conversation belongs to the account that began it, with its runs. Others see what
is shared with them. Whoever runs commands on the machine sees all.`, ""},
	{"conversations folders", "Make, list, rename and delete folders of conversations", "", ""},
	{"research", "Research a question that is too large for one answer", "", ""},
	{"study", "Make a glossary, questions with answers, or cards of documents", "", ""},
	{"summaries", "List, show and delete summaries, and continue their drafts; clew summarize makes one", "", ""},
	{"entities", "List, change and export the entities of the graph, and find paths between them", "", ""},
	{"changes", "List what people changed in the graph by hand, and undo it", "", ""},
	{"run", "List runs, show their steps and states, continue, replay, compare and export them", "", ""},
	{"user", "Manage accounts", "", ""},
	{"member", "Add, list and remove the members of a workspace, and change their roles", "", ""},
	{"invitation", "Make, list and revoke links that let people in", "", ""},
	{"sign-on", "Show how people sign on and which roles their groups give; link accounts", `People sign in through a provider of OpenID Connect or a proxy, where OIDC_ISSUER or
PROXY_USER_HEADER is set. The roles that OIDC_ROLES gives to their groups are brought
up to date at each sign-in; roles that were given by hand stay.`, ""},
	{"workspace", "Make, list, rename, archive and delete workspaces", `A workspace is a library with documents, a graph, conversations and members of its
own. Workspaces know nothing of each other.`, ""},
	{"audit", "List and export who did what", "", ""},
	{"source", "Follow places that change: folders, sites, feeds, buckets, mailboxes", `clew serve and clew work look at these places from time to time: they read what is new
or has changed, and report what is gone. Its documents stay until they are deleted.`, ""},
	{"webhook", "Tell other programs what happens", `Call addresses when documents are ready or have failed, runs have finished, pairs wait
for review, or a cap is reached. clew serve and clew work make the calls.`, ""},
	{"token", "Make, list and revoke the tokens of programs", "", ""},
	{"model", "Connect models, test them, and read again what was read without one", `Connect models for the whole installation, as the page Settings does. What is
connected is used by running servers and workers within seconds. Keys are stored
encrypted, by the file secret.key in the data folder or by SECRET_KEY, and printed
nowhere. Settings of the environment, LLM_… and EMBED_…, take precedence.`, ""},
	{"schema", "Set the labels, types and triples that guide how documents are read", `Set the schema that guides extraction: labels, relation types, triples,
properties, instructions, examples. The library has one, and so may a tag
(--tag) and a document (--document), and some are kept under a name (--name), to
be chosen for documents; the narrowest one guides a document, alone.
A saved version guides the documents that are read from then on.
docs/schema.md describes the file.`, `  clew schema use minutes
  clew schema edit
  clew schema export schema.yaml
  clew schema set schema.yaml --note "bridges are works"
  clew schema diff 1 2
  clew schema restore 1 --tag minutes
  clew schema allow label Bridge
  clew schema propose > draft.yaml
  clew schema try draft.yaml --saying "the piers"
  clew schema apply --dry`},
	{"prompts", "Show, change and try out what roles say to models", "", `  clew prompts show grade > grade.tmpl
  clew prompts try grade "Who paid for the repair?" --draft grade.tmpl
  clew prompts set grade grade.tmpl --note "says more about dates"
  clew prompts reset grade`},
	{"documents versions", "List, compare and remove the versions of a document", "", ""},
}

// load reads the settings; the flag wins over the environment.
func (s env) load(data string) (config.Config, error) {
	return config.Load(s.with("DATA_DIR", data))
}

// with returns the environment with a setting that a flag gives, unless it is "".
func (s env) with(setting, value string) []string {
	if value == "" {
		return s.environ
	}
	return append(slices.Clone(s.environ), setting+"="+value)
}

// ids draws from the env's randomness and clock.
func (s env) ids() domain.IDs { return domain.IDs{Random: s.random, Now: s.now} }

// atTerminal is who decided, in the log of what was decided with a command.
const atTerminal = domain.Operator

// operator stands for whoever can run commands on the library, in the log.
const operator = "clew user"

// onGraph opens the stores and calls f in the workspace of the settings.
func onGraph(ctx context.Context, s env, load func() (config.Config, error), f func(ctx context.Context, a *app) error) (err error) {
	cfg, err := load()
	if err != nil {
		return err
	}
	a, err := open(ctx, cfg, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if ctx, err = a.within(ctx); err != nil {
		return err
	}
	return f(ctx, a)
}
