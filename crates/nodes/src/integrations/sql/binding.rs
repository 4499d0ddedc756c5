//! Reads SQL just far enough: where statements end, and which `$1` are placeholders and not part of
//! a text.

use node_api::connect::Dialect;
use node_api::prelude::*;
use std::collections::HashMap;

/// More cannot be bound: both protocols count them in sixteen bits.
const MAX_VALUES: usize = 65_535;

/// A statement with its values in the order of its own placeholders.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct BoundStatement {
    pub(in super::super) text: String,
    pub(in super::super) values: Vec<Value>,
}

/// Binds values to the placeholders of one or several statements. Each statement has its own values
/// afterwards.
///
/// `$1` is a value, `$1:name` and `$1~` a quoted name, `$1:csv` and `$1:list` several values,
/// `$1:json` a value as JSON text.
pub(in super::super) fn bind(
    dialect: Dialect,
    query: &str,
    values: &[Value],
) -> Result<Vec<BoundStatement>, NodeError> {
    if values.is_empty() {
        return Ok(vec![BoundStatement { text: query.to_owned(), values: Vec::new() }]);
    }
    let mut bound = Vec::new();
    let mut current = BoundStatement { text: String::new(), values: Vec::new() };
    let mut written = HashMap::new();
    for piece in pieces(dialect, query) {
        match piece {
            SqlPiece::Plain(text) => current.text.push_str(text),
            SqlPiece::End => {
                if !current.text.trim().is_empty() {
                    bound.push(std::mem::replace(
                        &mut current,
                        BoundStatement { text: String::new(), values: Vec::new() },
                    ));
                }
                current.text.clear();
            }
            SqlPiece::Placeholder { number, form } => {
                let value = number.checked_sub(1).and_then(|place| values.get(place)).ok_or_else(|| {
                    NodeError::parameter(
                        "options.queryReplacement",
                        format!("The query uses the parameter ${number}, but only {} values are given", values.len()),
                    )
                    .hint("Enter a value for each $1, $2 … of the query in 'Query Parameters', in \
                         order.")
                })?;
                let value = match form {
                    // Written once, however often it stands in the query.
                    PlaceholderForm::Json => written
                        .entry(number)
                        .or_insert_with(|| Value::from(model::json::to_string(value))),
                    _ => value,
                };
                put(dialect, &mut current, value, form, number)?;
                if current.values.len() > MAX_VALUES {
                    return Err(NodeError::parameter(
                        "query",
                        format!("The statement exceeds the limit of {MAX_VALUES} values"),
                    )
                    .hint("Use shorter lists, or run the query on one part at a time."));
                }
            }
        }
    }
    if !current.text.trim().is_empty() {
        bound.push(current);
    }
    Ok(bound)
}

/// The highest `$n` of a query.
pub(in super::super) fn n_placeholders(dialect: Dialect, query: &str) -> usize {
    let numbers = pieces(dialect, query)
        .into_iter()
        .map(|piece| if let SqlPiece::Placeholder { number, .. } = piece { number } else { 0 });
    numbers.max().unwrap_or(0)
}

/// Whether a query only reads.
pub(in super::super) fn is_select(query: &str) -> bool {
    query.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"))
}

/// A name in the dialect's quotes. PostgreSQL takes every sign by its number: such a name stays one
/// wherever it is put.
pub(in super::super) fn identifier(dialect: Dialect, name: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ' ' | '.');
    match dialect {
        Dialect::Postgres if name.chars().all(is_plain) => format!("\"{name}\""),
        Dialect::Postgres => {
            let numbered = |letter: char| {
                if is_plain(letter) {
                    letter.to_string()
                } else {
                    format!("\\+{:06x}", u32::from(letter))
                }
            };
            format!("U&\"{}\"", name.chars().map(numbered).collect::<String>())
        }
        Dialect::MySql => format!("`{}`", name.replace('`', "``")),
    }
}

