-- +goose Up

-- What graphs are divided into, so that one process divides for all. It is computed from the graph, and has names of entities.
CREATE TABLE divisions (
    workspace_id TEXT   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    place        TEXT   NOT NULL, -- the workspace of the graph store: this one, or that of a sight
    at_change    BIGINT NOT NULL, -- of the graph
    program      TEXT   NOT NULL, -- the version that divided it
    made_at      BIGINT NOT NULL,
    took         BIGINT NOT NULL, -- nanoseconds
    content      BLOB   NOT NULL, -- JSON, compressed by gzip
    PRIMARY KEY (workspace_id, place)
);
