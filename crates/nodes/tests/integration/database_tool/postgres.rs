//! Statements that a PostgreSQL server must not carry out for a reader, as its superuser.

use super::{
    DatabaseKind, a_reader_reads_and_no_more, ask, little_is_read, nothing_is_changed,
    random_statements_change_nothing, tool,
};
use model::json;
use testkit::services;

const SETUP: &[&str] = &[
    "DROP TABLE IF EXISTS ledger; CREATE TABLE ledger (id int PRIMARY KEY, amount int); INSERT INTO ledger VALUES (1, 10), (2, 20)",
    "CREATE SEQUENCE IF NOT EXISTS ledger_seq",
    "CREATE OR REPLACE FUNCTION wipe_fn() RETURNS int LANGUAGE sql AS 'DELETE FROM ledger; SELECT 1'",
    "CREATE OR REPLACE FUNCTION wipe_dynamic() RETURNS int LANGUAGE plpgsql AS $f$ BEGIN \
     PERFORM set_config('transaction_read_only', 'off', false); EXECUTE 'DELETE FROM ledger'; RETURN 1; END $f$",
    "CREATE OR REPLACE PROCEDURE wipe() LANGUAGE plpgsql AS $f$ BEGIN COMMIT; SET TRANSACTION READ WRITE; DELETE FROM ledger; COMMIT; END $f$",
    "CREATE OR REPLACE PROCEDURE wipe_out(OUT n int) LANGUAGE plpgsql AS $f$ BEGIN COMMIT; DELETE FROM ledger; n := 1; END $f$",
];

/// The ledger, the sequence, and how many tables (but for the one of another test), functions and
/// roles there are.
const STATE: &str = "SELECT (SELECT string_agg(id || ':' || amount, ',' ORDER BY id) FROM ledger) AS ledger, \
    (SELECT last_value || ' ' || is_called FROM ledger_seq) AS sequence, (SELECT count(*) FROM pg_class WHERE relkind <> 't' AND relpersistence <> 't' AND relname <> 'tool_t') AS classes, \
    (SELECT count(*) FROM pg_proc) AS functions, (SELECT count(*) FROM pg_roles) AS roles, (SELECT count(*) FROM pg_prepared_xacts) AS prepared, \
    (SELECT count(*) FROM pg_largeobject_metadata) AS objects, (SELECT count(*) FROM pg_extension) AS extensions";

