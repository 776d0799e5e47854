package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

// commands returns a command and its subcommands by their names.
func commands(c *cobra.Command, path []string) map[string][]string {
	all := map[string][]string{c.CommandPath(): path}
	for _, sub := range c.Commands() {
		maps.Copy(all, commands(sub, append(append([]string{}, path...), sub.Name())))
	}
	return all
}

func TestEveryCommandTeaches(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	s, _, _ := sh.env()
	all := commands(program(s), nil)
	if len(all) < 12 {
		t.Fatalf("%d commands", len(all))
	}
	for name, path := range all {
		out := sh.must(t, append(path, "--help")...)
		if !strings.Contains(out, "Usage:") || !strings.Contains(out, "--data") || strings.Count(out, "\n") < 5 {
			t.Errorf("%s --help says %q", name, out)
		}
	}
	help := sh.must(t, "--help")
	for _, name := range []string{"serve", "ingest", "ask", "user", "eval", "graph", "health", "backup", "restore", "fsck", "rebuild", "docs/config.md", "clew ask \""} {
		if !strings.Contains(help, name) {
			t.Errorf("clew --help does not mention %s", name)
		}
	}
	for _, name := range []string{"ingest", "ask", "graph", "backup", "restore", "fsck", "rebuild"} {
		if out := sh.must(t, name, "--help"); !strings.Contains(out, "Examples:\n  clew "+name) {
			t.Errorf("clew %s --help shows no example", name)
		}
	}
}

// shown matches a command in an example, up to a pipe, a file, another command or the words that explain it.
var shown = regexp.MustCompile(`(^|\| |xargs |&& )clew ((?:"[^"]*"|'[^']*'|[^"'|>&])*)`)

// word matches an argument as a shell reads it.
var word = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)

// TestExamplesOfCommandsCanBeTyped reads every line of the examples as a shell and the command would: each calls a command
// with arguments and flags that it takes. A command that needs an argument has an example, or is in one of its group.
func TestExamplesOfCommandsCanBeTyped(t *testing.T) {
	t.Parallel()
	s, _, _ := newShell(t).env()
	called, needy := map[string]bool{}, []string{}
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			look(sub)
		}
		if cmd.Args != nil && cmd.Args(cmd, nil) != nil && !cmd.Hidden {
			needy = append(needy, cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "   ")
			found := shown.FindAllStringSubmatch(line, -1)
			if len(found) == 0 && line != "clew" {
				t.Errorf("%s: the example calls nothing: %s", cmd.CommandPath(), line)
			}
			for _, f := range found {
				args := word.FindAllString(f[2], -1)
				if f[1] == "xargs " {
					args = append(args, "ID") // which it gets from the pipe
				}
				for i := range args {
					args[i] = strings.NewReplacer(`"`, "", "'", "").Replace(args[i])
				}
				path, err := typed(program(s), args)
				if called[path] = true; err != nil {
					t.Errorf("%s: %s: %v", cmd.CommandPath(), line, err)
				}
			}
		}
	}
	look(program(s))
	for _, path := range needy {
		if !called[path] && path != "clew documents guided" {
			t.Errorf("%s needs an argument, and no example shows one", path)
		}
	}
	if _, err := typed(program(s), []string{"ask", "--wrong", "Who?"}); err == nil {
		t.Error("a wrong flag fits")
	}
}

// typed returns the path of the command that arguments call, and an error if it would not take them.
func typed(root *cobra.Command, args []string) (string, error) {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return "", err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return cmd.CommandPath(), err
	}
	return cmd.CommandPath(), errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups(), cmd.ValidateArgs(cmd.Flags().Args()))
}

func TestWordsThatAreNoCommand(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	for _, args := range [][]string{{"explode"}, {"ingest"}, {"graph"}, {"graph", "sand"}, {"user", "add"}, {"ask", "--loud", "Who?"}, {"health", "x"}, {"rebuild", "--store", "sand"}, {"fsck", "x"},
		{"watch", ""}, {"ingest", ""}, {"backup", ""}, {"search", " "}, {"ask", " "}, {"entities", "near", ""}, {"entities", "count", " "}, {"entities", "path", "Maud", ""},
		{"documents", "show", ""}, {"run", "show", ""}, {"search", "--within", "", "Who?"}, {"ask", "--within", " ", "Who?"}, {"conversations", "delete", ""}, {"themes", "--limit", "-2"}, {"timeline", "--limit=-2"}} {
		if out, err := sh.run(t, args...); domain.KindOf(err) != domain.Invalid && domain.KindOf(err) != domain.NotFound || out != "" {
			t.Errorf("clew %q is taken: %v\n%s", args, err, out)
		}
	}
}

