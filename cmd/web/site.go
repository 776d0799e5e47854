package main

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/prices"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// recheckInterval is how long a stream may outlive the session it belongs to.
const recheckInterval = 15 * time.Second

// site returns what the pages work with.
func (a *app) site() web.Params {
	proxies, _ := a.cfg.TrustedProxies() // checked with the settings
	return web.Params{
		Ledger: a.ledger, Graph: a.graph, Queue: a.queue, Hub: a.hub, Auth: a.auth, Documents: a.documents, Questions: a.questions, Branches: a.branches, Prices: prices.NewBook(a.cfg.PricesFile()), Summaries: a.summaries, Curator: a.curator, Proposals: a.proposals, Schemas: a.schemas,
		Trial: a.trial, Themes: a.themes,
		Prompts: a.prompts, Tryout: a.tryout(), Console: a.console, Browser: a.cfg.Neo4j.Browser,
		Kinds: a.kinds(), RunFiles: a.runFiles, Costs: a.costs, Models: a.models.names(), Health: a.monitor(), Maintenance: a.maintenance, Backup: a.writeBackup,
		Model: a.models.name(), Provider: a.cfg.Model.Provider, TestModels: a.testModels, Settings: settings(a.cfg),
		MaxUpload: a.cfg.MaxUpload(), MaxLoops: a.cfg.MaxLoops, Ticked: questions.Options{Review: a.cfg.ReviewByDefault, Hint: a.cfg.HintByDefault}, Loopback: a.cfg.Loopback(), Proxies: proxies, Recheck: recheckInterval, Now: a.env.now, Log: a.log,
	}
}

// testModels tests the connections, for the settings page.
func (a *app) testModels(ctx context.Context) []partial.CheckLine {
	checks := a.models.test(ctx)
	lines := make([]partial.CheckLine, len(checks))
	for i, c := range checks {
		lines[i] = partial.CheckLine{Works: c.OK, Text: c.Sentence}
	}
	return lines
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
