// Package chart is the graph that makes a chart: from a task and the passages
// found for a question to a specification in which every number has a source.
//
//	start → collect ┬ numbers → specify ┬ answered → validate ┬ ok        → settle → end
//	                │              ↑    │                     ├ once more ┐
//	                │              └────┼─────────────────────┼───────────┘
//	                └ none → settle     └ no answer → settle  └ failed    → settle
//
// A [Specifier] writes the specification: a model here, or rules over counts
// elsewhere. It is not trusted: [Validate] looks every number up in the
// passage named for it, or among the counts of the graph, and cites the
// sentence that holds it. A specification with mistakes is requested once
// more, with the mistakes named. After that, without numbers or without an
// answer in time, the graph ends with a sentence that says why there is no
// chart. That is a result, not an error: the answer continues without one.
package chart
