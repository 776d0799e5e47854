-- +goose Up

-- A conversation belongs to the account that began it: '' belongs to everybody in the workspace. Others see what was asked
-- until it was shared.
ALTER TABLE conversations ADD COLUMN maker TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN shared_at BIGINT NOT NULL DEFAULT 0; -- 0: it is not
ALTER TABLE conversations ADD COLUMN opened INTEGER NOT NULL DEFAULT 0;   -- how often others have opened it since
ALTER TABLE conversations ADD COLUMN folder_id TEXT NOT NULL DEFAULT '';  -- '': in none
ALTER TABLE summaries ADD COLUMN maker TEXT NOT NULL DEFAULT '';
UPDATE conversations SET maker = COALESCE((SELECT name FROM users WHERE name = (SELECT r.person FROM answers a JOIN runs r ON r.id = a.run_id
    WHERE a.workspace_id = conversations.workspace_id AND a.conversation_id = conversations.id AND a.branch_id = '' ORDER BY a.created_at, a.message_id LIMIT 1)), '');
UPDATE summaries SET maker = COALESCE((SELECT u.name FROM users u JOIN runs r ON r.person = u.name WHERE r.id = summaries.run_id), '');
CREATE INDEX conversations_of_maker ON conversations (workspace_id, maker, updated_at);
CREATE INDEX conversations_shared ON conversations (workspace_id, shared_at) WHERE shared_at > 0;

CREATE TABLE conversation_folders (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    maker        TEXT NOT NULL,
    name         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX conversation_folders_by_name ON conversation_folders (workspace_id, maker, name);
