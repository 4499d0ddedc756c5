//! What an expression mentions, and the function it becomes.

mod brackets;
mod calls_on_nothing;
mod choices;
mod forms;
mod functions;

use super::Thrown;
use super::names::{BLANKED_NAMES, EXTENSION_NAMES, INHERITED_NAMES, KNOWN_NAMES, RESERVED_WORDS};
use super::source::{SourceToken, TokenKind, is_member, tokens};
use crate::ExprError;
use crate::host_functions::{FORBIDDEN_NAMES, forbidden_name};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What is put in front of tokens, by their positions.
type Insertions = BTreeMap<usize, String>;

/// What tokens are replaced with, by their positions.
type Replacements = BTreeMap<usize, Cow<'static, str>>;

/// Objects of the language whose functions are called by their own names.
const GLOBALS: &[&str] = &["Array", "Date", "JSON", "Math", "Number", "Object", "String"];

/// An expression made ready for QuickJS.
#[derive(Debug)]
pub(super) struct Analysis {
    declarations: String,
    rewritten: String,
    /// Declared behind the expression, so that reading one of these fails.
    unreadable: &'static str,
    /// `$names` that only the scope may know.
    pub(super) variables: Vec<String>,
}

impl Analysis {
    /// Of an expression without a value.
    fn nothing() -> Self {
        let rewritten = "undefined".to_owned();
        Self { declarations: String::new(), rewritten, unreadable: "", variables: Vec::new() }
    }

    /// JavaScript that evaluates to a function without parameters.
    pub(super) fn function(&self) -> String {
        let Self { declarations, rewritten, unreadable, .. } = self;
        format!("(function(){{{declarations};return (\n{rewritten}\n){unreadable}}})")
    }

    /// The same for source that goes on behind the end of the expression: n8n evaluates its first
    /// statement and only reads the others.
    pub(super) fn first_statement(&self) -> Result<String, ExprError> {
        let tokens = tokens(&self.rewritten);
        let is_object = tokens.first().is_some_and(|first| first.is(b'{'));
        if is_object || !brackets::Brackets::new(&tokens, &self.rewritten).all_match() {
            return Err(ExprError::Syntax { detail: "the brackets do not match".into() });
        }
        let Self { declarations, rewritten, unreadable, .. } = self;
        Ok(format!("(function(){{{declarations};return 0,\n{rewritten}\n{unreadable}}})"))
    }
}

/// Tokens after which others may have their turn.
const TOKENS_PER_TICK: usize = 1 << 12;

