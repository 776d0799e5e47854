-- +goose Up

-- The charts of an answer. What they cite stands in its own table, so that a
-- deleted document takes its words along.
ALTER TABLE messages ADD COLUMN figures TEXT NOT NULL DEFAULT 'null';

-- text is '' once the document is gone.
CREATE TABLE figure_citations (
    workspace_id TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    figure       INTEGER NOT NULL, -- its place among the answer's
    n            INTEGER NOT NULL,
    document     TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    page         INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    text         TEXT NOT NULL,
    PRIMARY KEY (workspace_id, message_id, figure, n),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX figure_citations_of_document ON figure_citations (workspace_id, document_id);
