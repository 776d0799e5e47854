package main

import "fmt"

type row struct {
	title   string
	kept    string // by which checkpointer
	measure func(*program) (value, error)
	most    float64 // that ours may be; 0 when nothing is asked
	faster  float64 // times that ours must be faster than LangGraph
	none    bool    // ours must be 0
}

const (
	onSQLite = "SQLite"
	full     = "SQLite, FULL"
)

var rows = []row{
	{title: "linear graph of 10, per step, µs", measure: cost("linear", 10, 10), most: 3, faster: 60},
	{title: "invoking a graph of one node, µs", measure: cost("linear", 1, 1), most: 7},
	{title: "1,000 sends, each, µs", measure: cost("send", 1000, 1000), most: 4, faster: 35},
	{title: "10,000 sends, each, µs", measure: cost("send", 10000, 10000), most: 4},
	{title: "20,000 sends, each, µs", measure: cost("send", 20000, 20000), most: 4},
	{title: "20,000 sends, each, against 1,000, ×", measure: ratio(cost("send", 20000, 20000), cost("send", 1000, 1000)), most: 1.3},
	{title: "memory above idle, 10,000 sends, MB", measure: memory("wide", 10000), most: 40},
	{title: "ten steps beside 300 idle nodes, against none, ×", measure: against("idle", 300, 0), most: 1.2},
	{title: "durable step, µs", kept: onSQLite, measure: cost("durable", 10, 10), most: 90},
	{title: "durable step in LangGraph's default mode, µs", kept: onSQLite, measure: cost("durable_default", 10, 10)},
	{title: "durable step that survives a power cut, µs", kept: full, measure: cost("durable_full", 10, 10)},
	{title: "database after 1,000 steps of a growing list, MB", kept: onSQLite, measure: size(1000), most: 1.2},
	{title: "database after 2,000 steps, MB", kept: onSQLite, measure: size(2000)},
	{title: "2,000 steps against 1,000, ×", kept: onSQLite, measure: ratio(size(2000), size(1000)), most: 2.3},
	{title: "a step of that list at step 1,000, against step 10, ×", kept: onSQLite, measure: slope(1000), most: 1.3},
	{title: "resume with 1,000 messages, a step, and stop again, ms", kept: onSQLite, measure: cost("resume", 1000, 1000), most: 1.7},
	{title: "state at, with 1,000 messages, ms", kept: onSQLite, measure: cost("state", 1000, 1000), most: 1},
	{title: "history of 10, with 1,000 messages, ms", kept: onSQLite, measure: cost("history", 1000, 1000), most: 3},
	{title: "resume, with encoding/json, ms", kept: onSQLite, measure: cost("resume_json", 1000, 1000)},
	{title: "state at, with encoding/json, ms", kept: onSQLite, measure: cost("state_json", 1000, 1000)},
	{title: "history of 10, with encoding/json, ms", kept: onSQLite, measure: cost("history_json", 1000, 1000)},
	{title: "one stream event, µs", measure: event, most: 0.6},
	{title: "one event that nobody listens to, µs", measure: apiece("unheard"), most: 0.05},
	{title: "SIGKILL in call 500 of 1,000, default mode: finished calls lost", kept: onSQLite, measure: lost("killed"), none: true},
	{title: "the same with calls of 10 ms", kept: onSQLite, measure: lost("killed_slow"), none: true},
}

func (r *row) line(langgraph, eino, ours value) string {
	kept := r.kept
	if kept == "" {
		kept = "–"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s%s | %s |", r.title, kept, langgraph, eino, ours, r.missed(langgraph, ours), r.asked())
}

func (r *row) missed(langgraph, ours value) string {
	switch {
	case r.most > 0 && ours.number > r.most,
		r.faster > 0 && langgraph.known && ours.number*r.faster > langgraph.number,
		r.none && ours.number != 0:
		return " (missed)"
	}
	return ""
}

func (r *row) asked() string {
	switch {
	case r.none:
		return "0"
	case r.faster > 0:
		return fmt.Sprintf("≤ %g, %g × LangGraph", r.most, r.faster)
	case r.most > 0:
		return fmt.Sprintf("≤ %g", r.most)
	}
	return ""
}

// value is a cell; a program may have none.
type value struct {
	number float64
	known  bool
}

func (v value) String() string {
	switch {
	case !v.known:
		return "–"
	case v.number >= 100 || v.number == float64(int(v.number)):
		return fmt.Sprintf("%.0f", v.number)
	}
	return fmt.Sprintf("%.2f", v.number)
}
