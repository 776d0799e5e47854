-- +goose Up

-- Branches of a turn: other runs about its question, each with its own answer. A
-- branch goes with any document that its run has read.
CREATE TABLE branches (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    message_id   TEXT COLLATE "C" NOT NULL,
    run_id       TEXT COLLATE "C" NOT NULL,
    parent_run   TEXT COLLATE "C" NOT NULL,    -- '': the branch begins at the start of the graph
    step         BIGINT NOT NULL, -- of the parent's run, as pages number them
    super        BIGINT NOT NULL, -- that step, as the parent's graph counts super-steps
    purpose      TEXT COLLATE "C" NOT NULL,
    changes      TEXT COLLATE "C" NOT NULL,
    person       TEXT COLLATE "C" NOT NULL,
    status       TEXT COLLATE "C" NOT NULL,
    problem      TEXT COLLATE "C" NOT NULL,
    answer       TEXT COLLATE "C" NOT NULL,
    sentences    TEXT COLLATE "C" NOT NULL,
    citations    TEXT COLLATE "C" NOT NULL,
    figures      TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX branches_of_message ON branches (workspace_id, message_id, created_at, id);
CREATE INDEX branches_of_run ON branches (run_id);
CREATE INDEX branches_of_parent ON branches (workspace_id, parent_run);
