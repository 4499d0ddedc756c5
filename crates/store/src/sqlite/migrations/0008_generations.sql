-- Earlier releases handed the cookies of a call to the workflow that took it, so journals hold the tokens of sessions: all of them end.
DELETE FROM sessions;
-- Raised when everything that somebody's old password has opened ends. What was begun before counts no more.
ALTER TABLE users ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_of_user ON sessions (user_id, created_ms);
