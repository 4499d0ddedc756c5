//! The query as it is written, with `{{ … }}` in it, and as SQLite gets it: every expression is a
//! bound value.
//!
//! What goes to SQLite is made of the author's own words and of names such as `:value_1` and
//! nothing else, so no data can become part of the SQL, wherever it stands.

use super::database::over_limit;
use super::dialect;
use super::lexer::{self, SqlTokenKind, is_blank};
use super::literal::{literal, literals};
use super::{MAX_QUERY_BYTES, MAX_VALUE_BYTES};
use crate::expression_spans::expression_spans;
use node_api::prelude::*;

/// Expressions that one query may have.
const MAX_EXPRESSIONS: usize = 1000;

/// A query with the values of its parameters: `:value_1` is the first.
#[derive(Debug, Default, PartialEq)]
pub(super) struct MergeQuery {
    pub(super) text: String,
    pub(super) values: Vec<Value>,
}

/// What the expressions of one query have given so far, in quotes or not: all of it is in memory at
/// the same time.
#[derive(Default)]
struct ExpressionUsage {
    n_expressions: usize,
    n_bytes: usize,
}

/// The name of a parameter, counted from one.
pub(super) fn parameter_name(number: usize) -> String {
    format!(":value_{number}")
}

/// A token of the query.
#[derive(Debug)]
pub(super) enum QueryToken<'q> {
    Code(SqlTokenKind, &'q str),
    /// An expression that stands for a value.
    Value(&'q str),
    /// A text in quotes with expressions inside.
    Text(Vec<TextFragment<'q>>),
}

#[derive(Debug)]
pub(super) enum TextFragment<'q> {
    Plain(String),
    Expression(&'q str),
}

impl MergeQuery {
    /// Reads a query; `evaluate` gives the value of `={{ … }}`.
    pub(super) fn read(
        raw: &str,
        evaluate: impl Fn(&str) -> Result<Value, NodeError>,
    ) -> Result<Self, NodeError> {
        if raw.len() > MAX_QUERY_BYTES as usize {
            return Err(over_limit(&format!(
                "The query exceeds the limit of {} KB",
                MAX_QUERY_BYTES >> 10
            )));
        }
        if raw.contains('\0') {
            return Err(refused("The query contains a NUL character"));
        }
        let pieces = pieces(raw)?;
        let mut given = ExpressionUsage::default();
        let mut value = |expression: &str| given.take(|| evaluate(&format!("={expression}")));
        let mut query = MergeQuery::default();
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                QueryToken::Code(kind, code) => {
                    query.text.push_str(dialect::translate_token(*kind, code, &pieces, index))
                }
                QueryToken::Text(fragments) => {
                    let mut text = String::new();
                    for fragment in fragments {
                        match fragment {
                            TextFragment::Plain(plain) => text.push_str(plain),
                            TextFragment::Expression(expression) => {
                                text.push_str(&value(expression)?.to_js_string())
                            }
                        }
                    }
                    query.push(text.into(), None);
                }
                // The form of the statement is the same for every list, whatever it holds.
                QueryToken::Value(expression) if is_list(&pieces, index) => {
                    let list = Value::array(literals(value(expression)?));
                    query.push(
                        model::json::to_string(&list).into(),
                        Some("SELECT value FROM json_each"),
                    );
                }
                QueryToken::Value(expression) => query.push(literal(value(expression)?), None),
            }
        }
        Ok(query)
    }

    fn push(&mut self, value: Value, function: Option<&str>) {
        self.values.push(value);
        let name = parameter_name(self.values.len());
        // Spaces around it, so that the name ends where it ends.
        match function {
            Some(function) => self.text.push_str(&format!(" {function}({name}) ")),
            None => self.text.push_str(&format!(" {name} ")),
        }
    }
}

impl ExpressionUsage {
    /// The value of the next expression, which is only evaluated if one more is allowed.
    fn take(
        &mut self,
        evaluate: impl FnOnce() -> Result<Value, NodeError>,
    ) -> Result<Value, NodeError> {
        self.n_expressions += 1;
        if self.n_expressions > MAX_EXPRESSIONS {
            return Err(refused(&format!(
                "The query exceeds the limit of {MAX_EXPRESSIONS} expressions"
            )));
        }
        let value = evaluate()?;
        // As texts and as JSON they take a few times as much at most.
        self.n_bytes = self.n_bytes.saturating_add(value.estimated_bytes());
        if self.n_bytes > MAX_VALUE_BYTES as usize {
            return Err(over_limit(&format!(
                "The values of the query's expressions exceed the limit of {} MB",
                MAX_VALUE_BYTES >> 20
            )));
        }
        Ok(value)
    }
}

