package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
)

// A Page is an address that people visit, or that a form is sent to.
type Page struct {
	Method, Path string      // as echo has them
	Operations   []string    // that it shows or carries out, by name
	Alone        string      // why a form carries out none
	Role         domain.Role // the lowest that may; "" if nobody has to sign in
}

// Address returns the path with names in braces in place of ids, preceded by POST for a form.
func (p Page) Address() string {
	parts := strings.Split(p.Path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	address := strings.Join(parts, "/")
	if p.Method == http.MethodPost {
		return p.Method + " " + address
	}
	return address
}

// Pages returns all pages in the order of the table of routes.
func Pages() []Page {
	var all []Page
	to := group{echo: echo.New(), pages: &all}
	pages(areas{to, to, to}, Params{}, handlers{})
	return all
}
