// Package home serves the first page.
package home

import (
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/web/chrome"
	"github.com/clewhq/clew/internal/web/document"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/page"
)

// Ledger is what the page needs of the ledger.
type Ledger interface {
	Documents(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) ([]domain.Document, int, error)
}

// Handler serves the first page. All fields are required.
type Handler struct {
	Chrome    chrome.Chrome
	Ledger    Ledger
	Documents *document.Handler
	Sample    []sample.File
	Try       []sample.Question
}

// Show is the first page.
func (h *Handler) Show(c echo.Context) error {
	app, err := h.Chrome.App(c, "", "")
	if err != nil {
		return err
	}
	loaded, err := h.sampleLoaded(c.Request().Context(), request.Workspace(c))
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.HomePage(page.HomeProps{
		App: app, Upload: h.Documents.Upload(nil), SampleDocuments: len(h.Sample), SampleLoaded: loaded, Questions: questions(h.Try),
	}))
}

// Suggestions are the questions to try, once the sample library is there.
func (h *Handler) Suggestions(ctx context.Context, w domain.WorkspaceID) []page.SampleQuestion {
	if loaded, err := h.sampleLoaded(ctx, w); err != nil || !loaded {
		return nil
	}
	return questions(h.Try)
}

// sampleLoaded reports whether every document of the sample is in the library.
func (h *Handler) sampleLoaded(ctx context.Context, w domain.WorkspaceID) (bool, error) {
	ids := make([]domain.DocumentID, len(h.Sample))
	for i, f := range h.Sample {
		ids[i] = domain.NewDocumentID(w, domain.Hash(f.Data))
	}
	_, total, err := h.Ledger.Documents(ctx, w, ledger.DocumentQuery{IDs: ids, Limit: 1})
	return total == len(ids), err
}

func questions(list []sample.Question) []page.SampleQuestion {
	out := make([]page.SampleQuestion, len(list))
	for i, q := range list {
		note := fmt.Sprintf("%d documents", len(q.Sources))
		switch {
		case q.Unanswerable:
			note = "not in the library"
		case len(q.Sources) == 1:
			note = "1 document"
		}
		out[i] = page.SampleQuestion{Text: q.Question, Note: note}
	}
	return out
}
