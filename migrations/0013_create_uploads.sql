-- +goose Up

-- Uploaded files, where there is no folder for them: in parts of 1 MiB, so that
-- none is ever in memory as a whole. The hash is known when the last has come.
CREATE TABLE uploads (
    number       INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    at           BIGINT NOT NULL -- when its last part came
);

CREATE TABLE upload_parts (
    workspace_id TEXT NOT NULL,
    upload       INTEGER NOT NULL REFERENCES uploads (number) ON DELETE CASCADE,
    part         INTEGER NOT NULL, -- from 0
    data         BLOB NOT NULL,
    PRIMARY KEY (upload, part)
);

CREATE TABLE uploaded_files (
    workspace_id TEXT NOT NULL,
    hash         TEXT NOT NULL,
    upload       INTEGER NOT NULL REFERENCES uploads (number) ON DELETE CASCADE,
    size         BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
);
CREATE INDEX uploaded_files_of_upload ON uploaded_files (upload);
