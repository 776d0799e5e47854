package diagram

import (
	"cmp"
	"strings"

	"github.com/clewhq/clew/views/format"
)

// Said holds the plain words for the work of a node: to come, in progress and done.
type Said struct{ Later, Now, Done string }

// In returns the words for a state. Work that failed or was stopped is not done.
func (s Said) In(state State) string {
	switch state.Or() {
	case Now:
		return s.Now
	case Seen:
		return s.Done
	}
	return s.Later
}

// asks are the words of a decision, the same at any time.
func asks(question string) Said { return Said{question, question, question} }

// nodes are the nodes of all graphs in plain words. Where two graphs use a name for
// different work, it is listed with its graph.
var nodes = map[string]Said{
	// any graph
	"start":  asks("Start"),
	"end":    asks("End"),
	"report": {"Report what was done", "Reporting what was done", "Reported what was done"},

	// answer
	"answer/start":    asks("Your question"),
	"answer/end":      asks("The answer"),
	"condense":        {"Understand the question", "Understanding the question", "Understood the question"},
	"route":           {"Choose what to read", "Choosing what to read", "Chose what to read"},
	"way":             asks("What to read?"),
	"greet":           {"Return the greeting", "Returning the greeting", "Returned the greeting"},
	"ask_which":       {"Ask which document", "Asking which document", "Asked which document"},
	"summarise":       {"Sum up the documents", "Summing up the documents", "Summed up the documents"},
	"plan":            asks("One search?"),
	"begin":           asks("How to begin?"),
	"decompose":       {"Split the question", "Splitting the question", "Split the question"},
	"retrieve":        {"Search", "Searching", "Searched"},
	"grade_documents": {"Judge the passages", "Judging the passages", "Judged the passages"},
	"fan_out":         asks("Each one"),
	"decide":          asks("Enough?"),
	"answer_step":     {"Answer a part", "Answering a part", "Answered a part"},
	"next_step":       asks("Another part?"),
	"ask_person":      {"Ask you", "Asking you", "Asked you"},
	"go_on":           asks("What you said"),
	"transform_query": {"Reword", "Rewording", "Reworded"},
	"generate":        {"Write the answer", "Writing the answer", "Wrote the answer"},
	"check_support":   {"Check each sentence", "Checking each sentence", "Checked each sentence"},
	"checked":         asks("All hold?"),
	"search_web":      {"Search the web", "Searching the web", "Searched the web"},
	"found_pages":     asks("Any page?"),
	"read_page":       {"Read what was found", "Reading the pages", "Read the pages"},
	"regenerate":      {"Write again what does not hold", "Writing again what does not hold", "Wrote again what did not hold"},

	// embed
	"passages":  {"Embed the passages", "Embedding the passages", "Embedded the passages"},
	"sentences": {"Embed the sentences", "Embedding the sentences", "Embedded the sentences"},

	// generate
	"model":        {"Write the text", "Writing the text", "Wrote the text"},
	"calls":        asks("Charts?"),
	"chart":        {"Begin the charts", "Beginning the charts", "Began the charts"},
	"both":         asks("Text and charts"),
	"update_chart": {"Draw the charts", "Drawing the charts", "Drew the charts"},
	"came_out":     asks("Did it work?"),

	// chart
	"collect":     {"Collect the numbers", "Collecting the numbers", "Collected the numbers"},
	"any_numbers": asks("Any numbers?"),
	"specify":     {"Lay out the chart", "Laying out the chart", "Laid out the chart"},
	"any_answer":  asks("Any layout?"),
	"validate":    {"Check each number", "Checking each number", "Checked each number"},
	"valid":       asks("All right?"),
	"settle":      {"Finish the chart", "Finishing the chart", "Finished the chart"},

	// ingest
	"parse":   {"Read the file", "Reading the file", "Read the file"},
	"split":   {"Split it into passages", "Splitting it into passages", "Split it into passages"},
	"chunks":  asks("Anything to read?"),
	"extract": {"Find the names", "Finding the names", "Found the names"},
	"embed":   {"Prepare the search", "Preparing the search", "Prepared the search"},
	"resolve": {"Join the same names", "Joining the same names", "Joined the same names"},
	"asks":    asks("Fields asked for?"),
	"fill_in": {"Fill in the fields", "Filling in the fields", "Filled in the fields"},
	"project": {"Add it to the library", "Adding it to the library", "Added it to the library"},

	// summarize
	"pre_process":            {"Split the text", "Splitting the text", "Split the text"},
	"generate_summary":       {"Sum up each part", "Summing up each part", "Summed up each part"},
	"collect_summaries":      {"Put the parts together", "Putting the parts together", "Put the parts together"},
	"should_collapse":        asks("Short enough?"),
	"collapse_summaries":     {"Shorten", "Shortening", "Shortened"},
	"should_collapse_again":  asks("Short enough now?"),
	"generate_final_summary": {"Write the summary", "Writing the summary", "Wrote the summary"},

	// study
	"cut_documents": {"Split the text", "Splitting the text", "Split the text"},
	"find_items":    {"Find items in each part", "Finding items in each part", "Found items in each part"},
	"choose_items":  {"Choose the best", "Choosing the best", "Chose the best"},

	// resolve
	"compare": {"Compare the names", "Comparing the names", "Compared the names"},
	"merge":   {"Join equal names", "Joining equal names", "Joined equal names"},
	"propose": {"List the likely pairs", "Listing the likely pairs", "Listed the likely pairs"},

	// themes
	"choose": {"Find what has changed", "Finding what has changed", "Found what has changed"},
	"sum_up": {"Sum up each theme", "Summing up each theme", "Summed up each theme"},

	// crawl
	"visit":     {"Visit the pages", "Visiting the pages", "Visited the pages"},
	"addresses": asks("More pages?"),

	// research
	"research/plan":   {"Plan the questions", "Planning the questions", "Planned the questions"},
	"planned":         asks("Your turn?"),
	"review_plan":     {"Let you edit the plan", "Waiting for your plan", "Took your plan"},
	"reviewed":        asks("Anything to ask?"),
	"answer_question": {"Answer a question", "Answering a question", "Answered a question"},
	"find_gaps":       {"Look for what is open", "Looking for what is open", "Looked for what is open"},
	"next_round":      asks("Another round?"),
	"write_report":    {"Write the report", "Writing the report", "Wrote the report"},
	"check_overview":  {"Check the overview", "Checking the overview", "Checked the overview"},

	// look
	"look/list":    {"List what is there", "Listing what is there", "Listed what is there"},
	"look/compare": {"Compare it with what is known", "Comparing it with what is known", "Compared it with what is known"},
	"look/fetch":   {"Fetch what may be new", "Fetching what may be new", "Fetched what may be new"},
	"look/items":   asks("More to fetch?"),

	// check and rebuild
	"ledger":        {"Check the documents", "Checking the documents", "Checked the documents"},
	"files":         {"Check the files", "Checking the files", "Checked the files"},
	"stores":        {"Check search and graph", "Checking search and graph", "Checked search and graph"},
	"findings":      asks("Anything to repair?"),
	"mend":          {"Repair", "Repairing", "Repaired"},
	"rebuild/embed": {"Prepare search by meaning", "Preparing search by meaning", "Prepared search by meaning"},
	"rebuild/model": asks("Another model?"),
	"empty":         {"Empty search and graph", "Emptying search and graph", "Emptied search and graph"},
	"fill":          {"Fill search and graph", "Filling search and graph", "Filled search and graph"},
	"build":         {"Build the new search", "Building the new search", "Built the new search"},
	"switch":        {"Switch to the new search", "Switching to the new search", "Switched to the new search"},
}

