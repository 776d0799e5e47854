// Package crawl fetches documents: a single web page, the pages listed in a sitemap, the pages of a
// site below a path, or the objects in an S3 bucket.
//
//	start → visit → (more) visit → report → end
//
// A crawl is a run of a state graph whose state contains the addresses found so far, so an interrupted
// crawl continues at the next of them. It obeys robots.txt and a rate limit, calls only the public
// internet, and visits no page twice.
package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	readable "github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// An Order is a request to fetch documents.
type Order struct {
	Address string  `json:"address"`
	Sitemap bool    `json:"sitemap,omitempty"` // the address is a sitemap
	Depth   int     `json:"depth,omitempty"`   // how many links to follow from the address
	Most    int     `json:"most,omitempty"`    // documents; 0 means 1, or 100 for a site
	Below   string  `json:"below,omitempty"`   // path below which pages must be; "" means the address's folder
	Rate    float64 `json:"rate,omitempty"`    // requests per second to a host; 0 means 1
	Schema  string  `json:"schema,omitempty"`  // see documents.How
	Hold    bool    `json:"hold,omitempty"`

	Chunking domain.Chunking `json:"chunking,omitzero"`
	Limited  bool            `json:"limited,omitempty"`
	Readers  []ledger.Reader `json:"readers,omitempty"`
}

// The bounds of an order.
const (
	maxDepth   = 10
	maxPages   = 5000
	usualDepth = 3 // of a site
	usualSite  = 100
	maxRate    = 20
	maxFound   = 20_000
	maxWritten = 4 << 20 // bytes of all addresses that are found
	maxNotes   = 50
)

// checked returns the order with defaults for what it leaves open. The error is Invalid.
func (o Order) checked() (Order, *url.URL, error) {
	if isStored(o.Address) {
		return o.checkedStored()
	}
	start, err := Canonical(o.Address)
	if err != nil {
		return o, nil, err
	}
	o.Address = start.String()
	site := o.Sitemap || o.Depth > 0
	if o.Most == 0 {
		if o.Most = 1; site {
			o.Most = usualSite
		}
	}
	o.Rate = cmp.Or(o.Rate, 1)
	if o.Below == "" {
		if o.Below = Folder(start); o.Sitemap {
			o.Below = "/"
		}
	}
	switch {
	case o.Depth < 0 || o.Depth > maxDepth:
		err = domain.Errorf(domain.Invalid, "Links of a site can be followed at most %d deep.", maxDepth)
	case o.Most < 1 || o.Most > maxPages:
		err = domain.Errorf(domain.Invalid, "Between 1 and %s pages can be fetched at once.", domain.Thousands(maxPages))
	case o.Rate < 0.01 || o.Rate > maxRate:
		err = domain.Errorf(domain.Invalid, "The rate should be between 0.01 and %d requests a second.", maxRate)
	case !strings.HasPrefix(o.Below, "/"):
		err = domain.Errorf(domain.Invalid, "The path that pages must be under begins with a slash: /docs/.")
	}
	return o, start, err
}

func (o Order) checkedStored() (Order, *url.URL, error) {
	start, err := parseStored(o.Address)
	if err != nil {
		return o, nil, err
	}
	o.Address, o.Sitemap, o.Depth = start.String(), true, 0 // it is a list
	o.Most = cmp.Or(o.Most, maxPages)
	if o.Most < 1 || o.Most > maxPages {
		err = domain.Errorf(domain.Invalid, "Between 1 and %s objects can be fetched at once.", domain.Thousands(maxPages))
	}
	return o, start, err
}

// within reports whether a page belongs to the order.
func (o Order) within(start, u *url.URL) bool {
	return u.Host == start.Host && (strings.HasPrefix(u.Path, o.Below) || u.Path+"/" == o.Below)
}

