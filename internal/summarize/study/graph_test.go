package study_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/checkpoint/memory"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/summarize/study"
)

const ws = domain.DefaultWorkspace

// words counts a token a word.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

// documents are texts in memory, by id.
type documents map[domain.DocumentID]string

func (s documents) Text(_ context.Context, _ domain.WorkspaceID, id domain.DocumentID) (domain.Text, error) {
	text, ok := s[id]
	if !ok {
		return domain.Text{}, domain.Errorf(domain.NotFound, "There is no text of document %s here.", id)
	}
	return domain.Text{Content: text}, nil
}

func (s documents) Document(_ context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error) {
	return domain.Document{Workspace: w, ID: id, Name: string(id) + ".txt", Version: 1}, nil
}

// byLine makes an item of each line "front: back", worth as much as it is long.
type byLine struct {
	fail func(part int) error
	made map[int]int // calls by part
}

func (m byLine) Make(_ context.Context, r study.Request, warn func(string), _ summarize.Emit) (items []study.Item, err error) {
	m.made[r.Part.N]++
	if m.fail != nil {
		if err := m.fail(r.Part.N); err != nil {
			return nil, err
		}
	}
	at := r.Part.Span.Start
	for line := range strings.Lines(r.Text) {
		if front, back, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			items = append(items, study.Item{Front: front, Back: back, Span: domain.Span{Start: at, End: at + domain.Runes(strings.TrimSpace(line))}, Worth: len(back)})
		}
		if strings.HasPrefix(line, "More") {
			warn("There may be more.")
		}
		at += domain.Runes(line)
	}
	return items, nil
}

