package graph

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// mode is the kind of view.
type mode string

// The modes.
const (
	modeOverview  mode = "overview"  // communities as places
	modeAround    mode = "around"    // a neighbourhood
	modeCommunity mode = "community" // the members of one
	modeAll       mode = "all"
	modePart      mode = "part"   // what some documents mention
	modeAnswer    mode = "answer" // what an answer's evidence came from
)

// scene is a view with what its address asked for.
type scene struct {
	address  link.GraphView // with names resolved
	graph    *explore.Graph
	view     explore.View
	mode     mode
	path     []domain.EntityID
	steps    int
	filter   explore.Filter
	whole    explore.View // without the filter of labels and types
	doc      string       // name of the document of the filter
	question string       // of the answer
	unknown  string       // the name that no entity has
}

// scene works out what an address shows.
func (h *Handler) scene(ctx context.Context, w domain.WorkspaceID, v link.GraphView) (*scene, error) {
	g, err := h.Reader.Library.Get(ctx, w)
	if err != nil {
		return nil, err
	}
	s := &scene{address: v, graph: g}
	if err := h.resolve(ctx, w, s); err != nil {
		return nil, err
	}
	if err := h.narrow(ctx, w, s); err != nil {
		return nil, err
	}
	s.look()
	return s, nil
}

// resolve replaces a name by the entity that has it, and leaves out entities
// that have left the graph.
func (h *Handler) resolve(ctx context.Context, w domain.WorkspaceID, s *scene) error {
	v := &s.address
	gone := len(v.At) > 0
	var at []domain.EntityID
	for _, id := range v.At {
		if s.graph.Has(id) {
			at, gone = append(at, id), false
		}
	}
	if gone {
		return domain.Errorf(domain.NotFound, "This entity is no longer in the graph. It may have been merged or its documents deleted. Search for it by name.")
	}
	v.At = at
	if v.Selected == "" && len(v.At) == 1 && !v.Table {
		v.Selected = v.At[0]
	}
	if to := domain.EntityID(v.To); v.To == "" || s.graph.Has(to) {
		return nil
	}
	found, _, err := h.Graph.Entities(ctx, w, graphstore.EntityQuery{Text: v.To, Limit: 1})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		s.unknown, v.To = v.To, ""
		return nil
	}
	v.To = string(found[0].ID)
	return nil
}

// narrow makes the filter.
func (h *Handler) narrow(ctx context.Context, w domain.WorkspaceID, s *scene) error {
	v := s.address
	s.filter = explore.Filter{Labels: v.Labels, Types: v.Types, Evidence: v.Evidence, Hide: v.Hide, Together: !v.Facts}
	if v.Answer != "" {
		m, err := h.Ledger.Message(ctx, w, v.Answer)
		if err != nil {
			return err
		}
		run, err := h.Runs.View(ctx, w, questions.Kind, m.Run)
		if err != nil {
			return err
		}
		cited := present.Cited(m)
		_, from := present.Ways(run, cited)
		s.question, s.filter.Passages = m.Question, slices.Concat(cited, from)
		return nil
	}
	if v.Document == "" && v.Tag == "" && v.Since == "" && v.Until == "" {
		return nil
	}
	q := ledger.DocumentQuery{Tag: v.Tag}
	if v.Document != "" {
		q.IDs = []domain.DocumentID{v.Document}
	}
	found, _, err := h.Ledger.Documents(ctx, w, q)
	if err != nil {
		return err
	}
	s.filter.Documents = map[domain.DocumentID]bool{}
	for _, d := range found {
		day := d.CreatedAt.Format(time.DateOnly)
		if (v.Since == "" || day >= v.Since) && (v.Until == "" || day <= v.Until) {
			s.filter.Documents[d.ID] = true
			s.doc = d.Name
		}
	}
	return nil
}

// look takes the view. A second look without the filters of labels and types
// tells what there is to filter by.
func (s *scene) look() {
	v := s.address
	wide := s.filter
	wide.Labels, wide.Types = nil, nil
	take := func(f explore.Filter) explore.View {
		switch s.mode {
		case modeAround:
			seen, steps := s.graph.Around(s.query(f))
			s.steps = steps
			return seen
		case modeCommunity:
			return s.graph.Community(f, v.In)
		case modeAll:
			return s.graph.All(f)
		case modePart:
			return s.graph.Part(f, explore.MaxNodes)
		case modeAnswer:
			return s.graph.Related(f, present.PictureNodes)
		default:
			return s.graph.Overview(f)
		}
	}
	switch {
	case len(v.At) > 0:
		s.mode = modeAround
		if v.To != "" {
			s.path = s.graph.Path(s.filter, v.At[0], domain.EntityID(v.To))
		}
	case s.graph.Has(v.In):
		s.mode = modeCommunity
	case v.All:
		s.mode = modeAll
	case s.filter.Passages != nil:
		s.mode = modeAnswer
	case s.filter.Documents != nil:
		s.mode = modePart
	default:
		s.mode = modeOverview
	}
	s.whole = take(wide)
	s.view = s.whole
	if len(v.Labels)+len(v.Types) > 0 {
		s.view = take(s.filter)
	}
	if s.mode == modeOverview && !v.Table && len(s.view.Places) == 0 && s.view.Loose > 0 {
		s.mode = modeCommunity // there is nothing else to see
		s.view = s.graph.Community(s.filter, s.view.LooseLead)
		s.whole = s.view
	}
}

func (s *scene) query(f explore.Filter) explore.Query {
	v := s.address
	q := explore.Query{Filter: f, At: v.At, Steps: v.Steps, Open: v.Open, Path: s.path, Pins: map[domain.EntityID]explore.Point{}}
	for _, p := range v.Pins {
		q.Pins[p.ID] = explore.Point{X: float64(p.X), Y: float64(p.Y)}
	}
	return q
}

