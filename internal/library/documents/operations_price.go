package documents

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
)

type estimating struct {
	Files []operation.File `json:"files" arg:"FILE..." doc:"files that would be added"`
	Cutting
}

// Again reports whether documents are read again.
type Again struct {
	Bill bool `json:"bill" doc:"say what it would cost, and read nothing"`
}

// Rereading describes documents that are read again.
type Rereading struct {
	Documents int                 `json:"documents"` // read by another model or prompt than the current ones
	Bill      Bill                `json:"bill"`
	Queued    []domain.DocumentID `json:"queued"`
}

// pricing are the operations that price reading.
func pricing() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, estimating, []Bill]{
			Name: "documents estimate", Short: "Estimate what reading files would cost, without adding them", Scope: operation.Read, Routes: []string{"POST /documents/estimate"}, Example: "  clew documents estimate letters/*.pdf",
			Long: `Split files and say how many tokens, calls, minutes and how much money reading
them would take, as ranges, with the model of the settings; the last line sums
them up. Nothing is kept of the files.`,
			Do:   (*Service).estimate,
			Text: PrintBills,
		},
		operation.Op[*Service, Again, Rereading]{
			Name: "model again", Short: "Read documents again that were read without the model in use", Scope: operation.WriteDocuments, Routes: []string{"POST /documents/outdated"}, Own: true,
			Do: (*Service).ReadOutdated,
		},
	}
}

func (s *Service) estimate(ctx context.Context, in estimating) ([]Bill, error) {
	how, err := in.Chunking()
	if err != nil {
		return nil, err
	}
	bills := []Bill{}
	for _, f := range in.Files {
		b, err := s.priceOf(ctx, f, how)
		if err != nil {
			return nil, err
		}
		bills = append(bills, b)
	}
	return append(bills, Sum(bills)), nil
}

func (s *Service) priceOf(ctx context.Context, f operation.File, how domain.Chunking) (Bill, error) {
	file, err := f.Open()
	if err != nil {
		return Bill{}, err
	}
	defer file.Close()
	return s.Bill(ctx, domain.WorkspaceOf(ctx), f.Name, how, file)
}

// PrintBills prints a line for each bill.
func PrintBills(w io.Writer, bills []Bill) error {
	return operation.Columns(w, "FILE\tCHUNKS\tCALLS\tTOKENS\tTIME\tCOST", func(line func(...any)) {
		for _, b := range bills {
			switch {
			case b.Problem != "":
				line(b.Name, "", "", "", "", b.Problem)
			case b.Known:
				line(b.Name, "", "", "", "", "in the library already")
			case b.Money == nil:
				line(b.Name, b.Chunks, 0, 0, "", "free: no model is asked")
			default:
				line(b.Name, b.Chunks, b.Calls, fmt.Sprintf("%d to %d", b.Tokens.From, b.Tokens.To),
					format.Duration(time.Duration(b.Seconds.From)*time.Second)+" to "+format.Duration(time.Duration(b.Seconds.To)*time.Second), b.Money)
			}
		}
	})
}

// ReadOutdated has read again what was read by another model or prompt than those in use, unless only the bill is wanted.
func (s *Service) ReadOutdated(ctx context.Context, in Again) (r Rereading, err error) {
	w := domain.WorkspaceOf(ctx)
	r.Queued = []domain.DocumentID{}
	if r.Bill, r.Documents, err = s.BillAgain(ctx, w); err != nil || in.Bill || r.Documents == 0 {
		return r, err
	}
	docs, err := s.Outdated(ctx, w)
	if err != nil {
		return r, err
	}
	for _, d := range docs {
		r.Queued = append(r.Queued, d.ID)
	}
	_, _, err = s.ReadOutdatedAgain(ctx, w)
	return r, err
}
