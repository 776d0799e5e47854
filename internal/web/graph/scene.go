package graph

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
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
	modePart      mode = "part"   // entities mentioned in some documents
	modeAnswer    mode = "answer" // sources of an answer's evidence
)

// scene is a view with the parameters of its address.
type scene struct {
	address  link.GraphView // with names resolved
	reader   explore.Reader
	divided  *explore.Divided           // nil if no communities are shown
	behind   bool                       // the graph has changed since it was read as a whole
	names    map[domain.EntityID]string // of the entities of the address
	view     explore.View
	mode     mode
	path     []domain.EntityID
	steps    int
	filter   explore.Filter
	whole    explore.View   // without the filter of labels and types
	doc      string         // name of the filter's document
	question string         // of the answer
	turns    []explore.Turn // for the view, regardless of the requested time
	unknown  string         // a name without an entity

	labels, types []explore.Count // in the whole graph, for an overview
}

// scene works out what an address shows.
func (h *Handler) scene(ctx context.Context, w domain.WorkspaceID, v link.GraphView) (*scene, error) {
	s := &scene{address: v, reader: h.Reader}
	if err := h.resolve(ctx, w, s); err != nil {
		return nil, err
	}
	if err := h.narrow(ctx, w, s); err != nil {
		return nil, err
	}
	return s, s.look(ctx)
}

