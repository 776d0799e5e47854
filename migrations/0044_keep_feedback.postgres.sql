-- +goose Up

-- What people say of answers, once for each person and answer: that of a message, or
-- of a branch, by its run.
CREATE TABLE feedback (
    workspace_id TEXT COLLATE "C" NOT NULL,
    run_id       TEXT COLLATE "C" NOT NULL,
    person       TEXT COLLATE "C" NOT NULL,
    message_id   TEXT COLLATE "C" NOT NULL,
    good         BIGINT NOT NULL,
    reason       TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, run_id, person),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX feedback_newest ON feedback (workspace_id, created_at, run_id);
CREATE INDEX feedback_of_message ON feedback (workspace_id, message_id);

ALTER TABLE conversations ADD COLUMN pinned BIGINT NOT NULL DEFAULT 0;
DROP INDEX conversations_newest;
CREATE INDEX conversations_newest ON conversations (workspace_id, pinned, updated_at, id);

-- The run whose answer a question follows; '' follows the message before it.
ALTER TABLE messages ADD COLUMN follows TEXT COLLATE "C" NOT NULL DEFAULT '';

-- What a branch asks, and within what.
ALTER TABLE branches ADD COLUMN question TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE branches ADD COLUMN scope TEXT COLLATE "C" NOT NULL DEFAULT '{}';
UPDATE branches SET
    question = COALESCE(NULLIF(changes::json ->> 'question', ''), (SELECT m.question FROM messages m WHERE m.workspace_id = branches.workspace_id AND m.id = branches.message_id)),
    scope = (SELECT m.scope FROM messages m WHERE m.workspace_id = branches.workspace_id AND m.id = branches.message_id);

-- Title, or question and answer, in lower case, to be searched.
ALTER TABLE conversations ADD COLUMN words TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN words TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE branches ADD COLUMN words TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE conversations SET words = LOWER(title);
UPDATE messages SET words = LOWER(question || ' ' || answer);
UPDATE branches SET words = LOWER(question || ' ' || answer);
