//! Any text as a query of Merge, with any value in its expressions: the value never becomes SQL, no
//! file is opened, the query ends, and its tokens are those that SQLite reads.

use nodes::flow::probe_merge_sql;

/// The text is a query and a value with a NUL between them; without one the value is the query
/// itself.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str) {
    let (query, value) = text.split_once('\0').unwrap_or((text, text));
    check(query, value);
    // The same text where it is most likely to do harm.
    check(&format!("SELECT {query}"), value);
    check(
        &format!(
            "SELECT * FROM input1 WHERE a = '{{{{ 1 }}}}' OR b IN ({{{{ 1 }}}}) OR id = {{{{ 1 }}}} {query}"
        ),
        value,
    );
}

fn check(query: &str, value: &str) {
    let Some(probed) = probe_merge_sql(query, value) else { return };
    assert!(probed.is_fixed, "{query:?}: a value changed the statement");
    assert!(probed.files.is_empty(), "{query:?} opened {:?}", probed.files);
    if let Some((by_sqlite, by_us)) = probed.parameters {
        assert_eq!(by_sqlite, by_us, "{query:?} is read in two ways");
    }
}
