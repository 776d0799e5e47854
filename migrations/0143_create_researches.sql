-- +goose Up

-- What is researched, beside the answer of its run: how, by which plan, and what the report lacks.
CREATE TABLE researches (
    workspace_id TEXT    NOT NULL REFERENCES workspaces (id),
    id           TEXT    NOT NULL,
    run_id       TEXT    NOT NULL,
    rounds       INTEGER NOT NULL, -- at most
    questions    INTEGER NOT NULL, -- in all, at most
    budget       BIGINT  NOT NULL, -- tokens; 0: no limit
    review       INTEGER NOT NULL, -- a person edits the plan
    plan         TEXT    NOT NULL, -- JSON: the questions; null until they are planned
    edits        TEXT    NOT NULL, -- JSON: the plan as a person edited it, until the run uses it
    notes        TEXT    NOT NULL, -- JSON: what the report lacks
    created_at   BIGINT  NOT NULL,
    maker        TEXT    NOT NULL, -- as of a conversation
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX researches_of_run ON researches (run_id);
CREATE INDEX researches_in_order ON researches (workspace_id, created_at);
