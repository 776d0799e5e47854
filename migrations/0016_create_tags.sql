-- +goose Up

-- Words by which people sort documents. They are nobody's but theirs: no
-- projection holds them.
CREATE TABLE document_tags (
    workspace_id TEXT NOT NULL,
    tag          TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    PRIMARY KEY (workspace_id, tag, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX tags_of_document ON document_tags (workspace_id, document_id);

-- The tag whose documents a summary is of, '' when they were chosen otherwise.
ALTER TABLE summaries ADD COLUMN tag TEXT NOT NULL DEFAULT '';
