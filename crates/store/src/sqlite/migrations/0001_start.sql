-- Workflows: the newest version of each. `document` is the JSON as it was saved.
CREATE TABLE workflows (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  version_id TEXT NOT NULL,
  -- The version that listens, if it is not the newest.
  active_version_id TEXT,
  document TEXT NOT NULL,
  static_data TEXT,
  project_id TEXT NOT NULL DEFAULT 'personal',
  folder_id TEXT,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX workflows_updated ON workflows (updated_ms DESC, id);
CREATE INDEX workflows_of_project ON workflows (project_id);

-- Every version there ever was; executions point here.
CREATE TABLE workflow_versions (
  id TEXT PRIMARY KEY,
  workflow_id TEXT NOT NULL,
  document TEXT NOT NULL,
  author TEXT,
  name TEXT,
  description TEXT,
  created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX versions_of_workflow ON workflow_versions (workflow_id, created_ms DESC);

CREATE TABLE tags (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE workflow_tags (
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (workflow_id, tag_id)
) STRICT, WITHOUT ROWID;

-- Projects that workflows, credentials and variables belong to. Everybody has a personal one; that of the first owner has the id
-- 'personal', is there from the start, and holds whatever came in on the command line.
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'team',
  owner_id TEXT UNIQUE REFERENCES users (id) ON DELETE SET NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX projects_by_name ON projects (name) WHERE kind = 'team';
CREATE TABLE project_members (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  PRIMARY KEY (project_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX projects_of_member ON project_members (user_id);

CREATE TABLE executions (
  id INTEGER PRIMARY KEY,
  workflow_id TEXT NOT NULL,
  version_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  status TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  stopped_ms INTEGER,
  wait_till_ms INTEGER,
  retry_of INTEGER,
  -- The run that called this one, at which of its steps and as which call of that step.
  parent INTEGER,
  call_step INTEGER,
  call_number INTEGER,
  error TEXT,
  bytes INTEGER NOT NULL DEFAULT 0,
  -- The called run that a sleeping one waits for.
  waits_for INTEGER,
  -- Nobody wants to keep it once its caller is over, which may need its result until then.
  passing INTEGER NOT NULL DEFAULT 0,
  -- The workflow, if it is none that is stored.
  document TEXT
) STRICT;
-- A call starts no more than one run.
CREATE UNIQUE INDEX executions_called ON executions (parent, call_step, call_number) WHERE parent IS NOT NULL;
CREATE INDEX executions_passing ON executions (parent) WHERE passing = 1;
CREATE INDEX executions_that_wait_for ON executions (waits_for) WHERE waits_for IS NOT NULL;
CREATE INDEX executions_of_workflow ON executions (workflow_id);
-- Only the few that are not over are looked for by status. The condition is as simple as can be: it is checked at every write.
CREATE INDEX executions_unfinished ON executions (status, wait_till_ms) WHERE stopped_ms IS NULL;

CREATE TABLE execution_tags (
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (execution_id, tag_id)
) STRICT, WITHOUT ROWID;

-- What happened in a run, in pieces of one or more events. Their place is the run's id times 2^24 and the number of the piece, so
-- that no index beside the table is needed.
CREATE TABLE journal (
  place INTEGER PRIMARY KEY,
  sum INTEGER NOT NULL,
  events BLOB NOT NULL
) STRICT;

-- What was spent on models. A session is empty where there is none.
CREATE TABLE spending (
  day TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  session TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  output INTEGER NOT NULL,
  dollars REAL NOT NULL,
  PRIMARY KEY (day, workflow_id, session, provider, model)
) STRICT, WITHOUT ROWID;

-- Large files that the journal of a run names, by their SHA-256. The bytes are in the folder `binary`.
CREATE TABLE blobs (
  execution_id INTEGER NOT NULL,
  sum BLOB NOT NULL,
  size INTEGER NOT NULL,
  mime_type TEXT NOT NULL,
  file_name TEXT,
  PRIMARY KEY (execution_id, sum)
) STRICT, WITHOUT ROWID;

-- Credentials: `data` is encrypted, the id is bound into it.
CREATE TABLE credentials (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  data BLOB NOT NULL,
  project_id TEXT NOT NULL DEFAULT 'personal',
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
-- Further projects whose workflows may use a credential.
CREATE TABLE credential_shares (
  credential_id TEXT NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  PRIMARY KEY (credential_id, project_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE variables (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  project_id TEXT REFERENCES projects (id) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX variables_by_key ON variables (key, coalesce(project_id, ''));

-- When the triggers of active workflows are due next.
CREATE TABLE schedules (
  workflow_id TEXT NOT NULL,
  node TEXT NOT NULL,
  next_ms INTEGER,
  last_ms INTEGER,
  lease_owner TEXT,
  lease_until_ms INTEGER,
  PRIMARY KEY (workflow_id, node)
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (next_ms);

-- Deliveries that were taken already, by the key the caller gave.
CREATE TABLE deliveries (
  key TEXT PRIMARY KEY,
  seen_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_seen ON deliveries (seen_ms);

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  first_name TEXT NOT NULL DEFAULT '',
  last_name TEXT NOT NULL DEFAULT '',
  password TEXT,
  role TEXT NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE sessions (
  token_hash BLOB PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  csrf TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Links by which people choose their password: new ones, and those that have lost theirs.
CREATE TABLE invitations (
  token_hash BLOB PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER,
  used_ms INTEGER
) STRICT;

-- Data tables: what they are called, and their columns as JSON. The rows of each are in a table of their own, `data_<number>`, whose
-- columns are numbered too (`c<slot>`), so that no name that a person has chosen is ever part of a statement.
CREATE TABLE data_tables (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  columns TEXT NOT NULL,
  project_id TEXT NOT NULL DEFAULT 'personal',
  next_row INTEGER NOT NULL DEFAULT 1,
  n_rows INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (project_id, name)
) STRICT;

-- Knowledge: texts in chunks. A collection's vectors come from one model and have one length, which the first of them decide; they have
-- length one, so that nearness is a sum of products. `removals` counts what was taken away, so that a copy in memory is known to be old.
CREATE TABLE collections (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  project_id TEXT NOT NULL DEFAULT 'personal',
  model TEXT,
  dimensions INTEGER,
  credential_id TEXT,
  removals INTEGER NOT NULL DEFAULT 0,
  n_chunks INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (project_id, name)
) STRICT;
CREATE TABLE chunks (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL REFERENCES collections (number) ON DELETE CASCADE,
  source TEXT NOT NULL,
  content TEXT NOT NULL,
  metadata TEXT NOT NULL,
  created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX chunks_of_collection ON chunks (collection);
CREATE INDEX chunks_of_source ON chunks (collection, source);
-- Apart from the texts, because a search reads many of them.
CREATE TABLE chunk_vectors (
  chunk INTEGER PRIMARY KEY REFERENCES chunks (number) ON DELETE CASCADE,
  vector BLOB NOT NULL
) STRICT;
-- The words of the chunks; the texts themselves are not kept a second time.
CREATE VIRTUAL TABLE chunk_words USING fts5 (collection, content, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');

-- Conversations that agents remember. Whose they are is hashed; what was said is encrypted, the conversation bound into it.
CREATE TABLE conversations (
  number INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  workflow_id TEXT NOT NULL,
  expires_ms INTEGER
) STRICT;
CREATE INDEX conversations_of_workflow ON conversations (workflow_id);
CREATE INDEX conversations_expire ON conversations (expires_ms) WHERE expires_ms IS NOT NULL;
-- A turn whose body is gone leaves its key behind, so that it is not added a second time.
CREATE TABLE conversation_turns (
  conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  key BLOB NOT NULL,
  body BLOB,
  UNIQUE (conversation, place),
  UNIQUE (conversation, key)
) STRICT;

-- Single facts: the sum of the vault's key, the next execution's id …
CREATE TABLE facts (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The project of the first owner.
INSERT INTO projects (id, name, kind, created_ms, updated_ms) VALUES ('personal', '', 'personal', unixepoch() * 1000, unixepoch() * 1000);