// edges are the names of edges in plain words, where they are not plain already.
var edges = map[string]string{
	"relevant": "enough", "irrelevant": "not enough", "cap reached": "tried enough",
	"with history": "a follow-up", "left open": "not clear yet", "counts of the graph": "a count", "several steps": "several parts", "step": "a part", "next step": "another part",
	"hint wanted": "needs a hint", "review": "you choose", "nothing to read so": "nothing to read whole", "which document is left open": "unclear which",
	"summary wanted": "a summary", "list wanted": "a list", "comparison wanted": "a comparison", "sums up": "documents to summarise",
	"unsupported": "does not hold", "supported": "all hold",
	"no tool call": "text alone", "chart call": "charts", "more calls": "others wait", "goes on writing": "more text", "ok": "made",
	"each window": "for names", "each batch": "for search", "all recorded": "read before",
	"tell": "nothing to repair", "otherwise": "nothing to read",
}

// fields are the fields of states that a reader looks for. All others are technical. Where two graphs use a
// name for different things, it is listed with its graph.
var fields = map[string]string{
	"question": "Question", "survey": "Read as a whole", "summing": "Documents to sum up", "documents": "Passages", "summarize/documents": "Documents", "sources": "Documents found",
	"generation": "Answer", "loop_count": "Times reworded", "query_rewrites": "Rewordings", "wording": "Your wording", "citations": "Citations",
	"sentences": "Sentences", "figures": "Charts", "steps": "Parts of the question", "draft": "Answer before",
	"pages": "Pages", "chars": "Letters", "chunks": "Passages", "entities": "Names", "relations": "Relations", "merged": "Names joined", "warnings": "Warnings",
	"focus": "Focus", "length": "Length", "contents": "Parts", "summaries": "Sums of the parts", "collapsed_summaries": "Shortened", "final_summary": "Summary",
	"found": "Found", "items": "Items", "added": "Added", "known": "Known before", "notes": "Notes", "files": "Files", "mended": "Repaired", "changed": "Changed",
}

// PlainField returns the plain words for a field of a graph's state, or "" for a technical one.
func PlainField(graph, field string) string { return cmp.Or(fields[graph+"/"+field], fields[field]) }

// Plain returns the plain words for a node of a graph. The name may begin with the nodes around it.
func Plain(graph, node string) Said {
	bare := node[strings.LastIndex(node, "/")+1:]
	if said, ok := nodes[graph+"/"+bare]; ok && bare == node {
		return said
	}
	if said, ok := nodes[bare]; ok {
		return said
	}
	words := strings.ReplaceAll(bare, "_", " ")
	return asks(format.Capital(words))
}

// PlainEdge returns the plain words for an edge.
func PlainEdge(label string) string { return cmp.Or(edges[label], label) }
