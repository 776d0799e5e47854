-- +goose Up

-- A model may come to make vectors of another dimension under the same name. Both
-- kinds are kept apart.
ALTER TABLE embeddings ADD COLUMN dimension INTEGER NOT NULL DEFAULT 0;
UPDATE embeddings SET dimension = octet_length(vector) / 4;
ALTER TABLE embeddings ALTER COLUMN dimension DROP DEFAULT;
ALTER TABLE embeddings DROP CONSTRAINT embeddings_pkey;
ALTER TABLE embeddings ADD PRIMARY KEY (model, dimension, text_hash);

-- The dimension of the vectors that a model made last.
CREATE TABLE embedding_models (
    model     TEXT COLLATE "C" PRIMARY KEY,
    dimension INTEGER NOT NULL
);
INSERT INTO embedding_models (model, dimension)
    SELECT model, dimension FROM (SELECT model, dimension, COUNT(*) AS n FROM embeddings GROUP BY model, dimension ORDER BY n DESC) AS counted
    ON CONFLICT (model) DO NOTHING;
