// Package chart is the graph that makes a chart: from a task and the passages
// found for a question to a specification in which every number has a source.
//
//	start → collect ┬ numbers → specify ┬ answered → validate ┬ ok        → settle → end
//	                │              ↑    │                     ├ once more ┐
//	                │              └────┼─────────────────────┼───────────┘
//	                └ none → settle     └ no answer → settle  └ failed    → settle
//
// Specifying is a role, see [Specifier]: a model's is here, see
// [ModelSpecifier], and one by rule over counts is elsewhere. What it says is
// never believed: [Validate] looks every number up in the passage that is named
// for it, or among the counts of the graph, and cites the sentence that holds
// it. A specification with mistakes is asked for once more, with the mistakes
// named. After that, when the passages hold no numbers, or when nobody answers
// in time, the graph ends with a sentence that says why there is no chart. That
// is a result and no error: an answer goes on without it.
package chart
