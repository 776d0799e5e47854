package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/schemas"
)

// A schemaEditor lets a person edit a schema in an editor.
type schemaEditor struct {
	*teller
	desk desk
	of   map[string]string // fields of schemas.Of
	note string
}

// schemaEditCommand returns a command that opens an editor on the schema of a scope.
func schemaEditCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var of schemas.Of
	var note string
	asJSON := false
	cmd := &cobra.Command{
		Use: "edit", Short: "Edit the schema in an editor, and save it as the next version",
		Long: `Open the schema in force as YAML in the editor of the environment variable VISUAL
or EDITOR, or else in vi. What is saved there is checked: if it can't be read, it
opens again and says which line is wrong. Otherwise it becomes the next version.
Nothing changes if the text stays as it is or is emptied.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.onDesk(cmd, load, schemaOperator, func(ctx context.Context, d desk) error {
				e := schemaEditor{&teller{env: s, asJSON: asJSON}, d, map[string]string{"tag": of.Tag, "name": of.Name, "document": of.Document}, note}
				return e.edit(ctx)
			})
		},
	}
	flagsOf(cmd, &of)
	jsonFlag(cmd, &asJSON, jsonObject)
	cmd.Flags().StringVar(&note, "note", "", "why it changes; stored with the version")
	return onServer(cmd)
}

// latest returns the latest version of the schema with its guide, unless that was cleared; the zero one if there is none.
func (e schemaEditor) latest(ctx context.Context) (schemas.Kept, error) {
	all, err := operated[[]schemas.Kept](ctx, e.desk, "schema list", e.of, e.teller)
	if err != nil || len(all) == 0 || all[0].Cleared {
		return firstOf(all), err
	}
	return operated[schemas.Kept](ctx, e.desk, "schema show", map[string]string{"version": strconv.FormatInt(all[0].Number, 10)}, e.teller)
}

// named names the scope of the schema.
func (e schemaEditor) named() string {
	return schemas.ScopeName(schemas.Scope{Tag: e.of["tag"], Name: e.of["name"], Document: domain.DocumentID(e.of["document"])})
}

func firstOf(all []schemas.Kept) (k schemas.Kept) {
	if len(all) > 0 {
		k = all[0]
	}
	return k
}

// edit lets a person edit the schema, and saves what can be read.
func (e schemaEditor) edit(ctx context.Context) error {
	latest, err := e.latest(ctx)
	if err != nil {
		return err
	}
	before := []byte(firstSchema)
	if latest.Guide != nil && !latest.Guide.Empty() {
		if before, err = schemas.Write(*latest.Guide); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "clew-schema-")
	if err != nil {
		return domain.Because(domain.Exhausted, err, "The file to edit can't be created: %v.", err)
	}
	path := filepath.Join(dir, "schema.yaml")
	yaml, changed, err := e.edited(ctx, path, head(latest, e.named())+string(before))
	if err == nil && changed {
		fields := maps.Clone(e.of)
		fields["yaml"], fields["note"], fields["base"] = yaml, e.note, strconv.FormatInt(latest.Number, 10)
		kept, failed := operated[schemas.Kept](ctx, e.desk, "schema set", fields, e.teller)
		if err = failed; err == nil {
			err = e.print(rowNamed("schema set"), kept)
		}
	}
	if err != nil {
		return domain.Because(domain.KindOf(err), err, "%s Your text is in %s.", domain.InWords(err), path)
	}
	if !changed {
		fmt.Fprintln(e.env.stdout, "Nothing has changed.")
	}
	return os.RemoveAll(dir)
}

// firstSchema is the text that the editor starts with if there is no schema.
const firstSchema = `schema:
  labels:
    - name: Person
      description: somebody who is named
  types: []
  triples: []
  strict: false
`

// headLines is the number of lines above the schema in the editor. It is constant, so that line numbers in errors are
// those of the editor.
const headLines = 4

// head explains the file. Its last line has room for an error.
func head(v schemas.Kept, of string) string {
	which := "There is no schema here yet: this is an example. Of: " + of
	if v.Number > 0 && !v.Cleared {
		which = fmt.Sprintf("Version %d of the schema of: %s", v.Number, schemas.ScopeName(schemas.Scope{Tag: v.Tag, Name: v.Name, Document: v.Document}))
	}
	return "# " + which + "\n# Save this file and end the editor: it becomes the next version.\n# Leave it as it is, or empty it, to change nothing. docs/schema.md describes it.\n#\n"
}

// edited opens an editor on a text until it can be read. changed is false if the
// text was left as it is, or emptied.
func (e schemaEditor) edited(ctx context.Context, path, text string) (yaml string, changed bool, err error) {
	begun := text
	for {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", false, domain.Because(domain.Exhausted, err, "The file to edit can't be written: %v.", err)
		}
		if err := e.openEditor(ctx, path); err != nil {
			return "", false, err
		}
		after, err := readFile(path, nil, 2*schemas.MaxYAML) // including the text added by head
		switch {
		case err != nil:
			return "", false, domain.Because(domain.Invalid, err, "The edited file can't be read: %v.", err)
		case string(after) == begun, len(bytes.TrimSpace(after)) == 0:
			return "", false, nil
		}
		again := headed(string(after))
		if _, err = schemas.Read([]byte(again)); err == nil {
			return again, true, nil
		}
		again = saying(again, domain.InWords(err))
		if again == text {
			return "", false, err // opened again and left unchanged
		}
		text = again
		fmt.Fprintln(e.env.stderr, domain.InWords(err))
	}
}

// headed returns a text with a head of the usual length.
func headed(text string) string {
	lines := strings.SplitAfterN(text, "\n", headLines+1)
	for i := range headLines {
		if i >= len(lines) || !strings.HasPrefix(lines[i], "#") {
			return strings.Repeat("#\n", headLines) + text
		}
	}
	return text
}

// saying puts what is wrong into the last line of a text's head.
func saying(text, problem string) string {
	lines := strings.SplitAfterN(text, "\n", headLines+1)
	lines[headLines-1] = "# " + domain.OneLine(problem) + "\n"
	return strings.Join(lines, "")
}

// openEditor opens the editor that the environment names and waits for its end.
func (e schemaEditor) openEditor(ctx context.Context, path string) error {
	editor := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} { // the latter wins
		for _, set := range e.env.environ {
			if value, ok := strings.CutPrefix(set, name+"="); ok && strings.TrimSpace(value) != "" {
				editor = value
			}
		}
	}
	words := strings.Fields(editor)
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...) //nolint:gosec // the command is the one that the person set
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.env.stdin, e.env.stdout, e.env.stderr
	if err := cmd.Run(); err != nil {
		return domain.Because(domain.Invalid, err, "The editor %q failed: %v. Set EDITOR to one that works, for instance EDITOR=nano.", words[0], err)
	}
	return nil
}
