-- +goose Up

CREATE TABLE conversations (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    title        TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX conversations_newest ON conversations (workspace_id, updated_at, id);

CREATE TABLE messages (
    workspace_id    TEXT COLLATE "C" NOT NULL,
    id              TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    question        TEXT COLLATE "C" NOT NULL,
    answer          TEXT COLLATE "C" NOT NULL,
    sentences       TEXT COLLATE "C" NOT NULL,
    run_id          TEXT COLLATE "C" NOT NULL,
    status          TEXT COLLATE "C" NOT NULL,
    problem         TEXT COLLATE "C" NOT NULL,
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX messages_in_order ON messages (workspace_id, conversation_id, created_at, id);
CREATE INDEX messages_of_run ON messages (workspace_id, run_id);

-- text is '' once the document is gone.
CREATE TABLE citations (
    workspace_id TEXT COLLATE "C" NOT NULL,
    message_id   TEXT COLLATE "C" NOT NULL,
    n            BIGINT NOT NULL,
    document     TEXT COLLATE "C" NOT NULL,
    document_id  TEXT COLLATE "C" NOT NULL,
    chunk_id     TEXT COLLATE "C" NOT NULL,
    page         BIGINT NOT NULL,
    span_start   BIGINT NOT NULL,
    span_end     BIGINT NOT NULL,
    text         TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, message_id, n),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX citations_of_document ON citations (workspace_id, document_id);