// An Address is one that a crawl has found.
type Address struct {
	URL     string `json:"url"`
	Depth   int    `json:"depth,omitempty"`
	Sitemap bool   `json:"sitemap,omitempty"`
	Done    bool   `json:"done,omitempty"`    // another address led to the same page
	Held    bool   `json:"held,omitempty"`    // the library already has the content
	Instead string `json:"instead,omitempty"` // the canonical address, already visited
	Known   bool   `json:"known,omitempty"`   // fetched earlier and not met now: only its existence is checked
	Token   string `json:"token,omitempty"`   // of a storage: where its list continues, or the tag of an object
}

// State is the state of a crawl.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Order     Order              `json:"order"`
	Found     []Address          `json:"found"` // in the order of visiting
	Next      int                `json:"next"`  // place of the next one
	Added     int                `json:"added"` // documents
	Known     int                `json:"known"` // unchanged documents
	Notes     []string           `json:"notes"` // why addresses were left out
}

var (
	schema = state.NewSchema[State](1)
	found  = state.Upsert(schema, "found", func(s *State) *[]Address { return &s.Found }, func(a Address) string { return a.URL })
	next   = state.Replace(schema, "next", func(s *State) *int { return &s.Next })
	added  = state.Sum(schema, "added", func(s *State) *int { return &s.Added })
	known  = state.Sum(schema, "known", func(s *State) *int { return &s.Known })
	notes  = state.Append(schema, "notes", func(s *State) *[]string { return &s.Notes })
)

type update = state.Update[State]

// A Result is the outcome of an address.
type Result struct {
	Address   string
	Name      string     // of the file; "" if there is none
	Documents []Document // that contain it
	Existing  bool       // it is unchanged
	Err       error      // why it was left out
	Gone      bool       // it no longer exists
	Note      string     // what was left out of a list, or no longer exists
	found     []Address  // that it leads to
	held      []string   // addresses whose content is in the library
}

// A Document is one that was added, and the run that reads it.
type Document struct {
	ID  domain.DocumentID
	Run domain.RunID
}

// Library stores what a crawl finds.
type Library interface {
	// AddFound adds a file and the files in it. existing reports that all of them were there already.
	AddFound(ctx context.Context, w domain.WorkspaceID, o Order, link string, f File) (docs []Document, existing bool, err error)
	// TagOf returns the tag of the document that was fetched from an address; "" if there is none.
	TagOf(ctx context.Context, w domain.WorkspaceID, link string) (string, error)
	// LinksBelow lists the addresses with a given beginning from which documents were fetched.
	LinksBelow(ctx context.Context, w domain.WorkspaceID, beginning string) ([]string, error)
	// NoteGone records that an address no longer has content, and returns the names of the documents
	// that were fetched from it.
	NoteGone(ctx context.Context, w domain.WorkspaceID, link string) ([]string, error)
	// NoteThere records that the document at an address still exists.
	NoteThere(ctx context.Context, w domain.WorkspaceID, link string) error
}

// gone records that an address no longer holds anything. Its document stays until a person deletes it.
func (s *Service) gone(ctx context.Context, st State, r Result, why error) (Result, error) {
	names, err := s.Library.NoteGone(ctx, st.Workspace, r.Address)
	if err != nil {
		return r, err
	}
	if len(names) == 0 {
		r.Err = why
		return r, nil
	}
	r.Gone, r.Existing, r.Name = true, true, names[0]
	r.Note = fmt.Sprintf("%s is no longer at %s. The document stays until somebody deletes it.", names[0], r.Address)
	return r, nil
}

// rest adds to the links of the last address of a site or a list those that were fetched from there before and were not
// found this time, so that missing pages are noticed.
func (s *Service) rest(ctx context.Context, st State, r *Result) error {
	o, start, err := st.Order.checked()
	if err != nil || !o.Sitemap && o.Depth == 0 || st.Next+1 < len(st.Found) || len(r.fresh(st)) > 0 {
		return err
	}
	links, err := s.Library.LinksBelow(ctx, st.Workspace, o.beginning(start))
	for _, link := range links {
		if u, err := url.Parse(link); err == nil && o.covers(start, u) {
			r.found = append(r.found, Address{URL: link, Known: true})
		}
	}
	return err
}

