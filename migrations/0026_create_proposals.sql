-- +goose Up

-- Pairs of entities that may be the same. A row holds ids, numbers and sentences
-- of the program, and no word of a document.
CREATE TABLE proposals (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    id           TEXT NOT NULL,
    a            TEXT NOT NULL, -- a merge keeps this one's name
    b            TEXT NOT NULL,
    score        BIGINT NOT NULL, -- in thousandths
    pattern      TEXT NOT NULL,
    evidence     TEXT NOT NULL,
    status       TEXT NOT NULL,
    at           BIGINT NOT NULL, -- of the proposal or the last decision
    who          TEXT NOT NULL,   -- who decided
    curation     BIGINT NOT NULL, -- the entry of the curation log that decided, 0 for none
    decided      TEXT NOT NULL,   -- the status while that entry is in force, '' for none
    later        BIGINT NOT NULL, -- when it was put off, 0 if it was not
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX proposals_in_turn ON proposals (workspace_id, status, later, score);
CREATE INDEX proposals_of_a ON proposals (workspace_id, a);
CREATE INDEX proposals_of_b ON proposals (workspace_id, b);
CREATE INDEX proposals_decided ON proposals (workspace_id, curation);
