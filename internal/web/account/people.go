package account

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// People serves the page of the members of the workspace, for admins.
func (h *Handler) People(c echo.Context) error { return h.people(c, http.StatusOK, "") }

func (h *Handler) people(c echo.Context, status int, problem string) error {
	app, err := h.Frame.App(c, layout.Accounts, "People")
	if err != nil {
		return err
	}
	members, err := auth.ListMembers.Do(h.Auth, c.Request().Context(), struct{}{})
	if err != nil {
		return err
	}
	words := domain.Cut(strings.TrimSpace(c.QueryParam("q")), auth.MaxName)
	p := page.PeopleProps{App: app, All: len(members), Words: words, Problem: problem, Name: domain.Cut(c.FormValue("name"), auth.MaxName), Role: domain.Role(c.FormValue("role")), Now: h.Now()}
	p.Members = slices.DeleteFunc(members, func(m auth.Member) bool {
		return !strings.Contains(strings.ToLower(m.Name+" "+string(m.Role)+" "+strings.Join(m.Groups, " ")), strings.ToLower(words))
	})
	return respond.HTML(c, status, page.PeoplePage(p))
}

// MemberAdded answers the form that made an account a member. One that was refused is shown again.
func (h *Handler) MemberAdded(c echo.Context, _ auth.Account, refused error) error {
	if refused != nil {
		problem := respond.Refusal(c, refused)
		return h.people(c, problem.Status, problem.Message)
	}
	return respond.SeeOther(c, link.With(link.People, "done", "member"))
}

// MemberChanged answers the form that changed the role of a member.
func MemberChanged(c echo.Context, a auth.Account) error {
	back := link.People
	if a.Name == frame.User(c) {
		back = link.Account // who is no admin any more can't see the other page
	}
	return respond.SeeOther(c, link.With(back, "done", "role"))
}

// MemberRemoved answers the form that removed a member.
func MemberRemoved(c echo.Context, a auth.Account) error {
	if a.Name == frame.User(c) {
		return c.Redirect(http.StatusSeeOther, link.Mounted(c.Request().Context(), link.Home)) // in another workspace
	}
	return respond.SeeOther(c, link.With(link.People, "done", "member-gone"))
}

// SetGroups puts an account into the groups of the form's field, which has commas between them.
func (h *Handler) SetGroups(c echo.Context) error {
	var groups auth.Grouping
	groups.Name, groups.Groups = c.Param("name"), strings.Split(c.FormValue("groups"), ",")
	a, err := auth.SetGroups.Do(h.Auth, c.Request().Context(), groups)
	if err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.ManageAccount(a.Name), "done", "groups"))
}
