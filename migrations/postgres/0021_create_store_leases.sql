-- +goose Up

-- Which process may change the stores of a workspace, and until when. The token
-- grows whenever the workspace is lent; the stores refuse lower ones.
CREATE TABLE store_leases (
    workspace_id TEXT COLLATE "C" PRIMARY KEY,
    token        BIGINT NOT NULL,
    holder       TEXT COLLATE "C" NOT NULL,
    host         TEXT COLLATE "C" NOT NULL,
    boot         TEXT COLLATE "C" NOT NULL,
    pid          BIGINT NOT NULL,
    started      TEXT COLLATE "C" NOT NULL,
    lease_until  BIGINT NOT NULL
);
