-- +goose Up

-- Summaries that people asked for. Words of documents stand in edits and
-- warnings here, and in the lines and citations.
CREATE TABLE summaries (
    workspace_id  TEXT NOT NULL,
    id            TEXT NOT NULL,
    whole         INTEGER NOT NULL, -- 1: of the whole library as it was
    focus         TEXT NOT NULL,
    length        TEXT NOT NULL,
    review        INTEGER NOT NULL,
    max_collapses INTEGER NOT NULL,
    run_id        TEXT NOT NULL,
    status        TEXT NOT NULL,
    problem       TEXT NOT NULL,
    condensed     INTEGER NOT NULL,
    warnings      TEXT NOT NULL,
    edits         TEXT NOT NULL, -- 'null' unless a person's answer waits to be taken up
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX summaries_newest ON summaries (workspace_id, created_at, id);

-- What a summary is made of. A row outlives its document, so that the page can
-- say that it is gone.
CREATE TABLE summary_documents (
    workspace_id TEXT NOT NULL,
    summary_id   TEXT NOT NULL,
    position     INTEGER NOT NULL,
    document_id  TEXT NOT NULL,
    text_hash    TEXT NOT NULL, -- of the text that was summarised; '' before
    PRIMARY KEY (workspace_id, summary_id, position),
    FOREIGN KEY (workspace_id, summary_id) REFERENCES summaries (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX summaries_of_document ON summary_documents (workspace_id, document_id);

CREATE TABLE summary_lines (
    workspace_id TEXT NOT NULL,
    summary_id   TEXT NOT NULL,
    position     INTEGER NOT NULL,
    paragraph    INTEGER NOT NULL,
    text         TEXT NOT NULL,
    PRIMARY KEY (workspace_id, summary_id, position),
    FOREIGN KEY (workspace_id, summary_id) REFERENCES summaries (workspace_id, id) ON DELETE CASCADE
);

-- The characters that lines were drawn from; text is '' once the document is
-- gone.
CREATE TABLE summary_citations (
    workspace_id TEXT NOT NULL,
    summary_id   TEXT NOT NULL,
    n            INTEGER NOT NULL,
    document_id  TEXT NOT NULL,
    page         INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    text         TEXT NOT NULL,
    PRIMARY KEY (workspace_id, summary_id, n),
    FOREIGN KEY (workspace_id, summary_id) REFERENCES summaries (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX summary_citations_of_document ON summary_citations (workspace_id, document_id);

-- Which citations a line has.
CREATE TABLE summary_links (
    workspace_id TEXT NOT NULL,
    summary_id   TEXT NOT NULL,
    position     INTEGER NOT NULL,
    n            INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, summary_id, position, n),
    FOREIGN KEY (workspace_id, summary_id, position) REFERENCES summary_lines (workspace_id, summary_id, position) ON DELETE CASCADE
);
