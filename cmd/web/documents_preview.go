package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse"
	"github.com/clewhq/clew/views/format"
)

// chunkFlags are the flags that say how files are cut into chunks.
type chunkFlags struct{ by, tokens, field, encoding string }

func (f *chunkFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.by, "chunk", "", "what chunks end at: headings, sentences, tokens, or parts (one row, slide, message or page each); by default the format decides")
	cmd.Flags().StringVar(&f.tokens, "chunk-tokens", "", "most tokens in a chunk, from 32 to 4096; by default CHUNK_TOKENS")
	cmd.Flags().StringVar(&f.field, "text-field", "", "field of JSON records that holds their text, as a name or a path such as body.text; by default the longest")
	cmd.Flags().StringVar(&f.encoding, "encoding", "", "encoding of text, and of names in ZIP archives, such as gb18030, shift_jis or windows-1251; by default what the file says or its bytes suggest")
}

func (f *chunkFlags) chosen() (domain.Chunking, error) {
	how, err := domain.ParseChunking(f.by, f.tokens, f.field)
	if err != nil {
		return how, err
	}
	how.Encoding, err = parse.EncodingNamed(f.encoding)
	return how, err
}

// previewed is the output of clew documents preview --json.
type previewed struct {
	Name   string          `json:"name"`
	Format domain.Format   `json:"format"`
	Chunks int             `json:"chunks"` // in all
	First  []previewedPart `json:"first"`
}

type previewedPart struct {
	Tokens   int      `json:"tokens"`
	Page     int      `json:"page,omitempty"`
	Place    string   `json:"place,omitempty"`
	Headings []string `json:"headings"`
	Text     string   `json:"text"`
}

func documentsPreviewCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var chunks chunkFlags
	asJSON := false
	cmd := &cobra.Command{
		Use:   "preview FILE",
		Short: "Show how a file would be cut into chunks, and add nothing",
		Long: `Show the first ten chunks into which a file would be cut, with their places,
headings and tokens, and how many there are in all. Nothing of the file is kept,
and no model is asked.`,
		Example: `  clew documents preview handbook.md --chunk headings
  clew documents preview mails.jsonl --text-field body --json | jq '.first[].text'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			how, err := chunks.chosen()
			if err != nil {
				return err
			}
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				file, err := os.Open(args[0])
				if err != nil {
					return domain.Because(domain.NotFound, err, "The file can't be read: %v.", err)
				}
				defer file.Close()
				b, err := a.documents.Preview(cmd.Context(), domain.DefaultWorkspace, filepath.Base(args[0]), how, file)
				if err != nil {
					return err
				}
				shown := previewed{Name: b.Name, Format: b.Format, Chunks: b.Chunks, First: []previewedPart{}}
				for _, c := range b.First {
					shown.First = append(shown.First, previewedPart{c.Tokens, c.Page, c.Place(c.Span), c.Headings, c.Text})
				}
				if asJSON {
					return printJSON(a.env.stdout, shown)
				}
				a.printPreview(shown)
				return nil
			})
		},
	}
	chunks.add(cmd)
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func (a *app) printPreview(p previewed) {
	fmt.Fprintf(a.env.stdout, "%s: %s\n", p.Name, format.Count(p.Chunks, "chunk", "chunks"))
	for i, c := range p.First {
		said := []string{fmt.Sprintf("%d", i+1), format.Count(c.Tokens, "token", "tokens")}
		if where := domain.Where("", c.Page, c.Place); where != "" {
			said = append(said, strings.TrimPrefix(where, ", "))
		}
		if len(c.Headings) > 0 {
			said = append(said, strings.Join(c.Headings, " › "))
		}
		fmt.Fprintf(a.env.stdout, "\n%s\n%s\n", strings.Join(said, " · "), c.Text)
	}
}
