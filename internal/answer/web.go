package answer

import (
	"cmp"
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Outside finds and reads pages of the web. They belong to the run that they were found for, and never to the library.
type Outside interface {
	retrieve.Texts // of the library and of these pages

	// Search returns pages for words, best first, unread. For a run that already has pages it sends nothing and
	// returns these.
	Search(ctx context.Context, w domain.WorkspaceID, run domain.RunID, words string) ([]WebPage, error)
	// Read reads a page, once. A page that can't be read has a Problem.
	Read(ctx context.Context, w domain.WorkspaceID, page domain.DocumentID) (WebPage, error)
	// PassagesOf lists the passages of pages in reading order.
	PassagesOf(ctx context.Context, w domain.WorkspaceID, pages []domain.DocumentID) ([]domain.Passage, error)
}

// WebPage is a page of the web that was found for a question. Its text is not in the state.
type WebPage struct {
	ID       domain.DocumentID `json:"id"` // see domain.NewPageID
	N        int               `json:"n"`  // its place in the results, from 1
	Address  string            `json:"address"`
	Title    string            `json:"title,omitempty"` // once it has been read
	Passages int               `json:"passages,omitempty"`
	Problem  string            `json:"problem,omitempty"` // why it could not be read
}

// pageTask is a page to read.
type pageTask struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Page      WebPage            `json:"page"`
}

// searchWeb sends the question to a web search.
func (n *nodes) searchWeb(ctx *stategraph.Context, s State) (state.Update[State], error) {
	if n.Outside == nil {
		return state.Update[State]{}, domain.Errorf(domain.Invalid, "The web can't be searched: WEB_SEARCH_URL names no server any more.")
	}
	pages, err := n.Outside.Search(ctx, s.Workspace, s.Run, s.Question)
	if err != nil {
		return state.Update[State]{}, err
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(pages), "page of the web", "pages of the web")})
	return n.pages.Put(pages...), nil
}

// fanPages sends each page that was found to be read.
func (n *nodes) fanPages(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if len(s.Pages) == 0 {
		return stategraph.Choose[State](caseNoPage), nil
	}
	sends := lists.Map(s.Pages, func(p WebPage) stategraph.Send[State] { return n.page.Send(pageTask{s.Workspace, p}) })
	return stategraph.Fan(sends...), nil
}

// readPage reads a page.
func (n *nodes) readPage(ctx *stategraph.Context, t pageTask) (state.Update[State], error) {
	if n.Outside == nil {
		return state.Update[State]{}, domain.Errorf(domain.Invalid, "The web can't be read: WEB_SEARCH_URL names no server any more.")
	}
	page, err := n.Outside.Read(ctx, t.Workspace, t.Page.ID)
	if err != nil {
		return state.Update[State]{}, err
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: page.Address + ": " + cmp.Or(page.Problem, domain.Counted(page.Passages, "passage", "passages"))})
	return n.pages.Put(page), nil
}

// findOnPages ranks the passages of the pages by words alone: no vector of them is stored.
func (n *nodes) findOnPages(ctx *stategraph.Context, s State, words string) (retrieve.Result, error) {
	start := n.Now()
	ids := make([]domain.DocumentID, len(s.Pages))
	place := map[domain.DocumentID]int{}
	for i, p := range s.Pages {
		ids[i], place[p.ID] = p.ID, p.N
	}
	if n.Outside == nil {
		return retrieve.Result{}, domain.Errorf(domain.Invalid, "The web can't be read: WEB_SEARCH_URL names no server any more.")
	}
	passages, err := n.Outside.PassagesOf(ctx, s.Workspace, ids)
	if err != nil {
		return retrieve.Result{}, err
	}
	slices.SortStableFunc(passages, func(a, b domain.Passage) int { return cmp.Compare(place[a.Document], place[b.Document]) })
	near, err := nearest.Ranker{}.Sentences(ctx, words, passages)
	if err != nil {
		return retrieve.Result{}, err
	}
	var found retrieve.Result
	taken := map[int]bool{}
	for _, sentence := range near {
		if taken[sentence.Passage] || sentence.Score == 0 || len(taken) == n.limit(s) {
			continue
		}
		taken[sentence.Passage] = true
		found.Passages = append(found.Passages, domain.FoundPassage{Chunk: passages[sentence.Passage].ID, Score: sentence.Score, Methods: []domain.MethodName{domain.MethodWords}})
	}
	m := domain.Method{Name: domain.MethodWords, Candidates: len(passages), Took: n.Now().Sub(start), Reason: "on the pages of the web"}
	ctx.Emit(domain.EventMethod, m)
	found.Methods = []domain.Method{m}
	return found, nil
}

// unread returns the problem of each page if none could be read, and nil otherwise.
func (s State) unread() (why []string) {
	for _, p := range s.Pages {
		if p.Problem == "" {
			return nil
		}
		why = append(why, p.Address+": "+p.Problem)
	}
	return why
}
