package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// asAsked is the title of a turn's own run.
const asAsked = "As asked"

// BranchItems returns the runs about a message in the order of their tree, the one as
// asked first.
func BranchItems(ctx context.Context, m ledger.Answer, all []ledger.Answer, current domain.RunID) []partial.BranchItem {
	items := []partial.BranchItem{{
		Run: m.Run, Turn: link.TurnAt(m.Conversation, m.Message, ""), Title: asAsked, Answer: m.Text, Status: present.StatusOf(m.Status), Problem: m.Problem, Parent: -1, Current: m.Run == current,
	}}
	rows := map[domain.RunID]int{m.Run: 0}
	titles := map[domain.RunID]string{m.Run: asAsked}
	edits := map[string]int{}
	for _, b := range all {
		titles[b.Run] = lang.Sentence(ctx, questions.BranchTitle(b))
		if b.Purpose == string(questions.Edit) {
			if edits[titles[b.Run]]++; edits[titles[b.Run]] > 1 {
				titles[b.Run] += fmt.Sprintf(" (%d)", edits[titles[b.Run]])
			}
		}
	}
	for i, n := range questions.BranchTree(all) {
		rows[n.Run] = i + 1
		parent, begin := -1, 0
		if row, ok := rows[n.Parent]; ok {
			parent, begin = row, items[row].Begin+n.Step // a branch counts its steps from its beginning
		}
		items = append(items, partial.BranchItem{
			ID: n.Branch, Run: n.Run, Turn: link.BranchTurn(m.Conversation, m.Message, n.Branch), Title: titles[n.Run], From: begunAt(ctx, n.Answer, titles), Answer: n.Text,
			Status: present.StatusOf(n.Status), Problem: n.Problem, Parent: parent, Begin: begin, Current: n.Run == current,
		})
	}
	return items
}

// begunAt describes where a branch begins.
func begunAt(ctx context.Context, b ledger.Answer, titles map[domain.RunID]string) string {
	switch {
	case b.Parent == "":
		return lang.T(ctx, "from the start")
	case titles[b.Parent] == "":
		return lang.F(ctx, "from step %d of a run that was deleted", b.Step)
	}
	return lang.F(ctx, "from step %d of “%s”", b.Step, titles[b.Parent])
}

// branchesOf returns the runs about the turn that an ended run answers, or nil if it has no branches, and what its page
// says of that turn. Of other runs it says nothing.
func (h *Handler) branchesOf(ctx context.Context, r job.Run) (*partial.BranchesProps, page.RunTurn, error) {
	all, err := h.Ledger.AnswersBeside(ctx, r.Workspace, r.ID)
	if err != nil || len(all) == 0 || len(all) == 1 && !r.Status.Ended() {
		return nil, page.RunTurn{}, err
	}
	said := all[0]
	for _, a := range all {
		if a.Run == r.ID {
			said = a
		}
	}
	if len(all) == 1 {
		return nil, turn(said), nil
	}
	tree, err := h.tree(ctx, all[0], all[1:], r.ID)
	return tree, turn(said), err
}

// turn counts the sentences of an answer that cites something.
func turn(m ledger.Answer) page.RunTurn {
	if m.Withheld {
		return page.RunTurn{}
	}
	t := page.RunTurn{Methods: link.Methods(m.Conversation, m.Message)}
	for _, s := range m.Sentences {
		if len(m.Citations) == 0 || s.Remark {
			continue
		}
		if t.Sentences++; s.Supported {
			t.Supported++
		}
	}
	return t
}

func (h *Handler) tree(ctx context.Context, m ledger.Answer, all []ledger.Answer, current domain.RunID) (*partial.BranchesProps, error) {
	items := BranchItems(ctx, m, all, current)
	ids := lists.Map(items, func(item partial.BranchItem) domain.RunID { return item.Run })
	events, err := h.Runs.Hub.EventsOf(ctx, m.Workspace, ids)
	if err != nil {
		return nil, err
	}
	for i, item := range items {
		if len(events[item.Run]) == 0 { // it has not begun, or a document it has read was deleted
			items[i].End = items[i].Begin
			continue
		}
		moments, v := trace.Moments(item.Run, h.Runs.Kinds.Named(questions.BranchKind).Topology, events[item.Run])
		items[i].Took, items[i].Tokens, items[i].Cost = v.Took(h.Runs.Now()), v.Tokens(), h.Runs.Cost(ctx, v)
		items[i].End = items[i].Begin + len(moments) - 1
	}
	names, err := h.titles(ctx, m.Workspace, all)
	if err != nil {
		return nil, err
	}
	for i, n := range questions.BranchTree(all) {
		items[i+1].Changes = changesOf(ctx, n.Answer, names)
	}
	return &partial.BranchesProps{Items: items}, nil
}

// titles returns the titles of the passages whose grades branches have changed.
func (h *Handler) titles(ctx context.Context, w domain.WorkspaceID, all []ledger.Answer) (map[domain.ChunkID]string, error) {
	var ids []domain.ChunkID
	for _, branch := range all {
		if c, err := questions.ChangesOf(branch); err == nil {
			ids = slices.AppendSeq(ids, maps.Keys(c.Grades))
		}
	}
	titles := map[domain.ChunkID]string{}
	if len(ids) == 0 {
		return titles, nil
	}
	found, err := h.Ledger.Passages(ctx, w, ids)
	for _, p := range found {
		titles[p.ID] = domain.Where(p.Name, p.Page, p.Place(p.Span))
	}
	return titles, err
}

// changesOf describes, in a few words each, what a branch changes compared with its parent.
func changesOf(ctx context.Context, b ledger.Answer, names map[domain.ChunkID]string) (said []string) {
	c, err := questions.ChangesOf(b)
	if err != nil {
		return nil
	}
	if c.Question != "" {
		said = append(said, lang.F(ctx, "Question: “%s”", c.Question))
	}
	if c.Scope != nil {
		said = append(said, lang.F(ctx, "Within: %s", cmp.Or(strings.Join(c.Scope.Terms(), ", "), lang.T(ctx, "all documents"))))
	}
	if c.Rewrite != "" {
		said = append(said, lang.F(ctx, "Rewrite: “%s”", c.Rewrite))
	}
	if c.MaxLoops != nil {
		said = append(said, lang.F(ctx, "At most %s", lang.Count(ctx, *c.MaxLoops, "rewrite", "rewrites")))
	}
	if c.Method != nil {
		said = append(said, lang.F(ctx, "Search: %s", questions.MethodTitle(*c.Method)))
	}
	if c.Model != "" {
		said = append(said, lang.F(ctx, "Model: %s", c.Model))
	}
	for _, id := range slices.Sorted(maps.Keys(c.Grades)) {
		title := cmp.Or(names[id], string(id))
		said = append(said, title+": "+map[bool]string{true: "relevant", false: lang.T(ctx, "not relevant")}[c.Grades[id] == domain.Relevant])
	}
	for _, role := range slices.Sorted(maps.Keys(c.Prompts)) {
		said = append(said, lang.F(ctx, "Prompt %s: version %d", role, c.Prompts[role]))
	}
	for _, role := range slices.Sorted(maps.Keys(c.Drafts)) {
		said = append(said, lang.F(ctx, "Prompt %s: a draft", role))
	}
	return said
}
