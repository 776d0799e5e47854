package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/views/link"
)

// TestTravellingIsFast prints how long pages of large runs take, and how large
// they are, and holds them to their limits of size.
func TestTravellingIsFast(t *testing.T) {
	t.Parallel()
	if !long.Enabled() {
		t.Skip("make bench-travel runs it")
	}
	b := open(t, testkit.Options{})
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "Paragraph %d tells how the Bell Foundry of Carrow cast bell number %d for the tower of Osterby, what it weighed, who carried it there over the river, and what the parish paid for it in the end. "+
			"The founder wrote it all down in the book of the year, with the names of the men at the furnace and the hours that they worked.\n\n", i, i*7)
	}
	doc := b.Read(t, "long.txt", text.String())
	m := b.Answered(t, "", "Which zebra galloped?")
	runs, err := b.Queue.List(t.Context(), testkit.Workspace, job.Query{Kind: documents.Kind})
	testkit.Must(t, err)
	l := b.get(t, link.Run(runs[0].ID))
	t.Logf("%d chunks", doc.Chunks)
	for _, p := range []struct {
		name, path string
		headers    []string
		bytes      int
	}{
		{"page of a run with 1,000 sends", link.Run(doc.Run), nil, 300_000},
		{"its slider, at the last send", link.RunAt(doc.Run, strings.Count(l.body, "data-stop=")-1), []string{"HX-Request", "true"}, 30_000},
		{"its slider, in the middle", link.RunAt(doc.Run, strings.Count(l.body, "data-stop=")/2), []string{"HX-Request", "true"}, 30_000},
		{"page of an answer", link.Run(m.Run), nil, 300_000},
		{"slider of an answer", link.RunAt(m.Run, 7), []string{"HX-Request", "true"}, 30_000},
		{"state of an answer as JSON", link.RunState(m.Run, 7), nil, 1 << 30},
	} {
		const times = 10
		var r reply
		began := time.Now()
		for range times {
			r = b.get(t, p.path, p.headers...)
		}
		t.Logf("%-32s %6.1f ms %8d bytes", p.name, float64(time.Since(began).Microseconds())/1000/times, len(r.body))
		if len(r.body) > p.bytes || r.status != 200 {
			t.Errorf("%s: status %d, %d bytes, the most is %d", p.name, r.status, len(r.body), p.bytes)
		}
	}
}
