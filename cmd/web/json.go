package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"

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

// withJSON gives --json to a command that prints sentences as it works. With the flag, what work returns is printed in place
// of them: also beside an error, unless it is the zero value.
func withJSON[T any](cmd *cobra.Command, s env, what string, work func(cmd *cobra.Command, args []string, s env) (T, error)) *cobra.Command {
	asJSON := false
	jsonFlag(cmd, &asJSON, what)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !asJSON {
			_, err := work(cmd, args, s)
			return err
		}
		quiet := s
		quiet.stdout, quiet.terminal = io.Discard, false
		out, err := work(cmd, args, quiet)
		if err == nil || !reflect.ValueOf(&out).Elem().IsZero() {
			err = errors.Join(printJSON(s.stdout, out), err)
		}
		return err
	}
	return cmd
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
