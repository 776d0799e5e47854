package schema

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Edit carries out the action of the button in the form field "do": it saves the draft, takes the schema out of force,
// proposes another draft, adds a row, allows what was dropped, reads a few chunks by it, reads again what it changes,
// or only checks. If anything goes wrong, the page shows the draft as typed.
func (h *Handler) Edit(c echo.Context) error {
	of, d, fine, err := h.draft(c)
	if err != nil {
		return err
	}
	do := strings.Split(c.FormValue("do"), ".")
	verb, _, _ := strings.Cut(do[0], "@")
	audit.Did(c.Request().Context(), carriedOut(verb))
	switch verb {
	case "save":
		if !fine {
			d.said = lang.F(c.Request().Context(), "Nothing was saved. %s", first(&d.form))
			return h.again(c, http.StatusUnprocessableEntity, of, d)
		}
		return h.save(c, of, d)
	case "try", "apply":
		if !fine {
			return h.again(c, http.StatusUnprocessableEntity, of, d)
		}
		if verb == "try" {
			return h.try(c, of, d)
		}
		return h.saveAndRead(c, of, d)
	case "allow":
		if !fine {
			d.said = lang.F(c.Request().Context(), "Nothing was allowed. %s", first(&d.form))
			return h.again(c, http.StatusUnprocessableEntity, of, d)
		}
		return h.allow(c, of, d)
	case "clear":
		v, err := h.Schemas.Clear(c.Request().Context(), request.Workspace(c), schemas.Draft{Scope: of, Base: d.base, Who: frame.User(c), Note: d.form.Fields["note"]})
		return h.settled(c, of, d, v, err)
	case "propose":
		return h.propose(c, of, d)
	case "add":
		add(&d.form, schemas.Part(strings.Join(do[1:], ".")))
	}
	return h.again(c, http.StatusOK, of, d)
}

// carriedOut returns the operation of a button. Others only show the form again, as a trial does.
func carriedOut(verb string) string {
	switch verb {
	case "save":
		return "schema set"
	case "allow", "clear", "apply", "propose":
		return "schema " + verb
	}
	return "schema try"
}

// draft reads the draft in a request's form, without the row that the button removes. fine reports whether it is a
// valid schema; if not, the form has an error at the field.
func (h *Handler) draft(c echo.Context) (of schemas.Scope, d draft, fine bool, err error) {
	if of, err = scope(c); err != nil {
		return of, d, false, err
	}
	from, err := c.FormParams()
	if err != nil {
		return of, d, false, domain.Because(domain.Invalid, err, "The form could not be read. Reload the page and try again.")
	}
	d.form = parseForm(from)
	if do := strings.Split(c.FormValue("do"), "."); do[0] == "remove" && len(do) == 3 {
		if n, err := strconv.Atoi(do[2]); err == nil {
			remove(&d.form, schemas.Part(do[1]), n)
		}
	}
	tidy(&d.form)
	d.base = d.form.Base
	d.guide, fine = guideOf(c.Request().Context(), &d.form)
	return of, d, fine, nil
}

// again shows a draft once more.
func (h *Handler) again(c echo.Context, status int, of schemas.Scope, d draft) error {
	latest, err := h.Schemas.Latest(c.Request().Context(), request.Workspace(c), of)
	if err != nil {
		return err
	}
	return h.show(c, status, of, latest, d)
}

func (h *Handler) save(c echo.Context, of schemas.Scope, d draft) error {
	v, err := h.Schemas.Save(c.Request().Context(), request.Workspace(c), schemas.Draft{
		Scope: of, Base: d.base, Who: frame.User(c), Note: d.form.Fields["note"], Guide: d.guide,
	})
	return h.settled(c, of, d, v, err)
}

// settled goes to the schema after a new version v, or shows the draft with what
// kept it from being saved. After a conflict the next try is on top of the version
// that came between, which the page compares with the draft.
func (h *Handler) settled(c echo.Context, of schemas.Scope, d draft, v schemas.Version, err error) error {
	if err == nil {
		params := []string{"done", "saved"}
		if v.Cleared {
			params = nil
		}
		return respond.SeeOther(c, link.SchemaOf(link.Schema, of, params...))
	}
	kind := domain.KindOf(err)
	if kind != domain.Invalid && kind != domain.Conflict {
		return err
	}
	d.said = domain.InWords(err)
	if kind == domain.Conflict {
		latest, err := h.Schemas.Latest(c.Request().Context(), request.Workspace(c), of)
		if err != nil {
			return err
		}
		d.base = latest.Number
		status := http.StatusConflict
		if respond.Fragment(c) {
			status = http.StatusUnprocessableEntity // the only error status whose page htmx shows
		}
		return h.show(c, status, of, latest, d)
	}
	return h.again(c, http.StatusUnprocessableEntity, of, d)
}

