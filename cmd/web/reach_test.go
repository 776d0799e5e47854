package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/web"
)

// TestEveryOperationIsReached by a command and by a page; TestEveryOperationHasARoute is about routes. A form carries out an
// operation, or says why it carries out none.
func TestEveryOperationIsReached(t *testing.T) {
	t.Parallel()
	pages := map[string]bool{}
	for _, p := range web.Pages() {
		for _, name := range p.Operations {
			pages[name] = true
		}
		if form := p.Method == http.MethodPost; form && (len(p.Operations) == 0) == (p.Alone == "") {
			t.Errorf("the form of %s carries out %q, and has the reason %q for carrying out none", p.Path, p.Operations, p.Alone)
		}
	}
	commands := runnable(program(systemEnv()))
	for _, row := range allRows() {
		if !pages[row.Name] {
			t.Errorf("%s is on no page", row.Name)
		}
		if !slices.Contains(commands, row.Name) {
			t.Errorf("%s has no command", row.Name)
		}
		delete(pages, row.Name)
	}
	for name := range pages {
		t.Errorf("a page carries out %q, which is no operation", name)
	}
}

// runnable returns the commands below one that do something, without the name of the program.
func runnable(c *cobra.Command) []string {
	var names []string
	if c.Runnable() {
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		names = append(names, name)
	}
	for _, below := range c.Commands() {
		names = append(names, runnable(below)...)
	}
	return names
}
