package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
)

// edit lets a person edit the schema in an editor, and saves what can be read.
func (sh schemaShell) edit() error {
	latest, err := sh.schemas.Latest(sh.ctx, domain.DefaultWorkspace, sh.scope)
	if err != nil {
		return err
	}
	before, err := schemas.Write(latest.Guide)
	if err != nil {
		return err
	}
	if latest.Guide.Empty() {
		before = []byte(firstSchema)
	}
	dir, err := os.MkdirTemp("", "clew-schema-")
	if err != nil {
		return domain.Because(domain.Exhausted, err, "The file to edit can't be created: %v.", err)
	}
	path := filepath.Join(dir, "schema.yaml")
	g, changed, err := sh.edited(path, head(latest)+string(before))
	if err == nil && changed {
		v, failed := sh.schemas.Save(sh.ctx, domain.DefaultWorkspace, schemas.Draft{Scope: sh.scope, Base: latest.Number, Who: schemaOperator, Note: sh.note, Guide: g})
		if err = failed; err == nil {
			kept := schemas.KeptOf(v)
			if sh.asJSON {
				err = printJSON(sh.env.stdout, kept)
			} else {
				_, err = fmt.Fprintln(sh.env.stdout, kept)
			}
		}
	}
	if err != nil {
		return domain.Because(domain.KindOf(err), err, "%s Your text is in %s.", domain.InWords(err), path)
	}
	if !changed {
		fmt.Fprintln(sh.env.stdout, "Nothing has changed.")
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

// headLines is the number of lines above the schema in the editor. It stays the
// same, so that the numbers of lines in what is said are those of the editor.
const headLines = 4

// head explains the file. Its last line has room for what is wrong.
func head(v schemas.Version) string {
	which := "There is no schema here yet: this is an example. Of: " + schemas.ScopeName(v.Scope)
	if v.Number > 0 && !v.Cleared {
		which = fmt.Sprintf("Version %d of the schema of: %s", v.Number, schemas.ScopeName(v.Scope))
	}
	return "# " + which + "\n# Save this file and end the editor: it becomes the next version.\n# Leave it as it is, or empty it, to change nothing. docs/schema.md describes it.\n#\n"
}

// edited opens an editor on a text until it can be read. changed is false if the
// text was left as it is, or emptied.
func (sh schemaShell) edited(path, text string) (g extract.Guide, changed bool, err error) {
	begun := text
	for {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return g, false, domain.Because(domain.Exhausted, err, "The file to edit can't be written: %v.", err)
		}
		if err := sh.openEditor(path); err != nil {
			return g, false, err
		}
		after, err := readFile(path, nil, 2*schemas.MaxYAML) // with what head adds
		switch {
		case err != nil:
			return g, false, domain.Because(domain.Invalid, err, "The edited file can't be read: %v.", err)
		case string(after) == begun, len(bytes.TrimSpace(after)) == 0:
			return g, false, nil
		}
		again := headed(string(after))
		g, err = schemas.Read([]byte(again))
		if err == nil {
			return g, true, nil
		}
		again = saying(again, domain.InWords(err))
		if again == text {
			return g, false, err // opened again and left as it was
		}
		text = again
		fmt.Fprintln(sh.env.stderr, domain.InWords(err))
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
func (sh schemaShell) openEditor(path string) error {
	editor := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} { // the latter wins
		for _, set := range sh.env.environ {
			if value, ok := strings.CutPrefix(set, name+"="); ok && strings.TrimSpace(value) != "" {
				editor = value
			}
		}
	}
	words := strings.Fields(editor)
	cmd := exec.CommandContext(sh.ctx, words[0], append(words[1:], path)...) //nolint:gosec // the command is the one that the person set
	cmd.Stdin, cmd.Stdout, cmd.Stderr = sh.env.stdin, sh.env.stdout, sh.env.stderr
	if err := cmd.Run(); err != nil {
		return domain.Because(domain.Invalid, err, "The editor %q failed: %v. Set EDITOR to one that works, for instance EDITOR=nano.", words[0], err)
	}
	return nil
}
