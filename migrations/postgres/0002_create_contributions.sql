-- +goose Up

-- What one chunk contributes to the graph: a graph document, kept whole.
CREATE TABLE contributions (
    workspace_id TEXT COLLATE "C" NOT NULL,
    chunk_id     TEXT COLLATE "C" NOT NULL,
    document_id  TEXT COLLATE "C" NOT NULL,
    reader       TEXT COLLATE "C" NOT NULL,
    graph        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, chunk_id),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES chunks (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX contributions_of_document ON contributions (workspace_id, document_id);

-- The nodes and relationships of contributions.graph by normalised name, so
-- that an entity is folded without reading every contribution.
CREATE TABLE mentions (
    workspace_id TEXT COLLATE "C" NOT NULL,
    chunk_id     TEXT COLLATE "C" NOT NULL,
    position     BIGINT NOT NULL, -- in the graph document
    entity_key   TEXT COLLATE "C" NOT NULL,
    label        TEXT COLLATE "C" NOT NULL,
    name         TEXT COLLATE "C" NOT NULL,
    aliases      TEXT COLLATE "C" NOT NULL,
    properties   TEXT COLLATE "C" NOT NULL,
    spans        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, chunk_id, position),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES contributions (workspace_id, chunk_id) ON DELETE CASCADE
);
CREATE INDEX mentions_by_key ON mentions (workspace_id, entity_key);

CREATE TABLE statements (
    workspace_id TEXT COLLATE "C" NOT NULL,
    chunk_id     TEXT COLLATE "C" NOT NULL,
    position     BIGINT NOT NULL,
    source_key   TEXT COLLATE "C" NOT NULL,
    source_label TEXT COLLATE "C" NOT NULL,
    type         TEXT COLLATE "C" NOT NULL,
    target_key   TEXT COLLATE "C" NOT NULL,
    target_label TEXT COLLATE "C" NOT NULL,
    properties   TEXT COLLATE "C" NOT NULL,
    spans        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, chunk_id, position),
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES contributions (workspace_id, chunk_id) ON DELETE CASCADE
);
CREATE INDEX statements_by_source ON statements (workspace_id, source_key);
CREATE INDEX statements_by_target ON statements (workspace_id, target_key);
