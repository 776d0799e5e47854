-- +goose Up

-- One answer is shared as a conversation that holds a copy of it alone, which no list of conversations has. It goes with the
-- answer.
ALTER TABLE conversations ADD COLUMN answer_of TEXT NOT NULL DEFAULT ''; -- run of the answer; '' for a conversation
CREATE UNIQUE INDEX conversations_of_answer ON conversations (workspace_id, answer_of) WHERE answer_of <> '';
