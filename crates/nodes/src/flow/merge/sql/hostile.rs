//! Queries that want out, want everything, or never want to end. None may reach a file, and each
//! ends with a coded error.

use super::super::v3::Merge;
use model::Code;
use node_api::prelude::*;
use node_testing::run_version;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Everything ends long before this, also where the test has a small share of the processors.
const MAX_DURATION: Duration = Duration::from_secs(300);

/// A folder with a database in it, as the store has one.
struct DatabaseFolder(PathBuf);

impl DatabaseFolder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("heddle-merge-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir(&path).unwrap();
        let database = rusqlite::Connection::open(path.join("heddle.db")).unwrap();
        database
            .execute_batch("CREATE TABLE users (role TEXT); INSERT INTO users VALUES ('member')")
            .unwrap();
        Self(path)
    }

    fn state(&self) -> Vec<(String, Vec<u8>)> {
        let read = |entry: std::io::Result<std::fs::DirEntry>| {
            let path = entry.unwrap().path();
            (path.display().to_string(), std::fs::read(&path).unwrap())
        };
        let mut files: Vec<_> = std::fs::read_dir(&self.0).unwrap().map(read).collect();
        files.sort();
        files
    }
}

impl Drop for DatabaseFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn run(query: &str) -> Result<Value, NodeError> {
    let inputs =
        [json!([{ "id": 1, "a": "x" }, { "id": 2, "a": "y" }]), json!([{ "id": 1, "b": "z" }])];
    Ok(run_version::<Merge>(3.2, json!({ "mode": "combineBySql", "query": query }), &inputs)
        .await?
        .remove(0))
}

/// Queries that reach for another database. FILE stands for the database, NEW for a file that is
/// not there.
const ESCAPES: &[&str] = &[
    // The review's own: a comment that SQLite does not end at once, and a variable that is one
    // token.
    "SELECT 1 /*/ ' */ ; ATTACH DATABASE 'FILE' AS h; UPDATE h.users SET role='owner' -- '",
    "SELECT $a::('; ATTACH DATABASE 'FILE' AS h; UPDATE h.users SET role='owner'; SELECT ')",
    "SELECT $a::(x;ATTACH/**/'FILE'AS/**/h;)",
    "SELECT @x; ATTACH 'FILE' AS h",
    "SELECT #x; ATTACH 'FILE' AS h",
    "SELECT ?1; ATTACH 'FILE' AS h",
    "SELECT :value_1; ATTACH 'FILE' AS h",
    "ATTACH DATABASE 'FILE' AS h",
    "attach 'FILE' as h",
    "ATTACH 'file:FILE?mode=rw' AS h",
    "ATTACH 'NEW' AS h; CREATE TABLE h.t (a)",
    "ATTACH (SELECT 'FILE') AS h",
    "ATTACH 'FI' || 'LE' AS h",
    "ATTACH ':memory:' AS h",
    "ATTACH '' AS h",
    "SELECT 1;;;; \u{feff} ATTACH 'FILE' AS h",
    "SELECT 'a''; -- '; ATTACH 'FILE' AS h; --'",
    "SELECT \"a\"\"\" , 1; ATTACH 'FILE' AS h",
    "SELECT [a] AS [;], `b` FROM (SELECT 1 AS a, 2 AS b); ATTACH 'FILE' AS h",
    "SELECT [a'] FROM input1; ATTACH 'FILE' AS h --']",
    "SELECT 1 -- \r; no \n; ATTACH 'FILE' AS h",
    "SELECT 1 /**/ ; /**/ ATTACH /* */ 'FILE' AS h",
    "SELECT 1 /* /* */ ; ATTACH 'FILE' AS h",
    "EXPLAIN ATTACH 'FILE' AS h; ATTACH 'FILE' AS h",
    "DETACH main",
    "VACUUM INTO 'NEW'",
    "VACUUM main INTO 'NEW'",
    "VACUUM",
    "SELECT 1; VACUUM main INTO 'NEW'",
    "PRAGMA database_list",
    "/* x */ PRAGMA journal_mode = WAL",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA hard_heap_limit = 1",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'x'",
    "SELECT * FROM pragma_database_list",
    "SELECT count(*) FROM pragma_database_list",
    "SELECT * FROM pragma_function_list",
    "SELECT * FROM main.pragma_table_info('input1')",
    "UPDATE sqlite_master SET sql = 'CREATE TABLE input1 (x)'",
    "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 3, 'CREATE TABLE x (a)')",
    "DELETE FROM sqlite_schema",
    "CREATE VIRTUAL TABLE t USING fts5(a)",
    "CREATE VIRTUAL TABLE t USING fts3(a, tokenize=simple)",
    "CREATE VIRTUAL TABLE temp.t USING rtree(id, a, b)",
    "CREATE VIRTUAL TABLE t USING dbstat(main)",
    "SELECT * FROM dbstat",
    "SELECT count(*) FROM dbstat",
    "SELECT * FROM fts3tokenize('a b')",
    "EXPLAIN CREATE TABLE dbstat(a); SELECT name, path, pageno FROM dbstat",
    "CREATE TABLE dbstat(name); DROP TABLE dbstat; SELECT name FROM dbstat",
    "CREATE TEMP TABLE DbStat(name); SELECT name FROM main.dbstat",
    "CREATE VIEW dbstat AS SELECT 1 AS name; DROP VIEW dbstat; SELECT name FROM dbstat",
    "EXPLAIN CREATE TEMP VIEW pragma_function_list AS SELECT 1 AS name; SELECT name FROM pragma_function_list",
    "EXPLAIN CREATE TABLE missing(a); SELECT a FROM missing",
    "CREATE TABLE gone(a); DROP TABLE gone; SELECT a FROM gone",
    "SELECT load_extension('NEW')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT readfile('FILE')",
    "SELECT writefile('NEW', 'x')",
    "SELECT edit('x')",
    "SELECT sqlite_source_id(), sqlite_version()",
    "SELECT sqlite_log(1, 'x')",
    "SELECT sqlite_compileoption_get(1)",
    "SELECT sqlite_attach('FILE', 'h', '')",
    "SELECT sqlite_rename_table('main', '', '', '', '', '', 1)",
    "CREATE TRIGGER t AFTER INSERT ON input1 BEGIN SELECT 1; END",
    "CREATE TEMP TRIGGER t AFTER INSERT ON input1 BEGIN SELECT 1; END",
    "CREATE VIEW v AS SELECT load_extension('NEW') AS a; SELECT * FROM v",
    "CREATE TABLE t (a DEFAULT (load_extension('NEW'))); INSERT INTO t DEFAULT VALUES",
    "CREATE INDEX i ON input1 (load_extension(a))",
    "ALTER TABLE input1 RENAME TO users",
    "ALTER TABLE input1 ADD COLUMN x",
    "ANALYZE",
    "BEGIN; SELECT 1; COMMIT",
    "SAVEPOINT s",
    "ROLLBACK",
    "SELECT * FROM h.users",
    "SELECT * FROM users",
];

