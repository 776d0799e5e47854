package viewstest

import (
	"time"

	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
)

// healthy returns a program in order.
func healthy() page.HealthProps {
	return page.HealthProps{
		App: app("Health", layout.Health), Now: Now,
		Stores: []page.StoreLine{
			{Role: "Ledger", Name: "SQLite, clew.db", Took: 400 * time.Microsecond, At: 1210},
			{Role: "Graph", Name: "SQLite, graph.db", Took: 2 * time.Millisecond, At: 1210},
			{Role: "Search index", Name: "embedded, vectors.db", Can: "Searches by words and vectors, each compared.", Took: 3 * time.Millisecond, At: 1210},
		},
		Check:   page.CheckLines{At: Now.Add(-time.Hour)},
		Workers: []page.WorkerLine{{Host: "archive", PID: 412, Seen: Now.Add(-3 * time.Second), Leases: 2}},
		Disk:    page.DiskLines{Folder: "data", Known: true, Free: 51_000_000_000, Uses: []page.UseLine{{Name: "Ledger", Bytes: 84_000_000}, {Name: "Uploaded files", Bytes: 1_200_000_000, More: true}}},
		Speeds:  []page.SpeedLine{{Kind: "Answer", Runs: 200, P50: 2100 * time.Millisecond, P95: 6800 * time.Millisecond}, {Kind: "Document read", Runs: 200, P50: 14 * time.Second, P95: 95 * time.Second}},
		Answers: page.AnswerLine{Questions: 50, Loops: 31, Capped: 4, Yes: 210, No: 181, Ungiven: 9},
	}
}

// ailing returns a program with many problems.
func ailing() page.HealthProps {
	p := healthy()
	p.Stores[1].Name, p.Stores[1].Problem = "Neo4j at neo4j://127.0.0.1:7687", "The graph at NEO4J_URL does not answer."
	p.Stores[2].At, p.Stores[2].Behind, p.Stores[2].Since, p.Stores[2].Waiting = 1190, 20, Now.Add(-4*time.Minute), []string{"courier-1911-bound.pdf", "levy-roll-1910.pdf"}
	p.Outgrown = "The search index holds vectors of the model small-1, which is not the one of EMBED_MODEL. Until it is rebuilt, questions are answered from words and the graph only."
	p.Check.Found = []string{"Graph: 3 entities are missing (e1, e2, e3).", "Files: 1 uploaded file is missing (9f3a)."}
	p.Check.Repaired = []string{"Search index: there are 2 points that nothing supports."}
	p.Queue = page.QueueLines{
		Waiting: 12, Running: 2, Failed: 1, Oldest: Now.Add(-11 * time.Minute),
		Late: []page.QueuedItem{{ID: "run80", Kind: "Document read", Subject: "harrow-kestle-daybook.pdf", Attempt: 2, NextTry: Now.Add(40 * time.Second), Problem: "Passage 37: the model answered 429, too many requests."}},
		Dead: []page.QueuedItem{{ID: "run77", Kind: "Document read", Subject: "courier-1911-bound.pdf", Attempt: 5, Problem: "The model answered 401: the key is not accepted. Check LLM_API_KEY."}},
	}
	p.Workers = append(p.Workers, page.WorkerLine{Host: "archive-2", PID: 77, Seen: Now.Add(-3 * time.Minute)})
	p.Disk.Free, p.Disk.Low = 300_000_000, true
	return p
}

// checking returns a program whose stores are being compared.
func checking() page.HealthProps {
	p := healthy()
	trace := IngestTrace()
	p.Working = &trace
	return p
}
