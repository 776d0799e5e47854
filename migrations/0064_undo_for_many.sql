-- +goose Up

-- What an entry of the curation log that tags documents gave them and took off them, so that
-- undoing it leaves other tags alone.
CREATE TABLE retagged (
    workspace_id TEXT NOT NULL,
    seq          BIGINT NOT NULL, -- of the entry
    tag          TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    given        INTEGER NOT NULL, -- 0: taken off
    PRIMARY KEY (workspace_id, seq, tag, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX retagged_document ON retagged (workspace_id, document_id);

-- Documents that were chosen together to be read again, with the runs that read them, and what
-- they were before. The rows go when all runs of a rereading have ended.
CREATE TABLE rereadings (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    run_id       TEXT NOT NULL,
    at           BIGINT NOT NULL,
    was          TEXT NOT NULL,
    PRIMARY KEY (workspace_id, id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX rereadings_document ON rereadings (workspace_id, document_id);

-- When the source of a document was found to hold it no more, 0 while it does.
ALTER TABLE documents ADD COLUMN gone_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX documents_gone ON documents (workspace_id, gone_at) WHERE gone_at > 0;
