package questions

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

type conversationsWanted struct {
	Limit int    `json:"limit" default:"20" doc:"list at most this many; 0 lists all"`
	Find  string `json:"find" doc:"list only those whose titles, questions or answers contain these {WORDS}"`

	Folder string `json:"folder" doc:"list only those in the folder with this {NAME} or id"`
}

// ListedConversation is a conversation in a list.
type ListedConversation struct {
	ID      domain.ConversationID `json:"id"`
	Title   string                `json:"title"`
	Pinned  bool                  `json:"pinned,omitempty"`
	Updated time.Time             `json:"updated"`
	Remark  string                `json:"remark,omitempty"`  // see ledger.RecentConversation.Remark
	Matched string                `json:"matched,omitempty"` // the question that contains the words
	Folder  string                `json:"folder,omitempty"`  // its name
	Shared  time.Time             `json:"shared,omitzero"`   // others may read what was asked up to then
}

type oneConversation struct {
	ID domain.ConversationID `json:"conversation" arg:"ID" doc:"id of a conversation"`
}

type someConversations struct {
	IDs []string `json:"conversations" arg:"ID..." doc:"ids of conversations"`
}

type retitling struct {
	oneConversation
	Title string `json:"title" arg:"TITLE" doc:"its new title"`
}

type judging struct {
	Run    domain.RunID `json:"run" arg:"RUN" doc:"run of the answer, by id"`
	What   string       `json:"judgement" arg:"good|bad|none" doc:"good, bad, or none to take a judgement back"`
	Reason string       `json:"reason" doc:"reason, in a few {WORDS}"`
}

// Judged is a person's judgement of an answer.
type Judged struct {
	Conversation domain.ConversationID `json:"conversation"`
	Run          domain.RunID          `json:"run"`
	Question     string                `json:"question"`
	Within       []string              `json:"within,omitempty"`
	Answer       string                `json:"answer"`
	Good         bool                  `json:"good"`
	Reason       string                `json:"reason,omitempty"`
	Person       string                `json:"person,omitempty"`
	At           time.Time             `json:"at"`
}

type judgedWanted struct {
	Limit int `json:"limit" default:"20" doc:"list at most this many; 0 lists all"`
}

// each returns an operation on several conversations.
func each(name, short, long, example string, do func(s *Service, ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) error) operation.Operation[*Service] {
	routes := []string{"POST /conversations/" + name}
	if name == "delete" {
		routes = append(routes, "DELETE /conversations/{conversations}")
	}
	return operation.Op[*Service, someConversations, operation.Nothing]{
		Name: "conversations " + name, Short: short, Long: long, Example: "  clew conversations " + name + example, Scope: operation.Ask, Routes: routes,
		Trail: operation.Trail{Kept: name == "restore"}, // like the deletion
		Do: func(s *Service, ctx context.Context, in someConversations) (none operation.Nothing, err error) {
			for _, id := range in.IDs {
				if err := do(s, ctx, domain.WorkspaceOf(ctx), domain.ConversationID(id)); err != nil {
					return none, err
				}
			}
			return none, nil
		},
	}
}

