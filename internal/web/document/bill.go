package document

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// AskBill serves the form for the cost of reading files.
func (h *Handler) AskBill(c echo.Context) error { return h.bill(c, domain.Chunking{}, nil) }

// Bill shows what reading the files of a form would cost, and keeps none of them. It fails with kind Invalid if the form
// contains no file.
func (h *Handler) Bill(c echo.Context) error {
	form, err := h.form(c)
	if err != nil {
		return err
	}
	var bills []documents.Bill
	var how documents.How
	for len(bills) < h.Limits.MaxFiles {
		name, file, err := form.next()
		if err != nil {
			return domain.Because(domain.Invalid, err, "The upload was interrupted. Choose the files again.")
		}
		if file == nil {
			break
		}
		if how, err = h.how(c, form.fields.Get); err != nil {
			return err
		}
		b, err := h.Library.Bill(c.Request().Context(), request.Workspace(c), name, how.Chunking, file)
		if err != nil {
			return err
		}
		bills = append(bills, b)
		if b.Problem != "" && !skip(file) {
			bills = append(bills, documents.Bill{Name: lang.T(c.Request().Context(), "What came after it"), Problem: lang.T(c.Request().Context(), "It was not read, because a large file before it was refused.")})
			break
		}
	}
	if len(bills) == 0 {
		return domain.Errorf(domain.Invalid, "Choose at least one file.")
	}
	return h.bill(c, how.Chunking, bills)
}

func (h *Handler) bill(c echo.Context, how domain.Chunking, bills []documents.Bill) error {
	app, err := h.Frame.App(c, layout.Documents, lang.T(c.Request().Context(), "What would it cost?"))
	if err != nil {
		return err
	}
	app.Works = true
	p := page.BillProps{App: app, Upload: h.Limits, Chunking: how}
	for _, b := range bills {
		p.Lines = append(p.Lines, billLine(c.Request().Context(), b))
		p.First = append(p.First, partial.FirstChunksProps{Name: b.Name, Chunks: b.First, Of: b.Chunks, Warnings: b.Warnings})
	}
	if len(bills) > 0 {
		sum := documents.Sum(bills)
		p.Sum = billLine(c.Request().Context(), sum)
		if p.Warning, err = h.overCap(c, sum); err != nil {
			return err
		}
	}
	return respond.HTML(c, http.StatusOK, page.BillPage(p))
}

// held sums up the bills of all documents that are held, if one of the rows is.
func (h *Handler) held(c echo.Context, rows []partial.DocumentRowProps) (p page.HeldProps, err error) {
	if !slices.ContainsFunc(rows, func(r partial.DocumentRowProps) bool { return r.Held != "" }) {
		return p, nil
	}
	runs, err := h.Queue.List(c.Request().Context(), request.Workspace(c), job.Query{Kind: documents.Kind, Status: []job.Status{job.Held}})
	if err != nil {
		return p, err
	}
	var bills []documents.Bill
	for _, r := range runs {
		if b, held := documents.Held(r); held {
			bills = append(bills, b)
		}
	}
	sum := documents.Sum(bills)
	p.Count, p.Said = len(bills), sum.String()
	p.Warning, err = h.overCap(c, sum)
	return p, err
}

// overCap names the cap that a bill would exceed, or returns "" if there is none.
func (h *Handler) overCap(c echo.Context, b documents.Bill) (string, error) {
	if b.Money == nil || h.Runs.Costs == nil {
		return "", nil
	}
	standings, err := h.Runs.Costs.Standings(c.Request().Context(), request.Workspace(c))
	left, by, ok := costs.Left(standings)
	if err != nil || !ok || b.Money.To <= left {
		return "", err
	}
	return lang.F(c.Request().Context(), "This may be more than the %s that the cap of %s leaves: reading would pause there.", left.In(b.Money.Currency), by.Title()), nil
}

func billLine(ctx context.Context, b documents.Bill) page.BillLine {
	l := page.BillLine{Name: b.Name, Problem: b.Problem, Chunks: lang.Int(ctx, b.Chunks)}
	switch {
	case b.Known:
		l.Problem = lang.T(ctx, "The library already has this content.")
	case b.Money == nil:
		l.Calls, l.Tokens, l.Time, l.Cost = "0", "0", "", "free"
	default:
		l.Calls, l.Cost = lang.Int(ctx, b.Calls), b.Money.String()
		l.Tokens = lang.F(ctx, "%s to %s", lang.Int(ctx, b.Tokens.From), lang.Int(ctx, b.Tokens.To))
		l.Time = lang.F(ctx, "%s to %s", lang.Duration(ctx, time.Duration(b.Seconds.From)*time.Second), lang.Duration(ctx, time.Duration(b.Seconds.To)*time.Second))
	}
	return l
}
