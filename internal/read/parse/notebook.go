package parse

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// readNotebook reads a Jupyter notebook: its cells with the text that they put
// out. Pictures are left out.
func readNotebook(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	var n notebook
	if err := json.Unmarshal([]byte(s), &n); err != nil {
		return domain.Because(domain.Invalid, err, "This notebook is damaged: %s.", plainCause(err))
	}
	for _, sheet := range n.Worksheets { // of version 3
		n.Cells = append(n.Cells, sheet.Cells...)
	}
	for i, c := range n.Cells {
		w.unit(domain.UnitCell, "", i+1)
		if err := c.write(ctx, w); err != nil {
			return err
		}
		if w.full || w.crowded {
			break
		}
	}
	return ctx.Err()
}

type notebook struct {
	Cells      []notebookCell `json:"cells"`
	Worksheets []struct {
		Cells []notebookCell `json:"cells"`
	} `json:"worksheets"`
}

type notebookCell struct {
	Kind    string       `json:"cell_type"`
	Source  notebookText `json:"source"`
	Input   notebookText `json:"input"` // of version 3
	Outputs []struct {
		Text notebookText `json:"text"`
		Data struct {
			Plain notebookText `json:"text/plain"`
		} `json:"data"`
		Error string `json:"ename"`
		Value string `json:"evalue"`
	} `json:"outputs"`
}

// notebookText is a text, or a list of its lines.
type notebookText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *notebookText) UnmarshalJSON(b []byte) error {
	var lines []string
	if err := json.Unmarshal(b, &lines); err == nil {
		*t = notebookText(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// maxOutput bounds what a cell puts out, in code points: logs and long lists of
// numbers say little.
const maxOutput = 4000

func (c notebookCell) write(ctx context.Context, w *writer) error {
	source := string(c.Source + c.Input)
	switch c.Kind {
	case "markdown", "heading":
		return writeMarkdown(ctx, w, source)
	case "raw":
		w.paragraph(source)
		return nil
	}
	w.code(source)
	for _, o := range c.Outputs {
		text := string(o.Text + o.Data.Plain)
		if o.Error != "" {
			text = o.Error + ": " + o.Value
		}
		if domain.Runes(text) > maxOutput {
			w.warn("Outputs of cells were cut, as they are very long.")
			text = shorten(text, maxOutput)
		}
		w.code(text)
	}
	return nil
}
