-- +goose Up

-- What programs were answered to requests that they may send again.
CREATE TABLE repeats (
    workspace_id TEXT NOT NULL,
    token_id     TEXT NOT NULL,
    repeat_key   TEXT NOT NULL, -- as the program names the request
    request      TEXT NOT NULL, -- hash of it
    status       BIGINT NOT NULL, -- 0: it is being answered
    media_type   TEXT NOT NULL,
    location     TEXT NOT NULL,
    body         TEXT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, token_id, repeat_key)
);
CREATE INDEX repeats_by_age ON repeats (at);
