//! Tells statements that only read from all others.
//!
//! It is one of two locks: whatever gets past it still runs in a transaction that the server holds to be read-only. So it rather
//! refuses a statement that is harmless than lets one through that is not.

use node_api::prelude::*;

/// What a statement that reads may begin with.
const READS: [&str; 7] = ["select", "with", "values", "table", "show", "explain", "describe"];
/// Words that change something wherever they stand.
const WRITES: [&str; 34] = [
    "insert",
    "update",
    "delete",
    "merge",
    "upsert",
    "replace",
    "truncate",
    "drop",
    "alter",
    "create",
    "grant",
    "revoke",
    "into",
    "copy",
    "call",
    "do",
    "execute",
    "prepare",
    "deallocate",
    "lock",
    "unlock",
    "vacuum",
    "reindex",
    "cluster",
    "refresh",
    "set",
    "reset",
    "begin",
    "commit",
    "rollback",
    "savepoint",
    "load",
    "handler",
    "analyze",
];

/// Refuses everything but one statement that reads.
pub(in super::super) fn check(statement: &str) -> Result<(), NodeError> {
    let words = words(statement)?;
    let refused = |why: &str| Err(refusal(why));
    match words.first() {
        None => return refused("it is empty"),
        Some(first) if !READS.contains(&first.as_str()) => return refused(&format!("it begins with {}", first.to_uppercase())),
        Some(_) => {}
    }
    match words.iter().find(|word| WRITES.contains(&word.as_str())) {
        Some(word) => refused(&format!("{} is in it", word.to_uppercase())),
        None => Ok(()),
    }
}

fn refusal(why: &str) -> NodeError {
    NodeError::disallowed(format!("Only one statement that reads may be run here: {why}"))
        .hint("Write a SELECT, and put texts into parameters.")
}

/// The words outside of quotes and comments, in lower case. A text that two servers read in two ways is refused.
fn words(statement: &str) -> Result<Vec<String>, NodeError> {
    let letters: Vec<char> = statement.chars().collect();
    let mut words = Vec::new();
    let mut at = 0;
    let next_is = |at: usize, wanted: char| letters.get(at + 1) == Some(&wanted);
    while let Some(letter) = letters.get(at).copied() {
        match letter {
            '\'' | '"' | '`' => at = after_quotes(&letters, at)?,
            '-' if next_is(at, '-') => at = letters[at..].iter().position(|letter| *letter == '\n').map_or(letters.len(), |end| at + end),
            '/' if next_is(at, '*') => return Err(refusal("it has a comment with /*")),
            '#' => return Err(refusal("# is in it")),
            '$' if letters.get(at + 1).is_some_and(|next| !next.is_ascii_digit()) => return Err(refusal("it has a text in dollars")),
            ';' => match letters[at + 1..].iter().all(|letter| letter.is_whitespace() || *letter == ';') {
                true => break,
                false => return Err(refusal("there are several statements")),
            },
            letter if letter.is_alphanumeric() || letter == '_' => {
                let end = letters[at..]
                    .iter()
                    .position(|letter| !letter.is_alphanumeric() && *letter != '_')
                    .map_or(letters.len(), |end| at + end);
                words.push(letters[at..end].iter().collect::<String>().to_lowercase());
                at = end;
            }
            '\0' => return Err(refusal("it has a character that ends texts")),
            _ => at += 1,
        }
    }
    Ok(words)
}

fn after_quotes(letters: &[char], start: usize) -> Result<usize, NodeError> {
    let quote = letters.get(start).copied().unwrap_or('\'');
    let mut at = start + 1;
    while let Some(letter) = letters.get(at).copied() {
        match letter {
            '\\' => return Err(refusal("it has a backslash in quotes")),
            letter if letter == quote && letters.get(at + 1) == Some(&quote) => at += 2,
            letter if letter == quote => return Ok(at + 1),
            _ => at += 1,
        }
    }
    Err(refusal("its quotes do not end"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_read_are_let_through() {
        for statement in [
            "SELECT * FROM t WHERE name = 'it''s; DELETE' AND id = $1 -- all of them\n LIMIT 5;",
            "with a as (select 1) select \"update\" from a",
            "EXPLAIN SELECT 1",
            "show tables",
            " values (1), (2) ; ; ",
        ] {
            assert!(check(statement).is_ok(), "{statement}");
        }
    }

    #[test]
    fn whatever_could_write_is_refused() {
        for statement in [
            "",
            "DELETE FROM t",
            "select 1; delete from t",
            "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
            "select * into copy_of_t from t",
            "select '\\'; delete from t --'",
            "select $$a$$; drop table t",
            "select 1 /*! ; delete from t */",
            "select 1 # x\n; delete from t",
            "select 'open",
            "SET TRANSACTION READ WRITE",
            "COMMIT",
            "explain analyze delete from t",
            "copy t to program 'sh'",
            "ＤＥＬＥＴＥ FROM t",
        ] {
            assert!(check(statement).is_err(), "{statement}");
        }
    }
}
