package source

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
)

// Preview is the estimated outcome and cost of following a place.
type Preview struct {
	Kind    string `json:"kind"`
	Address string `json:"address"`
	Items   int    `json:"items"`          // that were listed
	More    bool   `json:"more,omitempty"` // there are more: the list was not read to its end
	LeftOut int    `json:"left_out"`       // by its rules, or because they can't be read
	First   []Item `json:"first"`
	Sampled int    `json:"sampled"` // items that were split to estimate the bill

	Bill    documents.Bill `json:"bill"` // for all listed items, extrapolated from the split ones
	Problem string         `json:"problem,omitempty"`
}

func (p Preview) String() string {
	said := fmt.Sprintf("%s at %s", domain.Counted(p.Items, "item", "items"), p.Address)
	if p.More {
		said = "At least " + said
	}
	if p.LeftOut > 0 {
		said += fmt.Sprintf(", %d left out", p.LeftOut)
	}
	switch {
	case p.Problem != "":
		said += ". " + p.Problem
	case p.Sampled == 0:
	case p.Bill.Money == nil:
		said += ". Reading them is free: no model is asked."
	default:
		said += fmt.Sprintf(". Reading them would cost about %s, as %s suggest.", p.Bill.Money, domain.Counted(p.Sampled, "item", "items"))
	}
	for _, i := range p.First {
		said += "\n  " + i.Name
	}
	return said
}

// What a preview looks at, at most.
const (
	previewTime    = 25 * time.Second
	previewParts   = 3
	previewItems   = 20 // named in it
	previewSamples = 3
)

func (s *Service) preview(ctx context.Context, in Wanted) (Preview, error) {
	return s.Preview(ctx, in, "")
}

// Preview looks at a place, with its password if it needs one, and keeps nothing of it.
func (s *Service) Preview(ctx context.Context, in Wanted, secret string) (v Preview, err error) {
	kind, p, err := s.place(ctx, in)
	if err != nil {
		return v, err
	}
	how, err := in.Chunking()
	if err != nil {
		return v, err
	}
	p.Secret = secret
	if locks(kind, p.Rules) && secret == "" {
		return v, domain.Errorf(domain.Invalid, "It needs a password to be looked at. Add it, and give the password with clew source unlock.")
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	v.Kind, v.Address = in.Kind, p.Address
	items, at := []Item{}, ""
	for part := 0; part == 0 || at != ""; part++ {
		if v.More = part == previewParts; v.More {
			break
		}
		l, err := kind.List(ctx, p, at)
		if err != nil {
			return v, slow(ctx, err)
		}
		items, at = append(items, l.Items...), l.Next
		v.LeftOut += l.LeftOut
	}
	if fit := min(len(items), most(ledger.Source{Rules: p.Rules})); fit < len(items) {
		v.LeftOut, items = v.LeftOut+len(items)-fit, items[:fit]
	}
	for i := 0; i < len(items) && v.Sampled < previewSamples && ctx.Err() == nil; i++ {
		led, err := s.sample(ctx, kind, p, items[i], how, &v)
		if err != nil && v.Problem == "" {
			v.Problem = domain.InWords(slow(ctx, err))
		}
		there := lists.SetOf(items, func(item Item) string { return item.Name })
		for _, item := range led {
			if !there[item.Name] {
				there[item.Name], v.More = true, true // they lead to others
				items = append(items, item)
			}
		}
	}
	if v.Items = len(items); v.Sampled > 0 {
		v.Problem = ""
		v.Bill = scaled(v.Bill, v.Items, v.Sampled)
	}
	v.First = items[:min(len(items), previewItems)]
	return v, nil
}

// slow explains an error of a place that took too long to look at.
func slow(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return domain.Because(domain.Unavailable, err, "It takes longer than %d seconds to look at.", int(previewTime.Seconds()))
	}
	return err
}

// sample adds the bill of an item to that of a preview, and returns the items that it leads to.
func (s *Service) sample(ctx context.Context, kind Kind, p Place, i Item, how domain.Chunking, v *Preview) ([]Item, error) {
	c, err := kind.Open(ctx, p, i, "")
	if err != nil || c.Body == nil {
		return c.Leads, err
	}
	defer c.Body.Close()
	b, err := s.Documents.Bill(ctx, domain.WorkspaceOf(ctx), c.Name, how, c.Body)
	if err != nil {
		return c.Leads, err
	}
	if b.Problem != "" {
		return c.Leads, domain.Errorf(domain.Invalid, "%s: %s", i.Name, b.Problem)
	}
	v.Bill, v.Sampled = documents.Sum([]documents.Bill{v.Bill, b}), v.Sampled+1
	return c.Leads, nil
}

// scaled extrapolates the bill of some items to all of them.
func scaled(b documents.Bill, items, of int) documents.Bill {
	up := func(r costs.Range) costs.Range { return costs.Range{From: r.From * items / of, To: r.To * items / of} }
	b.Name, b.Chunks, b.Calls, b.Tokens, b.Seconds = "", b.Chunks*items/of, b.Calls*items/of, up(b.Tokens), up(b.Seconds)
	if b.Money != nil {
		m := *b.Money
		m.From, m.To = m.From*costs.Money(items)/costs.Money(of), m.To*costs.Money(items)/costs.Money(of)
		b.Money = &m
	}
	return b
}
