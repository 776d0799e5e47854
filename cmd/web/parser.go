package main

import (
	"fmt"
	"reflect"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/child"
	"github.com/clewhq/clew/internal/read/parse/ocr"
	"github.com/clewhq/clew/internal/read/parse/render"
)

// parserName names the command that the program runs itself with to parse
// files. It reads no setting.
const parserName = "parser"

func parserCommand(s env) *cobra.Command {
	return &cobra.Command{
		Use:    parserName,
		Short:  "Parse files for another Clew (it starts this itself)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return child.Serve(s.stdin, s.stdout) },
	}
}

// confineName names the command that the program runs itself with to become a program of the system without rights.
const confineName = "confine"

func confineCommand(env) *cobra.Command {
	c := &cobra.Command{
		Use:    confineName,
		Short:  "Become a program that draws pictures for another Clew (it starts this itself)",
		Hidden: true,
		RunE:   func(_ *cobra.Command, args []string) error { return render.Confine(args) },
	}
	c.Flags().SetInterspersed(false) // the program's flags are its own
	return c
}

// parser returns what parses and splits files, in processes of their own.
func (a *app) parser() (documents.Parser, error) {
	program, err := child.Program()
	if err != nil {
		return nil, fmt.Errorf("find the program's own file: %w", err)
	}
	options := child.Options{
		Command: []string{program, parserName}, Memory: a.cfg.ParseMemory(), Timeout: a.cfg.ParseLimit,
		Limits: parse.Limits{MaxBytes: a.cfg.MaxUpload(), MaxPages: a.cfg.MaxPages, MaxChars: parse.MaxText}, Tokens: a.cfg.ChunkTokens, KeepStruck: a.cfg.KeepStruck, Draws: render.Draws() != "", Log: a.log,
	}
	if a.children == nil {
		render.Sweep(a.log)
	}
	if a.children == nil || !reflect.DeepEqual(a.children.Options, options) { // earlier children end when idle
		a.children = child.New(options)
		a.closers = append(a.closers, a.children.Close)
	}
	confine := []string{program, confineName}
	var reader child.Parser = render.New(a.children, confine, a.log)
	if a.cfg.OCR != "off" {
		reader = ocr.New(reader, ocr.Options{Languages: a.cfg.OCRLanguages, Pages: a.cfg.OCRPages, Log: a.log})
	}
	return render.NewPhotos(reader, confine, a.log), nil
}
