package questions

import (
	"context"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
)

// A Tree holds the turns of a conversation. Each turn has one or more answers, as
// asked and by branches, and each answer may be followed by other turns.
type Tree struct {
	messages []ledger.Answer // as they were asked
	branches map[domain.MessageID][]ledger.Answer
	of       map[domain.RunID]version
	next     map[version]int // the message that follows
	before   []version       // by message
	latest   map[version]time.Time
}

// A version is one of the answers to a message.
type version struct {
	message int
	branch  int // asAsked if there is none
}

const asAsked = -1

// A Turn is a message as one of its answers shows it.
type Turn struct {
	ledger.Answer
	Asked    ledger.Answer   // as it was first asked
	Branches []ledger.Answer // all of the message
}

// Tree returns the turns of a conversation.
func (s *Service) Tree(ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) (*Tree, error) {
	trees, err := s.Trees(ctx, w, id)
	if err != nil {
		return nil, err
	}
	return trees[0], nil
}

// Trees returns the turns of conversations, in the order of their ids.
func (s *Service) Trees(ctx context.Context, w domain.WorkspaceID, ids ...domain.ConversationID) ([]*Tree, error) {
	answers, err := s.Ledger.Answers(ctx, w, ids...)
	if err != nil {
		return nil, err
	}
	of := map[domain.ConversationID][]ledger.Answer{}
	for _, a := range answers {
		of[a.Conversation] = append(of[a.Conversation], a)
	}
	return lists.Map(ids, func(id domain.ConversationID) *Tree { return NewTree(of[id]) }), nil
}

// NewTree returns the tree of the answers of a conversation, in order of time. A message whose answer before it is gone,
// or that another message follows too, comes at the end of that line, so that each message has its place.
func NewTree(answers []ledger.Answer) *Tree {
	t := &Tree{branches: map[domain.MessageID][]ledger.Answer{}, of: map[domain.RunID]version{}, next: map[version]int{}, latest: map[version]time.Time{}}
	for _, a := range answers {
		if a.Branch == "" {
			t.messages = append(t.messages, a)
		} else {
			t.branches[a.Message] = append(t.branches[a.Message], a)
		}
	}
	messages := t.messages
	t.before = make([]version, len(messages))
	for i, m := range messages {
		t.of[m.Run] = version{i, asAsked}
		for j, b := range t.branches[m.Message] {
			t.of[b.Run] = version{i, j}
		}
	}
	for i := 1; i < len(messages); i++ {
		v, ok := t.of[messages[i].Follows]
		if !ok || v.message >= i {
			v = version{i - 1, asAsked}
		}
		for n, taken := t.next[v]; taken; n, taken = t.next[v] {
			v = version{n, asAsked}
		}
		t.next[v], t.before[i] = i, v
	}
	for i := range slices.Backward(messages) {
		for _, v := range t.versions(i) {
			t.latest[v] = t.lastOf(v)
		}
	}
	return t
}

// versions returns the answers to a message, as asked first.
func (t *Tree) versions(message int) []version {
	all := []version{{message, asAsked}}
	for j := range t.branches[t.messages[message].Message] {
		all = append(all, version{message, j})
	}
	return all
}

// lastOf returns when the last question was asked in the lines through an answer.
func (t *Tree) lastOf(v version) time.Time {
	last := t.turn(v).CreatedAt
	if n, ok := t.next[v]; ok {
		for _, later := range t.versions(n) {
			if t.latest[later].After(last) {
				last = t.latest[later]
			}
		}
	}
	return last
}

func (t *Tree) turn(v version) Turn {
	m := t.messages[v.message]
	all := t.branches[m.Message]
	if v.branch == asAsked {
		return Turn{m, m, all}
	}
	return Turn{all[v.branch], m, all}
}

// latestOf returns the answer to a message that continues the conversation: the one whose line has the latest question.
// Answers made to compare, or to replay, count once something was asked after them.
func (t *Tree) latestOf(message int) version {
	best := version{message, asAsked}
	for j, b := range t.branches[t.messages[message].Message] {
		v := version{message, j}
		if _, followed := t.next[v]; (followed || b.Purpose == ledger.PurposeEdit) && !t.latest[v].Before(t.latest[best]) {
			best = v
		}
	}
	return best
}

// Line returns the turns before the answer of a run, its own, and those with which the
// conversation goes on from there. Without a run, or with one that is gone, it is the
// line in which the last question was asked.
func (t *Tree) Line(run domain.RunID) []Turn {
	if len(t.messages) == 0 {
		return nil
	}
	v, ok := t.of[run]
	if !ok {
		v = t.latestOf(0)
	}
	line := append(t.until(v), t.turn(v))
	for n, ok := t.next[v]; ok; n, ok = t.next[v] {
		v = t.latestOf(n)
		line = append(line, t.turn(v))
	}
	return line
}

// until returns the turns before an answer.
func (t *Tree) until(v version) []Turn {
	var line []Turn
	for v.message > 0 {
		v = t.before[v.message]
		line = append(line, t.turn(v))
	}
	slices.Reverse(line)
	return line
}

// Before returns the turns before a message.
func (t *Tree) Before(id domain.MessageID) []Turn {
	i := slices.IndexFunc(t.messages, func(m ledger.Answer) bool { return m.Message == id })
	if i < 0 {
		return nil
	}
	return t.until(version{i, asAsked})
}

// Later counts the turns that come after the answer of a run.
func (t *Tree) Later(run domain.RunID) int {
	v, ok := t.of[run]
	if !ok {
		return 0
	}
	n, ok := t.next[v]
	if !ok {
		return 0
	}
	later := 1
	for _, v := range t.versions(n) {
		later += t.Later(t.turn(v).Run)
	}
	return later
}

// Holds reports whether a run answers a message of the conversation.
func (t *Tree) Holds(run domain.RunID) bool {
	_, ok := t.of[run]
	return ok
}

// Run returns the run whose answer to a message a branch holds, of a message without a
// branch the one as asked. It is "" if there is none.
func (t *Tree) Run(id domain.MessageID, branch domain.BranchID) domain.RunID {
	for _, m := range t.messages {
		if branch == "" && m.Message == id {
			return m.Run
		}
		for _, b := range t.branches[m.Message] {
			if b.Branch == branch && branch != "" {
				return b.Run
			}
		}
	}
	return ""
}

// A Node is a branch in the tree of a turn.
type Node struct {
	ledger.Answer
	Depth int // 0 if it begins at the turn's run, or at the start of the graph
}

// BranchTree orders the branches of a turn as a tree: each after the one it forks from, and otherwise by age. Those whose
// parent is gone are at the top.
func BranchTree(all []ledger.Answer) []Node {
	here := lists.SetOf(all, func(b ledger.Answer) domain.RunID { return b.Run })
	var tree []Node
	var add func(parent domain.RunID, depth int)
	add = func(parent domain.RunID, depth int) {
		for _, b := range all {
			if top := !here[b.Parent]; parent == "" && top || parent != "" && b.Parent == parent {
				tree = append(tree, Node{b, depth})
				add(b.Run, depth+1)
			}
		}
	}
	add("", 0)
	return tree
}
