package page

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// mostOffered is how many models of a server are named below the form.
const mostOffered = 30

// names lists the models of the server, and how many more there are.
func (f ModelForm) names(ctx context.Context) string {
	if more := len(f.Offered) - mostOffered; more > 0 {
		return lang.F(ctx, "%s and %s more", strings.Join(f.Offered[:mostOffered], ", "), lang.Int(ctx, more))
	}
	return strings.Join(f.Offered, ", ")
}

// choose returns the page with the form for another kind of server.
func (f ModelForm) choose(server string) string {
	return link.With(link.Settings, "role", f.Role, "server", server)
}

// reached reports whether the form asks how to reach a server.
func (f ModelForm) reached() bool { return !f.Same && !f.Only }

func (f ModelForm) keyLabel(ctx context.Context) string {
	if f.KeyRequired {
		return lang.T(ctx, "Key")
	}
	return lang.T(ctx, "Key (if the server asks for one)")
}

func (f ModelForm) keyNote(ctx context.Context) string {
	if f.KeyKept {
		return lang.T(ctx, "A key is stored. Leave this empty to keep using it at the same address; it is never shown.")
	}
	return lang.T(ctx, "It is stored encrypted, and never shown again.")
}

func (s ServerChoice) current() string { return strconv.FormatBool(s.Chosen) }

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
		return strings.TrimSpace(fmt.Sprintf("connect-problem %s", note))
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
		return fmt.Sprintf("%s-problem %s", f.field(), f.field()) + "-help"
	}
	return f.field() + "-help"
}

// usual describes the default used when the field is empty.
func (f SettingField) usual(ctx context.Context) string {
	if f.Default == "" {
		return lang.T(ctx, "Empty by default.")
	}
	return lang.F(ctx, "By default %s.", f.Default)
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

func (l SettingList) placeholder(ctx context.Context) string {
	return lang.F(ctx, "Search all %s settings", lang.Int(ctx, l.Counts[0]))
}

// summary says how many settings of a group differ from their defaults.
func (g SettingGroup) summary(ctx context.Context) string {
	if g.Changed == 0 {
		return lang.T(ctx, "all as by default")
	}
	return lang.F(ctx, "%s changed", lang.Int(ctx, g.Changed))
}

func (p AgainProps) title(ctx context.Context) string {
	return lang.F(ctx, "%s read by another model or prompt than those in use.", lang.Count(ctx, p.Documents, "document was", "documents were"))
}

func (p AgainProps) action(ctx context.Context) string {
	if p.Documents == 1 {
		return lang.T(ctx, "Read it again")
	}
	return lang.T(ctx, "Read them again")
}

func (p ErrorProps) status() string { return strconv.Itoa(p.Status) }

func (p ErrorProps) title(ctx context.Context) string {
	switch {
	case p.Status == 404:
		return p.Message // it says everything
	case p.Status == 401 || p.Status == 403:
		return lang.T(ctx, "That is not allowed")
	case p.Status == 413:
		return lang.T(ctx, "That is too large")
	case p.Status == 503:
		return lang.T(ctx, "Some servers do not respond")
	case p.Status >= 500:
		return lang.T(ctx, "Something went wrong")
	}
	return lang.T(ctx, "That did not work")
}

func (p ErrorProps) advice(ctx context.Context) string {
	switch {
	case p.Status == 404:
		return lang.T(ctx, "Check the address, or start from one of these pages.")
	case p.Status == 403:
		return lang.T(ctx, "Go back to where you were.")
	case p.Status == 429:
		return lang.T(ctx, "Wait, and then try again.")
	case p.Status >= 500:
		return lang.T(ctx, "Nothing was left half done. Try again in a moment; if the problem persists, see the log.")
	}
	return lang.T(ctx, "Go back, correct it, and try again.")
}
