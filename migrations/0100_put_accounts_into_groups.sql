-- +goose Up

-- Groups are names that accounts of an installation share, by an owner's choice or as a sign-on provider tells.
CREATE TABLE account_groups (
    account TEXT NOT NULL,
    name    TEXT NOT NULL,
    PRIMARY KEY (account, name)
);
CREATE INDEX account_groups_by_name ON account_groups (name);
