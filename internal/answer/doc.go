// Package answer is the graph that answers a question from a library, by
// corrective retrieval-augmented generation. It searches (retrieve.go), grades
// every passage (grade.go) and decides (decide.go): if nothing is relevant it
// rewords the question (rewrite.go) and searches again, at most max_loops times.
// It writes an answer from the relevant passages alone (writing_*.go) and checks
// the support of each sentence (support.go). If no search finds anything relevant,
// the answer says that the library holds nothing on the question.
//
//	start → condense (only with history) → retrieve → grade_documents → decide ┬ relevant    → generate
//	                                          ↑                               ├ irrelevant  → transform_query ┐
//	                                          └───────────────────────────────┼───────────────────────────────┘
//	                                                                          └ cap reached → generate
//	generate → check_support
//
// If that was asked for, a person sees the passages before they are written from,
// or is asked for a hint when nothing relevant was found (person.go):
//
//	decide ┬ review      → ask_person ┬ goes on → generate
//	       └ hint wanted → ask_person └ hint    → retrieve
//
// Where that is set, a question that one search can't answer is taken apart, and
// each step searches with what the one before found (step.go):
//
//	start → decompose → retrieve → grade_documents → decide → answer_step ┬ next step → retrieve
//	                                                                      └ last step → generate
//
// An answer with sentences that nothing supports is written once more (regenerate.go):
//
//	check_support ┬ supported   → end
//	              └ unsupported → regenerate → check_support
//
// Generate is a subgraph: a writer may call for charts, which are made while it
// goes on. It makes up for a failed one in words.
//
//	start → model ┬ no tool call → end
//	              └ chart call   → chart ┬→ model
//	                                     └→ update_chart ┬ ok     → end
//	                                                     └ failed → model
//
// [Roles] do the work of the nodes. [ModelRoles] returns those over a language
// model (model_*.go); package builtin has those without one.
//
// What calls take counts towards the budget of the question, if there is one. When it
// is used up, the answer quotes what was found by then (budget.go).
//
// The [State] holds ids, spans, scores and reasons, and no text of a source except
// the answer's quotations.
package answer
