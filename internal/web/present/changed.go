package present

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// A Describer describes a curator's change in a sentence without its full stop.
// The error is NotFound for an unknown one.
type Describer interface {
	Describe(ctx context.Context, w domain.WorkspaceID, seq int64) (text string, undone bool, err error)
}

// Changed returns the message about the curator's change that led to a page, as
// its address says, with a button to undo it that leads back to the page at back.
func Changed(c echo.Context, curator Describer, back string) (layout.Toast, error) {
	seq := int64(request.Int(c, "change"))
	if seq == 0 {
		return layout.Toast{}, nil
	}
	return ChangeToast(c.Request().Context(), request.Workspace(c), curator, seq, back)
}

// ChangeToast returns the message about a change. It is empty for an unknown one.
func ChangeToast(ctx context.Context, w domain.WorkspaceID, curator Describer, seq int64, back string) (layout.Toast, error) {
	text, undone, err := curator.Describe(ctx, w, seq)
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return layout.Toast{}, nil
	case err != nil:
		return layout.Toast{}, err
	case undone:
		return layout.Toast{Text: text + "."}, nil
	}
	return layout.Toast{Text: text + ".", Action: lang.T(ctx, "Undo"), URL: link.UndoChange(seq), Back: back}, nil
}