/// An error in the query itself.
pub(super) fn refused(description: &str) -> NodeError {
    NodeError::parameter("query", "Issue while executing query").describe(description).on_item(0)
}

/// A token that an expression cut in two.
struct OpenToken<'q> {
    kind: SqlTokenKind,
    parts: Vec<TokenPart<'q>>,
}

#[derive(Clone, Copy)]
enum TokenPart<'q> {
    Text(&'q str),
    Expression(&'q str),
}

fn pieces(raw: &str) -> Result<Vec<QueryToken<'_>>, NodeError> {
    let mut pieces = Vec::new();
    let mut open: Option<OpenToken<'_>> = None;
    let mut from = 0;
    for hole in expression_spans(raw) {
        read_text(&raw[from..hole.start], &mut open, &mut pieces);
        from = hole.end;
        let expression = &raw[hole];
        match &mut open {
            None => pieces.push(QueryToken::Value(expression)),
            Some(OpenToken { kind: SqlTokenKind::Quoted('`' | '['), .. }) => {
                return Err(refused(&format!(
                    "{expression} is inside a quoted identifier. Expressions are always values: \
                         they cannot be names of tables or columns. Write the name in the query \
                         itself."
                )));
            }
            Some(open) => open.parts.push(TokenPart::Expression(expression)),
        }
    }
    read_text(&raw[from..], &mut open, &mut pieces);
    if let Some(open) = open {
        close(open, &mut pieces);
    }
    Ok(pieces)
}

fn read_text<'q>(
    mut text: &'q str,
    open: &mut Option<OpenToken<'q>>,
    pieces: &mut Vec<QueryToken<'q>>,
) {
    if let Some(begun) = open {
        let (length, is_closed) = lexer::rest_of(begun.kind, text);
        begun.parts.push(TokenPart::Text(&text[..length]));
        text = &text[length..];
        if is_closed && let Some(ended) = open.take() {
            close(ended, pieces);
        }
    }
    while !text.is_empty() {
        let token = lexer::first(text);
        text = &text[token.text.len()..];
        match token.is_open {
            true => {
                *open =
                    Some(OpenToken { kind: token.kind, parts: vec![TokenPart::Text(token.text)] })
            }
            false => pieces.push(QueryToken::Code(token.kind, token.text)),
        }
    }
}

/// A comment stays as it is without its expressions, a text in quotes becomes one value.
fn close<'q>(open: OpenToken<'q>, pieces: &mut Vec<QueryToken<'q>>) {
    let OpenToken { kind, parts } = open;
    let has_holes = parts.iter().any(|part| matches!(part, TokenPart::Expression(_)));
    let quote = match kind {
        SqlTokenKind::Quoted(quote) if has_holes => quote,
        _ => {
            let texts = parts.into_iter().filter_map(|part| {
                if let TokenPart::Text(text) = part { Some(text) } else { None }
            });
            pieces.extend(texts.map(|text| QueryToken::Code(kind, text)));
            return;
        }
    };
    let n_parts = parts.len();
    let doubled = format!("{quote}{quote}");
    let fragments = parts.into_iter().enumerate().map(|(index, part)| match part {
        TokenPart::Expression(expression) => TextFragment::Expression(expression),
        TokenPart::Text(text) => {
            let text = if index == 0 { text.strip_prefix(quote).unwrap_or(text) } else { text };
            let text =
                if index + 1 == n_parts { text.strip_suffix(quote).unwrap_or(text) } else { text };
            TextFragment::Plain(text.replace(&doubled, &quote.to_string()))
        }
    });
    pieces.push(QueryToken::Text(fragments.collect()));
}

