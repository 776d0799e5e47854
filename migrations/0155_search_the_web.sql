-- +goose Up

-- Pages of the web that a search led a run to, and their passages. They are no documents: they go with the answer of the run.
CREATE TABLE web_pages (
    workspace_id TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    run_id       TEXT    NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    n            INTEGER NOT NULL, -- place among what the search found, from 1
    address      TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    problem      TEXT    NOT NULL, -- why it was not read; '' where it was
    passages     INTEGER NOT NULL,
    fetched_at   BIGINT  NOT NULL, -- 0 until it was asked for
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX web_pages_of_run ON web_pages (run_id);
CREATE TABLE web_passages (
    workspace_id TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    document_id  TEXT    NOT NULL, -- the page
    ordinal      INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    page         INTEGER NOT NULL,
    headings     TEXT    NOT NULL, -- as JSON
    text         TEXT    NOT NULL,
    tokens       INTEGER NOT NULL,
    places       TEXT    NOT NULL, -- as JSON
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES web_pages (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX web_passages_of_page ON web_passages (workspace_id, document_id, ordinal);
ALTER TABLE citations ADD COLUMN web_address TEXT NOT NULL DEFAULT ''; -- of a page of the web; '' for a document
ALTER TABLE citations ADD COLUMN fetched_at BIGINT NOT NULL DEFAULT 0;
