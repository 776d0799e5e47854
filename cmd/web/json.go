package main

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/operation"
)

// What --json prints: a command about one thing an object, a command that lists
// an array, even of one element.
const (
	jsonObject = "print a JSON object"
	jsonArray  = "print a JSON array"
)

// jsonFlag adds --json to a command. What says what is printed: jsonObject or
// jsonArray, and details behind it.
func jsonFlag(cmd *cobra.Command, asJSON *bool, what string) {
	cmd.Flags().BoolVar(asJSON, "json", false, what)
}

// printJSON prints v as --json does.
func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", jsonIndent)
	e.SetEscapeHTML(false)
	return e.Encode(operation.Filled(v))
}

const jsonIndent = "  "

// A jsonList prints what printJSON prints for a slice, each element as soon as it
// is known.
type jsonList struct {
	out io.Writer
	any bool
}

// add prints an element.
func (l *jsonList) add(v any) error {
	var b bytes.Buffer
	b.WriteString(map[bool]string{false: "[\n", true: ",\n"}[l.any] + jsonIndent)
	l.any = true
	e := json.NewEncoder(&b)
	e.SetIndent(jsonIndent, jsonIndent)
	e.SetEscapeHTML(false)
	if err := e.Encode(operation.Filled(v)); err != nil {
		return err
	}
	_, err := l.out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}

// end closes the array.
func (l *jsonList) end() error {
	text := "[]\n"
	if l.any {
		text = "\n]\n"
	}
	_, err := io.WriteString(l.out, text)
	return err
}
