package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/views/format"
)

// estimate prints what reading files would cost.
func (a *app) estimate(ctx context.Context, args []string, how domain.Chunking, asJSON bool) error {
	files, _, err := expand(args)
	if err != nil {
		return err
	}
	bills := []documents.Bill{}
	for _, from := range files {
		b, err := a.billOf(ctx, from.path, how)
		if err != nil {
			return err
		}
		bills = append(bills, b)
	}
	if asJSON {
		return printJSON(a.env.stdout, append(bills, documents.Sum(bills)))
	}
	table := tabwriter.NewWriter(a.env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FILE\tCHUNKS\tCALLS\tTOKENS\tTIME\tCOST")
	for _, b := range append(bills, documents.Sum(bills)) {
		switch {
		case b.Problem != "":
			fmt.Fprintf(table, "%s\t\t\t\t\t%s\n", b.Name, b.Problem)
		case b.Known:
			fmt.Fprintf(table, "%s\t\t\t\t\tin the library already\n", b.Name)
		case b.Money == nil:
			fmt.Fprintf(table, "%s\t%d\t0\t0\t\tfree: no model is asked\n", b.Name, b.Chunks)
		default:
			fmt.Fprintf(table, "%s\t%d\t%d\t%d to %d\t%s to %s\t%s\n", b.Name, b.Chunks, b.Calls, b.Tokens.From, b.Tokens.To,
				format.Duration(time.Duration(b.Seconds.From)*time.Second), format.Duration(time.Duration(b.Seconds.To)*time.Second), b.Money)
		}
	}
	return table.Flush()
}

// agreed reports whether files are to be read. If it is to ask, it prints the bill and
// waits for an answer: anything but a yes adds nothing.
func (a *app) agreed(ctx context.Context, args []string, how domain.Chunking, ask bool) (bool, error) {
	if !ask {
		return true, nil
	}
	if err := a.estimate(ctx, args, how, false); err != nil {
		return false, err
	}
	yes, err := a.env.said("Read them?")
	if err != nil {
		return false, err
	}
	if !yes {
		fmt.Fprintln(a.env.stdout, "Nothing was added.")
	}
	return yes, nil
}

func (a *app) billOf(ctx context.Context, path string, how domain.Chunking) (documents.Bill, error) {
	file, err := os.Open(path)
	if err != nil {
		return documents.Bill{}, domain.Because(domain.NotFound, err, "The file can't be read: %v.", err)
	}
	defer file.Close()
	return a.documents.Bill(ctx, domain.DefaultWorkspace, filepath.Base(path), how, file)
}