func graph(t *testing.T, texts documents, m study.Maker, threads stategraph.Checkpointer) *stategraph.Graph[study.State] {
	t.Helper()
	g, err := study.Graph(study.Params{Texts: texts, Counter: words{}, Maker: m, Retry: summarize.Retry{Attempts: 1}, Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func start(kind domain.StudyKind, most int, ids ...domain.DocumentID) study.State {
	return study.State{Wanted: study.Wanted{Workspace: ws, Run: "r1", Kind: kind, Most: most}, Documents: ids}
}

// said returns fronts and quotations.
func said(s study.State) (list []string) {
	for _, i := range s.Items {
		list = append(list, fmt.Sprintf("%d %s = %s | %s", i.N, i.Front, i.Back, s.Citations[i.Source-1].Text))
	}
	return list
}

// TestTheBestOfEachDocumentIsChosen joins equal terms and takes turns among documents.
func TestTheBestOfEachDocumentIsChosen(t *testing.T) {
	t.Parallel()
	texts := documents{"a": "kiln: an oven\nslip: thin clay that is used as glue\nKiln: an oven in which clay is fired for a day\nMore", "b": "flux: what makes glass melt", "c": ""}
	g := graph(t, texts, byLine{made: map[int]int{}}, nil)
	for most, want := range map[int][]string{
		10: {"1 flux = what makes glass melt | flux: what makes glass melt", "2 Kiln = an oven in which clay is fired for a day | Kiln: an oven in which clay is fired for a day", "3 slip = thin clay that is used as glue | slip: thin clay that is used as glue"},
		2:  {"1 flux = what makes glass melt | flux: what makes glass melt", "2 Kiln = an oven in which clay is fired for a day | Kiln: an oven in which clay is fired for a day"},
	} {
		final, err := g.Run(t.Context(), start(domain.Glossary, most, "a", "b", "c"), stategraph.RecursionLimit(study.RecursionLimit))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, said(final)); diff != "" {
			t.Errorf("at most %d: -want +got\n%s", most, diff)
		}
		if diff := cmp.Diff([]string{"c.txt has no text to summarise.", "Part 1 of 2: There may be more."}, final.Warnings); diff != "" {
			t.Errorf("warnings: -want +got\n%s", diff)
		}
		if c := final.Citations[0]; c.DocumentID != "b" || c.Document != "b.txt" || c.Version != 1 || len(final.Read) != 3 {
			t.Errorf("citation %+v, read %+v", c, final.Read)
		}
	}
	final, err := g.Run(t.Context(), start(domain.FAQ, 10, "b", "a"), stategraph.RecursionLimit(study.RecursionLimit))
	if err != nil || len(final.Items) != 3 || final.Items[0].Front != "flux" || final.Items[1].Front != "slip" {
		t.Errorf("questions stay in the order of the text: %v, %v", said(final), err)
	}
}

// TestALargeLibraryIsReadFromTheBeginningOfEachDocument reads ten parts for each item that is wanted.
func TestALargeLibraryIsReadFromTheBeginningOfEachDocument(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(strings.Repeat("word ", 900)+"\n\n", 12)
	m := byLine{made: map[int]int{}}
	final, err := graph(t, documents{"a": long, "b": "flux: what makes glass melt"}, m, nil).Run(t.Context(), start(domain.Glossary, 1, "a", "b"), stategraph.RecursionLimit(study.RecursionLimit), stategraph.MaxConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if len(final.Contents) != 10 || final.Contents[8].N != 9 || final.Contents[9].Document != "b" || len(final.Items) != 1 {
		t.Errorf("read %+v", final.Contents)
	}
	if len(final.Warnings) != 1 || !strings.Contains(final.Warnings[0], "Only 10 of 13 parts") {
		t.Errorf("warnings %q", final.Warnings)
	}
}

func TestAPartThatFailsIsAWarning(t *testing.T) {
	t.Parallel()
	texts := documents{"a": "kiln: an oven", "b": "flux: what makes glass melt"}
	broken := errors.New("broken")
	final, err := graph(t, texts, byLine{made: map[int]int{}, fail: func(n int) error {
		if n == 1 {
			return domain.Because(domain.Invalid, broken, "The model said nothing of use.")
		}
		return nil
	}}, nil).Run(t.Context(), start(domain.Cards, 10, "a", "b"), stategraph.RecursionLimit(study.RecursionLimit), stategraph.MaxConcurrency(1))
	if err != nil || len(final.Items) != 1 || len(final.Warnings) != 1 || !strings.Contains(final.Warnings[0], "Part 1 of 2 was left out: The model said nothing of use.") {
		t.Errorf("got %v, %q, %v", said(final), final.Warnings, err)
	}
	for kind, fail := range map[domain.Kind]error{
		domain.Invalid: domain.Because(domain.Invalid, broken, "No."), // all parts
		domain.Capped:  domain.Errorf(domain.Capped, "The cap is reached."),
	} {
		_, err := graph(t, texts, byLine{made: map[int]int{}, fail: func(int) error { return fail }}, nil).Run(t.Context(), start(domain.Cards, 10, "a", "b"), stategraph.RecursionLimit(study.RecursionLimit), stategraph.MaxConcurrency(1))
		if domain.KindOf(err) != kind {
			t.Errorf("got %v, want an error of kind %v", err, kind)
		}
	}
	if _, err := graph(t, texts, byLine{made: map[int]int{}}, nil).Run(t.Context(), start(domain.Cards, 10, "gone"), stategraph.RecursionLimit(study.RecursionLimit)); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a deleted document: %v", err)
	}
	if _, err := study.Graph(study.Params{}); err == nil {
		t.Error("a graph without a maker was built")
	}
}

// TestARunGoesOnWhereItStopped asks no part twice.
func TestARunGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	m := byLine{made: map[int]int{}}
	down := true
	m.fail = func(n int) error {
		if n == 2 && down {
			return domain.Errorf(domain.Capped, "The cap is reached.")
		}
		return nil
	}
	g := graph(t, documents{"a": "kiln: an oven", "b": "flux: what makes glass melt"}, m, memory.New(time.Now))
	opts := []stategraph.RunOption{stategraph.Thread("r1"), stategraph.OrResume(), stategraph.RecursionLimit(study.RecursionLimit), stategraph.MaxConcurrency(1)}
	if _, err := g.Run(t.Context(), start(domain.Glossary, 10, "a", "b"), opts...); domain.KindOf(err) != domain.Capped {
		t.Fatalf("the run ended with %v", err)
	}
	down = false
	final, err := g.Run(t.Context(), start(domain.Glossary, 10, "a", "b"), opts...)
	if err != nil || len(final.Items) != 2 || m.made[1] != 1 || m.made[2] != 2 {
		t.Errorf("got %v after calls %v, %v", said(final), m.made, err)
	}
}
