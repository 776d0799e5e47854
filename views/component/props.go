package component

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/views/lang"
)

// SearchProps configure a search field.
type SearchProps struct {
	Attributes  templ.Attributes
	Name        string // of the parameter; "" means "q"
	Value       string
	Label       string // label for screen readers
	Placeholder string
	Slash       bool // the key / focuses the field; one per page that has no field for questions
}

func (p SearchProps) parameter() string {
	return cmp.Or(p.Name, "q")
}

// A Choice is a value of a select field, with its name for people. The first one of a field may be "".
type Choice struct{ Value, Title string }

// title returns the title in the language of the page; one that is the value itself is a name.
func (c Choice) title(ctx context.Context) string {
	if c.Title == c.Value {
		return c.Title
	}
	return lang.T(ctx, c.Title)
}

// Choices returns choices from pairs of a value and its name.
func Choices(pairs ...string) (all []Choice) {
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, Choice{pair[0], pair[1]})
	}
	return all
}

// PostProps configure a form with a single button.
type PostProps struct {
	Class      string
	Attributes templ.Attributes
	URL        string // address that the form posts to
	Back       string // page to return to; "" leaves it to the handler
	Quiet      bool   // sent by the page's script without leaving the page: the change arrives over a stream
}

// PagesProps describe one page of a longer list.
type PagesProps struct {
	URL                  string     // of the list
	Query                url.Values // kept from page to page
	Offset, Limit, Total int
}

// Long reports whether there is more than one page.
func (p PagesProps) Long() bool { return p.Total > p.Limit }

// Range returns the numbers of the items shown, for people.
func (p PagesProps) Range(ctx context.Context) string {
	if p.Offset >= p.Total {
		return lang.F(ctx, "none of %s", lang.Int(ctx, p.Total))
	}
	return lang.F(ctx, "%s to %s of %s", lang.Int(ctx, p.Offset+1), lang.Int(ctx, min(p.Offset+p.Limit, p.Total)), lang.Int(ctx, p.Total))
}

// Previous returns the address of the previous page, "" on the first.
func (p PagesProps) Previous() string {
	if p.Offset <= 0 {
		return ""
	}
	return p.at(max(0, p.Offset-p.Limit))
}

// Next returns the address of the next page, "" on the last.
func (p PagesProps) Next() string {
	if p.Offset+p.Limit >= p.Total {
		return ""
	}
	return p.at(p.Offset + p.Limit)
}

func (p PagesProps) at(offset int) string {
	q := url.Values{}
	for key, values := range p.Query {
		for _, v := range values {
			if v != "" {
				q.Add(key, v)
			}
		}
	}
	if offset > 0 {
		q.Set("offset", strconv.Itoa(offset))
	}
	if len(q) == 0 {
		return p.URL
	}
	return p.URL + "?" + q.Encode()
}
