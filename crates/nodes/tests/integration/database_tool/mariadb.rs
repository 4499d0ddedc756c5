//! Statements that a MariaDB server must not carry out for a reader who may do everything.

use super::{
    DatabaseKind, LIMITS, a_reader_reads_and_no_more, connections, little_is_read,
    nothing_is_changed, random_statements_change_nothing,
};
use model::Value;
use node_api::connect::{Connections as _, ReadLimits};
use std::time::{Duration, Instant};
use testkit::services;

const SETUP: &[&str] = &[
    "DROP TABLE IF EXISTS ledger",
    "CREATE TABLE ledger (id int PRIMARY KEY, amount int) ENGINE=InnoDB",
    "INSERT INTO ledger VALUES (1, 10), (2, 20)",
    // Such a table knows no transactions.
    "CREATE OR REPLACE TABLE old_ledger (id int) ENGINE=MyISAM",
    "INSERT INTO old_ledger VALUES (1)",
    "CREATE OR REPLACE SEQUENCE ledger_seq NOCACHE",
    "CREATE OR REPLACE FUNCTION wipe_fn() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM ledger; RETURN 1; END",
    "CREATE OR REPLACE FUNCTION wipe_old() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM old_ledger; RETURN 1; END",
    "CREATE OR REPLACE PROCEDURE wipe() BEGIN COMMIT; SET SESSION TRANSACTION READ WRITE; DELETE FROM ledger; COMMIT; SELECT 1; END",
];

/// Without the tables of tests that run at the same time.
const STATE: &str = "SELECT (SELECT group_concat(id, ':', amount ORDER BY id) FROM ledger) AS ledger, (SELECT count(*) FROM old_ledger) AS old_ledger, \
    (SELECT next_not_cached_value FROM ledger_seq) AS sequence, (SELECT count(*) FROM information_schema.tables WHERE table_schema = 'test' AND table_name NOT IN ('tool_t', 'forms')) AS tables, \
    (SELECT count(*) FROM mysql.global_priv) AS users, (SELECT count(*) FROM information_schema.routines) AS routines, \
    (SELECT count(*) FROM mysql.table_stats) AS statistics, @@global.max_connections AS connections, @@global.read_only AS is_read_only, @@global.event_scheduler AS events";

