package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/trace"
)

// MaxBytes is the size of the largest file.
const MaxBytes = 32 << 20

// Limits of what a file holds. They are far above what runs have, and low enough for a page.
const (
	maxDepth    = 64 // of lists and objects within each other
	maxEvents   = 100_000
	maxStates   = 4_000
	maxMoments  = 1_000
	maxCalls    = 50_000
	maxPassages = 50_000
	maxNodes    = 300 // with those of subgraphs
	maxEdges    = 2_000
	maxWithin   = 4      // subgraphs within each other
	maxName     = 80     // code points of a name
	maxSaid     = 20_000 // of a text that is shown
	maxNumber   = 1 << 40
)

// Read reads a file and checks all of it. The error is Invalid, or TooLarge, with what is wrong.
func Read(r io.Reader) (*File, []byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, nil, domain.Because(domain.Invalid, err, "The file could not be read to its end. Try again.")
	}
	if len(data) > MaxBytes {
		return nil, nil, tooMuch("bytes", MaxBytes)
	}
	f, err := parse(data)
	if err != nil {
		return nil, nil, err
	}
	return f, data, f.check()
}

func refused(format string, args ...any) error {
	return domain.Errorf(domain.Invalid, "This is no run that can be opened: %s.", fmt.Sprintf(format, args...))
}

func tooMuch(what string, most int) error {
	return domain.Errorf(domain.TooLarge, "The run is too large to be opened: it has more than %d %s.", most, what)
}

// parse decodes a file. Its parts are not checked yet.
func parse(data []byte) (*File, error) {
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, refused("the file is empty")
	case !utf8.Valid(data):
		return nil, refused("it is not text in UTF-8")
	case depth(data) > maxDepth:
		return nil, refused("its lists and objects stand in each other more than %d deep", maxDepth)
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := decode(data, &head); err != nil {
		return nil, err
	}
	switch {
	case head.Format != Format:
		return nil, refused("its format is %q and should be %q", domain.Cut(head.Format, maxName), Format)
	case head.Version < 1:
		return nil, refused("its version is %d", head.Version)
	case head.Version > Version:
		return nil, domain.Errorf(domain.Invalid, "The file was written by a later version of Clew (format %d, this one reads %d). Update Clew to open it.", head.Version, Version)
	}
	var f File
	return &f, decode(data, &f)
}

func decode(data []byte, to any) error {
	err := json.Unmarshal(data, to)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return refused("%q is a %s, which does not belong there", domain.Cut(wrong.Field, maxName), wrong.Value)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return refused("it is not JSON at byte %d; perhaps only a part of it was copied", syntax.Offset)
	}
	if err != nil {
		return refused("a part of it is not what it should be (%s)", domain.Cut(err.Error(), 200))
	}
	return nil
}

// depth returns how deep lists and objects stand in each other.
func depth(data []byte) int {
	deepest, now := 0, 0
	text, escaped := false, false
	for _, b := range data {
		switch {
		case escaped:
			escaped = false
		case text:
			escaped, text = b == '\\', b != '"'
		case b == '"':
			text = true
		case b == '{' || b == '[':
			now++
			deepest = max(deepest, now)
		case b == '}' || b == ']':
			now--
		}
	}
	return deepest
}

// check checks the parts of a file, those first on which others rest.
func (f *File) check() error {
	for _, count := range []struct {
		n, most int
		what    string
	}{
		{len(f.Events), maxEvents, "events"}, {len(f.States), maxStates, "states"},
		{len(f.Calls), maxCalls, "recorded calls"}, {len(f.Passages), maxPassages, "passages"},
	} {
		if count.n > count.most {
			return tooMuch(count.what, count.most)
		}
	}
	for _, check := range []func() error{f.checkRun, f.checkGraph, f.checkEvents, f.checkStates, f.checkMoments} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) checkRun() error {
	r := &f.Run
	if !r.Status.Ended() {
		return refused("its run has not ended")
	}
	for what, text := range map[string]string{"the kind of the run": r.Kind, "the title of its kind": r.Title, "the id of the run": string(r.ID)} {
		if err := named(what, text); err != nil {
			return err
		}
	}
	r.About, r.Problem = said(r.About), said(r.Problem)
	if r.About == "" {
		r.About = "A run without a title"
	}
	for _, at := range []time.Time{r.StartedAt, r.EndedAt} {
		if !sensible(at) {
			return refused("the run is from the year %d", at.Year())
		}
	}
	if r.EndedAt.Before(r.StartedAt) {
		return refused("the run ended before it began")
	}
	if r.Attempt < 0 || r.Tokens < 0 || r.Attempt > maxNumber || r.Tokens > maxNumber {
		return refused("the run's figures are no counts")
	}
	return nil
}

