-- +goose Up

CREATE TABLE conversations (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    title        TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX conversations_newest ON conversations (workspace_id, updated_at, id);

CREATE TABLE messages (
    workspace_id    TEXT NOT NULL,
    id              TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    question        TEXT NOT NULL,
    answer          TEXT NOT NULL,
    sentences       TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    status          TEXT NOT NULL,
    problem         TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX messages_in_order ON messages (workspace_id, conversation_id, created_at, id);
CREATE INDEX messages_of_run ON messages (workspace_id, run_id);

-- text is '' once the document is gone.
CREATE TABLE citations (
    workspace_id TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    n            INTEGER NOT NULL,
    document     TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    page         INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    text         TEXT NOT NULL,
    PRIMARY KEY (workspace_id, message_id, n),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX citations_of_document ON citations (workspace_id, document_id);
