package config

import (
	"net/netip"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// SignOn configures who may come in by the word of a sign-on provider, or of a proxy.
type SignOn struct {
	Issuer       string `env:"OIDC_ISSUER" group:"Sign-on" help:"Address of an OpenID Connect provider with which people sign in, as the provider names itself, for example https://id.example.org/realms/archive. It is asked when somebody signs in, so it may be down when Clew starts. Its client needs PUBLIC_URL followed by /sign-on/callback as a redirect address. Empty: people sign in with passwords alone."`
	ClientID     string `env:"OIDC_CLIENT_ID" group:"Sign-on" help:"Name of this installation at the provider."`
	ClientSecret string `env:"OIDC_CLIENT_SECRET" secret:"true" group:"Sign-on" help:"Secret of this installation at the provider. Empty for a public client."`
	Scopes       string `env:"OIDC_SCOPES" envDefault:"openid profile email" group:"Sign-on" help:"Scopes asked for, separated by spaces. Some providers need groups among them."`
	Groups       string `env:"OIDC_GROUPS" envDefault:"groups" group:"Sign-on" help:"Claim with the groups of a person, in the ID token or else at the UserInfo endpoint. Dots lead into objects: realm_access.roles. Empty: groups are set by hand."`
	Roles        string `env:"OIDC_ROLES" group:"Sign-on" help:"Which role the people of a group have in which workspace: GROUP=WORKSPACE:ROLE, separated by commas, or by semicolons where names of groups hold commas. The group * is everybody, the workspace * all of them, and GROUP=owner makes owners: archivists=library:curator, staff=*:reader, it=owner. It is applied at each sign-in. Anyone who has no role, by it or by hand, is refused. Also for PROXY_USER_HEADER."`
	Name         string `env:"OIDC_NAME" envDefault:"single sign-on" group:"Sign-on" help:"What people call the provider, for the button on the sign-in page: Continue with …"`
	ProxyUser    string `env:"PROXY_USER_HEADER" group:"Sign-on" help:"Header in which a proxy of TRUSTED_PROXIES names the person that it has signed in, for example Remote-User. It is trusted only from these addresses; the proxy must remove it from what people send. Empty: off."`
	ProxyGroups  string `env:"PROXY_GROUPS_HEADER" group:"Sign-on" help:"Header in which that proxy lists the person's groups, separated by commas or |, for OIDC_ROLES. Empty: groups are set by hand."`
}

// On reports whether people can sign in without a password.
func (s SignOn) On() bool { return s.Issuer != "" || s.ProxyUser != "" }

// Everybody is the group of a rule that everybody is in.
const Everybody = "*"

// Everywhere is the workspace of a rule that is for all workspaces.
const Everywhere = "*"

// A GroupRule gives the people of a group a role in a workspace. The role owner has no workspace.
type GroupRule struct {
	Group     string      `json:"group"`
	Workspace string      `json:"workspace,omitempty"` // its name
	Role      domain.Role `json:"role"`
}

// Rules returns the rules of OIDC_ROLES, and the first part that is none.
func (s SignOn) Rules() (rules []GroupRule, unread string) {
	between := ","
	if strings.Contains(s.Roles, ";") {
		between = ";"
	}
	for part := range strings.SplitSeq(s.Roles, between) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		at := strings.LastIndex(part, "=")
		if at < 0 {
			return nil, part
		}
		rule := GroupRule{Group: GroupName(part[:at])}
		workspace, role, inOne := strings.Cut(strings.TrimSpace(part[at+1:]), ":")
		if inOne {
			rule.Workspace, rule.Role = strings.TrimSpace(workspace), domain.Role(strings.TrimSpace(role))
		} else {
			rule.Role = domain.Role(workspace)
		}
		known := slices.Contains(domain.Roles(), rule.Role)
		if rule.Group == "" || inOne != known || inOne && rule.Workspace == "" || !known && rule.Role != domain.Owner {
			return nil, part
		}
		rules = append(rules, rule)
	}
	return rules, ""
}

// GroupName returns the name of a group without the slash that some providers put before it, and without spaces around it.
func GroupName(name string) string {
	return strings.TrimPrefix(strings.TrimSpace(name), "/")
}

// maxSignOnName is the maximum length of OIDC_NAME.
const maxSignOnName = 60

// headerName matches names of headers as proxies send them.
var headerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,99}$`)

// taken are headers that mean something else.
var taken = []string{"Authorization", "Cookie", "Host", "Origin", "Referer", "User-Agent", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Accept", "Content-Type"}

// check returns an error for wrong settings, given the setting TRUSTED_PROXIES.
func (s SignOn) check(proxies string) []error {
	var problems []error
	add := func(bad bool, format string, args ...any) {
		if bad {
			problems = append(problems, domain.Errorf(domain.Invalid, format, args...))
		}
	}
	add(s.Issuer != "" && !isIssuer(s.Issuer), "OIDC_ISSUER is %q, but should be an address such as https://id.example.org/realms/archive. Only on this machine may it begin with http.", s.Issuer)
	add((s.Issuer == "") != (s.ClientID == ""), "OIDC_ISSUER and OIDC_CLIENT_ID belong together: set both or none.")
	add(s.Issuer != "" && !slices.Contains(strings.Fields(s.Scopes), "openid"), "OIDC_SCOPES is %q, but should have openid among its scopes.", s.Scopes)
	add(s.Issuer != "" && s.Name == "" || len(s.Name) > maxSignOnName || strings.ContainsAny(s.Name, "\r\n\t"), "OIDC_NAME should be what people call the provider, in at most %d characters.", maxSignOnName)
	_, unread := s.Rules()
	add(unread != "", "OIDC_ROLES holds %q, but should list rules such as archivists=library:curator, staff=*:reader or it=owner, separated by commas. The roles are reader, contributor, curator and admin of a workspace, and owner.", unread)
	for _, h := range []struct{ key, value string }{{"PROXY_USER_HEADER", s.ProxyUser}, {"PROXY_GROUPS_HEADER", s.ProxyGroups}} {
		add(h.value != "" && (!headerName.MatchString(h.value) || slices.Contains(taken, textproto.CanonicalMIMEHeaderKey(h.value))), "%s is %q, but should be the name of a header that only the proxy sends, such as Remote-User.", h.key, h.value)
	}
	add(s.ProxyUser != "" && strings.Trim(proxies, ", ") == "", "PROXY_USER_HEADER is set, but TRUSTED_PROXIES is empty: name the addresses of the proxies that may say who signs in.")
	add(s.ProxyUser == "" && s.ProxyGroups != "", "PROXY_GROUPS_HEADER is set, but PROXY_USER_HEADER is empty: set both.")
	add(s.ProxyUser != "" && strings.EqualFold(s.ProxyUser, s.ProxyGroups), "PROXY_USER_HEADER and PROXY_GROUPS_HEADER name the same header.")
	return problems
}

// isIssuer reports whether an address may be that of a provider: nobody else may read what it says.
func isIssuer(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return false
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip.IsLoopback())
}