impl BoundStatement {
    pub(in super::super) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), values: Vec::new() }
    }

    pub(in super::super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(in super::super) fn push_value(&mut self, dialect: Dialect, value: Value) {
        self.values.push(value);
        match dialect {
            Dialect::Postgres => self.text.push_str(&format!("${}", self.values.len())),
            Dialect::MySql => self.text.push('?'),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum PlaceholderForm {
    Value,
    Name,
    List,
    Json,
    /// Text that would become part of the statement.
    Raw,
}

enum SqlPiece<'q> {
    Plain(&'q str),
    Placeholder { number: usize, form: PlaceholderForm },
    End,
}

fn put(
    dialect: Dialect,
    statement: &mut BoundStatement,
    value: &Value,
    form: PlaceholderForm,
    number: usize,
) -> Result<(), NodeError> {
    match form {
        PlaceholderForm::Value | PlaceholderForm::Json => {
            statement.push_value(dialect, value.clone())
        }
        PlaceholderForm::List => {
            let several = value.as_array().map_or_else(|| vec![value.clone()], <[Value]>::to_vec);
            for (place, value) in several.into_iter().take(MAX_VALUES + 1).enumerate() {
                if place > 0 {
                    statement.push(",");
                }
                statement.push_value(dialect, value);
            }
        }
        PlaceholderForm::Name => {
            let names: Vec<Str> = match value {
                Value::Array(names) => names.iter().map(Value::to_js_string).collect(),
                Value::Object(fields) => fields.keys().cloned().collect(),
                name => vec![name.to_js_string()],
            };
            let quoted = names
                .iter()
                .map(|name| if name == "*" { "*".to_owned() } else { identifier(dialect, name) });
            statement.push(&quoted.collect::<Vec<_>>().join(","));
        }
        PlaceholderForm::Raw => {
            return Err(NodeError::parameter(
                "query",
                format!(
                    "The parameter ${number} would become part of the SQL statement, which is not \
                     supported"
                ),
            )
            .hint("Bind it as a value ($1), as a name ($1:name) or as a list ($1:csv)."));
        }
    }
    Ok(())
}

fn pieces(dialect: Dialect, query: &str) -> Vec<SqlPiece<'_>> {
    let bytes = query.as_bytes();
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        let rest = &query[at..];
        let skipped = skip(dialect, rest);
        if skipped > 0 {
            at += skipped;
        } else if bytes[at] == b';' {
            pieces.push(SqlPiece::Plain(&query[start..at]));
            pieces.push(SqlPiece::End);
            at += 1;
            start = at;
        } else if let Some((number, form, length)) = placeholder(rest) {
            pieces.push(SqlPiece::Plain(&query[start..at]));
            pieces.push(SqlPiece::Placeholder { number, form });
            at += length;
            start = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    pieces.push(SqlPiece::Plain(&query[start..]));
    pieces
}

/// The length of the text, quoted name or comment that stands here; 0 if none does.
fn skip(dialect: Dialect, rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_mysql = dialect == Dialect::MySql;
    match bytes.first() {
        Some(b'\'') => quoted(bytes, b'\'', is_mysql),
        Some(b'"') => quoted(bytes, b'"', is_mysql),
        Some(b'`') if is_mysql => quoted(bytes, b'`', false),
        Some(b'E' | b'e') if !is_mysql && bytes.get(1) == Some(&b'\'') => {
            1 + escaped_lines(&rest[1..])
        }
        // MySQL wants a space after the dashes: `5--1` is a sum there.
        Some(b'-') if is_mysql && rest.starts_with("--") => match bytes.get(2) {
            Some(byte) if !byte.is_ascii_whitespace() && !byte.is_ascii_control() => 0,
            _ => rest.find('\n').unwrap_or(rest.len()),
        },
        Some(b'-') if rest.starts_with("--") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
        Some(b'#') if is_mysql => rest.find('\n').unwrap_or(rest.len()),
        // What stands in these comments is run.
        Some(b'/') if is_mysql && rest.starts_with("/*!") => 3,
        Some(b'/') if is_mysql && rest.starts_with("/*M!") => 4,
        Some(b'/') if is_mysql && rest.starts_with("/*") => {
            rest[2..].find("*/").map_or(rest.len(), |end| end + 4)
        }
        Some(b'/') if rest.starts_with("/*") => nested_comment(bytes),
        Some(b'$') if !is_mysql => dollar_quoted(rest),
        Some(letter) if letter.is_ascii_alphanumeric() || *letter == b'_' || *letter >= 0x80 => {
            // A word is passed whole, so that its last letter is not taken for the `E` before a
            // text, nor its `$1` for a placeholder.
            let is_part = |byte: u8| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
            };
            let end = bytes.iter().position(|byte| !is_part(*byte)).unwrap_or(bytes.len());
            if bytes.get(end) == Some(&b'\'') && end == 1 { 0 } else { end }
        }
        _ => 0,
    }
}

fn quoted(bytes: &[u8], quote: u8, has_escapes: bool) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if has_escapes => at += 2,
            byte if byte == quote && bytes.get(at + 1) == Some(&quote) => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// PostgreSQL takes texts on lines of their own as one: all of them have escapes if the first has.
fn escaped_lines(rest: &str) -> usize {
    let mut at = quoted(rest.as_bytes(), b'\'', true);
    while let Some(between) = rest.get(at..).and_then(to_next_line) {
        at += between + quoted(&rest.as_bytes()[at + between..], b'\'', true);
    }
    at
}

/// How far it is to a text that goes on with the one before, past spaces, line ends and comments of
/// one line.
fn to_next_line(rest: &str) -> Option<usize> {
    let (mut at, mut has_ended) = (0, false);
    loop {
        match rest.as_bytes().get(at)? {
            b'\'' if has_ended => return Some(at),
            b'\n' | b'\r' => has_ended = true,
            b' ' | b'\t' | 0x0b | 0x0c => {}
            // Its end is looked at next.
            b'-' if rest[at..].starts_with("--") => {
                at += rest[at..].find(['\n', '\r'])?;
                continue;
            }
            _ => return None,
        }
        at += 1;
    }
}

/// Comments inside of comments have ends of their own in PostgreSQL.
fn nested_comment(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// `$$ … $$` and `$tag$ … $tag$`.
fn dollar_quoted(rest: &str) -> usize {
    let Some(end) = rest[1..].find('$').map(|end| end + 2) else { return 0 };
    let tag = &rest[..end];
    let name = &tag[1..tag.len() - 1];
    let is_tag = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        && !name.starts_with(|letter: char| letter.is_ascii_digit());
    if !is_tag {
        return 0;
    }
    rest[end..].find(tag).map_or(rest.len(), |found| end + found + tag.len())
}

/// `$12`, `$1:name`, `$1~`: the number, the form and the length.
fn placeholder(rest: &str) -> Option<(usize, PlaceholderForm, usize)> {
    let digits = rest.strip_prefix('$')?;
    let n_digits = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number = digits.get(..n_digits)?.parse().ok()?;
    let after = &digits[n_digits..];
    let length = 1 + n_digits;
    let forms = [
        (":name", PlaceholderForm::Name),
        (":alias", PlaceholderForm::Name),
        ("~", PlaceholderForm::Name),
        (":csv", PlaceholderForm::List),
        (":list", PlaceholderForm::List),
        (":json", PlaceholderForm::Json),
        (":raw", PlaceholderForm::Raw),
        (":value", PlaceholderForm::Raw),
        ("^", PlaceholderForm::Raw),
    ];
    for (suffix, form) in forms {
        let ends = |rest: &str| {
            !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
        };
        if after.strip_prefix(suffix).is_some_and(ends) {
            // `$1^2` is a power in PostgreSQL and `$1~ 'x'` a match; only what stands alone is a
            // form.
            let next = after[1..].trim_start().chars().next();
            let is_operator = match suffix {
                "~" => next.is_some_and(|letter| matches!(letter, '\'' | '$' | '(' | '*')),
                "^" => next
                    .is_some_and(|letter| letter.is_ascii_digit() || matches!(letter, '$' | '(')),
                _ => false,
            };
            if is_operator {
                break;
            }
            return Some((number, form, length + suffix.len()));
        }
    }
    Some((number, PlaceholderForm::Value, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn postgres(query: &str, values: Value) -> Vec<(String, Value)> {
        let bound = bind(Dialect::Postgres, query, values.as_array().unwrap()).unwrap();
        bound.into_iter().map(|one| (one.text, Value::array(one.values))).collect()
    }

    #[test]
    fn placeholders_in_texts_names_and_comments_stay() {
        let query = "select '$1', \"$1\", $$ $1; $$, E'\\'$1' /* $1; */ -- $1;\n, $1, $2::int";
        let bound = postgres(query, json!(["a", 2]));
        assert_eq!(bound, [(query.to_owned(), json!(["a", 2]))]);
    }

    #[test]
    fn comments_end_where_the_server_ends_them() {
        let same = |dialect: Dialect, query: &str| {
            assert_eq!(bind(dialect, query, &[json!("x")]).unwrap()[0].text, query, "{query}")
        };
        same(Dialect::Postgres, "select 1 /* /* */ $1:name */");
        same(Dialect::Postgres, "select 1 /*/ $1:name */");
        same(Dialect::Postgres, "select a$1");
        same(Dialect::MySql, "select 1 /* /* $1:name */");
        same(Dialect::MySql, "select 1 -- $1:name\n");
        assert_eq!(
            bind(Dialect::MySql, "select 5--$1", &[json!(1)]).unwrap()[0].text,
            "select 5--?"
        );
        assert_eq!(
            bind(Dialect::Postgres, "select 1 -- a\r, $1:name", &[json!("x")]).unwrap()[0].text,
            "select 1 -- a\r, \"x\""
        );
    }

    #[test]
    fn texts_on_several_lines_are_one() {
        let same = |query: &str| {
            assert_eq!(
                bind(Dialect::Postgres, query, &[json!("x")]).unwrap()[0].text,
                query,
                "{query}"
            )
        };
        same("select E'a'\n'\\' $1:name'");
        same("select e'a' \t\r -- b'\n '\\' $1:name'");
        let differs = |query: &str| {
            assert_ne!(
                bind(Dialect::Postgres, query, &[json!("x")]).unwrap()[0].text,
                query,
                "{query}"
            )
        };
        differs("select E'a' '\\' $1:name");
        differs("select 'a'\n'\\' $1:name");
    }

    #[test]
    fn each_statement_has_its_own_values() {
        let bound = postgres("update t set a = $2; select $1, $2 ; ", json!(["x", "y"]));
        assert_eq!(
            bound,
            [
                ("update t set a = $1".to_owned(), json!(["y"])),
                (" select $1, $2 ".to_owned(), json!(["x", "y"]))
            ]
        );
    }

    #[test]
    fn names_are_quoted_and_lists_bound_one_by_one() {
        let bound = postgres(
            "select $1:name from $2~ where id in ($3:csv)",
            json!([["a", "b\"c"], "t", [1, 2]]),
        );
        assert_eq!(
            bound,
            [(
                "select \"a\",U&\"b\\+000022c\" from \"t\" where id in ($1,$2)".to_owned(),
                json!([1, 2])
            )]
        );
        let bound = bind(
            Dialect::MySql,
            "select $1:name, $2 from t where x = '$2'",
            &[json!("a`b"), json!(5)],
        )
        .unwrap();
        assert_eq!(
            bound,
            [BoundStatement {
                text: "select `a``b`, ? from t where x = '$2'".into(),
                values: vec![json!(5)]
            }]
        );
    }

    #[test]
    fn nothing_is_spliced_and_nothing_is_missing() {
        assert!(
            bind(Dialect::Postgres, "select $1:raw", &[json!("1; drop table t")])
                .unwrap_err()
                .message()
                .contains("$1")
        );
        assert!(
            bind(Dialect::Postgres, "select $2", &[json!("1")])
                .unwrap_err()
                .message()
                .contains("$2")
        );
        assert_eq!(
            postgres("select 'a' ~ $1, $1 ~ 'b', $2^2", json!(["x", 3]))[0].0,
            "select 'a' ~ $1, $2 ~ 'b', $3^2"
        );
    }

    #[test]
    fn issue_14_09_what_a_query_binds_is_bounded_by_what_it_may_and_not_by_what_it_names() {
        let list = Value::array(vec![json!(1); 1000]);
        let error = bind(Dialect::Postgres, &"$1:csv,".repeat(10_000), &[list]).unwrap_err();
        assert_eq!(error.message(), "The statement exceeds the limit of 65535 values");
        // Ten gigabytes, if each were written for itself.
        let long = json!({ "a": "x".repeat(1 << 20) });
        let bound = bind(Dialect::Postgres, &"$1:json,".repeat(10_000), &[long]).unwrap();
        assert_eq!(bound[0].values.len(), 10_000);
    }

    #[test]
    fn the_number_of_placeholders_is_the_highest() {
        assert_eq!(n_placeholders(Dialect::Postgres, "select $3, '$9', $1"), 3);
        assert_eq!(n_placeholders(Dialect::Postgres, "select 1"), 0);
    }
}
