package models

import (
	"context"
	"maps"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/models/connections"
)

// Trials is the setting of the installation that stores the results of tests of grading: an answer.Trial by the model
// and its address.
const Trials = "grading_trials"

// maxTrials is how many are kept.
const maxTrials = 64

// grader names the model that grades, the key of its trial.
func (m *Set) grader() string {
	e := m.Config.Model.For(connections.Grade.Endpoint(m.Config))
	return e.Name + " " + e.BaseURL
}

// Together returns how many passages are graded in one call, and why where that was found by a test.
func (m *Set) Together() (many int, why string) {
	many, auto := m.Config.Together()
	if !auto {
		return many, ""
	}
	if t := m.Trials[m.grader()]; t.Well() {
		return many, t.String()
	}
	return 1, ""
}

// tryGrading finds out whether the model that grades can grade several passages in one call, and keeps that.
func (m *Set) tryGrading(ctx context.Context) llm.Check {
	failed := func(err error) llm.Check {
		return llm.Check{What: llm.CheckGrading, Sentence: "Whether it grades several passages in one call as well as one by one was not found out: " + llm.InWords(err)}
	}
	chats := maps.Clone(m.chats)
	chats[connections.Grade] = llm.Fresh(chats[connections.Grade])
	roles, err := m.roles(chats, nil, m.Prompts)
	if err != nil {
		return failed(err)
	}
	trial, err := answer.TryTogether(ctx, roles, m.Config.Model.Concurrency)
	if err != nil {
		return failed(err)
	}
	all, _, err := ledger.SettingOf[map[string]answer.Trial](ctx, m.ledger.SettingStore, domain.Installation, Trials)
	if err != nil {
		return failed(err)
	}
	if all == nil || len(all) >= maxTrials {
		all = map[string]answer.Trial{}
	}
	all[m.grader()] = trial
	if err := m.ledger.EncodeSetting(ctx, domain.Installation, Trials, all); err != nil {
		return failed(err)
	}
	return llm.Check{What: llm.CheckGrading, OK: true, Sentence: trial.String()}
}
