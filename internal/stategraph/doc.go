// Package stategraph runs state graphs: nodes that read a shared typed state
// and return updates, connected by edges and by branches.
//
// # State, fields and updates
//
// A state is a plain struct that encodes as JSON. A [state.Schema] names the
// fields that nodes may write and gives each a reducer that merges writes:
// [state.Replace], [state.Append], [state.Upsert], [state.Max] or [state.Sum].
// Each returns a typed handle that makes updates:
//
//	type State struct {
//		Question  string   `json:"question"`
//		Documents []string `json:"documents"`
//		Loops     int      `json:"loops"`
//	}
//
//	var (
//		schema    = state.NewSchema[State](1)
//		question  = state.Replace(schema, "question", func(s *State) *string { return &s.Question })
//		documents = state.Append(schema, "documents", func(s *State) *[]string { return &s.Documents })
//		loops     = state.Sum(schema, "loops", func(s *State) *int { return &s.Loops })
//	)
//
//	func retrieve(ctx *stategraph.Context, s State) (state.Update[State], error) {
//		found, err := search(ctx, s.Question)
//		return state.Merge(documents.Add(found...), loops.Add(1)), err
//	}
//
// A [state.Update] is data: it has a JSON form and can be shown, stored and
// applied again. A node never changes the state it is given. It may declare the
// fields it [Reads] and [Writes]; writing any other is an error.
//
// # Graphs
//
// [Builder.Compile] returns a [Graph], or all mistakes at once:
//
//	b := stategraph.New("answer", schema)
//	b.Node("retrieve", retrieve)
//	b.Node("rewrite", rewrite)
//	b.Node("generate", generate)
//	b.Edge(stategraph.Start, "retrieve")
//	b.Branch("retrieve", "decide", decide,
//		stategraph.Case{Label: "found", Target: "generate"},
//		stategraph.Case{Label: "nothing yet", Target: "rewrite"})
//	b.Edge("rewrite", "retrieve")
//	b.Edge("generate", stategraph.End)
//	g, err := b.Compile()
//
// A branch declares its cases, so that the graph can be checked and drawn, and
// returns a [Route]: labels it chooses ([Choose]), payloads it sends ([Fan]), or
// both. A [Task] runs once for each payload sent to it and sees only that. A
// [Builder.Join] waits for several nodes, [Subgraph] makes a graph over another
// state a node, and [SubgraphTask] a task.
//
// # Runs
//
// A run proceeds in super-steps. All nodes of a super-step get the same snapshot
// of the state and run side by side, at most [MaxConcurrency] at once. Their
// updates are then merged in the order in which nodes were declared and payloads
// sent, regardless of which finished first; two writes to one replace field are a [ConflictError].
// Edges and branches of the nodes that ran decide what runs next: an edge once for each step in which
// its predecessor ran, a join once all its predecessors have. The run ends when nothing is left to do,
// and fails if [RecursionLimit] super-steps were not enough.
//
// A failed node is tried again as its [Retry] says. After that its [NodeError],
// with the path of graph and node, ends the run: the other nodes of the
// super-step are cancelled, and the state is that after the last super-step that
// succeeded. A panic is such an error too, with its stack.
//
// # Threads
//
// Compiled with a [Checkpointer], a graph can keep its runs. A [Thread] is the
// log of one run: the state it began with, the plan of each super-step, and each
// task's update, written when the task finishes and before anything else is
// decided. [Graph.Resume] continues from there in any process. It calls tasks
// again that were running, and none that had finished.
//
// The log holds updates, and a snapshot of the state each time the updates have
// grown by two fifths of it: a thread grows linearly with its run and is read
// quickly. [Graph.History] and [Graph.StateAt] read it; [Graph.Fork] begins
// another thread at any super-step with an edited state.
//
// A thread has one writer: the run that opened it last. A run whose thread was opened by another fails
// with [ErrThreadTaken] at its next write, so a process that was taken for dead can do no harm, and a
// dead one blocks nobody.
//
// A [state.Schema] has a version. [state.Schema.Upcast] converts what an earlier
// version stored; a stored field without a place is an error with its path.
//
// A thread stays until it is deleted. Call [Checkpointer] Delete once a run is
// over for good. Prune deletes threads that were left behind, by the time of
// their last write, except those that wait for an answer.
//
// # Interrupts
//
// A node that declares [MayInterrupt] can ask a person:
//
//	approved, err := stategraph.Interrupt[bool](ctx, plan)
//	if err != nil {
//		return state.Update[State]{}, err
//	}
//
// The run does what else it can and ends with an [InterruptedError] that lists
// the questions. Resume takes an [Answer] for each, all at once or one by one,
// and continues inside the subgraph that asked, which is compiled with
// [AsSubgraph]. [StopBefore] and [StopAfter] end a run at a node.
//
// # Watching
//
// [Observe] receives an [Event] for everything that happens, in order. Nodes add
// their own by [Context.Emit]. Without observers no event is made. [Around] wraps
// the calls of nodes and branches.
//
// Package stream iterates over the events of a run, memo caches the updates of
// nodes by their input, draw renders a [Topology] as a Mermaid flowchart, and
// stategraphtest checks in tests that nodes keep to the rules.
package stategraph
