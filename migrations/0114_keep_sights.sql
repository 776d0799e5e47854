-- +goose Up

-- The graphs and indexes that stores hold besides those of the whole workspace: of what the readers of each see.
CREATE TABLE sights (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL, -- of the workspace in the stores
    readers      TEXT NOT NULL, -- JSON
    used_at      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
