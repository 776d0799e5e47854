-- +goose Up

-- The deletion of a conversation can be undone for a while: it is hidden until delete_at, when it goes.
ALTER TABLE conversations ADD COLUMN delete_at BIGINT NOT NULL DEFAULT 0; -- 0: never
CREATE INDEX conversations_to_delete ON conversations (workspace_id, delete_at) WHERE delete_at > 0;