#[tokio::test]
async fn issue_14_01_no_query_leaves_its_database() {
    assert!(ESCAPES.len() >= 40);
    let folder = DatabaseFolder::new();
    let before = folder.state();
    let at = |name: &str| Path::new(&folder.0).join(name).display().to_string();
    for query in ESCAPES {
        let query = query.replace("FILE", &at("heddle.db")).replace("NEW", &at("new.db"));
        let error = run(&query).await.expect_err(&query);
        assert!(
            matches!(error.code(), Code::NODE_PARAMETER | Code::NODE_FAILED),
            "{query}: {error:?}"
        );
        assert!(error.description().is_some(), "{query}");
        assert!(folder.state() == before, "{query} changed the folder");
    }
}

/// SQLite takes these for nothing to do.
#[tokio::test]
async fn issue_14_01_what_does_nothing_writes_nothing() {
    let folder = DatabaseFolder::new();
    let before = folder.state();
    let new = Path::new(&folder.0).join("new.db").display().to_string();
    run(&format!("SELECT 1; VACUUM temp INTO '{new}'")).await.unwrap();
    assert!(folder.state() == before);
}

#[tokio::test]
async fn issue_14_01_what_is_denied_is_named() {
    for (query, what) in [
        ("ATTACH 'x' AS h", "ATTACH"),
        ("SELECT sqlite_source_id()", "sqlite_source_id"),
        ("PRAGMA cache_size", "PRAGMA cache_size"),
        ("CREATE VIRTUAL TABLE t USING fts5(a)", "virtual tables"),
        ("BEGIN", "transactions"),
    ] {
        let error = run(query).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_PARAMETER, "{query}");
        assert!(error.description().unwrap().contains(what), "{query}: {error:?}");
    }
}

