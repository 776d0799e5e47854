package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
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
	bills = append(bills, documents.Sum(bills))
	if asJSON {
		return printJSON(a.env.stdout, bills)
	}
	return documents.PrintBills(a.env.stdout, bills)
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
	return a.documents.Bill(ctx, domain.WorkspaceOf(ctx), filepath.Base(path), how, file)
}
