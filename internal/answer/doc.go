// Package answer is the graph that answers a question from a library:
// corrective retrieval-augmented generation. It searches, has every passage
// graded, rewords the question when nothing relevant came and searches again,
// at most max_loops times, writes an answer from relevant passages alone, and
// checks what supports each of its sentences. When nothing relevant comes of
// any search it says that the library holds nothing on the question.
//
//	start → condense (only with history) → retrieve → grade_documents → decide ┬ relevant    → generate
//	                                          ↑                               ├ irrelevant  → transform_query ┐
//	                                          └───────────────────────────────┼───────────────────────────────┘
//	                                                                          └ cap reached → generate
//	generate → check_support → end
//
// Generate is a subgraph: a writer writes and may call for charts, which are made
// while it goes on. One that fails is made up for in words.
//
//	start → model ┬ no tool call → end
//	              └ chart call   → chart ┬→ model
//	                                     └→ update_chart ┬ ok     → end
//	                                                     └ failed → model
//
// What is done at each node is a role: searching, grading, rewording, writing,
// checking, specifying charts. [Params] takes one implementation of each. Those
// over a language model are here, see [ModelRoles]; those that need none are
// elsewhere.
//
// The [State] holds ids, spans, scores and reasons. The only words of a source
// in it are those that the answer quotes.
package answer
