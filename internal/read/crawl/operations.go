package crawl

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/operation"
)

// A Desk takes orders from people and programs.
type Desk struct {
	*Service
	Schemas   *schemas.Service
	Documents *documents.Service
}

// Wanted are documents of the web, or of a storage, to be fetched.
type Wanted struct {
	Address string  `json:"address" arg:"ADDRESS" doc:"address of a page or file, of a site, or of a sitemap; also s3://bucket/prefix"`
	What    string  `json:"what" default:"page" doc:"what the address is of: page, site or sitemap"`
	Depth   int     `json:"depth" doc:"how many links of a site to follow from the address (default 3)"`
	Most    int     `json:"most" doc:"add at most this many documents (default 1, or 100 of a site or sitemap)"`
	Below   string  `json:"below" doc:"follow links only below this path of the site (default the folder of the address)"`
	Rate    float64 `json:"rate" doc:"most requests to a host in a second (default 1)"`
	Schema  string  `json:"schema" doc:"name of the schema that guides the reading; by default that of the library"`
	documents.Cutting
	documents.For
	Hold bool `json:"hold" doc:"hold the documents with their bills until they are read by documents retry"`
}

// Fetching is a run that fetches documents.
type Fetching struct {
	Run domain.RunID `json:"run"`
}

// At implements operation.Begun.
func (f Fetching) At() string { return "/runs/" + string(f.Run) }

func (f Fetching) String() string {
	return "The run " + string(f.Run) + " fetches it. A running clew serve or clew work carries it out; clew run show " + string(f.Run) + " shows how far it is."
}

// Fetch has documents fetched from an address.
var Fetch = operation.Op[Desk, Wanted, Fetching]{
	Name: "documents fetch", Short: "Queue pages or files of the web to be fetched and read", Scope: operation.WriteDocuments, Routes: []string{"POST /documents/fetch"},
	Long: `Queue a page, a file, the pages of a site or those of a sitemap to be fetched and read
by a running clew serve or clew work. clew ingest ADDRESS does the same here and now.
Addresses within your network are refused unless WEB_ALLOW names them.`,
	Example: `  clew documents fetch https://example.org/report.pdf
  clew documents fetch https://wiki.lan/minutes/ --what site --limit-to group:board
  clew documents fetch https://example.org/docs/ --what site --depth 2 --most 200`,
	Do: func(d Desk, ctx context.Context, in Wanted) (Fetching, error) {
		o, err := d.order(ctx, in)
		if err != nil {
			return Fetching{}, err
		}
		id, err := d.Start(ctx, domain.WorkspaceOf(ctx), o)
		return Fetching{id}, err
	},
}

// Operations returns the operations that fetch documents.
func Operations() []operation.Operation[Desk] { return []operation.Operation[Desk]{Fetch} }

func (d Desk) order(ctx context.Context, in Wanted) (o Order, err error) {
	address := strings.TrimSpace(in.Address)
	if address != "" && !strings.Contains(address, "://") {
		address = "https://" + address
	}
	o = Order{Address: address, Below: strings.TrimSpace(in.Below), Hold: in.Hold, Rate: in.Rate}
	switch in.What {
	case "page", "":
	case "site":
		if o.Depth = in.Depth; o.Depth == 0 {
			o.Depth = usualDepth
		}
		o.Most = in.Most
	case "sitemap":
		o.Sitemap, o.Depth, o.Most = true, in.Depth, in.Most
	default:
		return o, domain.Errorf(domain.Invalid, "An address is of a page, a site or a sitemap, not of a %q.", domain.Cut(in.What, 20))
	}
	if in.Schema != "" {
		if o.Schema, err = d.Schemas.Choose(ctx, domain.WorkspaceOf(ctx), in.Schema, domain.PersonOf(ctx)); err != nil {
			return o, err
		}
	}
	how, err := d.Documents.Limited(ctx, documents.How{}, in.Limit)
	if err != nil {
		return o, err
	}
	o.Limited, o.Readers = how.Limited, how.Readers
	o.Chunking, err = in.Chunking()
	return o, err
}
