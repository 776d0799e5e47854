package page

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

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

// choose returns the page with the form for another kind of server.
func (f ModelForm) choose(server string) string {
	return link.With(link.Settings, "role", f.Role, "server", server)
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
		return "A key is stored. Leave this empty to keep using it at the same address; it is never shown."
	}
	return "It is stored encrypted, and never shown again."
}

func (s ServerChoice) current() string {
	if s.Chosen {
		return "true"
	}
	return "false"
}

// row returns the id of the row that contains the form.
func (f ModelForm) row() string {
	if f.Role == "embed" {
		return "row-embed"
	}
	return "row-answer"
}

// described returns the ids of the elements that describe a field of the form: its problem and a note.
func (f ModelForm) described(field, note string) string {
	if f.ProblemAt == field {
		return strings.TrimSpace("connect-problem " + note)
	}
	return note
}

// invalid returns the field's aria-invalid.
func (f ModelForm) invalid(field string) string { return strconv.FormatBool(f.ProblemAt == field) }

// inPlace makes a link replace an element of this page with the same element of the linked page. Without scripts it is an
// ordinary link.
func inPlace(ctx context.Context, address, id string) templ.Attributes {
	address = link.At(ctx, address)
	return templ.Attributes{"href": address + "#" + id, "hx-get": address, "hx-select": "#" + id, "hx-target": "#" + id, "hx-swap": "outerHTML", "hx-replace-url": "true"}
}

// opens returns the page with the row's form.
func (r SettingRow) opens() string {
	if r.Model {
		return link.With(link.Settings, "role", strings.TrimPrefix(r.ID, "row-"))
	}
	return link.With(link.Settings, "open", strings.TrimPrefix(r.ID, "row-"))
}

// closes returns the page without it.
func (r SettingRow) closes() string {
	return link.With(link.Settings, "closed", strings.TrimPrefix(r.ID, "row-"))
}

// saves reports whether a field of the form can be changed.
func (r SettingRow) saves() bool {
	return slices.ContainsFunc(r.Fields, func(f SettingField) bool { return !f.Fixed })
}

// field returns the id of the field of a setting.
func (f SettingField) field() string { return "field-" + strings.ToLower(f.Key) }

// described returns the ids of the elements that describe the field.
func (f SettingField) described() string {
	if f.Problem != "" {
		return f.field() + "-problem " + f.field() + "-help"
	}
	return f.field() + "-help"
}

// usual describes the default used when the field is empty.
func (f SettingField) usual() string {
	if f.Default == "" {
		return "Empty by default."
	}
	return "By default " + f.Default + "."
}

// mode returns the keyboard for the field's value.
func (f SettingField) mode() string {
	switch f.Kind {
	case "int":
		return "numeric"
	case "float64":
		return "decimal"
	}
	return "text"
}

// only are the ways to shorten the list.
var only = []struct{ value, title string }{{"", "All"}, {"changed", "Changed"}, {"environment", "Environment"}}

// shows returns the page with the list shortened in another way.
func (l SettingList) shows(only string) string {
	return link.With(link.Settings, "q", l.Words, "only", only)
}

func (l SettingList) placeholder() string {
	return "Search all " + format.Int(l.Counts[0]) + " settings"
}

// summary says how many settings of a group differ from their defaults.
func (g SettingGroup) summary() string {
	if g.Changed == 0 {
		return "all as by default"
	}
	return format.Int(g.Changed) + " changed"
}

func (p AgainProps) title() string {
	return format.Count(p.Documents, "document was", "documents were") + " read by another model or prompt than those in use."
}

func (p AgainProps) action() string {
	if p.Documents == 1 {
		return "Read it again"
	}
	return "Read them again"
}

func (p ErrorProps) status() string { return strconv.Itoa(p.Status) }

func (p ErrorProps) title() string {
	switch {
	case p.Status == 404:
		return p.Message // it says all
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
