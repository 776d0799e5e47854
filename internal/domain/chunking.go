package domain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A ChunkBy is a unit by which text is cut into chunks.
type ChunkBy string

// The ways to cut a text. Parts are what a file counts: rows, slides, messages,
// records, pages.
const (
	ByFormat    ChunkBy = "" // by headings and paragraphs, and by parts if the format has them
	ByTokens    ChunkBy = "tokens"
	ByHeadings  ChunkBy = "headings"
	BySentences ChunkBy = "sentences"
	ByParts     ChunkBy = "parts"
)

// A Chunking is how a document is read and cut into chunks. The zero Chunking is that of its format and the settings.
type Chunking struct {
	By       ChunkBy `json:"by,omitempty"`
	Tokens   int     `json:"tokens,omitempty"`   // maximum in a chunk; 0 for the setting
	Field    string  `json:"field,omitempty"`    // of a JSON record that holds its text; "" lets the reader choose
	Encoding string  `json:"encoding,omitempty"` // of the bytes of its text; "" to guess it from them
}

// ChunkBys lists the ways to cut a text that can be chosen, besides ByFormat.
func ChunkBys() []ChunkBy { return []ChunkBy{ByHeadings, BySentences, ByTokens, ByParts} }

// Title describes what ends a chunk.
func (b ChunkBy) Title() string {
	switch b {
	case ByTokens:
		return "tokens, as full as possible"
	case ByHeadings:
		return "headings, one section each"
	case BySentences:
		return "whole sentences"
	case ByParts:
		return "one row, slide, message or page each"
	}
	return "the format of the file"
}

// The bounds of a chunk's size, in tokens, and of a field's name, in code points.
const (
	LeastChunkTokens = 32
	MostChunkTokens  = 4096
	maxFieldName     = 200
)

// ParseChunking parses the chunking that a person chose. Empty arguments leave the choice to the format and the settings.
// Errors have kind Invalid.
func ParseChunking(by, tokens, field string) (c Chunking, err error) {
	c = Chunking{By: ChunkBy(strings.TrimSpace(by)), Field: strings.TrimSpace(field)}
	if c.By != ByFormat && !slices.Contains(ChunkBys(), c.By) {
		return Chunking{}, Errorf(Invalid, "There is no chunking by %q. Choose tokens, headings, sentences or parts.", by)
	}
	if s := strings.TrimSpace(tokens); s != "" {
		c.Tokens, err = strconv.Atoi(s)
		if err != nil || c.Tokens < LeastChunkTokens || c.Tokens > MostChunkTokens {
			return Chunking{}, Errorf(Invalid, "A chunk has between %d and %d tokens, not %q.", LeastChunkTokens, MostChunkTokens, tokens)
		}
	}
	if Runes(c.Field) > maxFieldName {
		return Chunking{}, Errorf(Invalid, "The name of the text field is longer than %d characters.", maxFieldName)
	}
	return c, nil
}

// String describes how a document is cut, in a few words; "" for the zero Chunking.
func (c Chunking) String() string {
	var said []string
	if c.By != ByFormat {
		said = append(said, "by "+string(c.By))
	}
	if c.Tokens > 0 {
		said = append(said, fmt.Sprintf("at most %d tokens each", c.Tokens))
	}
	if c.Field != "" {
		said = append(said, "text in "+c.Field)
	}
	if c.Encoding != "" {
		said = append(said, "read as "+c.Encoding)
	}
	return strings.Join(said, ", ")
}