// covers reports whether content fetched from an address would belong to the order.
func (o Order) covers(start, u *url.URL) bool {
	if isStored(o.Address) {
		return below(u.Path, start.Path)
	}
	return o.within(start, u)
}

// beginning returns how the addresses begin that belong to the order.
func (o Order) beginning(start *url.URL) string {
	if isStored(o.Address) {
		return start.String()
	}
	return (&url.URL{Scheme: start.Scheme, Host: start.Host, Path: o.Below}).String()
}

// visit fetches the next address and adds its content. Its error ends the crawl; a problem of this address alone is in
// the result.
func (s *Service) visit(ctx context.Context, st State) (Result, error) {
	r, err := s.visitOne(ctx, st)
	if err == nil {
		err = s.rest(ctx, st, &r)
	}
	return r, err
}

// errStill means that an address that was only checked still exists.
var errStill = errors.New("still there")

func (s *Service) visitOne(ctx context.Context, st State) (Result, error) {
	a := st.Found[st.Next]
	r := Result{Address: a.URL}
	if a.Done {
		return r, nil
	}
	if isStored(a.URL) {
		return s.visitStored(ctx, st, a, r)
	}
	o, start, err := st.Order.checked()
	if err != nil {
		return r, err
	}
	u, err := Canonical(a.URL)
	if err != nil {
		return r, err
	}
	if r.Address = u.String(); a.Instead != "" && st.holds(a.Instead) {
		r.Note = fmt.Sprintf("%s was left out: the page says that it is the same as %s.", r.Address, a.Instead)
		return r, nil
	}
	if err := s.manners.enter(ctx, u, time.Duration(float64(time.Second)/o.Rate)); err != nil {
		r.Err = err
		return r, ctx.Err()
	}
	tag := ""
	if a.Depth >= o.Depth && !a.Sitemap { // the links of other pages are needed
		if tag, err = s.Library.TagOf(ctx, st.Workspace, r.Address); err != nil {
			return r, err
		}
	}
	f, err := s.Fetch.Get(ctx, u, tag, accepts(a))
	switch {
	case errors.Is(err, errStill):
		return r, s.Library.NoteThere(ctx, st.Workspace, a.URL)
	case errors.Is(err, ErrUnchanged):
		r.Existing, r.Name, r.held = true, u.Path, []string{a.URL}
		return r, s.Library.NoteThere(ctx, st.Workspace, r.Address)
	case domain.KindOf(err) == domain.NotFound:
		return s.gone(ctx, st, r, err)
	case err != nil:
		r.Err = err
		return r, ctx.Err()
	case a.Sitemap:
		return s.sitemap(ctx, st, o, start, f, r)
	}
	return s.add(ctx, st, o, start, f, r)
}

// accepts returns a function that decides which files are fetched whole from an address: a sitemap, a page whose links
// may be wanted, and every readable format except images found by links.
func accepts(a Address) func(File) error {
	return func(begun File) error {
		switch {
		case a.Known:
			return errStill
		case a.Sitemap || isPage(begun.Type):
			return nil
		}
		format, err := readable.Detect(begun.Name, begun.Data)
		if err == nil && format == domain.FormatImage && a.Depth > 0 { // sites have thousands of images
			err = domain.Errorf(domain.Unsupported, "Images that a page links to are left out. Add the address of one to have it read.")
		}
		return err
	}
}