const HOSTILE: &[&str] = &[
    // The review's own: two dashes without a space are a sum.
    "SELECT 5--1; COMMIT; DELETE FROM ledger",
    "SELECT 5 --1; DELETE FROM ledger",
    "DELETE FROM ledger",
    "DELETE FROM ledger RETURNING id",
    "UPDATE ledger SET amount = 0",
    "INSERT INTO ledger VALUES (3, 30) RETURNING id",
    "REPLACE INTO ledger VALUES (1, 0) RETURNING id",
    "INSERT INTO ledger VALUES (1, 1) ON DUPLICATE KEY UPDATE amount = 0",
    "SELECT 1; DELETE FROM ledger",
    "SELECT 1; COMMIT; DELETE FROM ledger",
    "COMMIT; DELETE FROM ledger",
    "COMMIT",
    "ROLLBACK",
    "COMMIT AND CHAIN",
    "START TRANSACTION READ WRITE",
    "BEGIN; DELETE FROM ledger; COMMIT",
    "SET TRANSACTION READ WRITE",
    "SET SESSION TRANSACTION READ WRITE",
    "SET SESSION tx_read_only = 0; DELETE FROM ledger",
    "SET @@session.transaction_read_only = 0",
    "SET GLOBAL max_connections = 7",
    "SET GLOBAL event_scheduler = ON",
    "SET STATEMENT tx_read_only = 0 FOR DELETE FROM ledger",
    "SET STATEMENT max_statement_time = 5 FOR DELETE FROM ledger RETURNING id",
    "BEGIN NOT ATOMIC COMMIT; SET SESSION TRANSACTION READ WRITE; DELETE FROM ledger; COMMIT; SELECT 1; END",
    "BEGIN NOT ATOMIC DELETE FROM ledger; END",
    "IF 1 THEN COMMIT; SET SESSION TRANSACTION READ WRITE; DELETE FROM ledger; END IF",
    "FOR i IN (SELECT 1) DO COMMIT; DELETE FROM ledger; END FOR",
    "EXECUTE IMMEDIATE 'DELETE FROM ledger'",
    "EXECUTE IMMEDIATE 'COMMIT'",
    "PREPARE p FROM 'DELETE FROM ledger'",
    "PREPARE p FROM 'DELETE FROM ledger'; EXECUTE p",
    "EXECUTE p",
    "CALL wipe()",
    "SELECT wipe_fn()",
    "SELECT wipe_old()",
    "SELECT * FROM ledger WHERE wipe_fn() = 1",
    "DO wipe_fn()",
    "DO SLEEP(0)",
    "SELECT NEXTVAL(ledger_seq)",
    "SELECT NEXT VALUE FOR ledger_seq",
    "SELECT SETVAL(ledger_seq, 100)",
    "WITH x AS (SELECT 1) DELETE FROM ledger",
    "ANALYZE DELETE FROM ledger",
    "ANALYZE FORMAT=JSON UPDATE ledger SET amount = 0",
    "EXPLAIN DELETE FROM ledger",
    // It has columns, and it writes.
    "ANALYZE SELECT 'x' INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "analyze/**/format=json select 'x' into dumpfile '/tmp/heddle-ledger-copied'",
    "SET STATEMENT max_statement_time = 5 FOR ANALYZE SELECT 'x' INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "/*!50000 ANALYZE */ SELECT 'x' INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "EXPLAIN ANALYZE SELECT 'x' INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "EXPLAIN SELECT 'x' INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "EXPLAIN FORMAT=JSON ANALYZE SELECT 'x' INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "DESCRIBE ledger; ANALYZE SELECT 'x' INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "SHOW TABLES WHERE 1 INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "SHOW TABLES; ANALYZE SELECT 'x' INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "ANALYZE TABLE ledger PERSISTENT FOR ALL",
    "SET STATEMENT max_statement_time = 5 FOR ANALYZE TABLE ledger PERSISTENT FOR ALL",
    "CACHE INDEX old_ledger IN default",
    "CHECK TABLE old_ledger",
    // Brackets that are not its own.
    "SELECT 1) AS q INTO OUTFILE '/tmp/heddle-ledger-copied' -- ",
    "SELECT 1) INTO OUTFILE '/tmp/heddle-ledger-copied' -- ",
    "SELECT 1) INTO OUTFILE '/tmp/heddle-ledger-copied' /*",
    "SELECT 1) INTO OUTFILE '/tmp/heddle-ledger-copied' /*!",
    "SELECT 1) INTO OUTFILE '/tmp/heddle-ledger-copied';",
    "SELECT 1) INTO OUTFILE '/tmp/heddle-ledger-copied' FROM (SELECT 2",
    "SELECT 1) UNION SELECT 5 INTO OUTFILE '/tmp/heddle-ledger-copied' FROM (SELECT 2",
    "SELECT 1) UNION SELECT 5 INTO OUTFILE '/tmp/heddle-ledger-copied' FROM (SELECT 2) a WHERE EXISTS (SELECT 2",
    "SELECT 1) AS q; ANALYZE SELECT 'x' INTO OUTFILE '/tmp/heddle-ledger-copied' FROM (SELECT 2",
    "SELECT * FROM ledger INTO OUTFILE '/tmp/heddle-ledger-copied'",
    "SELECT 'x' INTO DUMPFILE '/tmp/heddle-ledger-copied'",
    "SELECT 1 INTO @x",
    "LOAD DATA INFILE '/etc/passwd' INTO TABLE ledger",
    "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE ledger",
    "CREATE TABLE copied AS SELECT * FROM ledger",
    "CREATE OR REPLACE TABLE ledger (n int)",
    "CREATE TEMPORARY TABLE ledger AS SELECT 9 AS id, 9 AS amount",
    "TRUNCATE ledger",
    "DROP TABLE ledger",
    "RENAME TABLE ledger TO gone",
    "ALTER TABLE ledger ADD COLUMN x int",
    "OPTIMIZE TABLE ledger",
    "REPAIR TABLE old_ledger",
    "LOCK TABLES ledger WRITE",
    "UNLOCK TABLES",
    "FLUSH TABLES WITH READ LOCK",
    "HANDLER ledger OPEN",
    "CREATE USER mallory",
    "GRANT ALL ON *.* TO 'heddle'@'%'",
    "CREATE EVENT e ON SCHEDULE AT NOW() DO DELETE FROM test.ledger",
    "XA START 'x'",
    "INSTALL SONAME 'x'",
    "/*!50000 DELETE FROM ledger */",
    "/*M!100000 DELETE FROM ledger */",
    "SELECT 1 /*! ; DELETE FROM ledger */",
    "SELECT 1 /* */ ; DELETE FROM ledger",
    "SELECT 1 # x\n; DELETE FROM ledger",
    "SELECT '\\''; DELETE FROM ledger; -- '",
    "SELECT \"\\\"\"; DELETE FROM ledger -- \"",
    "SELECT `a```; DELETE FROM ledger",
    "SELECT 1\u{a0}; DELETE FROM ledger",
    "SELECT 1\0; DELETE FROM ledger",
    "DELIMITER // DELETE FROM ledger //",
    "ＤＥＬＥＴＥ FROM ledger",
    "SHOW TABLES; DELETE FROM ledger",
    "SIGNAL SQLSTATE '45000'",
    "",
    ";",
];

#[tokio::test]
async fn mariadb_is_only_read() {
    let server = services::mariadb();
    a_reader_reads_and_no_more(DatabaseKind::MariaDb, server.port, "?").await;
}

#[tokio::test]
async fn issue_14_04_no_statement_of_a_reader_changes_mariadb() {
    let server = services::mariadb();
    let _ = std::fs::remove_file("/tmp/heddle-ledger-copied");
    nothing_is_changed(DatabaseKind::MariaDb, server.port, SETUP, STATE, HOSTILE).await;
    assert!(!std::path::Path::new("/tmp/heddle-ledger-copied").exists());
    random_statements_change_nothing(DatabaseKind::MariaDb, server.port).await;
}