/// Checks and rewrites one expression.
///
/// - A name nobody declares is declared here, so that it reads as `undefined`. Declaring too many
///   names does no harm: what the expression declares itself lies inside of ours.
/// - A call of an extension, `a.first()`, becomes the call of a method that no data has:
///   `a.__x_first()`.
pub(super) fn analyse(
    source: &str,
    scope_names: &[model::Str],
    thrown: Thrown,
) -> Result<Analysis, ExprError> {
    // The bare template engine knows no `process`; n8n gives expressions a harmless one.
    let is_known = |name: &str| {
        KNOWN_NAMES.contains(&name) && (name != "process" || thrown == Thrown::BecomesUndefined)
    };
    let source = source.trim_end_matches(|letter: char| letter == ';' || letter.is_whitespace());
    let tokens = tokens(source);
    check_is_expression(&tokens, source)?;
    if tokens.iter().any(|token| is_private_field(token, source)) {
        let mut words = tokens.iter().filter(|token| token.kind == TokenKind::Word);
        let is_extended = words.any(|token| {
            let word = token.text(source);
            word == "$if" || EXTENSION_NAMES.contains(&word)
        });
        return match is_extended {
            true => Err(ExprError::Syntax { detail: "it is no JavaScript of expressions".into() }),
            false => Ok(Analysis::nothing()),
        };
    }
    let brackets = brackets::Brackets::new(&tokens, source);
    let declared = forms::check(&tokens, &brackets, source)?;
    let mut replacements = choices::rewritten(&tokens, &brackets, source)?;
    let mut insertions = calls_on_nothing::rewrite(&tokens, &brackets, source, &mut replacements);
    functions::bind(&tokens, &brackets, source, &mut insertions);
    let mut names = BTreeSet::new();
    let mut variables = BTreeSet::new();
    let mut rewritten = String::with_capacity(source.len() + 32);
    let mut copied = 0;
    let mut unreadable = "";
    for (position, token) in tokens.iter().enumerate() {
        if position % TOKENS_PER_TICK == 0 {
            compute::tick()?;
        }
        let before = position.checked_sub(1).and_then(|at| tokens.get(at));
        let after = tokens.get(position + 1);
        let text = token.text(source);
        let member = is_member(&tokens, position);
        if let Some(inserted) = insertions.get(&position) {
            rewritten.push_str(source.get(copied..token.range.start).unwrap_or_default());
            rewritten.push_str(inserted);
            copied = token.range.start;
        }
        if let Some(replacement) = replacements.get(&position) {
            rewritten.push_str(source.get(copied..token.range.start).unwrap_or_default());
            rewritten.push_str(replacement);
            copied = token.range.end;
            continue;
        }
        match token.kind {
            TokenKind::Word if member => {
                if is_forbidden_member(text) {
                    return Err(forbidden_name(text));
                }
                if EXTENSION_NAMES.contains(&text)
                    && is_call(&tokens, position + 1)
                    && !is_of_global(&tokens, position, source)
                {
                    rewritten.push_str(source.get(copied..token.range.start).unwrap_or_default());
                    rewritten.push_str("__x_");
                    copied = token.range.start;
                }
            }
            TokenKind::Word => {
                let key = after.is_some_and(|after| after.is(b':'))
                    && before.is_some_and(|before| before.is(b'{') || before.is(b','));
                if !key && is_forbidden(text) && !declared.contains(text) {
                    return Err(forbidden_name(text));
                }
                let is_declared = before.is_some_and(|before| before.text(source) == "function");
                if text == "$" && (is_declared || !is_call(&tokens, position + 1)) {
                    return Err(ExprError::Forbidden {
                        message: "Cannot access \"$\" without calling it as a function".into(),
                    });
                }
                if text == "import" && !key {
                    return Err(ExprError::Forbidden {
                        message: "Imports are not supported".into(),
                    });
                }
                if text == "with" && !key && after.is_some_and(|after| after.is(b'(')) {
                    return Err(ExprError::Forbidden {
                        message: "\"with\" statements are not supported".into(),
                    });
                }
                if text == "this" && !key {
                    rewritten.push_str(source.get(copied..token.range.start).unwrap_or_default());
                    rewritten.push_str("__x_this");
                    copied = token.range.end;
                    continue;
                }
                if text == "window" && !key {
                    unreadable = ";let window";
                    if before.is_some_and(|before| before.text(source) == "typeof") {
                        rewritten
                            .push_str(source.get(copied..token.range.start).unwrap_or_default());
                        rewritten.push_str("undefined");
                        copied = token.range.end;
                    }
                    continue;
                }
                if scope_names.iter().any(|name| name == text)
                    || (text.starts_with('$') && !is_known(text))
                {
                    if is_plain_name(text) {
                        variables.insert(text);
                    }
                } else if !RESERVED_WORDS.contains(&text) && !is_known(text) && is_plain_name(text)
                {
                    names.insert(text);
                }
            }
            TokenKind::Text | TokenKind::Template => {
                let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
                let computed = before.is_some_and(|before| before.is(b'['))
                    && after.is_some_and(|after| after.is(b']'));
                // Behind nothing that has members it is a list, or the name of a field.
                let is_index = position >= 2
                    && tokens.get(position - 2).is_some_and(|holder| ends_value(holder, source));
                if computed && is_forbidden(inner) && is_index {
                    return Err(forbidden_name(inner));
                }
            }
            _ => {}
        }
    }
    rewritten.push_str(source.get(copied..).unwrap_or_default());
    if let Some(inserted) = insertions.get(&tokens.len()) {
        rewritten.push_str(inserted);
    }
    let mut declarations = String::new();
    for name in names {
        declarations.push_str(if declarations.is_empty() { "var " } else { "," });
        declarations.push_str(name);
        if BLANKED_NAMES.contains(&name) {
            declarations.push_str("={}");
        } else if INHERITED_NAMES.contains(&name) {
            declarations.push_str("=({}).");
            declarations.push_str(name);
        }
    }
    Ok(Analysis {
        declarations,
        rewritten,
        unreadable,
        variables: variables.into_iter().map(str::to_owned).collect(),
    })
}

/// A field of a class with a `#`, which n8n takes for no value at all.
fn is_private_field(token: &SourceToken, source: &str) -> bool {
    token.kind == TokenKind::Word && source.as_bytes().get(token.range.start) == Some(&b'#')
}

/// Names that nothing may be read by. Data may have a field `arguments`; n8n refuses that as well.
fn is_forbidden(name: &str) -> bool {
    FORBIDDEN_NAMES.contains(&name) || name == "arguments"
}