// title says in a few words what the view shows.
func (s *scene) title(ctx context.Context) string {
	v := s.address
	switch s.mode {
	case modeAround:
		name := s.graph.Name(v.At[0])
		if len(v.At) > 1 {
			return lang.F(ctx, "%s and %s", name, lang.Count(ctx, len(v.At)-1, "other", "others"))
		}
		return name
	case modeCommunity:
		if v.In == "" || s.graph.Loose(v.In) {
			return lang.T(ctx, "Names without a relation")
		}
		return lang.F(ctx, "Community of %s", s.graph.Name(v.In))
	case modeAll:
		return lang.T(ctx, "Everything")
	case modePart:
		return cmp.Or(s.doc, lang.T(ctx, "Chosen documents"))
	case modeAnswer:
		return lang.F(ctx, "Evidence for “%s”", domain.Cut(s.question, 80))
	}
	return lang.T(ctx, "Overview")
}

// maxTable is the maximum number of rows of a table.
const maxTable = 300

// props returns the page without its frame, card and tags.
func (s *scene) props(ctx context.Context) page.GraphProps {
	p := page.GraphProps{View: s.address, Title: s.title(ctx), Size: s.graph.Entities(), Limits: s.limits(ctx), Document: s.doc, Reached: s.steps}
	labels, types := s.whole.Counts()
	if s.mode == modeOverview {
		labels, types = s.graph.Counts()
	}
	p.Labels, p.Types = checks(labels, s.address.Labels), checks(types, s.address.Types)
	p.Ties = s.graph.Ties()
	p.Places = s.view.Places
	for _, r := range s.view.Roads {
		p.Between += r.Facts
	}
	p.Loose, p.LooseLead = s.view.Loose, s.view.LooseLead
	if s.mode != modeOverview {
		s.rows(&p)
	}
	if len(s.address.At) > 0 {
		p.Ends[0] = s.graph.Name(s.address.At[0])
	}
	p.Ends[1] = cmp.Or(s.graph.Name(domain.EntityID(s.address.To)), s.unknown)
	p.Path = s.pathFound(ctx, p.Ends)
	return p
}

// rows fills the tables.
func (s *scene) rows(p *page.GraphProps) {
	p.Nodes = s.view.Nodes[:min(len(s.view.Nodes), maxTable)]
	p.More = len(s.view.Nodes) - len(p.Nodes)
	for _, e := range s.view.Edges {
		from, to := s.view.Nodes[e.A], s.view.Nodes[e.B]
		if e.Weak() && len(p.Together) < maxTable {
			p.Together = append(p.Together, page.GraphRelation{From: item(from), To: item(to), Evidence: e.Evidence})
		}
		for _, k := range e.Kinds {
			if len(p.Relations) == maxTable {
				break
			}
			from, to := from, to
			if k.Back {
				from, to = to, from
			}
			p.Relations = append(p.Relations, page.GraphRelation{From: item(from), To: item(to), Type: k.Type, Evidence: k.Evidence})
		}
	}
}

func item(n explore.Node) partial.EntityItem {
	return partial.EntityItem{ID: n.ID, Label: n.Label, Name: n.Name}
}

func checks(counts []explore.Count, on []string) []page.GraphCheck {
	wanted := make(map[string]bool, len(on))
	for _, name := range on {
		wanted[name] = true
	}
	var out []page.GraphCheck
	for _, c := range counts {
		out = append(out, page.GraphCheck{Name: c.Name, Count: c.N, On: len(on) == 0 || wanted[c.Name]})
	}
	return out
}

// limits describes what the view leaves out.
func (s *scene) limits(ctx context.Context) []string {
	var out []string
	v := s.view
	if s.mode == modeOverview {
		if v.Found > len(v.Places) {
			out = append(out, lang.F(ctx, "Showing the %s largest of %s communities.", lang.Int(ctx, len(v.Places)), lang.Int(ctx, v.Found)))
		}
		return out
	}
	if v.Found > len(v.Nodes) {
		out = append(out, lang.F(ctx, "Showing %s of %s.", lang.Int(ctx, len(v.Nodes)), lang.Count(ctx, v.Found, "entity", "entities")))
	}
	lines := 0
	for _, e := range v.Edges {
		lines += len(e.Kinds)
	}
	if v.Relations > lines {
		out = append(out, lang.F(ctx, "Showing %s of the %s among them.", lang.Int(ctx, lines), lang.Count(ctx, v.Relations, "relation", "relations")))
	}
	return out
}

// pathFound describes what leads from one end to the other.
func (s *scene) pathFound(ctx context.Context, ends [2]string) string {
	switch {
	case s.unknown != "":
		return lang.F(ctx, "No entity is called “%s”.", s.unknown)
	case s.address.To == "" || len(s.address.At) == 0:
		return ""
	case len(s.path) == 0:
		return lang.F(ctx, "No chain of up to %d relations leads to %s.", explore.MaxHops, ends[1])
	case len(s.path) == 1:
		return lang.T(ctx, "That is the same entity.")
	case len(s.path) == 2:
		return lang.T(ctx, "Directly related")
	}
	by := s.graph.Name(s.path[1])
	if n := len(s.path) - 3; n > 0 {
		by = lang.F(ctx, "%s and %s", by, lang.Count(ctx, n, "other", "others"))
	}
	return lang.F(ctx, "%s, by way of %s", lang.Count(ctx, len(s.path)-1, "step", "steps"), by)
}
