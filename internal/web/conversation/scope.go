package conversation

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/partial"
)

// mostOptions is the maximum number of tags or documents offered as completions.
const mostOptions = 8

// Within serves completions of #tag or @document, as typed in a question.
func (h *Handler) Within(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	var options []partial.WithinOption
	if typed, ok := strings.CutPrefix(c.QueryParam("q"), "#"); ok {
		tags, err := h.Ledger.Tags(ctx, w)
		if err != nil {
			return err
		}
		for _, t := range tags {
			if strings.Contains(t.Tag, strings.ToLower(typed)) && len(options) < mostOptions {
				item := partial.Scope(ctx, domain.Scope{Tags: []string{t.Tag}}, nil)[0]
				options = append(options, partial.WithinOption{ScopeItem: item, Note: lang.Count(ctx, t.Count, "document", "documents")})
			}
		}
		fields, err := h.fields(ctx, w, typed)
		if err != nil {
			return err
		}
		options = append(options, fields[:min(len(fields), mostOptions-len(options))]...)
		facts, err := h.facts(ctx, w, typed)
		if err != nil {
			return err
		}
		options = append(options, facts[:min(len(facts), mostOptions-len(options))]...)
		return respond.HTML(c, http.StatusOK, partial.WithinOptions(options))
	}
	found, _, err := h.Ledger.Documents(ctx, w, ledger.DocumentQuery{Text: strings.TrimPrefix(c.QueryParam("q"), "@"), Limit: mostOptions})
	if err != nil {
		return err
	}
	for _, d := range found {
		item := partial.Scope(ctx, domain.Scope{Documents: []domain.DocumentID{d.ID}}, map[domain.DocumentID]string{d.ID: d.Name})[0]
		options = append(options, partial.WithinOption{ScopeItem: item, Note: d.Title})
	}
	return respond.HTML(c, http.StatusOK, partial.WithinOptions(options))
}

// CountWithin describes how much of the library the terms of a question select.
func (h *Handler) CountWithin(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	scope, err := h.Ask.Scope(ctx, w, c.QueryParams()["within"])
	if err != nil {
		return err
	}
	documents, passages, err := h.Ledger.CountWithin(ctx, w, scope)
	if err != nil {
		return err
	}
	_, all, err := h.Ledger.CountWithin(ctx, w, domain.Scope{})
	return respond.Show(c, err, http.StatusOK, partial.AsksSome(documents, passages, all))
}

// fields completes a partly typed term about a field, such as status=final.
func (h *Handler) fields(ctx context.Context, w domain.WorkspaceID, typed string) ([]partial.WithinOption, error) {
	found, err := h.Ask.CompleteField(ctx, w, typed)
	options := make([]partial.WithinOption, len(found))
	for i, f := range found {
		options[i] = partial.WithinOption{ScopeItem: partial.Scope(ctx, domain.Scope{FactFilter: domain.FactFilter{Fields: []domain.FieldTerm{f.Term}}}, nil)[0], Note: lang.T(ctx, "as typed")}
		if f.Documents > 0 {
			options[i].Note = lang.Count(ctx, f.Documents, "document", "documents")
		}
	}
	return options, err
}

// facts completes a partly typed language, source or author.
func (h *Handler) facts(ctx context.Context, w domain.WorkspaceID, typed string) ([]partial.WithinOption, error) {
	counts, err := h.Ledger.FactCounts(ctx, w)
	if err != nil || typed == "" {
		return nil, err
	}
	var options []partial.WithinOption
	for _, c := range counts {
		var s domain.Scope
		if err := s.Add(c.Term); err != nil {
			continue // of a later version
		}
		item := partial.Scope(ctx, s, nil)[0]
		if strings.Contains(strings.ToLower(item.Name+" "+c.Term), strings.ToLower(typed)) {
			options = append(options, partial.WithinOption{ScopeItem: item, Note: lang.Count(ctx, c.Count, "document", "documents")})
		}
	}
	return options, nil
}

// factTerm reports whether a name typed without a script is a term about facts.
func factTerm(name string) bool {
	var s domain.Scope
	kind, _, _ := strings.Cut(name, ":")
	return kind != domain.WithinTag && kind != domain.WithinDocument && s.Add(name) == nil
}

// scopeOf returns the scope of a form's question.
func (h *Handler) scopeOf(c echo.Context) (domain.Scope, error) {
	form, err := c.FormParams()
	if err != nil {
		return domain.Scope{}, domain.Because(domain.Invalid, err, "The form could not be read. Reload the page and try again.")
	}
	terms := form["within"]
	if name := strings.TrimSpace(form.Get("within_name")); name != "" {
		tag, tagged := strings.CutPrefix(name, "#")
		switch {
		case factTerm(name):
			terms = append(terms, name)
		case tagged:
			terms = append(terms, domain.WithinTag+":"+tag)
		default:
			terms = append(terms, domain.WithinDocument+":"+strings.TrimPrefix(name, "@"))
		}
	}
	for field, kind := range map[string]string{"within_from": domain.WithinFrom, "within_to": domain.WithinTo} {
		if day := form.Get(field); day != "" {
			terms = append(terms, kind+":"+day)
		}
	}
	return h.Ask.Scope(c.Request().Context(), request.Workspace(c), terms)
}

// scope returns a scope as the composer shows it.
func (h *Handler) scope(c echo.Context, s domain.Scope) ([]partial.ScopeItem, error) {
	ctx, w := c.Request().Context(), request.Workspace(c)
	s, err := h.Ask.Resolve(ctx, w, s) // a field may have been renamed
	if err != nil {
		return nil, err
	}
	names, err := h.names(ctx, w, []ledger.Answer{{Scope: s}})
	return partial.Scope(ctx, s, names), err
}

// names returns the names of the documents in the scopes of messages.
func (h *Handler) names(ctx context.Context, w domain.WorkspaceID, messages []ledger.Answer) (map[domain.DocumentID]string, error) {
	ids := lists.Flat(messages, func(m ledger.Answer) []domain.DocumentID { return m.Scope.Documents })
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := h.Ledger.DocumentsByID(ctx, w, ids)
	return lists.Pairs(found, func(d domain.Document) (domain.DocumentID, string) { return d.ID, d.Name }), err
}
