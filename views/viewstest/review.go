package viewstest

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

var workTabs = []page.WorkTab{{Title: "Perhaps the same", Count: 2}, {List: "unlabelled", Title: "Without a label", Count: 81}}

func review() page.ReviewProps {
	other := entity().About
	other.Entity.ID, other.Entity.Name = "e8", "E. Kestle"
	pair := ledger.Proposal{ID: "p1", Score: 0.91, Pattern: "initials", Status: ledger.ProposalOpen, Evidence: []ledger.ProposalEvidence{
		{Kind: "name", Words: "Initial fits, family name equal."}, {Kind: "title", Words: "One is addressed as a man.", Against: true},
	}}
	p := page.ReviewProps{App: app("Review", layout.Review), Lists: workTabs, Pair: &page.PairProps{Proposal: pair, Sides: [2]explore.About{entity().About, other}, Bar: 0.95, Alike: 3}}
	p.Queue = page.QueueProps{Current: "p1", Queue: curate.Queue{Today: 31, Page: operation.Page[curate.Proposed]{Total: 7, Items: []curate.Proposed{
		{Proposal: pair, NameA: "Edda Kestle", NameB: "E. Kestle"},
		{Proposal: ledger.Proposal{ID: "p2", Score: 0.62, Status: ledger.ProposalLater}, NameA: "Hollow Bridge", NameB: "Hallow Bridge"},
	}}}}
	return p
}

func alike() page.AlikeProps {
	p := review()
	return page.AlikeProps{App: p.App, Pattern: "initials", Total: 3, Items: p.Queue.Items[:1]}
}

func work() page.WorkProps {
	e := entity()
	return page.WorkProps{
		App: app("Without a label", layout.Review), Lists: workTabs, Work: link.Work{List: "unlabelled", Document: "d1"}, Title: "Without a label", Document: "levy-board-minutes.docx",
		Labels: []graphstore.LabelCount{{Label: "Person", Count: 2}, {Label: domain.UnknownLabel, Count: 9}}, Choices: []string{"Person", "Place"},
		Rows: []worklist.Entry{{
			Entity: e.Entity.ID, Of: e.Entity, Property: "born", Values: []string{"1867", "1868"}, Quotes: e.Quotes, Relations: []worklist.Relation{{Type: "REBUILT", Target: "Lantern Bridge"}},
		}},
		Pager: page.Pager{Limit: 20, Total: 81},
	}
}