func sensible(t time.Time) bool { return t.IsZero() || t.Year() >= 1970 && t.Year() < 3000 }

// name matches what stands for a graph, a node, a kind or an id.
var name = regexp.MustCompile(`^[\pL\pN_][\pL\pN _.:'()/-]*$`)

// named checks a name.
func named(what, text string) error {
	if !name.MatchString(text) || domain.Runes(text) > maxName {
		return refused("%s is %q; names have letters, digits and the signs _ - . and are at most %d long", what, domain.Cut(text, maxName), maxName)
	}
	return nil
}

// said returns a text as a page may show it.
func said(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	return domain.Cut(strings.TrimSpace(text), maxSaid)
}

func (f *File) checkGraph() error {
	nodes, edges := 0, 0
	return checkTopology(f.Topology, 0, &nodes, &edges)
}

var nodeKinds = []string{stategraph.KindStart, stategraph.KindNode, stategraph.KindTask, stategraph.KindBranch, stategraph.KindSubgraph, stategraph.KindEnd}

func checkTopology(t stategraph.Topology, within int, nodes, edges *int) error {
	*nodes += len(t.Nodes)
	*edges += len(t.Edges)
	switch {
	case within > maxWithin:
		return refused("its graphs stand in each other more than %d deep", maxWithin)
	case *nodes > maxNodes:
		return tooMuch("nodes", maxNodes)
	case *edges > maxEdges:
		return tooMuch("edges", maxEdges)
	}
	if err := named("the name of a graph", t.Name); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, n := range t.Nodes {
		if err := named("the name of a node", n.Name); err != nil {
			return err
		}
		switch {
		case strings.Contains(n.Name, "/"):
			return refused("the name of the node %q has a slash", n.Name)
		case known[n.Name]:
			return refused("its graph %s has two nodes %s", t.Name, n.Name)
		case !slices.Contains(nodeKinds, n.Kind):
			return refused("the node %s is of the kind %q", n.Name, domain.Cut(n.Kind, maxName))
		}
		known[n.Name] = true
		for _, field := range slices.Concat(n.Reads, n.Writes) {
			if err := named("a field of the state", field); err != nil {
				return err
			}
		}
		if n.Graph != nil {
			if err := checkTopology(*n.Graph, within+1, nodes, edges); err != nil {
				return err
			}
		}
	}
	for _, e := range t.Edges {
		if !known[e.From] || !known[e.To] {
			return refused("an edge leads from %q to %q, and the graph %s does not have both", domain.Cut(e.From, maxName), domain.Cut(e.To, maxName), t.Name)
		}
		if domain.Runes(e.Label) > maxName {
			return refused("the label of the edge from %s to %s is longer than %d signs", e.From, e.To, maxName)
		}
	}
	return nil
}

var eventKinds = []string{
	string(stategraph.RunStart), string(stategraph.RunEnd), string(stategraph.NodeStart), string(stategraph.NodeEnd), string(stategraph.NodeFailed),
	string(stategraph.NodeRetry), string(stategraph.Branch), string(stategraph.Custom), string(stategraph.Interrupted), trace.Settled,
}