// propose shows a proposed schema as the draft.
func (h *Handler) propose(c echo.Context, of schemas.Scope, d draft) error {
	p, err := h.Schemas.Propose(c.Request().Context(), request.Workspace(c))
	if kind := domain.KindOf(err); kind == domain.Invalid || kind == domain.Unavailable {
		d.said = domain.InWords(err)
		return h.again(c, http.StatusUnprocessableEntity, of, d)
	}
	if err != nil {
		return err
	}
	by := lang.T(c.Request().Context(), "counted in")
	if p.By != "" {
		by = lang.F(c.Request().Context(), "proposed by %s from", p.By)
	}
	proposed := draft{base: d.base, form: formOf(p.Guide), guide: p.Guide}
	proposed.begun = lang.F(c.Request().Context(), "This is a draft, %s a sample of the library (documents: %d). Nothing is saved yet.", by, p.Documents)
	return h.again(c, http.StatusOK, of, proposed)
}

// YAML serves a scope's schema as text to edit.
func (h *Handler) YAML(c echo.Context) error {
	of, err := scope(c)
	if err != nil {
		return err
	}
	latest, err := h.Schemas.Latest(c.Request().Context(), request.Workspace(c), of)
	if err != nil {
		return err
	}
	text, err := schemas.Write(latest.Guide)
	if err != nil {
		return err
	}
	return h.text(c, http.StatusOK, of, string(text), "")
}

func (h *Handler) text(c echo.Context, status int, of schemas.Scope, text, problem string) error {
	app, err := h.Frame.App(c, layout.Schema, lang.T(c.Request().Context(), "Schema as YAML"))
	if err != nil {
		return err
	}
	p := page.SchemaYAMLProps{App: app, MayEdit: link.MayPost(c.Request().Context(), link.SchemaYAML), Text: text, Problem: problem}
	p.Scope, _, err = h.scopes(c.Request().Context(), request.Workspace(c), of)
	return respond.Show(c, err, status, page.SchemaYAMLPage(p))
}

// UseYAML shows the schema in the form's file, or else in its text, as a draft. A
// text that can't be read comes back with the line and the key in the way.
func (h *Handler) UseYAML(c echo.Context) error {
	of, err := scope(c)
	if err != nil {
		return err
	}
	text, err := sent(c)
	if err != nil {
		return err
	}
	g, err := schemas.Read([]byte(text))
	if kind := domain.KindOf(err); kind == domain.Invalid || kind == domain.TooLarge {
		return h.text(c, http.StatusUnprocessableEntity, of, text, domain.InWords(err))
	}
	if err != nil {
		return err
	}
	latest, err := h.Schemas.Latest(c.Request().Context(), request.Workspace(c), of)
	if err != nil {
		return err
	}
	d := draft{base: latest.Number, form: formOf(g), guide: g, begun: lang.T(c.Request().Context(), "This is the schema from your YAML, as a draft. Nothing is saved yet.")}
	return h.show(c, http.StatusOK, of, latest, d)
}

