-- +goose Up

-- Since when a document may be read, so that a run reads no more than its person could when they asked. 0: since it was added,
-- or since the group was joined before this was kept.
ALTER TABLE documents ADD COLUMN opened_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX documents_opened ON documents (workspace_id, opened_at) WHERE opened_at > 0;
ALTER TABLE document_readers ADD COLUMN since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account_groups ADD COLUMN since BIGINT NOT NULL DEFAULT 0;

-- The time of the rights by which a sight was made, or 0 for those of the moment.
ALTER TABLE sights ADD COLUMN rights_at BIGINT NOT NULL DEFAULT 0;

-- The document that a delivery names, or '': who may not read it is not told.
ALTER TABLE webhook_deliveries ADD COLUMN document_id TEXT NOT NULL DEFAULT '';

-- Whether only the person who asked for a run may see it.
ALTER TABLE runs ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
