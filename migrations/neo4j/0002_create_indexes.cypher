// The order in which entities are listed.
CREATE INDEX entity_mentions IF NOT EXISTS FOR (e:__Entity__) ON (e.workspace_id, e.mentions);
// What entities are found by: words are tokens that the program makes, whole and parted by spaces.
CREATE FULLTEXT INDEX entity_words IF NOT EXISTS FOR (e:__Entity__) ON EACH [e.words]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
// For people and other programs: the names and the text as they stand.
CREATE FULLTEXT INDEX entity_names IF NOT EXISTS FOR (e:__Entity__) ON EACH [e.name, e.aliases];
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS FOR (c:Chunk) ON EACH [c.text];
