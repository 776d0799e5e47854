-- +goose Up

-- Branches of a turn: other runs about its question, each with its own answer. A
-- branch goes with any document that its run has read.
CREATE TABLE branches (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    parent_run   TEXT NOT NULL,    -- '': the branch begins at the start of the graph
    step         INTEGER NOT NULL, -- of the parent's run, as pages number them
    super        INTEGER NOT NULL, -- that step, as the parent's graph counts super-steps
    purpose      TEXT NOT NULL,
    changes      TEXT NOT NULL,
    person       TEXT NOT NULL,
    status       TEXT NOT NULL,
    problem      TEXT NOT NULL,
    answer       TEXT NOT NULL,
    sentences    TEXT NOT NULL,
    citations    TEXT NOT NULL,
    figures      TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX branches_of_message ON branches (workspace_id, message_id, created_at, id);
CREATE INDEX branches_of_run ON branches (run_id);
CREATE INDEX branches_of_parent ON branches (workspace_id, parent_run);
