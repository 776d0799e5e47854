// Package stategraph runs state graphs: nodes that read a shared typed state
// and return updates, connected by edges and by branches that decide.
//
// # State, fields and updates
//
// A state is a plain struct that encodes as JSON. A [state.Schema] names the
// fields that nodes may write and gives each a reducer by which writes are
// merged: [state.Replace], [state.Append], [state.Upsert], [state.Max] or
// [state.Sum]. Each gives a typed handle, and the handle makes updates:
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
// A [state.Update] is data, not a closure: it has a JSON form, so it can be shown,
// stored and applied again. A node never changes the state it is given. It may
// declare the fields it [Reads] and [Writes], which [Graph.Topology] tells: an
// update of another is an error. The package stategraphtest holds nodes to both
// in tests.
//
// # Graphs
//
// A [Builder] takes nodes and what connects them, and [Builder.Compile]
// returns a [Graph], or every mistake there is:
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
// A branch declares its cases, so that a graph can be checked and drawn, and
// returns a [Route]: the labels it chooses ([Choose]), payloads it sends
// ([Fan]), or both. A [Task] runs once for each payload sent to it and sees
// that payload alone; its type is checked by the compiler. [Builder.Join]
// waits for several nodes, [Subgraph] makes a graph over another state into a
// node, and [SubgraphTask] into a task.
//
// # How a run goes
//
// A run proceeds in super-steps. All nodes of a super-step get the same
// snapshot of the state and run side by side, at most [MaxConcurrency] at a
// time. When all are done their updates are merged, in the order in which the
// nodes were declared and their payloads sent, whichever finished first. Two
// of them writing one replace field are a [ConflictError]. Then the edges and
// branches of the nodes that ran say what runs next: plain edges once for each
// step in which a predecessor ran, a join once all its predecessors have. The
// run ends when nothing is left to do. It fails when [RecursionLimit]
// super-steps were not enough.
//
// A node that fails is tried again as its [Retry] says. After that its error,
// a [NodeError] with the path of graph and node, ends the run: other nodes of
// the super-step are cancelled, and the state is that of the last super-step
// that succeeded. A panic is such an error too, with its stack.
//
// # Threads
//
// Compiled with a [Checkpointer], a graph can keep its runs. [Thread] names
// the log of one: the state it began with, what each super-step does, and each
// task's update, written when the task has finished and before anything else
// is decided. [Graph.Resume] goes on from there, in any process, and calls
// nothing again that had finished; what was at work is called again. [Durable]
// chooses to write less often. A thread has one writer, by a lease; a second is
// told [ErrThreadBusy].
//
// Stored are updates, with a snapshot of the state each time they have grown by
// two fifths of it, so that a thread grows with its run and is read in little time.
// [Graph.History] and [Graph.StateAt] read it; [Graph.Fork] begins another
// thread from any of its super-steps with an edited state, and what follows is
// decided anew.
//
// A state type carries the version of its [state.Schema]. What was stored by an
// earlier one is brought up by [state.Schema.Upcast]; a field without a place is an
// error with its path, never a silent zero.
//
// A thread stays until somebody deletes it. Who keeps what a run came to
// elsewhere calls [Checkpointer] Delete when it is over for good; a run that
// waits for an answer is not. Prune deletes what such callers left behind, by
// the time of its last write, and never a thread that is being written to or
// that waits for an answer.
//
// # Interrupts
//
// A node that declares [MayInterrupt] can ask whoever runs the graph:
//
//	approved, err := stategraph.Interrupt[bool](ctx, plan)
//	if err != nil {
//		return state.Update[State]{}, err
//	}
//
// The run does what else it can and ends with an [InterruptedError] that lists
// the questions; Resume takes an [Answer] for each, at once or one by one, and
// goes on inside the subgraph that asked. [StopBefore] and [StopAfter] end a
// run at a node. A subgraph that asks is compiled with [AsSubgraph].
//
// # Watching
//
// [Observe] gets an [Event] for everything that happens, in order. A node adds
// its own by [Context.Emit]. Without observers no event is made. [Around] makes
// the calls of nodes and branches, for those who have something to do before or
// behind each.
//
// # Beside it
//
// What needs no more of the engine than anybody has is in packages of its own:
// stream is an iterator over the events of a run, memo spares nodes calls with
// an input that they were called with before, draw writes a [Topology] as a
// Mermaid flowchart.
package stategraph
