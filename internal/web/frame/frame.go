// Package frame fills in the parts of every page around its content: title, navigation, counts and messages.
package frame

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
)

// A Frame fills the frame of pages. All fields are required but Model.
type Frame struct {
	Graph     graphstore.Reader
	Documents Counter
	Model     string // name of the model that answers; "" in the built-in mode
	Spending  Spender
	Shelf     Shelf
}

// A Shelf lists the workspaces that an account may open.
type Shelf interface {
	Mine(ctx context.Context, account string, role domain.Role) ([]domain.Workspace, error)
}

// A Counter counts the documents of a library.
type Counter interface {
	Count(ctx context.Context, w domain.WorkspaceID) (ledger.DocumentCounts, error)
}

// A Spender reports whether models may cost something, or have.
type Spender interface {
	Spends(ctx context.Context, w domain.WorkspaceID) (bool, error)
}

// Counts holds the size of a workspace.
type Counts struct {
	Documents ledger.DocumentCounts
	Graph     graphstore.Stats // zero if Away
	Away      string           // why the graph has no counts; "" if it has
}

// sessionKey is the key of the session in the request's context.
const sessionKey = "session"

// SetSession records the session that a request belongs to, for the page and
// for the work that the account asks for.
func SetSession(c echo.Context, s ledger.Session) {
	c.Set(sessionKey, s)
	ctx := domain.WithPerson(c.Request().Context(), s.Account)
	if s.Account != "" {
		ctx = domain.WithViewer(ctx, domain.Viewer{Account: s.Account, Admin: s.Role.Includes(domain.Admin), Access: domain.AccessOf(s.ID)})
	}
	c.SetRequest(c.Request().WithContext(lang.With(ctx, lang.Suits(s.Language, accepted(c)))))
}

// Session returns the session of a request, or the zero session while there are no accounts.
func Session(c echo.Context) ledger.Session {
	s, _ := c.Get(sessionKey).(ledger.Session)
	return s
}

// User returns the name of the account that is signed in, or "" without accounts.
func User(c echo.Context) string { return Session(c).Account }

// App returns the frame of a page. Errors of the ledger are returned; while the
// graph is unavailable the frame shows no entity count and says why.
func (f Frame) App(c echo.Context, section layout.Section, title string) (layout.Props, error) {
	p, _, err := f.Counted(c, section, title)
	return p, err
}

// Form sends a page with a form. One that answers a POST shows the form again, with the reason.
func (f Frame) Form(c echo.Context, section layout.Section, title string, p page.Form) error {
	app, err := f.App(c, section, title)
	if err != nil {
		return err
	}
	if p.App.Toast.Text != "" {
		app.Toast = p.App.Toast
	}
	p.App = app
	status := http.StatusOK
	if c.Request().Method == http.MethodPost {
		status = http.StatusUnprocessableEntity
	}
	return respond.HTML(c, status, page.FormPage(p))
}

// Deletion sends the page that asks whether to delete something.
func (f Frame) Deletion(c echo.Context, section layout.Section, title string, p page.Deletion) error {
	var err error
	if p.App, err = f.App(c, section, title); err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.DeletionPage(p))
}

// Counted returns the frame like App, and the counts in it for a page that
// shows them too.
func (f Frame) Counted(c echo.Context, section layout.Section, title string) (layout.Props, Counts, error) {
	ctx, w := c.Request().Context(), request.Workspace(c)
	p := layout.Props{Title: title, Section: section, Model: f.Model, Toast: toast(c), User: User(c), Role: Session(c).Role, Technical: Technical(c)}
	counts, err := f.Count(ctx, w)
	if err != nil {
		return p, counts, err
	}
	p.Workspace = request.NamedIn(c).Workspace
	if p.Workspaces, err = f.Shelf.Mine(ctx, p.User, p.Role); err != nil {
		return p, counts, err
	}
	if p.Spends, err = f.Spending.Spends(ctx, w); err != nil {
		return p, counts, err
	}
	p.Review = counts.Documents.Pairs
	p.Documents, p.Entities, p.Away = counts.Documents.All(), counts.Graph.Entities, counts.Away
	if f.Model != "" {
		p.Unread = counts.Documents.Outdated
	}
	return p, counts, nil
}

// graphTimeout limits how long a page waits for the graph's counts.
const graphTimeout = 2 * time.Second

