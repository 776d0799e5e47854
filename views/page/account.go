package page

import (
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// AccountProps is the data for the page of one's own account.
type AccountProps struct {
	App      layout.Props
	Sessions []SessionLine
	Language string // chosen one, by its code
	Problem  string // why the password was not changed
	Step     StepProps
	SignOn   SignOnAccount
}

// languages lists the languages of pages, after the choice of the browser's.
func languages() []component.Choice {
	all := component.Choices("browser", "By the browser")
	for _, l := range lang.Languages() {
		all = append(all, component.Choice{Value: l.Code, Title: l.Name})
	}
	return all
}

// A SessionLine is a browser with a session.
type SessionLine struct {
	ID        string
	Browser   string // its User-Agent
	Address   string
	Unused    time.Duration
	CreatedAt time.Time
	This      bool // the page is shown in it
}

// AccountsProps is the data for the list of accounts.
type AccountsProps struct {
	App      layout.Props
	Accounts []AccountLine
	Name     string // typed by the person adding one
	Role     domain.Role
	Problem  string // why it was not added
}

// An AccountLine is one line of the list of accounts.
type AccountLine struct {
	Name     string
	Role     domain.Role
	Sessions int
	Unused   time.Duration // only if it has sessions
}

// ManageAccountProps is the data for the page of an account for owners.
type ManageAccountProps struct {
	App       layout.Props
	Name      string
	Role      domain.Role
	CreatedAt time.Time
	Groups    []string
	Sessions  []SessionLine
	Codes     bool // it is asked for codes at sign-in
}

func (a AccountLine) use(ctx context.Context) string {
	if a.Sessions == 0 {
		return lang.T(ctx, "Not signed in")
	}
	return lang.F(ctx, "Signed in in %s, last used %s", lang.Count(ctx, a.Sessions, "browser", "browsers"), ago(ctx, a.Unused))
}

func (s SessionLine) use(ctx context.Context) string {
	return lang.F(ctx, "Last used %s from %s, signed in on %s", ago(ctx, s.Unused), s.Address, lang.Moment(ctx, s.CreatedAt))
}

func ago(ctx context.Context, d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return lang.T(ctx, "just now")
	case d < 2*time.Hour:
		return lang.F(ctx, "%s ago", lang.Count(ctx, int(d.Minutes()), "minute", "minutes"))
	case d < 48*time.Hour:
		return lang.F(ctx, "%s ago", lang.Count(ctx, int(d.Hours()), "hour", "hours"))
	}
	return lang.F(ctx, "%s ago", lang.Count(ctx, int(d.Hours()/24), "day", "days"))
}

// names maps parts of a User-Agent to a name, the special ones first: a browser
// also names those it descends from.
type names [][2]string

var (
	browsers = names{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	}
	systems = names{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

func (n names) in(agent string) string {
	for _, part := range n {
		if strings.Contains(agent, part[0]) {
			return part[1]
		}
	}
	return ""
}

// name returns a browser's name for people.
func (s SessionLine) name(ctx context.Context) string {
	browser, system := browsers.in(s.Browser), systems.in(s.Browser)
	switch {
	case browser != "" && system != "":
		return lang.F(ctx, "%s on %s", browser, system)
	case browser+system != "":
		return browser + system
	case s.Browser != "":
		return domain.Cut(s.Browser, 40)
	}
	return lang.T(ctx, "A browser without a name")
}
