-- +goose Up

-- What a scope allowed is now parted among several. Tokens keep what they could do.
UPDATE tokens SET scopes = replace(scopes, '"ask"', '"ask","summarize"');
UPDATE tokens SET scopes = replace(scopes, '"documents:write"', '"documents:write","documents:delete"');
UPDATE tokens SET scopes = replace(scopes, '"admin"', '"schema:write","admin"') WHERE scopes NOT LIKE '%"schema:write"%';
UPDATE tokens SET scopes = replace(scopes, '"admin"', '"admin","install"');
