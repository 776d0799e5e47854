-- +goose Up

-- Which process may change the stores of a workspace, and until when. The token
-- grows whenever the workspace is lent; the stores refuse lower ones.
CREATE TABLE store_leases (
    workspace_id TEXT PRIMARY KEY,
    token        BIGINT NOT NULL,
    holder       TEXT NOT NULL,
    host         TEXT NOT NULL,
    boot         TEXT NOT NULL,
    pid          INTEGER NOT NULL,
    started      TEXT NOT NULL,
    lease_until  BIGINT NOT NULL
);
