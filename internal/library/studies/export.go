package studies

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/views/format"
)

// Formats lists what study sets are exported as.
func Formats() []string { return []string{"anki", "csv", "md"} }

// Export returns a study set as a file, without the items that were removed.
func Export(set ledger.Summary, as string) (operation.Made, error) {
	if set.Status == ledger.SummaryWaiting || set.Status == ledger.SummaryWorking {
		return operation.Made{}, domain.Errorf(domain.Conflict, "There is nothing to export yet: the study set is still being made.")
	}
	rows := rowsOf(set)
	var text []byte
	var err error
	media := "text/csv; charset=utf-8"
	switch as {
	case "anki":
		text = anki(rows)
	case "csv":
		text, err = format.Sheet(columns, rows)
	case "md":
		text, media = markdown(set), "text/markdown; charset=utf-8"
	default:
		err = domain.Errorf(domain.Invalid, "A study set can be exported as anki, csv or md, not as %q.", domain.Cut(as, domain.MaxTag))
	}
	return operation.Made{Name: "-", Type: media, Write: func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}}, err
}

var columns = []string{"Front", "Back", "Source", "Tags"}

// rowsOf returns front, back, source and tags of the items.
func rowsOf(set ledger.Summary) (rows [][]string) {
	tags := "clew::" + string(set.Kind)
	if set.Tag != "" {
		tags += " " + strings.Join(strings.Fields(set.Tag), "_") // spaces separate tags
	}
	for _, item := range Kept(set) {
		c := sourceOf(set, item)
		rows = append(rows, []string{item.Front, item.Back, c.Where() + ": " + domain.OneLine(c.Text), tags})
	}
	return rows
}

// sourceOf returns the citation of an item.
func sourceOf(set ledger.Summary, item domain.StudyItem) domain.Citation {
	return lists.First(set.Citations, func(c domain.Citation) bool { return c.N == item.Source })
}

// anki returns rows as Anki imports them. All fields are quoted: an unquoted # would begin a comment.
func anki(rows [][]string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "#separator:Comma\n#html:false\n#columns:%s\n#tags column:%d\n", strings.Join(columns, ","), len(columns))
	for _, row := range rows {
		for i, field := range row {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.ReplaceAll(field, `"`, `""`) + `"`)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func markdown(set ledger.Summary) []byte {
	plain := questions.Plain
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", plain(summaries.Title(set)))
	for _, item := range Kept(set) {
		c := sourceOf(set, item)
		fmt.Fprintf(&b, "\n**%s**\n\n%s\n\n> %s  \n> %s\n", plain(item.Front), plain(item.Back), plain(domain.OneLine(c.Text)), plain(c.Where()))
	}
	return b.Bytes()
}
