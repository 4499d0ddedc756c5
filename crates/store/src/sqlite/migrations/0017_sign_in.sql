-- Authenticator apps that people sign in with.
CREATE TABLE second_factors (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  -- New with every secret.
  setup_id TEXT NOT NULL,
  -- Sealed with the vault's key.
  secret BLOB NOT NULL,
  is_enabled INTEGER NOT NULL DEFAULT 0,
  -- The time step of the last code that was used: each counts once.
  last_step INTEGER NOT NULL DEFAULT 0,
  -- Codes that were tried since the last right one, and when.
  attempts INTEGER NOT NULL DEFAULT 0,
  attempted_ms INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
-- Codes for those who have lost their app. Each works once.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES second_factors (user_id) ON DELETE CASCADE,
  hash BLOB NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;
-- Who people are at the provider that they sign in with.
CREATE TABLE identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_user ON identities (user_id);