const HOSTILE: &[&str] = &[
    // The review's own: a carriage return ends the comment for the server.
    "SELECT 1 --\r; COMMIT; DELETE FROM ledger",
    "SELECT 1 --\r\n; COMMIT; DELETE FROM ledger",
    "DELETE FROM ledger",
    "delete from ledger returning id",
    "UPDATE ledger SET amount = 0 RETURNING *",
    "INSERT INTO ledger VALUES (3, 30) RETURNING *",
    "SELECT 1; DELETE FROM ledger",
    "SELECT 1;; DELETE FROM ledger;",
    "SELECT 1; COMMIT; DELETE FROM ledger",
    "SELECT 1; ROLLBACK; DELETE FROM ledger",
    "COMMIT; DELETE FROM ledger",
    "COMMIT",
    "ROLLBACK",
    "COMMIT AND CHAIN",
    "END; DELETE FROM ledger",
    "ABORT",
    "BEGIN; DELETE FROM ledger; COMMIT",
    "BEGIN READ WRITE",
    "START TRANSACTION READ WRITE; DELETE FROM ledger",
    "PREPARE TRANSACTION 'x'",
    "SET TRANSACTION READ WRITE",
    "SET TRANSACTION READ WRITE; DELETE FROM ledger",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "SET default_transaction_read_only = off",
    "SELECT set_config('transaction_read_only', 'off', true), wipe_fn()",
    "SELECT set_config('default_transaction_read_only', 'off', false)",
    "SELECT wipe_fn()",
    "SELECT wipe_dynamic()",
    "SELECT * FROM wipe_fn()",
    "VALUES (wipe_fn())",
    "CALL wipe()",
    "CALL wipe_out(NULL)",
    "DO $$ BEGIN DELETE FROM ledger; END $$",
    "DO $$ BEGIN COMMIT; SET TRANSACTION READ WRITE; DELETE FROM ledger; COMMIT; END $$",
    "DO 'BEGIN COMMIT; DELETE FROM ledger; END'",
    "WITH gone AS (DELETE FROM ledger RETURNING *) SELECT * FROM gone",
    "WITH gone AS MATERIALIZED (UPDATE ledger SET amount = 0 RETURNING *) SELECT count(*) FROM gone",
    "EXPLAIN ANALYZE DELETE FROM ledger",
    "EXPLAIN (ANALYZE, COSTS OFF) UPDATE ledger SET amount = 0",
    "PREPARE p AS DELETE FROM ledger",
    "EXECUTE p",
    "PREPARE p AS DELETE FROM ledger; EXECUTE p",
    "SELECT * INTO copied FROM ledger",
    "CREATE TABLE copied AS SELECT * FROM ledger",
    "CREATE TABLE IF NOT EXISTS copied (n int)",
    "TRUNCATE ledger",
    "DROP TABLE ledger",
    "ALTER TABLE ledger ADD COLUMN x int",
    "MERGE INTO ledger USING (SELECT 1 AS id) s ON ledger.id = s.id WHEN MATCHED THEN DELETE",
    "COPY ledger FROM PROGRAM 'echo 3'",
    "COPY ledger TO PROGRAM 'cat > /tmp/heddle-ledger-copied'",
    "COPY (DELETE FROM ledger RETURNING *) TO STDOUT",
    "COPY ledger FROM STDIN",
    "SELECT nextval('ledger_seq')",
    "SELECT setval('ledger_seq', 100)",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT lo_creat(-1)",
    "SELECT query_to_xml('DELETE FROM ledger RETURNING id', true, false, '')",
    "SELECT * FROM ledger FOR UPDATE",
    "LOCK TABLE ledger IN ACCESS EXCLUSIVE MODE",
    "GRANT ALL ON ledger TO PUBLIC",
    "CREATE ROLE mallory SUPERUSER",
    "CREATE EXTENSION IF NOT EXISTS dblink",
    "ALTER SYSTEM SET max_connections = 1",
    "VACUUM FULL ledger",
    "REFRESH MATERIALIZED VIEW x",
    "SECURITY LABEL ON TABLE ledger IS 'x'",
    "SELECT 'a' /* /* */ ; DELETE FROM ledger; -- */ ",
    "SELECT 'a' /* ' */; DELETE FROM ledger --'",
    "SELECT $$a$$; DELETE FROM ledger",
    "SELECT $x$ $$ $x$; DELETE FROM ledger",
    "SELECT E'\\''; DELETE FROM ledger; --'",
    "SELECT U&'\\0027; DELETE FROM ledger --'",
    "SELECT '\\'; DELETE FROM ledger; --'",
    "SELECT \"a\"\"\"; DELETE FROM ledger --\"",
    "SELECT 1\u{a0}; DELETE FROM ledger",
    "SELECT 1\u{2028}; DELETE FROM ledger",
    "SELECT 1\0; DELETE FROM ledger",
    "\u{feff}DELETE FROM ledger",
    "ＤＥＬＥＴＥ FROM ledger",
    "(SELECT 1) ; DELETE FROM ledger",
    "DECLARE c CURSOR FOR DELETE FROM ledger RETURNING *",
    "DECLARE c CURSOR WITH HOLD FOR SELECT wipe_fn()",
    "SHOW transaction_read_only; DELETE FROM ledger",
    "",
    ";",
];

#[tokio::test]
async fn postgres_is_only_read() {
    let server = services::postgres();
    a_reader_reads_and_no_more(DatabaseKind::Postgres, server.port, "$1").await;
    let reader = tool(DatabaseKind::Postgres, server.port, "readOnly").await;
    let session = ask(&reader, "SHOW default_transaction_read_only", json!([])).await.unwrap();
    assert_eq!(session.get_path("rows[0].default_transaction_read_only"), Some(&json!("on")));
}

#[tokio::test]
async fn issue_14_04_no_statement_of_a_reader_changes_postgres() {
    let server = services::postgres();
    nothing_is_changed(DatabaseKind::Postgres, server.port, SETUP, STATE, HOSTILE).await;
    assert!(!std::path::Path::new("/tmp/heddle-ledger-copied").exists());
    random_statements_change_nothing(DatabaseKind::Postgres, server.port).await;
}

#[tokio::test]
async fn issue_14_03_a_reader_of_postgres_reads_no_more_than_it_may() {
    let server = services::postgres();
    let endless = [
        "SELECT FROM (SELECT generate_series(1, 1000000000)) AS s",
        "SELECT '' AS a FROM (SELECT generate_series(1, 1000000000)) AS s",
        "SELECT generate_series(1, 1000000000) AS n",
    ];
    let large = [
        "SELECT repeat('x', 100000000)",
        "SELECT convert_to(repeat('x', 4000000), 'UTF8')",
        "SELECT array_fill(1, ARRAY[1500000])",
        "SELECT json_agg(1) FROM generate_series(1, 1500000)",
    ];
    little_is_read(
        DatabaseKind::Postgres,
        server.port,
        &endless,
        &large,
        "SELECT pg_sleep(1000000)",
    )
    .await;
}
