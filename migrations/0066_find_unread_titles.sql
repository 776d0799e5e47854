-- +goose Up

-- Both columns stand in the statement that looks for titles to index. With the workspace alone,
-- SQLite took any index that begins with it, and read every document.
DROP INDEX documents_untitled;
CREATE INDEX documents_untitled ON documents (workspace_id, titled, id) WHERE titled = 0;