// sent returns the text of a form's file, or of its field.
func sent(c echo.Context) (string, error) {
	file, err := c.FormFile("file")
	if err != nil || file.Size == 0 {
		return c.FormValue("text"), nil
	}
	f, err := file.Open()
	if err != nil {
		return "", fmt.Errorf("open the file of a form: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, schemas.MaxYAML+1)) // Read reports that it is too large
	return string(data), err
}

// File serves a schema as a file: the version of the query parameter version, or
// the one in force.
func (h *Handler) File(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	of, err := scope(c)
	if err != nil {
		return err
	}
	v, err := h.Schemas.At(ctx, w, int64(request.Int(c, "version")))
	if err == nil && v.Number == 0 {
		v, err = h.Schemas.Latest(ctx, w, of)
	}
	if err != nil {
		return err
	}
	text, err := schemas.Write(v.Guide)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="schema-%d.yaml"`, v.Number))
	return c.Blob(http.StatusOK, "application/yaml; charset=utf-8", text)
}

// try shows what the draft makes of a few chunks, and what putting it in force
// would cost.
func (h *Handler) try(c echo.Context, of schemas.Scope, d draft) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	draft := schemas.Draft{Scope: of, Guide: d.guide}
	chosen, err := h.Trial.Saying(ctx, w, draft, d.form.Fields["words"])
	if err == nil {
		var run page.DryRun
		if run, err = h.dryRun(ctx, w, draft, chosen); err == nil {
			run.Open = d.open
			d.tried = &run
			return h.again(c, http.StatusOK, of, d)
		}
	}
	switch domain.KindOf(err) {
	case domain.Invalid, domain.NotFound, domain.Unavailable, domain.Capped:
		d.said = domain.InWords(err)
		return h.again(c, http.StatusUnprocessableEntity, of, d)
	}
	return err
}

func (h *Handler) dryRun(ctx context.Context, w domain.WorkspaceID, d schemas.Draft, chosen []domain.ChunkID) (page.DryRun, error) {
	t, err := h.Trial.Run(ctx, w, d, chosen)
	if err != nil {
		return page.DryRun{}, err
	}
	bill, err := h.Trial.Bill(ctx, w, d)
	if err != nil {
		return page.DryRun{}, err
	}
	run := page.DryRun{Trial: t, Bill: bill, Model: h.Trial.Extractor.Asks()}
	for _, c := range t.Chunks {
		chunk := page.DryChunk{Tried: c, Before: picture(c.Now.Graph, lang.T(ctx, "Graph of this chunk now")), After: picture(c.Draft.Graph, lang.T(ctx, "Graph of this chunk with the draft"))}
		chunk.Lost = lists.Map(c.Draft.Dropped, func(d domain.Dropped) partial.DroppedRow { return present.Dropped(ctx, d, c.Chunk.Document) })
		run.Chunks = append(run.Chunks, chunk)
	}
	return run, nil
}

// saveAndRead saves the draft and has read again what it changes. A draft that is
// in force already is not saved once more.
func (h *Handler) saveAndRead(c echo.Context, of schemas.Scope, d draft) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	latest, err := h.Schemas.Latest(ctx, w, of)
	if err != nil {
		return err
	}
	if latest.Guide.Hash() != d.guide.Hash() {
		v, err := h.Schemas.Save(ctx, w, schemas.Draft{Scope: of, Base: d.base, Who: frame.User(c), Note: d.form.Fields["note"], Guide: d.guide})
		if err != nil {
			return h.settled(c, of, d, v, err)
		}
	}
	_, err = h.Trial.Apply(ctx, w)
	return respond.After(c, err, link.With(link.Documents, "done", "schema"))
}

// allow shows the draft with what the button's item lacks. Where that asks no
// model, the dry run is repeated, so that the item is seen to come back.
func (h *Handler) allow(c echo.Context, of schemas.Scope, d draft) error {
	typed := d.form.Fields
	d.allow(c.Request().Context(), present.Allowed(c.FormValue("do")))
	d.form = formOf(d.guide)
	d.form.Fields["note"], d.form.Fields["words"] = typed["note"], typed["words"]
	if h.Trial.Extractor.Asks() {
		return h.again(c, http.StatusOK, of, d)
	}
	d.open = chunkOf(c.FormValue("do"))
	return h.try(c, of, d)
}

// chunkOf returns the place of the chunk in which a button stands: "allow@2.label.Person".
func chunkOf(do string) int {
	verb, _, _ := strings.Cut(do, ".")
	_, at, _ := strings.Cut(verb, "@")
	n, _ := strconv.Atoi(at) // if missing, the first chunk
	return n
}

// allow adds to the draft what a dropped item lacks.
func (d *draft) allow(ctx context.Context, item domain.Dropped) {
	g, said := schemas.Allow(d.guide, item)
	if said == "" {
		d.begun = lang.T(ctx, "The draft already allows this, or lacks the label or type it belongs to.")
		return
	}
	d.guide, d.begun = g, lang.F(ctx, "The draft allows %s. Nothing is saved yet.", said)
}

// picture returns a small picture of a chunk's graph.
func picture(g domain.GraphDocument, label string) *partial.GraphPictureProps {
	a := &graphstore.Adjacency{}
	for i, n := range g.Nodes {
		a.Entities = append(a.Entities, graphstore.AdjacentEntity{ID: domain.EntityID(fmt.Sprintf("%06d", i)), Name: n.Name, Label: n.Label})
	}
	for _, r := range g.Relationships {
		a.Relations = append(a.Relations, graphstore.AdjacentRelation{Source: int32(r.Source), Target: int32(r.Target), Type: r.Type, Evidence: int32(len(r.Spans))})
	}
	return present.Picture(explore.New(a).Part(explore.Filter{}, present.PictureNodes), "", "", label)
}