func (f *File) checkEvents() error {
	if len(f.Events) == 0 {
		return refused("it has no events")
	}
	inner := map[string]map[string]bool{}
	for i := range f.Events {
		e := &f.Events[i]
		switch {
		case e.Seq <= 0 || e.Seq > maxNumber || i > 0 && e.Seq <= f.Events[i-1].Seq:
			return refused("its event %d has the number %d, which is not after the one before", i+1, e.Seq)
		case e.Step < 0 || e.Task < 0 || e.Attempt < 0 || e.Took < 0 || e.Pause < 0 || e.Sends < 0 || max(e.Step, e.Task, e.Attempt, e.Sends) > maxNumber:
			return refused("its event %d has a figure that is no count", e.Seq)
		case !slices.Contains(eventKinds, e.Kind):
			return refused("its event %d is of the kind %q", e.Seq, domain.Cut(e.Kind, maxName))
		case !sensible(e.At):
			return refused("its event %d is from the year %d", e.Seq, e.At.Year())
		}
		e.Problem, e.Label = said(e.Problem), said(e.Label)
		if err := f.placed(e, inner); err != nil {
			return err
		}
	}
	return nil
}

// placed checks that the graph has what an event names. inner holds the nodes of the graphs by their path.
func (f *File) placed(e *trace.Event, inner map[string]map[string]bool) error {
	if e.Kind == trace.Settled {
		return nil
	}
	if len(e.Path) > maxWithin+1 {
		return refused("its event %d is in a graph that stands too deep", e.Seq)
	}
	key := strings.Join(e.Path, "/")
	nodes, ok := inner[key]
	if !ok {
		t, found := f.graphAt(e.Path)
		if !found {
			return refused("its event %d is in a graph that the run does not have", e.Seq)
		}
		nodes = map[string]bool{}
		for _, n := range t.Nodes {
			nodes[n.Name] = true
		}
		inner[key] = nodes
	}
	for _, n := range append(slices.Clip(e.Targets), e.Node) {
		if n != "" && !nodes[n] {
			return refused("its event %d names the node %q, which the graph does not have", e.Seq, domain.Cut(n, maxName))
		}
	}
	if e.Node == "" && e.Kind != string(stategraph.RunStart) && e.Kind != string(stategraph.RunEnd) {
		return refused("its event %d names no node", e.Seq)
	}
	return nil
}

// graphAt returns the graph at an event's path, which begins with the name of the whole graph.
func (f *File) graphAt(path []string) (stategraph.Topology, bool) {
	t := f.Topology
	for _, node := range path[min(1, len(path)):] {
		i := slices.IndexFunc(t.Nodes, func(n stategraph.TopologyNode) bool { return n.Name == node })
		if i < 0 || t.Nodes[i].Graph == nil {
			return t, false
		}
		t = *t.Nodes[i].Graph
	}
	return t, true
}

func (f *File) checkStates() error {
	for i, s := range f.States {
		if s.Super < 0 || s.Super > maxNumber || len(s.Within) > maxWithin {
			return refused("its state %d belongs nowhere", i+1)
		}
		if trimmed := bytes.TrimSpace(s.State); len(trimmed) == 0 || trimmed[0] != '{' {
			return refused("its state %d is not an object", i+1)
		}
	}
	for _, c := range f.Calls {
		if err := named("the key of a recorded call", c.Key); err != nil {
			return err
		}
	}
	for i := range f.Passages {
		p := &f.Passages[i]
		p.Name = said(p.Name)
		if err := named("the id of a passage", string(p.Chunk)); err != nil {
			return err
		}
	}
	return nil
}

// checkMoments counts the steps before they are folded.
func (f *File) checkMoments() error {
	type step struct {
		path, node   string
		super, round int
	}
	steps, rounds := map[step]bool{}, map[string]int{}
	starts := 0
	for _, e := range f.Events {
		path := strings.Join(e.Path, "/")
		switch e.Kind {
		case string(stategraph.NodeStart):
			steps[step{path, e.Node, e.Step, rounds[path]}] = true
		case string(stategraph.RunStart):
			starts++
			rounds[path]++
		}
	}
	if len(steps) > maxMoments || starts > maxMoments {
		return tooMuch("steps", maxMoments)
	}
	moments, v := trace.Moments(f.Run.ID, f.Topology, f.Events)
	if len(moments) > maxMoments || len(v.Steps) > maxMoments {
		return tooMuch("steps", maxMoments)
	}
	return nil
}
