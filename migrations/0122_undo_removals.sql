-- +goose Up

-- Who was removed from a workspace, for as long as that can be undone.
CREATE TABLE former_members (
    workspace_id TEXT NOT NULL,
    account      TEXT NOT NULL,
    role         TEXT NOT NULL,
    added_at     BIGINT NOT NULL,
    left_at      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, account)
);