// sitemap records the addresses in a sitemap.
func (s *Service) sitemap(ctx context.Context, st State, o Order, start *url.URL, f File, r Result) (Result, error) {
	pages, maps, err := s.readSitemap(ctx, f)
	if domain.Temporary(err) || ctx.Err() != nil {
		return r, cmp.Or(ctx.Err(), err)
	}
	r.Err = err
	for _, u := range pages {
		if o.within(start, u) {
			r.found = append(r.found, Address{URL: u.String(), Depth: o.Depth})
		}
	}
	for _, u := range maps {
		if u.Host == start.Host && st.Found[st.Next].Depth < 2 { // lists of lists of lists are not read
			r.found = append(r.found, Address{URL: u.String(), Depth: st.Found[st.Next].Depth + 1, Sitemap: true})
		}
	}
	return r, nil
}

// add adds a file, and notes the links of a page. Its document is that of the address at which it was found, whatever
// it says of itself: by its canonical address, a page can only be left out.
func (s *Service) add(ctx context.Context, st State, o Order, start *url.URL, f File, r Result) (Result, error) {
	a := st.Found[st.Next]
	if f.Address.String() != r.Address {
		if a.Depth > 0 && !o.within(start, f.Address) {
			r.Err = domain.Errorf(domain.Invalid, "%s redirects to %s, on another site.", r.Address, f.Address)
			return r, nil
		}
		if st.visited(f.Address) {
			return r, nil
		}
		r.found = append(r.found, Address{URL: f.Address.String(), Done: true})
	}
	if isPage(f.Type) {
		p, err := s.readPage(ctx, f)
		if domain.Temporary(err) || ctx.Err() != nil {
			return r, cmp.Or(ctx.Err(), err)
		}
		if err != nil {
			r.Note = fmt.Sprintf("The links of %s could not be read: %s", r.Address, domain.InWords(err))
		}
		left := leftToCanonical(st, o, start, p, &r)
		for _, to := range p.links {
			if a.Depth < o.Depth && o.within(start, to) {
				r.found = append(r.found, Address{URL: to.String(), Depth: a.Depth + 1})
			}
		}
		if left {
			return r, nil
		}
	}
	r.Name = f.Name
	var err error
	r.Documents, r.Existing, err = s.Library.AddFound(ctx, st.Workspace, o, f.Address.String(), f)
	if domain.Temporary(err) || ctx.Err() != nil {
		return r, err
	}
	if r.Err = err; err == nil {
		r.held = []string{a.URL, f.Address.String()}
	}
	return r, nil
}

// leftToCanonical reports whether a page is left out because its canonical address holds it: that was visited and is in
// the library. One that is yet to be visited is visited first, and then the page once more if that held nothing.
func leftToCanonical(st State, o Order, start *url.URL, p page, r *Result) bool {
	a := st.Found[st.Next]
	if p.canonical == nil || a.Instead != "" {
		return false
	}
	address := p.canonical.String()
	if st.holds(address) {
		r.Note = fmt.Sprintf("%s was left out: the page says that it is the same as %s.", r.Address, address)
		return true
	}
	i := slices.IndexFunc(st.Found, func(a Address) bool { return a.URL == address })
	switch {
	case i >= 0 && (i <= st.Next || st.Found[i].Done), !o.within(start, p.canonical), i < 0 && a.Depth >= o.Depth:
		return false
	case i < 0:
		r.found = append(r.found, Address{URL: address, Depth: a.Depth + 1})
	}
	r.found = append(r.found, Address{URL: a.URL + again, Depth: a.Depth, Instead: address})
	return true
}

// again ends an address that is visited for a second time.
const again = "#again"

// visited reports whether the content at an address was visited.
func (st State) visited(u *url.URL) bool {
	address := u.String()
	i := slices.IndexFunc(st.Found, func(a Address) bool { return a.URL == address })
	return i >= 0 && (i < st.Next || st.Found[i].Done && i != st.Next)
}

// holds reports whether the library has the content of an address.
func (st State) holds(address string) bool {
	return slices.ContainsFunc(st.Found, func(a Address) bool { return a.URL == address && a.Held })
}

