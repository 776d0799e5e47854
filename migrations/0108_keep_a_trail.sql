-- +goose Up

-- Who did what. Rows are only added, and removed from the oldest on. Each has a hash of itself and of the hash before it.
CREATE TABLE audit (
    seq       BIGINT PRIMARY KEY, -- from 1, without gaps
    at        BIGINT NOT NULL,
    workspace TEXT NOT NULL, -- '': the installation. Its rows outlive the workspace.
    person    TEXT NOT NULL, -- '': nobody signs in
    token     TEXT NOT NULL, -- first letters of the token of a program
    address   TEXT NOT NULL, -- '': this machine
    action    TEXT NOT NULL,
    thing     TEXT NOT NULL, -- ids and names, never words of documents
    how       TEXT NOT NULL,
    result    TEXT NOT NULL,
    hash      TEXT NOT NULL
);
CREATE INDEX audit_of_workspace ON audit (workspace, seq);
CREATE INDEX audit_by_age ON audit (at);

-- The two ends of the trail: the last row that was removed with its hash, and the last one that was added.
CREATE TABLE audit_ends (
    id        BIGINT PRIMARY KEY, -- 1
    cut       BIGINT NOT NULL,
    cut_hash  TEXT NOT NULL,
    head      BIGINT NOT NULL,
    head_hash TEXT NOT NULL
);
