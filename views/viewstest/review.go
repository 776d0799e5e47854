package viewstest

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

var workTabs = []page.WorkTab{{Title: "Perhaps the same", Count: 2}, {List: "unlabelled", Title: "Without a label", Count: 81}}

func review() page.ReviewProps {
	other := entity()
	other.Entity.ID, other.Entity.Name = "e8", "E. Kestle"
	return page.ReviewProps{
		App: app("Review", layout.Review), Lists: workTabs,
		Queue: page.QueueProps{Total: 7, Today: 31, Current: "p1", Items: []page.PairItem{
			{ID: "p1", A: "Edda Kestle", B: "E. Kestle", Score: 0.91}, {ID: "p2", A: "Hollow Bridge", B: "Hallow Bridge", Score: 0.62, Later: true},
		}},
		Pair: &page.PairProps{
			ID: "p1", A: entity(), B: other, Score: 0.91, Bar: 0.95, Pattern: "initials", Differ: "initials", Alike: 3,
			Reasons: []page.Reason{{Name: "Name", Words: "Initial fits, family name equal."}, {Name: "Speaks against", Words: "One is addressed as a man.", Against: true}},
		},
	}
}

func alike() page.AlikeProps {
	p := review()
	return page.AlikeProps{App: p.App, Pattern: "initials", Differ: "initials", Total: 3, Items: []page.AlikeItem{{PairItem: p.Queue.Items[0], Reasons: p.Pair.Reasons}}}
}

func work() page.WorkProps {
	e := entity()
	return page.WorkProps{
		App: app("Without a label", layout.Review), Lists: workTabs, Work: link.Work{List: "unlabelled", Document: "d1"}, Title: "Without a label", Document: "levy-board-minutes.docx",
		Labels: []page.LabelCount{{Label: "Person", Count: 2}, {Label: domain.UnknownLabel, Count: 9}}, Choices: []string{"Person", "Place"},
		Rows:  []page.WorkRow{{Entity: e.Entity, Says: "born: 1867 or 1868?", Sentences: e.Passages, Relations: e.Out[:1]}},
		Pager: page.Pager{Limit: 20, Total: 81},
	}
}
