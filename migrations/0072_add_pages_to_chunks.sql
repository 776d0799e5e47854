-- +goose Up

-- A chunk keeps the parts of plain pages within it too, as it did of other units: a sentence
-- of a chunk that spans pages is cited with its own page.
CREATE TABLE page_parts (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    first        INTEGER NOT NULL,
    past         INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, document_id, first, past)
);

INSERT INTO page_parts
SELECT t.workspace_id, t.document_id, json_extract(p.value, '$.span.start'), json_extract(p.value, '$.span.end'), MIN(json_extract(p.value, '$.number'))
FROM texts t, json_each(CASE WHEN json_valid(t.pages) AND json_type(t.pages) = 'array' THEN t.pages ELSE '[]' END) p
WHERE COALESCE(json_extract(p.value, '$.unit'), '') = '' AND COALESCE(json_extract(p.value, '$.name'), '') = ''
GROUP BY 1, 2, 3, 4;

UPDATE chunks SET places = (
    SELECT json_group_array(json_object('number', p.number, 'span', json_object('start', MAX(p.first, chunks.span_start), 'end', MIN(p.past, chunks.span_end))))
    FROM (SELECT * FROM page_parts q WHERE q.workspace_id = chunks.workspace_id AND q.document_id = chunks.document_id
        AND q.first >= COALESCE((SELECT MAX(b.first) FROM page_parts b WHERE b.workspace_id = chunks.workspace_id AND b.document_id = chunks.document_id AND b.first <= chunks.span_start), 0)
        AND q.first < chunks.span_end AND q.past > chunks.span_start ORDER BY q.first) p)
WHERE places IN ('null', '[]') AND page > 0
AND EXISTS (SELECT 1 FROM page_parts q WHERE q.workspace_id = chunks.workspace_id AND q.document_id = chunks.document_id
    AND q.first >= COALESCE((SELECT MAX(b.first) FROM page_parts b WHERE b.workspace_id = chunks.workspace_id AND b.document_id = chunks.document_id AND b.first <= chunks.span_start), 0)
    AND q.first < chunks.span_end AND q.past > chunks.span_start);

DROP TABLE page_parts;
