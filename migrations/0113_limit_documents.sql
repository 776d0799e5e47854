-- +goose Up

-- Who added a document, and whether it is limited to its readers: some accounts and groups, of which its adder is one.
ALTER TABLE documents ADD COLUMN added_by TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN limited INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_limited ON documents (workspace_id) WHERE limited = 1;

CREATE TABLE document_readers (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    kind         TEXT NOT NULL, -- account or group
    name         TEXT NOT NULL,
    PRIMARY KEY (workspace_id, document_id, kind, name),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX document_readers_by_name ON document_readers (workspace_id, kind, name);
