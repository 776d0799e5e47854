-- +goose Up

-- A chunk keeps the parts of plain pages within it too, as it did of other units: a sentence
-- of a chunk that spans pages is cited with its own page.
CREATE TABLE page_parts (
    workspace_id TEXT COLLATE "C" NOT NULL,
    document_id  TEXT COLLATE "C" NOT NULL,
    first        BIGINT NOT NULL,
    past         BIGINT NOT NULL,
    number       BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, document_id, first, past)
);

INSERT INTO page_parts
SELECT t.workspace_id, t.document_id, (p.value -> 'span' ->> 'start')::BIGINT, (p.value -> 'span' ->> 'end')::BIGINT, MIN((p.value ->> 'number')::BIGINT)
FROM texts t, json_array_elements(CASE WHEN t.pages = 'null' THEN '[]' ELSE t.pages END::JSON) p(value)
WHERE COALESCE(p.value ->> 'unit', '') = '' AND COALESCE(p.value ->> 'name', '') = ''
GROUP BY 1, 2, 3, 4;

UPDATE chunks SET places = (
    SELECT json_agg(json_build_object('number', p.number, 'span', json_build_object('start', GREATEST(p.first, chunks.span_start), 'end', LEAST(p.past, chunks.span_end))) ORDER BY p.first)::TEXT
    FROM page_parts p WHERE p.workspace_id = chunks.workspace_id AND p.document_id = chunks.document_id
        AND p.first >= COALESCE((SELECT MAX(b.first) FROM page_parts b WHERE b.workspace_id = chunks.workspace_id AND b.document_id = chunks.document_id AND b.first <= chunks.span_start), 0)
        AND p.first < chunks.span_end AND p.past > chunks.span_start)
WHERE places IN ('null', '[]') AND page > 0
AND EXISTS (SELECT 1 FROM page_parts q WHERE q.workspace_id = chunks.workspace_id AND q.document_id = chunks.document_id
    AND q.first >= COALESCE((SELECT MAX(b.first) FROM page_parts b WHERE b.workspace_id = chunks.workspace_id AND b.document_id = chunks.document_id AND b.first <= chunks.span_start), 0)
    AND q.first < chunks.span_end AND q.past > chunks.span_start);

DROP TABLE page_parts;
