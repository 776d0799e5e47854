-- +goose Up

-- What was mined from a chunk before a schema was applied, as JSON, '' if it is
-- the graph; and the number of the schema with which it was mined, 0 for none.
ALTER TABLE contributions ADD COLUMN mined TEXT NOT NULL DEFAULT '';
ALTER TABLE contributions ADD COLUMN mined_schema BIGINT NOT NULL DEFAULT 0;

-- What was mined from a chunk and left out of the graph.
CREATE TABLE dropped (
    workspace_id TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    position     INTEGER NOT NULL,
    document_id  TEXT NOT NULL,
    item         TEXT NOT NULL, -- JSON: kind, names, spans, code and reason
    PRIMARY KEY (workspace_id, chunk_id, position),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES contributions (workspace_id, chunk_id) ON DELETE CASCADE
);
CREATE INDEX dropped_of_document ON dropped (workspace_id, document_id);

-- How many items a document's chunks have there.
ALTER TABLE documents ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
