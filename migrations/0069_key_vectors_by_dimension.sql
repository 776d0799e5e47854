-- +goose Up

-- A model may come to make vectors of another dimension under the same name. Both
-- kinds are kept apart.
CREATE TABLE embeddings_by_dimension (
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    text_hash TEXT NOT NULL,
    vector    BLOB NOT NULL, -- float32, little endian
    PRIMARY KEY (model, dimension, text_hash)
);
INSERT INTO embeddings_by_dimension (model, dimension, text_hash, vector) SELECT model, length(vector) / 4, text_hash, vector FROM embeddings;
DROP TABLE embeddings;
ALTER TABLE embeddings_by_dimension RENAME TO embeddings;

-- The dimension of the vectors that a model made last.
CREATE TABLE embedding_models (
    model     TEXT PRIMARY KEY,
    dimension INTEGER NOT NULL
);
INSERT INTO embedding_models (model, dimension)
    SELECT model, dimension FROM (SELECT model, dimension, COUNT(*) AS n FROM embeddings GROUP BY model, dimension ORDER BY n DESC) AS counted WHERE true
    ON CONFLICT (model) DO NOTHING;