// Count returns the counts of a workspace. A graph that is unavailable, slow or of
// another library is reported in Counts.Away, not as an error.
func (f Frame) Count(ctx context.Context, w domain.WorkspaceID) (Counts, error) {
	documents, err := f.Documents.Count(ctx, w)
	if err != nil {
		return Counts{}, err
	}
	soon, cancel := context.WithTimeout(ctx, graphTimeout)
	defer cancel()
	stats, err := f.Graph.Stats(soon, w)
	switch {
	case err == nil:
		return Counts{Documents: documents, Graph: stats}, nil
	case ctx.Err() != nil:
		return Counts{}, err
	case domain.KindOf(err) == domain.Unavailable, errors.Is(err, domain.ErrForeign):
		return Counts{Documents: documents, Away: domain.InWords(err)}, nil
	case soon.Err() != nil:
		return Counts{Documents: documents, Away: lang.T(ctx, "The entity graph is not responding.")}, nil
	}
	return Counts{}, err
}

// Bare returns the frame of a page that must not fail, such as an error or the
// sign-in form.
func (f Frame) Bare(c echo.Context, title string) layout.Props {
	return layout.Props{Title: title, Model: f.Model, User: User(c), Role: Session(c).Role, Technical: Technical(c)}
}

// toasts maps values of the query parameter done to messages, so that a URL can't make a page show any other text.
var toasts = map[string]string{
	"deleted":  "The document was deleted, with everything only it contributed.",
	"restored": "The deletion was undone. Everything is as it was.",
	"paused":   "The waiting documents are paused. Those being read continue.",
	"going":    "The documents are no longer paused.",
	"next":     "The document will be read next.",

	"turn-pause":    "The chosen documents that wait are paused.",
	"turn-go-on":    "The chosen documents are no longer paused.",
	"turn-first":    "The chosen documents will be read before the others.",
	"turn-stop":     "The chosen documents will not be read.",
	"readers":       "Who may read the documents was changed.",
	"limited-away":  "The document was limited to others: you can't see it any more.",
	"tagged":        "The documents already have these tags.",
	"as-set":        "The documents already have these values.",
	"left":          "Documents that had not been started were left as they were.",
	"chosen":        "The documents are being read again.",
	"talk":          "The conversation was deleted, with its answers and their runs.",
	"shared":        "Everybody in this workspace can read the conversation as it is now.",
	"unshared":      "The conversation is no longer shared.",
	"cleared":       "The conversations were deleted, with their answers and runs.",
	"summary":       "The summary was deleted.",
	"research":      "The research was deleted.",
	"study":         "The study set was deleted.",
	"again":         "The document is being read again.",
	"schema":        "The documents that the schema changes are being read again.",
	"stopped":       "Stopped. Results so far are kept.",
	"sample":        "The sample library was added.",
	"failed":        "Failed documents are being retried.",
	"held":          "The documents are being read.",
	"kept":          "The question was kept.",
	"imported":      "The questions of the file were kept.",
	"set":           "The set was added. Write its questions, or take them from a file.",
	"renamed":       "The set was renamed.",
	"evaluated":     "The evaluation was deleted, with its runs.",
	"account":       "The account was added.",
	"first-account": "The account was added, and you are signed in with it. From now on everybody has to sign in.",
	"removed":       "The account was removed. Its sessions have ended.",
	"member":        "The account is a member of this workspace.",
	"member-back":   "The account is a member of this workspace again, with the role that it had.",
	"groups":        "The groups were set.",
	"role":          "The role was changed.",
	"password":      "The password was changed. All other sessions of the account have ended.",
	"linked":        "The sign-on is linked.",
	"unlinked":      "The sign-on is no longer linked.",
	"session":       "The session was ended.",
	"sessions":      "The sessions were ended.",
	"told":          "It is sent within seconds.",
	"uninvited":     "The invitation was taken back. Its link does not work any more.",
	"codes-off":     "Codes are not asked for any more: the password alone signs in.",
	"answer-shared": "Everybody in this workspace can read the answer. Its link is below.",
	"joined":        "You are a member of this workspace now.",
	"unfollowed":    "Nothing is looked at there any more. The documents that came from it stay.",
	"unhooked":      "The webhook was removed, with its deliveries.",
	"revoked":       "The token was revoked. Programs that use it are refused from now on.",
	"caps":          "The caps were saved. Work that waited for them continues.",
	"price":         "The price was set.",
	"model":         "The model was saved and is used from now on.",
	"forgotten":     "The model and its key were deleted.",
	"prompt":        "The prompt was saved. Runs that start from now on use it.",
	"outdated":      "Documents read with another model or prompt are being read again.",
}

func toast(c echo.Context) layout.Toast {
	return layout.Toast{Text: lang.T(c.Request().Context(), toasts[c.QueryParam("done")])}
}
