package page

import (
	"strconv"
	"strings"

	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
)

// mostOffered is how many models of a server are named below the form.
const mostOffered = 30

// names lists the models of the server, and how many more there are.
func (f ModelForm) names() string {
	if more := len(f.Offered) - mostOffered; more > 0 {
		return strings.Join(f.Offered[:mostOffered], ", ") + " and " + format.Int(more) + " more"
	}
	return strings.Join(f.Offered, ", ")
}

// choose returns the address of the form for another kind of server.
func (f ModelForm) choose(server string) string {
	return link.With(link.Settings, "role", f.Role, "server", server) + "#connect"
}

// reached reports whether the form asks how to reach a server.
func (f ModelForm) reached() bool { return !f.Same && !f.Only }

func (f ModelForm) keyLabel() string {
	if f.KeyRequired {
		return "Key"
	}
	return "Key (if the server asks for one)"
}

func (f ModelForm) keyNote() string {
	if f.KeyKept {
		return "A key is kept. Leave this empty to go on with it at the same address; it is never shown."
	}
	return "It is stored encrypted, and never shown again."
}

func (s ServerChoice) current() string {
	if s.Chosen {
		return "true"
	}
	return "false"
}

func (r RoleLine) verb() string {
	if r.Kept {
		return "Change"
	}
	return "Connect"
}

// change returns the address of the form for the role.
func (r RoleLine) change() string { return link.With(link.Settings, "role", r.Role) + "#connect" }

func (p AgainProps) title() string {
	return format.Count(p.Documents, "document was", "documents were") + " read by another model or prompt than those in use."
}

func (p AgainProps) action() string {
	if p.Documents == 1 {
		return "Read it again"
	}
	return "Read them again"
}

func (s Setting) value() string {
	if s.Value == "" {
		return "not set"
	}
	return s.Value
}

func (p ErrorProps) status() string { return strconv.Itoa(p.Status) }

func (p ErrorProps) title() string {
	switch {
	case p.Status == 404:
		return "Not found"
	case p.Status == 401 || p.Status == 403:
		return "That is not allowed"
	case p.Status == 413:
		return "That is too large"
	case p.Status == 503:
		return "Some servers do not respond"
	case p.Status >= 500:
		return "Something went wrong"
	}
	return "That did not work"
}

func (p ErrorProps) advice() string {
	switch {
	case p.Status == 404:
		return "Check the address, or start from one of these pages."
	case p.Status == 403:
		return "Go back to where you were."
	case p.Status == 429:
		return "Wait, and then try again."
	case p.Status >= 500:
		return "Nothing was left half done. Try again in a moment; if the problem persists, see the log."
	}
	return "Go back, correct it, and try again."
}
