-- +goose Up

-- What one chunk contributes to the graph: a graph document, kept whole.
CREATE TABLE contributions (
    workspace_id TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    reader       TEXT NOT NULL,
    graph        TEXT NOT NULL,
    PRIMARY KEY (workspace_id, chunk_id),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES chunks (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX contributions_of_document ON contributions (workspace_id, document_id);

-- The nodes and relationships of contributions.graph by normalised name, so
-- that an entity is folded without reading every contribution.
CREATE TABLE mentions (
    workspace_id TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    position     INTEGER NOT NULL, -- in the graph document
    entity_key   TEXT NOT NULL,
    label        TEXT NOT NULL,
    name         TEXT NOT NULL,
    aliases      TEXT NOT NULL,
    properties   TEXT NOT NULL,
    spans        TEXT NOT NULL,
    PRIMARY KEY (workspace_id, chunk_id, position),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES contributions (workspace_id, chunk_id) ON DELETE CASCADE
);
CREATE INDEX mentions_by_key ON mentions (workspace_id, entity_key);

CREATE TABLE statements (
    workspace_id TEXT NOT NULL,
    chunk_id     TEXT NOT NULL,
    position     INTEGER NOT NULL,
    source_key   TEXT NOT NULL,
    source_label TEXT NOT NULL,
    type         TEXT NOT NULL,
    target_key   TEXT NOT NULL,
    target_label TEXT NOT NULL,
    properties   TEXT NOT NULL,
    spans        TEXT NOT NULL,
    PRIMARY KEY (workspace_id, chunk_id, position),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES contributions (workspace_id, chunk_id) ON DELETE CASCADE
);
CREATE INDEX statements_by_source ON statements (workspace_id, source_key);
CREATE INDEX statements_by_target ON statements (workspace_id, target_key);
