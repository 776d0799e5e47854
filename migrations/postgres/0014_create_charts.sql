-- +goose Up

-- The charts of an answer. What they cite stands in its own table, so that a
-- deleted document takes its words along.
ALTER TABLE messages ADD COLUMN figures TEXT COLLATE "C" NOT NULL DEFAULT 'null';

-- text is '' once the document is gone.
CREATE TABLE figure_citations (
    workspace_id TEXT COLLATE "C" NOT NULL,
    message_id   TEXT COLLATE "C" NOT NULL,
    figure       BIGINT NOT NULL, -- its place among the answer's
    n            BIGINT NOT NULL,
    document     TEXT COLLATE "C" NOT NULL,
    document_id  TEXT COLLATE "C" NOT NULL,
    chunk_id     TEXT COLLATE "C" NOT NULL,
    page         BIGINT NOT NULL,
    span_start   BIGINT NOT NULL,
    span_end     BIGINT NOT NULL,
    text         TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, message_id, figure, n),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX figure_citations_of_document ON figure_citations (workspace_id, document_id);