// resolve replaces a name by the entity that has it, and leaves out entities
// that have left the graph.
func (h *Handler) resolve(ctx context.Context, w domain.WorkspaceID, s *scene) error {
	v := &s.address
	named, err := h.Graph.Named(ctx, w, append(slices.Clone(v.At), v.In, domain.EntityID(v.To)))
	if err != nil {
		return err
	}
	s.names = lists.Pairs(graphstore.Listed(named), func(e domain.Entity) (domain.EntityID, string) { return e.ID, e.Name })
	gone := len(v.At) > 0
	var at []domain.EntityID
	for _, id := range v.At {
		if s.names[id] != "" {
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
	if v.To == "" || s.names[domain.EntityID(v.To)] != "" {
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
	v.To, s.names[found[0].ID] = string(found[0].ID), found[0].Name
	return nil
}

// narrow makes the filter.
func (h *Handler) narrow(ctx context.Context, w domain.WorkspaceID, s *scene) error {
	v := s.address
	s.filter = explore.Filter{Labels: v.Labels, Types: v.Types, Evidence: v.Evidence, Hide: v.Hide, Together: !v.Facts}
	var err error
	if s.filter.AsOf, err = domain.AsOf(v.AsOf); err != nil {
		return err
	}
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

// look takes the view. A second look without the filters of labels and types finds the values to filter by.
func (s *scene) look(ctx context.Context) (err error) {
	v := s.address
	if s.mode = s.choose(); s.mode == modeAround && v.To != "" {
		if s.path, err = s.reader.Path(ctx, s.filter, v.At[0], domain.EntityID(v.To)); err != nil {
			return err
		}
	}
	if s.mode == modeOverview || s.mode == modeCommunity {
		if s.divided, s.behind, err = s.reader.Divided(ctx); err != nil {
			return err
		}
	}
	if s.mode == modeOverview {
		if err := s.count(ctx); err != nil {
			return err
		}
	}
	wide := s.filter
	wide.Labels, wide.Types = nil, nil
	if s.whole, err = s.take(ctx, wide); err != nil {
		return err
	}
	s.view = s.whole
	if len(v.Labels)+len(v.Types) > 0 {
		if s.view, err = s.take(ctx, s.filter); err != nil {
			return err
		}
	}
	if s.mode == modeOverview && !v.Table && len(s.view.Places) == 0 && s.view.Loose > 0 {
		s.mode = modeCommunity // there is nothing else to show
		if s.view, err = s.community(ctx, s.filter, s.view.LooseLead); err != nil {
			return err
		}
		s.whole = s.view
	}
	return s.tell(ctx)
}

// tell finds the years in which relations of the view begin or end.
func (s *scene) tell(ctx context.Context) error {
	s.turns = s.view.Turns
	if !s.filter.AsOf.Known() {
		return nil
	}
	always := s.filter
	always.AsOf = domain.Day{}
	steps := s.steps
	v, err := s.take(ctx, always)
	s.turns, s.steps = v.Turns, steps
	return err
}

// count counts the labels and types of the whole graph.
func (s *scene) count(ctx context.Context) error {
	labels, err := s.reader.Graph.Labels(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return err
	}
	types, err := s.reader.Graph.Types(ctx, domain.WorkspaceOf(ctx))
	for _, l := range labels {
		s.labels = append(s.labels, explore.Count{Name: l.Label, N: l.Count})
	}
	for _, t := range types {
		s.types = append(s.types, explore.Count{Name: t.Type, N: t.Count})
	}
	return err
}

// choose returns the mode of the view that the address asks for.
func (s *scene) choose() mode {
	v := s.address
	switch {
	case len(v.At) > 0:
		return modeAround
	case s.names[v.In] != "":
		return modeCommunity
	case v.All:
		return modeAll
	case s.filter.Passages != nil:
		return modeAnswer
	case s.filter.Documents != nil:
		return modePart
	}
	return modeOverview
}

// take takes the view through a filter.
func (s *scene) take(ctx context.Context, f explore.Filter) (view explore.View, err error) {
	switch s.mode {
	case modeAround:
		view, s.steps, err = s.reader.Around(ctx, s.query(f))
	case modeCommunity:
		view, err = s.community(ctx, f, s.address.In)
	case modeAll:
		view, err = s.wide(ctx, func(g *explore.Graph) explore.View { return g.All(f) })
	case modePart:
		view, err = s.reader.Part(ctx, f, explore.MaxNodes)
	case modeAnswer:
		view, err = s.reader.Related(ctx, f, present.PictureNodes)
	default:
		if f.Plain() {
			return s.divided.Overview, nil
		}
		view, err = s.wide(ctx, func(g *explore.Graph) explore.View { return g.Overview(f) })
	}
	return view, err
}

// community takes the view of the community of an entity, or of all that nothing joins to others if it is one of these.
func (s *scene) community(ctx context.Context, f explore.Filter, of domain.EntityID) (explore.View, error) {
	if members := s.divided.Members(of); len(members) > 0 {
		return s.reader.Community(ctx, f, members)
	}
	return s.wide(ctx, func(g *explore.Graph) explore.View { return g.Community(f, of) })
}

// wide takes a view of the whole graph.
func (s *scene) wide(ctx context.Context, take func(*explore.Graph) explore.View) (explore.View, error) {
	v, behind, err := s.reader.Wide(ctx, take)
	s.behind = s.behind || behind
	return v, err
}

func (s *scene) query(f explore.Filter) explore.Query {
	v := s.address
	q := explore.Query{Filter: f, At: v.At, Steps: v.Steps, Open: v.Open, Path: s.path, Pins: map[domain.EntityID]explore.Point{}}
	for _, p := range v.Pins {
		q.Pins[p.ID] = explore.Point{X: float64(p.X), Y: float64(p.Y)}
	}
	return q
}

// title describes in a few words what the view shows.
func (s *scene) title(ctx context.Context) string {
	v := s.address
	switch s.mode {
	case modeAround:
		name := s.names[v.At[0]]
		if len(v.At) > 1 {
			return lang.F(ctx, "%s and %s", name, lang.Count(ctx, len(v.At)-1, "other", "others"))
		}
		return name
	case modeCommunity:
		if v.In == "" || len(s.divided.Members(v.In)) == 0 {
			return lang.T(ctx, "Names without a relation")
		}
		return lang.F(ctx, "Community of %s", s.names[v.In])
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
	p := page.GraphProps{View: s.address, Title: s.title(ctx), Limits: s.limits(ctx), Document: s.doc, Reached: s.steps}
	labels, types := s.whole.Counts()
	if s.mode == modeOverview {
		labels, types = s.labels, s.types
	}
	p.Labels, p.Types = checks(labels, s.address.Labels), checks(types, s.address.Types)
	p.Ties = s.ties()
	p.Places, p.Turns = s.view.Places, s.turns
	p.Between = lists.Sum(s.view.Roads, func(r explore.Road) int { return r.Facts })
	p.Loose, p.LooseLead = s.view.Loose, s.view.LooseLead
	if s.mode != modeOverview {
		s.rows(&p)
	}
	if len(s.address.At) > 0 {
		p.Ends[0] = s.names[s.address.At[0]]
	}
	p.Ends[1] = cmp.Or(s.names[domain.EntityID(s.address.To)], s.unknown)
	p.Path = s.pathFound(ctx, p.Ends)
	return p
}

// ties returns how many names the whole graph, or else the view, joins because they are mentioned together.
func (s *scene) ties() int {
	if s.divided != nil {
		return s.divided.Ties
	}
	return lists.CountFunc(s.whole.Edges, explore.Edge.Weak)
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
	wanted := lists.Set(on)
	return lists.Map(counts, func(c explore.Count) page.GraphCheck {
		return page.GraphCheck{Name: c.Name, Count: c.N, On: len(on) == 0 || wanted[c.Name]}
	})
}

// limits describes what the view leaves out.
func (s *scene) limits(ctx context.Context) []string {
	var out []string
	v := s.view
	if s.behind {
		out = append(out, lang.T(ctx, "The graph has changed since this picture was drawn. It is drawn anew within minutes."))
	}
	if s.mode == modeOverview {
		if v.Found > len(v.Places) {
			out = append(out, lang.F(ctx, "Showing the %s largest of %s communities.", lang.Int(ctx, len(v.Places)), lang.Int(ctx, v.Found)))
		}
		return out
	}
	if v.Found > len(v.Nodes) {
		out = append(out, lang.F(ctx, "Showing %s of %s.", lang.Int(ctx, len(v.Nodes)), lang.Count(ctx, v.Found, "entity", "entities")))
	}
	lines := lists.Sum(v.Edges, func(e explore.Edge) int { return len(e.Kinds) })
	if v.Relations > lines {
		out = append(out, lang.F(ctx, "Showing %s of the %s among them.", lang.Int(ctx, lines), lang.Count(ctx, v.Relations, "relation", "relations")))
	}
	return out
}

// nameOf returns the name of an entity that is shown.
func (s *scene) nameOf(id domain.EntityID) string {
	for _, n := range s.whole.Nodes {
		if n.ID == id {
			return n.Name
		}
	}
	return ""
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
	by := s.nameOf(s.path[1])
	if n := len(s.path) - 3; n > 0 {
		by = lang.F(ctx, "%s and %s", by, lang.Count(ctx, n, "other", "others"))
	}
	return lang.F(ctx, "%s, by way of %s", lang.Count(ctx, len(s.path)-1, "step", "steps"), by)
}
