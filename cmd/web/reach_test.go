package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web"
	"github.com/clewhq/clew/views/link"
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
	for _, c := range aloneCommands(program(systemEnv())) {
		if c.Annotations[hereAlone]+c.Annotations[needsNone]+c.Annotations[carriesRemote] == "" {
			t.Errorf("%s carries out no operation, and does not say why", c.CommandPath())
		}
	}
	for name := range pages {
		t.Errorf("a page names the operation %q, which does not exist", name)
	}
}

// TestPagesAskForWhatOperationsNeed: people get as far on pages as their tokens do. Only of their own tokens may they do
// more: there a page carries out what a program needs the scope admin for. The form of chosen documents carries out
// operations for several roles; TestChosenDocumentsAreDeletedByCurators is about these. The page of usage shows its table of
// workspaces to owners alone.
func TestPagesAskForWhatOperationsNeed(t *testing.T) {
	t.Parallel()
	scopes := map[string]operation.Scope{}
	for _, row := range allRows() {
		scopes[row.Name] = row.Scope
	}
	for _, p := range web.Pages() {
		if len(p.Operations) == 0 || strings.HasPrefix(p.Path, link.Tokens) || p.Method == http.MethodPost && p.Path == link.Chosen {
			continue
		}
		needed := domain.Reader
		for _, name := range p.Operations {
			if name == "usage workspaces" {
				continue
			}
			if role := scopes[name].Role(); role.Includes(needed) {
				needed = role
			}
		}
		if needed != p.Role {
			t.Errorf("%s %s is for %s; its operations %v need %s", p.Method, p.Path, p.Role, p.Operations, needed)
		}
	}
}

// runnable returns the commands below one that do something, without the name of the program.
func runnable(c *cobra.Command) []string {
	var names []string
	if does(c) {
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		names = append(names, name)
	}
	for _, below := range c.Commands() {
		names = append(names, runnable(below)...)
	}
	return names
}