// TestAGroupNamesAWordThatIsNoCommand gives each command that only holds others a word: it is named, and so is the command
// that it seems to mean.
func TestAGroupNamesAWordThatIsNoCommand(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	s, _, _ := sh.env()
	groups := 0
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			look(sub)
		}
		if !cmd.HasSubCommands() || does(cmd) && cmd.HasParent() || ofCobra(cmd) {
			return
		}
		groups++
		path, name := strings.Fields(cmd.CommandPath())[1:], cmd.Commands()[0].Name()
		for word, says := range map[string]string{"qqq": "--help lists", name + "x": "Did you mean " + cmd.CommandPath() + " " + name + "?"} {
			out, err := sh.run(t, append(slices.Clone(path), word)...)
			if domain.KindOf(err) != domain.Invalid || out != "" || !strings.Contains(err.Error(), "Unknown command "+cmd.CommandPath()+" "+word+".") || !strings.Contains(err.Error(), says) {
				t.Errorf("%s %s: %v\n%s", cmd.CommandPath(), word, err, out)
			}
		}
		if len(path) > 0 {
			if out := sh.must(t, path...); !strings.Contains(out, "Available Commands:") || strings.Contains(out, cmd.CommandPath()+" [flags]\n") {
				t.Errorf("%s says %q", cmd.CommandPath(), out)
			}
		}
	}
	look(program(s))
	if groups < 20 {
		t.Errorf("%d groups", groups)
	}
	if _, err := sh.run(t, "fsck", "lst"); err == nil || !strings.Contains(err.Error(), "Did you mean clew fsck last?") {
		t.Errorf("a command that does something, and holds others: %v", err)
	}
}

func TestGraphsAreDrawn(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	for name, nodes := range map[string][]string{
		"answer": {"retrieve", "grade_documents", "transform_query", "generate", "decide"},
		"ingest": {"parse", "split", "extract", "embed", "resolve", "project", "report"},
	} {
		out := sh.must(t, "graph", name)
		for _, node := range nodes {
			if !strings.Contains(out, node) {
				t.Errorf("clew graph %s does not draw %s", name, node)
			}
		}
	}
	if _, err := sh.run(t, "graph", "sand"); err == nil || !strings.Contains(err.Error(), "answer, chart, check, crawl, embed, generate, ingest") {
		t.Errorf("an unknown graph: %v", err)
	}
}

func TestTheFlagWinsOverTheSetting(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	other := filepath.Join(t.TempDir(), "other")
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", "--data", other, foundryFile)
	if out := sh.must(t, "ask", "Who founded the Carrow Foundry?"); !strings.Contains(out, "Nothing had been read") {
		t.Errorf("the folder of DATA_DIR holds it: %q", out)
	}
	if out := sh.must(t, "ask", "--data", other, "Who founded the Carrow Foundry?"); !strings.Contains(out, "Maud Ferring") {
		t.Errorf("the folder of --data does not hold it: %q", out)
	}
}

func TestEveryMistakeInTheSettingsIsTold(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "MAX_LOOPS=-1", "CHUNK_TOKENS=1")
	_, err := sh.run(t, "ask", "Who?")
	lines := sentences(err)
	if len(lines) != 2 || !strings.Contains(lines[0], "CHUNK_TOKENS") || !strings.Contains(lines[1], "MAX_LOOPS") {
		t.Errorf("told %q", lines)
	}
}

func TestTold(t *testing.T) {
	t.Parallel()
	full := domain.Because(domain.Exhausted, errors.New("ENOSPC"), "The disk is full.")
	for _, tt := range []struct {
		err  error
		want []string
	}{
		{errors.New("plain"), []string{"plain"}},
		{fmt.Errorf("store: %w", full), []string{"The disk is full."}},
		{errors.Join(full, errors.New("plain")), []string{"The disk is full.", "plain"}},
		{errors.Join(errors.Join(full), nil), []string{"The disk is full."}},
	} {
		if diff := cmp.Diff(tt.want, sentences(tt.err)); diff != "" {
			t.Errorf("told %v (-want +got)\n%s", tt.err, diff)
		}
	}
}

// TestToolsTakeFieldsOfTheirOperations: a field that is misspelt would be left out of the tool.
func TestToolsTakeFieldsOfTheirOperations(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, o := range offers() {
		for _, r := range o.rows {
			if r.Tool.Name == "" {
				continue
			}
			if seen[r.Tool.Name] || r.Tool.Title == "" || r.Tool.About == "" {
				t.Errorf("the tool %s is there twice, or without words", r.Tool.Name)
			}
			seen[r.Tool.Name] = true
			names := r.Tool.Names()
			for _, f := range operation.Fields(r.In) {
				if _, ok := names[f.Name]; f.Needed && !ok {
					t.Errorf("the tool %s does not take %s, which is needed", r.Tool.Name, f.Name)
				}
				delete(names, f.Name)
			}
			if len(names) > 0 {
				t.Errorf("the operation %s has no fields %v", r.Name, names)
			}
		}
	}
}

// TestAStoppedCommandSaysSo ends a command by a signal before it has asked: what fails because of that is not printed.
func TestAStoppedCommandSaysSo(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	e, _, _ := sh.env()
	root := program(e)
	root.SetArgs([]string{"ask", "Who designed the bridge?"})
	err := root.ExecuteContext(ctx)
	if got := sentences(whyEnded(ctx, err)); !slices.Equal(got, []string{"Stopped."}) {
		t.Errorf("%v is printed as %q", err, got)
	}
	if got := whyEnded(t.Context(), err); !errors.Is(got, err) {
		t.Errorf("without a signal, %v becomes %v", err, got)
	}
}