#[tokio::test]
async fn issue_14_03_a_reader_of_mariadb_reads_no_more_than_it_may() {
    let server = services::mariadb();
    let endless =
        ["SELECT seq FROM seq_1_to_1000000000", "SELECT '' AS a FROM seq_1_to_1000000000"];
    let large = ["SELECT CAST(repeat('x', 4000000) AS BINARY)"];
    little_is_read(DatabaseKind::MariaDb, server.port, &endless, &large, "SELECT SLEEP(1000000)")
        .await;
}

#[tokio::test]
async fn issue_14_04_what_only_reads_mariadb_is_run_in_all_its_forms() {
    let server = services::mariadb();
    let (connections, server) = (connections(), DatabaseKind::MariaDb.server(server.port));
    let mut session = connections.sql(&server).await.unwrap();
    session
        .run("CREATE OR REPLACE TABLE forms (id int PRIMARY KEY, amount int)", &[])
        .await
        .unwrap();
    session.run("INSERT INTO forms VALUES (1, 30), (2, 20), (3, 10)", &[]).await.unwrap();
    for (statement, n_rows) in [
        ("SELECT * FROM forms a JOIN forms b USING (id)", 3),
        ("(SELECT id FROM forms) UNION (SELECT 7) ORDER BY 1 DESC LIMIT 2;", 2),
        (
            "WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n WHERE a < 5) SELECT * FROM n",
            5,
        ),
        ("VALUES (1), (2)", 2),
        ("SELECT ')' AS a -- (", 1),
        (
            "SELECT id FROM forms WHERE id IN (SELECT id FROM forms WHERE amount > 10) LOCK IN SHARE MODE",
            2,
        ),
        ("SHOW TABLES LIKE 'forms'", 1),
        ("show columns from forms;", 2),
        ("SHOW CREATE TABLE forms", 1),
        ("DESCRIBE forms", 2),
        ("desc `forms`", 2),
        ("EXPLAIN SELECT * FROM forms", 1),
        ("EXPLAIN EXTENDED SELECT * FROM forms", 1),
        ("explain format = json SELECT * FROM forms;", 1),
    ] {
        let read = connections
            .read_sql(&server, statement, &[], LIMITS)
            .await
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
        assert_eq!(read.rows.len(), n_rows, "{statement}");
    }
    // The order is the query's own.
    let read = connections
        .read_sql(&server, "SELECT id FROM forms ORDER BY amount", &[], LIMITS)
        .await
        .unwrap();
    let ids: Vec<_> = read
        .rows
        .iter()
        .map(|row| row.get("id").and_then(Value::as_f64).unwrap_or_default())
        .collect();
    assert_eq!(ids, [3.0, 2.0, 1.0]);
    for (statement, words) in [
        ("SELECT nothing FROM forms", "Unknown column"),
        ("EXPLAIN SELECT nothing FROM forms", "Unknown column"),
        ("DESC nowhere", "doesn't exist"),
        ("ANALYZE SELECT 1", "Only a single statement that returns rows is allowed here"),
        (
            "SET STATEMENT max_statement_time = 0 FOR SELECT 1",
            "Only a single statement that returns rows is allowed here",
        ),
    ] {
        let error =
            connections.read_sql(&server, statement, &[], LIMITS).await.unwrap_err().to_string();
        assert!(error.contains(words), "{statement}: {error}");
    }
}

#[tokio::test]
async fn issue_14_04_mariadb_stops_a_statement_that_nobody_waits_for() {
    const ENDLESS: &str = "SELECT BENCHMARK(1000000000000000, SHA2('a', 512))";
    let running = services::mariadb();
    let (connections, admin) = (connections(), DatabaseKind::MariaDb.server(running.port));
    // A user without any right over others.
    let mut server = admin.clone();
    server.server.user = "heddle".into();
    let mut session = connections.sql(&admin).await.unwrap();
    let mut is_running = async || {
        let listed = session.run("SHOW FULL PROCESSLIST", &[]).await.unwrap();
        let mut rows = listed.into_iter().flat_map(|result| result.rows);
        rows.any(|row| {
            row.get("Info").and_then(Value::as_str).is_some_and(|text| text.contains("BENCHMARK"))
        })
    };
    // The server's own limit is far away.
    let long = ReadLimits { time_ms: 3_600_000, ..LIMITS };
    let left = tokio::time::timeout(
        Duration::from_millis(500),
        connections.read_sql(&server, ENDLESS, &[], long),
    )
    .await;
    assert!(left.is_err(), "{left:?}");
    let began = Instant::now();
    while is_running().await {
        assert!(began.elapsed() < Duration::from_secs(60), "the server still works on it");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The server itself ends what takes longer than it may.
    let began = Instant::now();
    let _ =
        connections.read_sql(&server, ENDLESS, &[], ReadLimits { time_ms: 200, ..LIMITS }).await;
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
