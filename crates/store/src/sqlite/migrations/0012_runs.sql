-- How the bytes of a piece are to be read. A version that does not know a format leaves the run as it is.
ALTER TABLE journal ADD COLUMN format INTEGER NOT NULL DEFAULT 1;

-- What is not kept of the run once it is over: 1 if it succeeds, 2 if it fails, 3 in any case.
ALTER TABLE executions ADD COLUMN discards INTEGER NOT NULL DEFAULT 0;
-- What it has spent on models, together with the runs that it called.
ALTER TABLE executions ADD COLUMN spent_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN spent_dollars REAL NOT NULL DEFAULT 0;