// apply returns a result's changes to a state.
func (r Result) apply(st State) update {
	u := state.Merge(found.Put(r.fresh(st)...), next.Set(st.Next+1))
	if r.Note != "" && len(st.Notes) < maxNotes {
		u = state.Merge(u, notes.Add(r.Note))
	}
	switch {
	case r.Err != nil && len(st.Notes) < maxNotes:
		u = state.Merge(u, notes.Add(domain.InWords(r.Err)))
	case r.Existing:
		u = state.Merge(u, known.Add(1))
	case len(r.Documents) > 0:
		u = state.Merge(u, added.Add(len(r.Documents)))
	}
	return u
}

// fresh returns the addresses that a result adds to a state, or marks there as done.
func (r Result) fresh(st State) (fresh []Address) {
	there, again, size := make(map[string]bool, len(st.Found)), map[string]bool{}, 0
	for _, a := range st.Found {
		there[a.URL] = true
		size += len(a.URL)
	}
	for _, a := range r.found {
		if (!there[a.URL] || a.Done) && !again[a.URL] && len(st.Found)+len(fresh) < maxFound && size+len(a.URL) <= maxWritten {
			again[a.URL] = true
			size += len(a.URL)
			fresh = append(fresh, a)
		}
	}
	return r.marked(st, fresh)
}

// marked returns addresses, marking those whose content the library holds.
func (r Result) marked(st State, fresh []Address) []Address {
	for _, address := range r.held {
		is := func(a Address) bool { return a.URL == address }
		if i := slices.IndexFunc(fresh, is); i >= 0 {
			fresh[i].Held = true
		} else if i := slices.IndexFunc(st.Found, is); i >= 0 {
			a := st.Found[i]
			a.Held = true
			fresh = append(fresh, a)
		}
	}
	return fresh
}

// more reports whether there is another address to visit.
func (st State) more() bool {
	return st.Next < len(st.Found) && st.Added+st.Known < max(1, st.Order.Most)
}

// begin returns the initial state of an order.
func begin(w domain.WorkspaceID, o Order) State {
	first := Address{URL: o.Address, Sitemap: o.Sitemap}
	if isStored(o.Address) {
		first.URL += "#list" // an object may have the same address
	}
	return State{Workspace: w, Order: o, Found: []Address{first}}
}

// The labels of the edges after a visit.
const (
	another = "another address"
	done    = "all or enough"
)

func graph(s *Service) (stategraph.Runnable[State], error) {
	reads, writes := stategraph.Reads, stategraph.Writes
	b := stategraph.New("crawl", schema)
	b.Node("visit", s.step, reads(found, next, added, known, notes), writes(found, next, added, known, notes))
	b.Node("report", report, reads(found, next, added, known, notes), writes())
	b.Edge(stategraph.Start, "visit")
	b.Branch("visit", "addresses", func(_ *stategraph.Context, st State) (stategraph.Route[State], error) {
		if st.more() {
			return stategraph.Choose[State](another), nil
		}
		return stategraph.Choose[State](done), nil
	}, stategraph.Case{Label: another, Target: "visit"}, stategraph.Case{Label: done, Target: "report"})
	b.Edge("report", stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(s.Threads), stategraph.WithCodec(s.Codec))
}

// step visits the next address.
func (s *Service) step(ctx *stategraph.Context, st State) (update, error) {
	r, err := s.visit(ctx, st)
	if err != nil {
		return update{}, err
	}
	ctx.Emit(domain.EventProgress, domain.Progress{Done: st.Next + 1, Total: len(st.Found)})
	return r.apply(st), nil
}

// report fails a crawl that has found nothing, with the first reason.
func report(_ *stategraph.Context, st State) (update, error) {
	if st.Added+st.Known > 0 {
		return update{}, nil
	}
	if len(st.Notes) > 0 {
		return update{}, domain.Errorf(domain.Invalid, "%s", st.Notes[0])
	}
	return update{}, domain.Errorf(domain.Invalid, "Nothing was found at %s that could be added.", st.Order.Address)
}
