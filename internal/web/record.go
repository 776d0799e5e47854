package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
)

// A recorder records in the trail what the forms of pages carry out, and who is refused. What programs carry out records
// itself, see audit.Over.
type recorder struct {
	trail *audit.Trail
	rows  map[string]operation.Row[struct{}]
}

func newRecorder(trail *audit.Trail, rows []operation.Row[struct{}]) *recorder {
	r := &recorder{trail, map[string]operation.Row[struct{}]{}}
	for _, row := range rows {
		r.rows[row.Name] = row
	}
	return r
}

// route records the requests of a route with the operations that it names.
func (r *recorder) route(method string, operations []string) echo.MiddlewareFunc {
	var kept []operation.Row[struct{}]
	for _, name := range operations {
		if row := r.rows[name]; row.Name != "" && row.Trailed() && (method == http.MethodPost || method == http.MethodGet && row.Trail.Kept) {
			kept = append(kept, row)
		}
	}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			ctx := audit.Begin(c.Request().Context())
			if from := request.ClientOf(c).Address; from.IsValid() {
				ctx = audit.WithAddress(ctx, from.String())
			}
			c.SetRequest(c.Request().WithContext(ctx))
			err := next(c)
			r.note(c, kept, operations, err)
			return err
		}
	}
}

// note records a request that has ended, unless that was done.
func (r *recorder) note(c echo.Context, kept []operation.Row[struct{}], operations []string, err error) {
	ctx := c.Request().Context()
	e, recorded := audit.Pending(ctx)
	e.Err = outcome(c, err)
	forbidden := domain.KindOf(e.Err) == domain.Forbidden && domain.PersonOf(ctx) != ""
	if recorded || !forbidden && (len(kept) == 0 || domain.KindOf(e.Err) == domain.Unauthorized && domain.PersonOf(ctx) == "") {
		return
	}
	_, known := r.rows[e.Action]
	switch {
	case known:
	case len(kept) > 0:
		e.Action = strings.Join(names(kept), " or ")
	case len(operations) > 0:
		e.Action = operations[0]
	default:
		e.Action, e.Things = audit.Look, append(e.Things, c.Path())
	}
	row, known := r.rows[e.Action]
	if known && !row.Trailed() && !forbidden {
		return
	}
	if known && len(e.How) == 0 {
		sent, how := things(c, row)
		e.Things, e.How = audit.Union(sent, e.Things), how
	}
	e.Installation = row.Scope == operation.Install
	r.trail.Record(ctx, e)
}

func names(rows []operation.Row[struct{}]) []string {
	return lists.Map(rows, func(row operation.Row[struct{}]) string { return row.Name })
}

// outcome returns the error of a request, also one that was answered with a page, or nil if it was carried out.
func outcome(c echo.Context, err error) error {
	status := c.Response().Status
	if err != nil {
		status = respond.ProblemOf(err).Status
	}
	if status < http.StatusBadRequest {
		return nil
	}
	kind := respond.KindOf(status)
	switch kind {
	case domain.Forbidden, domain.Unauthorized, domain.NotFound, domain.Conflict:
	default:
		if status < http.StatusInternalServerError {
			kind = domain.Invalid
		}
	}
	return domain.Errorf(kind, "%s", http.StatusText(status))
}

// things returns the things that a form names, as operation.Things does: the parameters of its address are the first
// arguments.
func things(c echo.Context, row operation.Row[struct{}]) (things, how []string) {
	params := slices.Clone(c.ParamValues())
	for i, p := range params {
		if plain, err := url.PathUnescape(p); err == nil {
			params[i] = plain
		}
	}
	form := sent(c.Request())
	things, how = operation.ThingsOf(row.In, func(f operation.Field) []string {
		if f.Arg != "" && len(params) > 0 {
			value := params[:1]
			params = params[1:]
			return value
		}
		if values := form[f.Name]; values != nil {
			return values
		}
		return form[f.Flag()]
	})
	for _, p := range params {
		if operation.IsID(p) && !slices.Contains(things, p) {
			things = append(things, p)
		}
	}
	return things, how
}

// sent returns the fields of an address, or of the part of a form that was read.
func sent(r *http.Request) url.Values {
	switch {
	case r.Method == http.MethodGet:
		return r.URL.Query()
	case r.MultipartForm != nil:
		return r.MultipartForm.Value
	}
	return r.PostForm
}
