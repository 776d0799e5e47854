// Package summarize is the graph that summarises documents, by map and reduce.
// It cuts their texts into parts of at most 1,000 tokens, has each summarised
// by itself, and makes one account of the summaries; where they are too long
// together for that, it collapses groups of them first, as often as it takes.
//
//	start → pre_process → (send per part) generate_summary → collect_summaries → should_collapse ┬ collapse_summaries ⟲
//	                                                                                            └ generate_final_summary → end
//
// Who does the work is a [Summariser]. The one over a language model is here,
// see [ModelSummariser]; the one that needs none is elsewhere.
//
// Every sentence carries the numbers of the parts that it was drawn from
// through all rounds, and the final one is tied to their very characters. What
// can be lost on the way is noted: a part that could not be summarised is a
// warning, and so is a summary that was not condensed as far as it should be.
package summarize