/// Queries that take more than there is, and end by themselves within limits of SQLite's.
const BOMBS: &[&str] = &[
    "SELECT randomblob(1000000000)",
    "SELECT zeroblob(1000000000)",
    "SELECT length(zeroblob(2000000000))",
    "SELECT length(hex(zeroblob(60000000)))",
    "SELECT replace(replace(replace(replace(printf('%.*c', 60000, 'x'), 'x', 'xxxxxxxxxx'), 'x', 'xxxxxxxxxx'), 'x', 'xxxxxxxxxx'), 'x', 'xx')",
    "WITH RECURSIVE n(s) AS (SELECT 'xxxxxxxxxx' UNION ALL SELECT s || s FROM n) SELECT length(s) FROM n",
    "SELECT group_concat(a.s, '') FROM (WITH RECURSIVE n(i, s) AS (SELECT 1, printf('%.*c', 1000000, 'x') UNION ALL SELECT i + 1, s FROM n WHERE i < 100) SELECT s FROM n) a",
    "SELECT json_group_array(s) FROM (WITH RECURSIVE n(i, s) AS (SELECT 1, printf('%.*c', 1000000, 'x') UNION ALL SELECT i + 1, s FROM n WHERE i < 100) SELECT s FROM n)",
    "SELECT 'x' LIKE replace(printf('%.*c', 1001, 'x'), 'x', '%a')",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT printf('%.*c', 10000000, 'x') AS s FROM n",
];

#[tokio::test]
async fn issue_14_01_no_query_takes_all_the_memory() {
    for query in BOMBS {
        let began = Instant::now();
        let error = run(query).await.expect_err(query);
        assert!(
            matches!(error.code(), Code::QUERY_LIMIT | Code::NODE_FAILED | Code::NODE_PARAMETER),
            "{query}: {error:?}"
        );
        assert!(began.elapsed() < MAX_DURATION, "{query} took {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn issue_14_01_a_text_that_is_too_long_is_no_text() {
    for query in
        ["SELECT printf('%.*c', 1000000000, 'x') AS t", "SELECT format('%1000000000d', 1) AS t"]
    {
        assert_eq!(run(query).await.unwrap(), json!([{ "t": null }]), "{query}");
    }
}

#[tokio::test]
async fn issue_14_01_absurd_texts_end_in_an_error() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("SELECT {}1{}", open.repeat(n), close.repeat(n))
    };
    for query in [
        deep("(", ")", 30_000),
        deep("-", "", 60_000),
        deep("NOT ", "", 15_000),
        deep("(SELECT ", ")", 7000),
        deep("abs(", ")", 10_000),
        format!("SELECT 1{}", " + 1".repeat(15_000)),
        format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(3000)),
        format!("SELECT {} FROM input1", vec!["id"; 5000].join(",")),
        format!("SELECT * FROM {}", vec!["input1"; 100].join(",")),
        format!("SELECT * FROM {}input1{}", "(SELECT * FROM ".repeat(4000), ")".repeat(4000)),
        format!(
            "WITH {} SELECT 1",
            (0..2500).map(|n| format!("c{n} AS (SELECT 1)")).collect::<Vec<_>>().join(",")
        ),
        format!("SELECT max({})", vec!["1"; 500].join(",")),
        format!("SELECT '{}'", "x".repeat(300_000)),
        format!("SELECT CASE {} END", "WHEN 1 THEN 2 ".repeat(4500)),
        "SELECT 1\0; ATTACH 'x' AS h".to_owned(),
        "'".repeat(59_999),
        "/*".repeat(29_999),
    ] {
        let began = Instant::now();
        // A few of them are odd but harmless.
        if let Err(error) = run(&query).await {
            assert!(
                matches!(
                    error.code(),
                    Code::QUERY_LIMIT | Code::NODE_FAILED | Code::NODE_PARAMETER
                ),
                "{error:?}"
            );
        }
        assert!(began.elapsed() < MAX_DURATION, "{} took {:?}", &query[..40], began.elapsed());
    }
}

#[tokio::test]
async fn issue_14_01_a_query_without_end_is_stopped_when_nobody_waits() {
    for query in [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT count(*) FROM n a, n b, n c",
    ] {
        let began = Instant::now();
        let waited = tokio::time::timeout(Duration::from_millis(300), run(query)).await;
        assert!(waited.is_err(), "{query} came to an end");
        // The thread looks up every few instructions: a process with many of them would not get
        // anything else done.
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}
