package main

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web"
	"github.com/clewhq/clew/views/page"
)

// recheckInterval is how long a stream may outlive the session it belongs to.
const recheckInterval = 15 * time.Second

// site returns what the pages work with.
func (a *app) site() web.Params {
	proxies, _ := a.cfg.TrustedProxies() // checked with the settings
	return web.Params{
		Ledger: a.ledger, Graph: a.graph, Queue: a.queue, Hub: a.hub, Auth: a.auth, Documents: a.documents, Crawl: a.crawl, Questions: a.questions, Suggest: a.suggest, Branches: a.branches, Evaluation: a.evaluation, Prices: a.costs.Prices, Summaries: a.summaries, Curator: a.curator, Proposals: a.proposals, Schemas: a.schemas,
		Trial: a.trial, Themes: a.themes,
		Prompts: a.prompts, Tryout: a.tryout(), Console: a.console, Browser: a.cfg.Neo4j.Browser,
		Kinds: a.kinds(), RunFiles: a.runFiles, Costs: a.costs, Models: a.models.names(), Health: a.monitor(), Maintenance: a.maintenance, Backup: a.writeBackup,
		Model: a.models.name(), Connections: a.connections, Unembedded: a.unembedded, Sentences: a.sentencesEmbedded, TestModels: a.models.test, Settings: settings(a.given),
		MaxUpload: a.cfg.MaxUpload(), MaxLoops: a.cfg.MaxLoops, Ticked: questions.Options{Review: a.cfg.ReviewByDefault, Hint: a.cfg.HintByDefault}, Loopback: a.cfg.Loopback(), Proxies: proxies, Recheck: recheckInterval, Now: a.env.now, Log: a.log,
	}
}

// unembeddedTimeout limits how long the page of settings waits for the search index.
const unembeddedTimeout = 2 * time.Second

// unembedded reports whether the search index has to be rebuilt for the embedding model, as far as it says so in time.
func (a *app) unembedded(ctx context.Context) bool {
	if a.models.embedder == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, unembeddedTimeout)
	defer cancel()
	outgrown, err := a.maintenance.Outgrown(ctx)
	return err == nil && outgrown != ""
}

// settings returns the settings in force by group, with secrets masked.
func settings(cfg config.Config) []page.SettingGroup {
	var groups []page.SettingGroup
	for _, s := range cfg.Settings() {
		if len(groups) == 0 || groups[len(groups)-1].Name != s.Group {
			groups = append(groups, page.SettingGroup{Name: s.Group})
		}
		last := &groups[len(groups)-1]
		last.Items = append(last.Items, page.Setting{Key: s.Key, Value: s.Value, Help: s.Help, Default: s.Value == s.Default})
	}
	return groups
}