fn is_forbidden_member(name: &str) -> bool {
    FORBIDDEN_NAMES.contains(&name) || name.starts_with("constructor")
}

/// Whether a token may be the end of a value that has members.
fn ends_value(token: &SourceToken, source: &str) -> bool {
    match token.kind {
        TokenKind::Punctuation(byte) => matches!(byte, b')' | b']' | b'}' | b'.'),
        TokenKind::Word => {
            !matches!(token.text(source), "return" | "typeof" | "in" | "of" | "case" | "void")
        }
        TokenKind::Template => token.text(source).ends_with('`'),
        TokenKind::Number | TokenKind::Text | TokenKind::Regex => true,
    }
}

/// Words that begin a statement. What stands between the brackets is an expression.
const STATEMENTS: &[&str] = &[
    "break", "case", "class", "const", "continue", "debugger", "do", "else", "for", "function",
    "if", "let", "return", "switch", "throw", "try", "var", "while",
];

/// Refuses a source that is empty or begins with a statement.
fn check_is_expression(tokens: &[SourceToken], source: &str) -> Result<(), ExprError> {
    let detail = match tokens.first() {
        None => "there is nothing between {{ and }}",
        Some(first) if first.is(b';') => "an expression does not begin with a semicolon",
        Some(first) if STATEMENTS.contains(&first.text(source)) => {
            "statements such as if and let only stand inside of functions"
        }
        Some(_) => return Ok(()),
    };
    Err(ExprError::Syntax { detail: detail.into() })
}

/// `Math.floor`: a function that the language has, whatever extension shares its name.
fn is_of_global(tokens: &[SourceToken], position: usize, source: &str) -> bool {
    let text = |back: usize| {
        position.checked_sub(back).and_then(|at| tokens.get(at)).map(|token| token.text(source))
    };
    text(2).is_some_and(|name| GLOBALS.contains(&name)) && text(3) != Some(".")
}

/// `(`, or `?.(`.
fn is_call(tokens: &[SourceToken], at: usize) -> bool {
    let is = |offset: usize, byte: u8| tokens.get(at + offset).is_some_and(|token| token.is(byte));
    is(0, b'(') || (is(0, b'?') && is(1, b'.') && is(2, b'('))
}

/// Escapes in names are legal but nobody writes them; such a name is simply not declared.
fn is_plain_name(name: &str) -> bool {
    !name.contains('\\')
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(source: &str) -> String {
        analyse(source, &[], Thrown::default()).unwrap().function()
    }

    #[test]
    fn unknown_names_are_declared_and_known_ones_are_not() {
        assert_eq!(function("asdas"), "(function(){var asdas;return (\nasdas\n)})");
        assert_eq!(
            function("$json.a.map(x => x + Math.PI)"),
            "(function(){var x;return (\n$json.a.map(x => x + Math.PI)\n)})"
        );
        assert_eq!(function("fetch"), "(function(){var fetch={};return (\nfetch\n)})");
        assert_eq!(
            function("[...list, ...$json.b]"),
            "(function(){var list;return (\n[...list, ...$json.b]\n)})"
        );
    }

    #[test]
    fn calls_of_extensions_get_a_name_that_data_cannot_have() {
        assert!(function("$json.tags.first()").contains("$json.tags.__x_first()"));
        assert!(function("$json.tags?.sum?.()").contains("$json.tags?.__x_sum?.()"));
        assert!(
            function("Math.floor($json.n.floor())").contains("Math.floor($json.n.__x_floor())")
        );
        assert!(function("$json.Math.floor()").contains("$json.Math.__x_floor()"));
        assert!(function("$json.first").contains("$json.first\n"));
        assert!(function("'a.first()'").contains("'a.first()'"));
    }

    #[test]
    fn forbidden_names_are_refused_where_they_are_used() {
        for source in [
            "$json.constructorName",
            "$json.caller",
            "mainModule",
            "({}).constructor",
            "x['constructor']",
            "x[`__proto__`]",
            "__lookupGetter__('x')",
            "Object.defineProperty",
        ] {
            assert!(
                matches!(analyse(source, &[], Thrown::default()), Err(ExprError::Forbidden { .. })),
                "{source}"
            );
        }
        for source in [
            "'constructor'",
            "({ constructor: 1 })",
            "((caller) => caller)(1)",
            "// .constructor\n1",
        ] {
            assert!(analyse(source, &[], Thrown::default()).is_ok(), "{source}");
        }
    }
}