/// Whether the expression is all that stands in the brackets after IN.
fn is_list(pieces: &[QueryToken<'_>], index: usize) -> bool {
    let mut before = pieces[..index].iter().rev().filter_map(significant);
    let mut after = pieces[index + 1..].iter().filter_map(significant);
    before.next() == Some("(")
        && before.next().is_some_and(|word| word.eq_ignore_ascii_case("in"))
        && after.next() == Some(")")
}

/// The text of a piece that is not blank.
pub(super) fn significant<'p>(piece: &'p QueryToken<'_>) -> Option<&'p str> {
    match piece {
        QueryToken::Code(kind, _) if is_blank(*kind) => None,
        QueryToken::Code(_, text) => Some(text),
        QueryToken::Value(_) | QueryToken::Text(_) => Some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str, given: &Value) -> MergeQuery {
        try_read(raw, given).unwrap()
    }

    /// `{{ x }}` has the value of the field `x`.
    fn try_read(raw: &str, given: &Value) -> Result<MergeQuery, NodeError> {
        MergeQuery::read(raw, |expression| {
            let name = expression.trim_start_matches("={{").trim_end_matches("}}").trim();
            Ok(given.get(name).cloned().unwrap_or_default())
        })
    }

    #[test]
    fn issue_14_01_expressions_are_values_and_never_sql() {
        let hostile = "x' OR 1=1; ATTACH DATABASE '/tmp/a' AS a; -- */ \" ` ]";
        let given = json!({ "x": hostile, "n": 5 });
        let query = read(
            "SELECT * FROM input1 WHERE a = {{ x }} AND b = '%{{ x }}%' AND c = \"{{ x }}\" AND n={{n}}+1",
            &given,
        );
        assert_eq!(
            query.text,
            "SELECT * FROM input1 WHERE a =  :value_1  AND b =  :value_2  AND c =  :value_3  AND n= :value_4 +1"
        );
        assert_eq!(
            query.values,
            [json!(hostile), json!(format!("%{hostile}%")), json!(hostile), json!(5)]
        );
        // Comments have no values, and their ends stay where they were.
        let query = read("SELECT 1 /* {{ x }} */ -- {{ x }}\n, 'it''s'", &given);
        assert_eq!(query.text, "SELECT 1 /*  */ -- \n, 'it''s'");
        assert!(query.values.is_empty());
    }

    #[test]
    fn issue_14_01_a_list_does_not_change_the_statement() {
        let text = "a IN ( SELECT value FROM json_each(:value_1) )";
        for (given, list) in [
            (json!([1, "b"]), r#"[1,"b"]"#),
            (json!("1, 2.5"), "[1,2.5]"),
            (json!("'it''s', \"b\", null"), r#"["it's","b",null]"#),
            (json!("a'); DROP TABLE input1; --"), r#"["a'); DROP TABLE input1; --"]"#),
            (json!("1) OR (1=1"), r#"["1) OR (1=1"]"#),
            (json!(7), "[7]"),
        ] {
            let query = read("a IN ({{ x }})", &json!({ "x": given }));
            assert_eq!(query.text.replace("  ", " "), text.replace("  ", " "));
            assert_eq!(query.values, [json!(list)]);
        }
    }

    #[test]
    fn issue_14_01_an_expression_cannot_be_a_name() {
        for raw in ["SELECT `{{ x }}` FROM input1", "SELECT [a {{ x }}] FROM input1"] {
            let error = try_read(raw, &json!({ "x": "a" })).unwrap_err();
            assert!(error.description().unwrap().contains("cannot be names"), "{error:?}");
        }
        assert!(try_read("SELECT 1 \0", &json!({})).is_err());
    }

    #[test]
    fn issue_14_01_the_values_of_a_query_are_bounded_together() {
        let value = json!("x".repeat(1 << 20));
        for raw in [
            "{{ x }},".repeat(100),
            format!("'{}'", "{{ x }}".repeat(100)),
            "a IN ({{ x }}) OR ".repeat(100),
        ] {
            let n_evaluated = std::cell::Cell::new(0);
            let error = MergeQuery::read(&raw, |_| {
                n_evaluated.set(n_evaluated.get() + 1);
                Ok(value.clone())
            });
            assert_eq!(error.unwrap_err().code(), model::Code::QUERY_LIMIT, "{}", &raw[..20]);
            assert!(n_evaluated.get() <= 64, "{} were evaluated", n_evaluated.get());
        }
        // Expressions in quotes are counted, too.
        let many = format!("SELECT '{}'", "{{ x }}".repeat(MAX_EXPRESSIONS + 1));
        assert_eq!(
            try_read(&many, &json!({ "x": 1 })).unwrap_err().code(),
            model::Code::NODE_PARAMETER
        );
        let long = format!("SELECT '{{{{ x }}}}{}'", "x".repeat(MAX_QUERY_BYTES as usize));
        assert_eq!(
            MergeQuery::read(&long, |_| panic!("nothing is evaluated")).unwrap_err().code(),
            model::Code::QUERY_LIMIT
        );
    }

    #[test]
    fn quotes_that_an_expression_cuts_are_put_together() {
        let query = read("SELECT 'it''s {{ x }}''{{ x }}' || '{{ x }}'", &json!({ "x": "a" }));
        assert_eq!(query.values, [json!("it's a'a"), json!("a")]);
        assert_eq!(read("{{ x }}abc", &json!({ "x": 1 })).text, " :value_1 abc");
    }
}
