-- +goose Up

-- What a run has read is found by the run: an index that begins with the workspace looks as good to SQLite, which then goes
-- through what all runs of the workspace have read.
DROP INDEX run_documents_by_document;
CREATE INDEX run_documents_by_document ON run_documents (document_id, workspace_id);
