package format

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

// Sheet returns a table of texts as comma-separated values (RFC 4180).
func Sheet(columns []string, rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	for _, row := range append([][]string{columns}, rows...) {
		record := make([]string, len(row))
		for i, cell := range row {
			record[i] = safe(cell)
		}
		if err := w.Write(record); err != nil {
			return nil, fmt.Errorf("write a table as CSV: %w", err)
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// safe keeps a spreadsheet from taking text of a document, which anyone may
// have written, for a formula. Numbers stay.
func safe(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil && text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
