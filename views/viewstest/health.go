package viewstest

import (
	"time"

	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
)

// healthy returns a program in order.
func healthy() page.HealthProps {
	return page.HealthProps{
		App: app("Health", layout.Health), Now: Now, Program: "v1.2.0 (commit 61b54971c539, go1.26.8, linux/amd64)",
		Stores: []maintenance.StoreState{
			{Role: "Ledger", Name: "SQLite, clew.db", Took: 400 * time.Microsecond, At: 1210},
			{Role: "Graph", Name: "SQLite, graph.db", Took: 2 * time.Millisecond, At: 1210},
			{Role: "Search index", Name: "embedded, vectors.db", Can: "Searches by words and vectors, each compared.", Took: 3 * time.Millisecond, At: 1210},
		},
		Check:   maintenance.Result{At: Now.Add(-time.Hour)},
		Workers: []maintenance.Worker{{Host: "archive", PID: 412, Seen: Now.Add(-3 * time.Second), Leases: 2}},
		Disk:    maintenance.Disk{Folder: "data", Known: true, Free: 51_000_000_000, Uses: []maintenance.Use{{Name: "Ledger", Bytes: 84_000_000}, {Name: "Uploaded files", Bytes: 1_200_000_000, More: true}}},
		Speeds:  []maintenance.Speed{{Kind: "Answer", Runs: 200, P50: 2100 * time.Millisecond, P95: 6800 * time.Millisecond}, {Kind: "Document read", Runs: 200, P50: 14 * time.Second, P95: 95 * time.Second}},
		Answers: maintenance.Answers{Questions: 50, Loops: 31, Capped: 4, Yes: 210, No: 181, Ungiven: 9},
	}
}

// ailing returns a program with many problems.
func ailing() page.HealthProps {
	p := healthy()
	p.Stores[1].Name, p.Stores[1].Problem = "Neo4j at neo4j://127.0.0.1:7687", "The graph at NEO4J_URL does not answer."
	p.Stores[2].At, p.Stores[2].Behind, p.Stores[2].Since, p.Stores[2].Waiting = 1190, 20, Now.Add(-4*time.Minute), []string{"courier-1911-bound.pdf", "levy-roll-1910.pdf"}
	p.Outgrown = "The search index holds vectors of the model small-1, which is not the one of EMBED_MODEL. Until it is rebuilt, questions are answered from words and the graph only."
	p.Check.Found = []maintenance.Group{{Problem: maintenance.EntityMissing, Count: 3, Examples: []string{"e1", "e2", "e3"}}, {Problem: maintenance.FileMissing, Count: 1, Examples: []string{"9f3a"}}}
	p.Check.Mended = []maintenance.Group{{Problem: maintenance.PointExtra, Count: 2}}
	p.Queue = maintenance.QueueState{Waiting: 12, Running: 2, Failed: 1, Oldest: Now.Add(-11 * time.Minute)}
	p.Late = []page.QueuedItem{{Kind: "Document read", Subject: "harrow-kestle-daybook.pdf", Run: job.Run{
		ID: "run80", Attempt: 2, Status: job.Waiting, NextTry: Now.Add(40 * time.Second), Problem: "Passage 37: the model answered 429, too many requests.",
	}}}
	p.Dead = []page.QueuedItem{{Kind: "Document read", Subject: "courier-1911-bound.pdf", Run: job.Run{
		ID: "run77", Attempt: 5, Status: job.Failed, Problem: "The model answered 401: the key is not accepted. Check LLM_API_KEY.",
	}}}
	p.Workers = append(p.Workers, maintenance.Worker{Host: "archive-2", PID: 77, Seen: Now.Add(-3 * time.Minute)})
	p.Disk.Free = 300_000_000
	return p
}

// checking returns a program whose stores are being compared.
func checking() page.HealthProps {
	p := healthy()
	trace := IngestTrace()
	p.Working = &trace
	return p
}