// Operations returns the operations on conversations.
func Operations() []operation.Operation[*Service] {
	return append([]operation.Operation[*Service]{
		operation.Op[*Service, conversationsWanted, []ListedConversation]{
			Name: "conversations list", Short: "List conversations: pinned ones first, then the latest", Scope: operation.Read, Routes: []string{"GET /conversations"},
			Example: `  clew conversations list --limit 5
  clew conversations list --find "lantern bridge"`,
			Do: (*Service).list,
			Text: operation.Table("ID\tUPDATED\tPINNED\tTITLE\tREMARK", "", func(k ListedConversation) []any {
				return []any{k.ID, k.Updated.Format(time.DateTime), map[bool]string{true: "yes"}[k.Pinned], k.Title, k.Remark}
			}),
		},
		operation.Op[*Service, oneConversation, Exported]{
			Name: "conversations show", Short: "Print a conversation as Markdown, or with all its answers as JSON", Scope: operation.Read, Routes: []string{"GET /conversations/{conversation}"},
			Example: `  clew conversations show k0123456789abcdef0123 > bridge.md
  clew conversations show k0123456789abcdef0123 --json | jq '.turns[].answers[].question'`,
			Do: func(s *Service, ctx context.Context, in oneConversation) (Exported, error) {
				return s.Export(ctx, domain.WorkspaceOf(ctx), in.ID)
			},
			Text: func(w io.Writer, k Exported) error {
				_, err := fmt.Fprint(w, k.Markdown())
				return err
			},
		},
		operation.Op[*Service, retitling, operation.Nothing]{
			Name: "conversations rename", Short: "Give a conversation another title", Scope: operation.Ask, Routes: []string{"PATCH /conversations/{conversation}"}, Example: `  clew conversations rename k0123456789abcdef0123 "The Lantern Bridge"`,
			Do: func(s *Service, ctx context.Context, in retitling) (none operation.Nothing, err error) {
				return none, s.Rename(ctx, domain.WorkspaceOf(ctx), in.ID, in.Title)
			},
		},
		each("pin", "Put conversations before all others in lists", "", " k0123456789abcdef0123", func(s *Service, ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) error {
			return s.Pin(ctx, w, id, true)
		}),
		each("unpin", "Put pinned conversations back among the others", "", " k0123456789abcdef0123", func(s *Service, ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) error {
			return s.Pin(ctx, w, id, false)
		}),
		each("delete", "Delete conversations", `Delete conversations with their questions and answers, the branches of these,
what was said of them, and the steps and states of all their runs. The documents
stay. This can't be undone.`, " k0123456789abcdef0123", func(s *Service, ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) error {
			return s.Ledger.DeleteConversation(ctx, w, id)
		}),
		each("restore", "Take back that conversations were deleted in the page", `Take back that conversations were deleted in the page, as long as that can be
undone (UNDO_TIME). What the delete command deletes is gone at once.`, " k0123456789abcdef0123", func(s *Service, ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) error {
			return s.Ledger.ShowConversation(ctx, w, id)
		}),
		operation.Op[*Service, judging, operation.Nothing]{
			Name: "conversations judge", Short: "Rate an answer as good or bad, and say why", Scope: operation.Ask, Routes: []string{"PUT /runs/{run}/judgement"}, Example: `  clew conversations judge run0123456789abcdef0123 bad --reason "It leaves out who paid."`,
			Long: `Rate the answer of a run as good or bad, and say why. This replaces your earlier
rating; none removes it. Ratings can be turned into questions for evaluation.`,
			Do: (*Service).judge,
		},
		operation.Op[*Service, judgedWanted, []Judged]{
			Name: "conversations feedback", Short: "List the ratings of answers, newest first", Scope: operation.Read, Routes: []string{"GET /feedback"}, Example: "  clew conversations feedback --json | jq '.[] | select(.good | not)'",
			Do: func(s *Service, ctx context.Context, in judgedWanted) ([]Judged, error) {
				all, err := s.Ledger.Feedback(ctx, domain.WorkspaceOf(ctx), in.Limit)
				list := make([]Judged, len(all))
				for i, j := range all {
					list[i] = Judged{j.Conversation, j.Run, j.Question, j.Scope.Terms(), j.Text, j.Good, j.Reason, j.Person, j.At}
				}
				return list, err
			},
			Text: operation.Table("RUN\tSAID\tQUESTION\tREASON", "", func(j Judged) []any {
				return []any{j.Run, map[bool]string{true: "good", false: "bad"}[j.Good], domain.Cut(j.Question, 60), j.Reason}
			}),
		},
	}, sharingOperations()...)
}

func (s *Service) list(ctx context.Context, in conversationsWanted) ([]ListedConversation, error) {
	q := ledger.ConversationQuery{Text: in.Find, Limit: in.Limit}
	if in.Folder != "" {
		f, err := s.folder(ctx, in.Folder)
		if err != nil {
			return nil, err
		}
		q.Folder = f.ID
	}
	found, err := s.Ledger.RecentConversations(ctx, domain.WorkspaceOf(ctx), q)
	list := make([]ListedConversation, len(found))
	for i, k := range found {
		list[i] = ListedConversation{k.ID, k.Title, k.Pinned, k.UpdatedAt, k.Remark(), k.Match.Question, k.In, k.SharedAt}
	}
	return list, err
}

func (s *Service) judge(ctx context.Context, in judging) (none operation.Nothing, err error) {
	if in.What != "good" && in.What != "bad" && in.What != "none" {
		return none, domain.Errorf(domain.Invalid, "%q is not a judgement. Write good, bad or none.", in.What)
	}
	m, err := s.Answered(ctx, domain.WorkspaceOf(ctx), in.Run)
	if err != nil {
		return none, err
	}
	if in.What == "none" {
		return none, s.Ledger.DeleteFeedback(ctx, m.Workspace, m.Run, domain.PersonOf(ctx))
	}
	return none, s.Judge(ctx, m.Workspace, ledger.Feedback{Run: m.Run, Good: in.What == "good", Reason: in.Reason})
}
