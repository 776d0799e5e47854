package questions

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Rename gives a conversation another title. The error is Invalid for an empty title,
// TooLarge for a long one, and NotFound when there is no such conversation.
func (s *Service) Rename(ctx context.Context, w domain.WorkspaceID, id domain.ConversationID, title string) error {
	title = domain.OneLine(strings.ToValidUTF8(title, ""))
	switch n := domain.Runes(title); {
	case n == 0:
		return domain.Errorf(domain.Invalid, "The title is empty. Write a name for the conversation.")
	case n > domain.MaxTitle:
		return domain.Errorf(domain.TooLarge, "The title has %d characters; the limit is %d.", n, domain.MaxTitle)
	}
	return s.Ledger.UpdateConversation(ctx, w, id, func(c *ledger.Conversation) { c.Title = title })
}

// Pin puts a conversation before those that are not pinned, or back among them. The
// error is NotFound when there is no such conversation.
func (s *Service) Pin(ctx context.Context, w domain.WorkspaceID, id domain.ConversationID, pinned bool) error {
	return s.Ledger.UpdateConversation(ctx, w, id, func(c *ledger.Conversation) { c.Pinned = pinned })
}

// Delete hides a conversation and schedules its removal, so that it can be restored for a while. It returns NotFound if
// there is no such conversation and Conflict if one of its questions is being answered.
func (s *Service) Delete(ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) error {
	return s.Ledger.HideConversation(ctx, w, id, s.Now().Add(s.UndoTime))
}

// Judge stores the asking person's judgement of an answer. The error is TooLarge for a long reason, and NotFound when
// the message has no such answer.
func (s *Service) Judge(ctx context.Context, w domain.WorkspaceID, f ledger.Feedback) error {
	f.Person = domain.PersonOf(ctx)
	f.Reason = domain.OneLine(strings.ToValidUTF8(f.Reason, ""))
	if n := domain.Runes(f.Reason); n > domain.MaxReason {
		return domain.Errorf(domain.TooLarge, "The reason has %d characters; the limit is %d.", n, domain.MaxReason)
	}
	return s.Ledger.SaveFeedback(ctx, w, f)
}
