// Package summarize is the graph that summarises documents by map and reduce.
// It cuts their texts into parts of at most 1,000 tokens, summarises each, and
// reduces the summaries to one; if they are too long for that, it collapses
// groups of them first, as often as it takes.
//
//	start → pre_process → (send per part) generate_summary → collect_summaries → should_collapse ┬ collapse_summaries ⟲
//	                                                                                            └ generate_final_summary → end
//
// A [Summariser] does the work: a model here, see [ModelSummariser], or rules
// elsewhere. Every sentence carries the numbers of the parts that it was drawn
// from through all rounds, and the final ones are tied to spans of the text. A
// part that could not be summarised is a warning, and so is a summary that was
// not condensed as far as it should be.
package summarize
