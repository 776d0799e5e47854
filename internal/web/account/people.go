package account

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// People serves the page of the members of the workspace, for admins.
func (h *Handler) People(c echo.Context) error {
	return h.people(c, http.StatusOK, page.PeopleProps{})
}

func (h *Handler) people(c echo.Context, status int, p page.PeopleProps) error {
	app, err := h.Frame.App(c, layout.Accounts, lang.T(c.Request().Context(), "People"))
	if err != nil {
		return err
	}
	members, err := auth.ListMembers.Do(h.Auth, c.Request().Context(), struct{}{})
	if err != nil {
		return err
	}
	if p.Spent, err = h.Settings.Costs.OfPersons(c.Request().Context(), request.Workspace(c)); err != nil {
		return err
	}
	words := domain.Cut(strings.TrimSpace(c.QueryParam("q")), auth.MaxName)
	if p.App.Toast.Text != "" {
		app.Toast = p.App.Toast
	}
	p.App, p.All, p.Words, p.Name, p.Role, p.Now = app, len(members), words, domain.Cut(c.FormValue("name"), auth.MaxName), domain.Role(c.FormValue("role")), h.Now()
	p.Members = slices.DeleteFunc(members, func(m auth.Member) bool {
		return !strings.Contains(strings.ToLower(m.Name+" "+string(m.Role)+" "+strings.Join(m.Groups, " ")), strings.ToLower(words))
	})
	return respond.HTML(c, status, page.PeoplePage(p))
}

// MemberAdded answers the form that made an account a member. One that was refused is shown again.
func (h *Handler) MemberAdded(c echo.Context, _ auth.Account, refused error) error {
	if refused != nil {
		problem := respond.Refusal(c, refused)
		return h.people(c, problem.Status, page.PeopleProps{Problem: problem.Message})
	}
	return respond.SeeOther(c, link.With(link.People, "done", "member"))
}

// MemberChanged answers the form that changed the role of a member.
func MemberChanged(c echo.Context, a auth.Account) error {
	back := link.People
	if a.Name == frame.User(c) {
		back = link.Account // someone who is no longer an admin can't see the other page
	}
	return respond.SeeOther(c, link.With(back, "done", "role"))
}

// MemberRemoved answers the form that removed a member, with a way back.
func (h *Handler) MemberRemoved(c echo.Context, a auth.Account) error {
	if a.Name == frame.User(c) {
		return c.Redirect(http.StatusSeeOther, link.Mounted(c.Request().Context(), link.Home)) // in another workspace
	}
	p := page.PeopleProps{}
	p.App.Toast = layout.Toast{Text: lang.F(c.Request().Context(), "%s is no longer a member of this workspace. Tokens for it were revoked.", a.Name), Action: lang.T(c.Request().Context(), "Undo"), URL: link.Restore(link.Member(a.Name))}
	return h.people(c, http.StatusOK, p)
}

// SetGroups puts an account into the groups of the form's field, which has commas between them.
func (h *Handler) SetGroups(c echo.Context) error {
	var groups auth.Grouping
	groups.Name, groups.Groups = c.Param("name"), strings.Split(c.FormValue("groups"), ",")
	a, err := auth.SetGroups.Do(h.Auth, c.Request().Context(), groups)
	return respond.After(c, err, link.With(link.ManageAccount(a.Name), "done", "groups"))
}

// Invitations serves the page of invitations to the workspace.
func (h *Handler) Invitations(c echo.Context) error {
	return h.invitations(c, http.StatusOK, page.InvitationsProps{})
}

func (h *Handler) invitations(c echo.Context, status int, p page.InvitationsProps) (err error) {
	if p.App, err = h.Frame.App(c, layout.Accounts, lang.T(c.Request().Context(), "Invitations")); err != nil {
		return err
	}
	if p.Invitations, err = auth.ListInvitations.Do(h.Auth, c.Request().Context(), struct{}{}); err != nil {
		return err
	}
	p.Now = h.Now()
	return respond.HTML(c, status, page.InvitationsPage(p))
}

// InvitationMade answers the form that makes an invitation: with its link, which no other page shows.
func (h *Handler) InvitationMade(c echo.Context, made auth.NewInvitation, refused error) error {
	if refused == nil {
		whom := cmp.Or(made.Note, lang.F(c.Request().Context(), "a new %s", string(made.Role)))
		return h.invitations(c, http.StatusOK, page.InvitationsProps{Link: request.Root(c) + link.Join(made.Secret), For: whom})
	}
	problem := respond.Refusal(c, refused)
	return h.invitations(c, problem.Status, page.InvitationsProps{
		Problem: problem.Message, Wanted: auth.InvitationWanted{Note: domain.Cut(c.FormValue("note"), auth.MaxName), Role: domain.Role(c.FormValue("role"))},
	})
}

// ResetMade answers the form that made a link for a new password.
func (h *Handler) ResetMade(c echo.Context, made auth.NewReset) error {
	app, err := h.Frame.App(c, layout.Accounts, made.Name)
	return respond.Show(c, err, http.StatusOK, page.ResetMadePage(page.ResetMadeProps{App: app, Name: made.Name, Link: request.Root(c) + link.Reset(made.Secret)}))
}
