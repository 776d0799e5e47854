package main

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/read/parse/child"
	"github.com/clewhq/clew/internal/read/parse/ocr"
	"github.com/clewhq/clew/internal/read/parse/render"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/upkeep/retention"
	"github.com/clewhq/clew/internal/web"
)

// recheckInterval is how long a stream may outlive the session or the token it belongs to, and the membership of its account.
const recheckInterval = time.Second

// site returns what the pages work with.
func (a *app) site() web.Params {
	proxies, _ := a.cfg.TrustedProxies() // checked with the settings
	p := web.Params{
		Ledger: a.ledger, Process: a.process, Wire: a.wire, News: a.news, Graph: a.graph, Queue: a.queue, Hub: a.hub, Auth: a.auth, SignOn: a.signOn, Documents: a.documents, Crawl: a.crawl, Questions: a.questions, Suggest: a.suggest, Studies: a.studies, Evaluation: a.evaluation, Prices: a.costs.Prices, Summaries: a.summaries, Researches: a.researches, Curator: a.curator, Proposals: a.proposals, Schemas: a.schemas,
		Trial: a.trial, Themes: a.themes, Lists: a.worklist(),
		Prompts: a.prompts, Tryout: a.tryout(), Neo4j: a.cfg.Neo4j.URL != "", Browser: a.cfg.Neo4j.Browser,
		Kinds: a.kinds(), RunFiles: a.runFiles, Costs: a.costs, Health: a.monitor(), Maintenance: a.maintenance, Backup: a.writeBackup, Importer: a.importer(),
		Model: a.models.Name(), Unembedded: a.unembedded, Vectors: a.maintenance, Models: a.models, Settings: a.overview(),
		Webhooks: a.webhooks, Sources: a.sources, Workspaces: a.workspaces, Operations: a.operations(), Version: version, Trail: a.trail, Audit: a.auditDesk(), Retention: a.retention(),
		MaxUpload: a.cfg.MaxUpload(), MaxLoops: a.cfg.MaxLoops, PublicURL: a.cfg.PublicURL(), BasePath: a.cfg.BasePath, TokenRate: a.cfg.TokenRate, Ticked: questions.Options{Review: a.cfg.ReviewByDefault, Hint: a.cfg.HintByDefault}, Loopback: a.cfg.Loopback(), Proxies: proxies, Recheck: recheckInterval, Now: a.env.now, Log: a.log,
	}
	a.addTelemetry(&p)
	return p
}

// retention deletes what the settings in use do not keep.
func (a *app) retention() retention.Keeper {
	return retention.Keeper{Ledger: a.ledger, Trail: a.trail, Now: a.env.now, Keep: retention.Keep{Conversations: a.cfg.ConversationDays, Runs: a.cfg.RunDays, Trail: a.cfg.AuditDays}}
}

// auditDesk reads the trail.
func (a *app) auditDesk() audit.Desk {
	return audit.Desk{Ledger: a.ledger.AuditStore, Now: a.env.now, Access: a.auth}
}

// operations returns all operations on the program.
func (a *app) operations() []operation.Row[struct{}] {
	var all []operation.Row[struct{}]
	for _, o := range offers() {
		for _, row := range o.rows {
			all = append(all, operation.Bind(a, row))
		}
	}
	return all
}

// unembeddedTimeout limits how long the page of settings waits for the search index.
const unembeddedTimeout = 2 * time.Second

// unembedded reports whether the search index has to be rebuilt for the embedding model. It reports false if the index
// doesn't answer in time.
func (a *app) unembedded(ctx context.Context) bool {
	if !a.models.Embeds() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, unembeddedTimeout)
	defer cancel()
	outgrown, err := a.maintenance.Outgrown(ctx)
	return err == nil && outgrown != ""
}

// overview describes how the program is set.
func (a *app) overview() *settings.Overview {
	o := &settings.Overview{
		Book: a.set, Used: a.cfg, Connections: a.connections, Costs: a.costs, Prompts: a.prompts, Schemas: a.schemas, Auth: a.auth, SignOn: a.signOn, Ledger: a.ledger,
		Models: a.models.Names(), Scanner: ocr.Installed(), Draws: render.Draws() != "", Converts: render.Converts() != "", Unconfined: !child.Confines(),
	}
	if a.models.Embeds() {
		o.Embedded = func(ctx context.Context) string { return a.leftToEmbed(ctx, domain.WorkspaceOf(ctx)) }
	}
	return o
}
