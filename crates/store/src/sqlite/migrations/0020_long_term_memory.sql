-- What agents know beyond a conversation. Whose it is is hashed; what it says is encrypted, its place bound into it.
CREATE TABLE memory_spaces (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  project_id TEXT NOT NULL DEFAULT 'personal',
  model TEXT,
  dimensions INTEGER,
  -- Grows with every change of an entry, and with every removal, so that indexes in memory can follow.
  changes INTEGER NOT NULL DEFAULT 0,
  removals INTEGER NOT NULL DEFAULT 0,
  n_entries INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  n_reads INTEGER NOT NULL DEFAULT 0,
  n_hits INTEGER NOT NULL DEFAULT 0,
  n_misses INTEGER NOT NULL DEFAULT 0,
  n_writes INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (project_id, name)
) STRICT;
CREATE TABLE memory_entries (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  space INTEGER NOT NULL REFERENCES memory_spaces (number) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  -- A hash; what makes it the same entry when it is written again.
  key BLOB,
  -- A hash.
  subject BLOB NOT NULL,
  kind TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  change INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  valid_ms INTEGER NOT NULL,
  expires_ms INTEGER,
  superseded_by TEXT,
  body BLOB NOT NULL,
  vector BLOB,
  UNIQUE (space, key)
) STRICT;
CREATE INDEX memory_entries_of_space ON memory_entries (space);
CREATE INDEX memory_entries_changed ON memory_entries (space, change);
CREATE INDEX memory_entries_of_subject ON memory_entries (subject, space, number);
CREATE INDEX memory_entries_expire ON memory_entries (expires_ms) WHERE expires_ms IS NOT NULL;
-- Turns that wait to become facts. One that was consolidated leaves its key behind, so that it is not put down a second time.
CREATE TABLE memory_turns (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  space INTEGER NOT NULL REFERENCES memory_spaces (number) ON DELETE CASCADE,
  key BLOB NOT NULL,
  subject BLOB NOT NULL,
  at_ms INTEGER NOT NULL,
  body BLOB,
  UNIQUE (space, key)
) STRICT;
CREATE INDEX memory_turns_waiting ON memory_turns (space, subject, number) WHERE body IS NOT NULL;
CREATE INDEX memory_turns_done ON memory_turns (at_ms) WHERE body IS NULL;
-- Keys that copies in journals are encrypted with. Without its key, a copy cannot be read.
CREATE TABLE memory_keys (
  space INTEGER NOT NULL REFERENCES memory_spaces (number) ON DELETE CASCADE,
  subject BLOB NOT NULL,
  key BLOB NOT NULL,
  PRIMARY KEY (space, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE conversation_keys (
  hash BLOB PRIMARY KEY,
  workflow_id TEXT NOT NULL,
  expires_ms INTEGER,
  key BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_keys_of_workflow ON conversation_keys (workflow_id);
CREATE INDEX conversation_keys_expire ON conversation_keys (expires_ms) WHERE expires_ms IS NOT NULL;
