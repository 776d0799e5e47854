package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestJSONHasOneForm looks at every command that has --json: its help says
// whether an object or an array is printed, and those that need nothing but a
// library print it.
func TestJSONHasOneForm(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	s, _, _ := sh.env()
	found := 0
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			look(sub)
		}
		flag := cmd.Flag("json")
		if flag == nil || !does(cmd) {
			return
		}
		found++
		if !strings.HasPrefix(flag.Usage, jsonObject) && !strings.HasPrefix(flag.Usage, jsonArray) {
			t.Errorf("%s --json: %q says neither %q nor %q", cmd.CommandPath(), flag.Usage, jsonObject, jsonArray)
		}
		if strings.HasPrefix(flag.Usage, jsonArray) && !strings.Contains(flag.Usage, "without") && cmd.Args != nil && cmd.Args(cmd, nil) == nil && !needsFlag(cmd) {
			args := append(strings.Fields(cmd.CommandPath())[1:], "--json")
			if out := sh.must(t, args...); decoded[[]any](t, out) == nil {
				t.Errorf("clew %s prints %s", strings.Join(args, " "), out)
			}
		}
	}
	look(program(s))
	if found < 30 {
		t.Errorf("%d commands have --json", found)
	}
}

// needsFlag reports whether a command can't run without one of its flags.
func needsFlag(cmd *cobra.Command) (needs bool) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, required := f.Annotations[cobra.BashCompOneRequiredFlag]
		needs = needs || required
	})
	return needs
}

// TestAListIsPrintedAsItGrows compares the list that grows with the list that
// is known at once.
func TestAListIsPrintedAsItGrows(t *testing.T) {
	t.Parallel()
	type thing struct {
		Name string   `json:"name"`
		In   []string `json:"in"`
	}
	for _, things := range [][]thing{nil, {{Name: "a < b"}}, {{Name: "a", In: []string{"x", "y"}}, {Name: "b"}}} {
		var whole, grown bytes.Buffer
		list := &jsonList{out: &grown}
		noError(t, printJSON(&whole, things))
		for _, v := range things {
			noError(t, list.add(v))
		}
		noError(t, list.end())
		if whole.String() != grown.String() {
			t.Errorf("it grows to\n%s\nwant\n%s", grown.String(), whole.String())
		}
	}
}
