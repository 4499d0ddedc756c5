//! Forms that n8n refuses whatever their values are: methods in objects and classes, classes that
//! extend what is computed, and patterns that take apart what is forbidden.

use super::super::source::{SourceToken, TokenKind, is_member};
use super::brackets::Brackets;
use crate::ExprError;
use std::collections::BTreeSet;

/// Names of n8n's own that nothing may be declared as.
const RESERVED: &[&str] = &["___n8n_data", "__sanitize"];

/// Classes that make functions out of text.
const FUNCTION_CLASSES: &[&str] =
    &["Function", "GeneratorFunction", "AsyncFunction", "AsyncGeneratorFunction"];

/// Words that brackets and a block follow without being a method.
const BEFORE_BLOCKS: &[&str] =
    &["if", "for", "while", "switch", "catch", "with", "function", "extends"];

/// Looks at every form that may be refused. Gives the forbidden names that are declared, which makes
/// them names like others.
pub(super) fn check<'a>(
    tokens: &'a [SourceToken],
    brackets: &'a Brackets,
    source: &'a str,
) -> Result<BTreeSet<&'a str>, ExprError> {
    let seen = vec![false; tokens.len()];
    let mut forms = Forms { tokens, brackets, source, seen, declared: BTreeSet::new() };
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Punctuation(b'(') => {
                forms.method(at)?;
                if let Some(end) = forms.parameters_end(at) {
                    forms.parameters(at, end)?;
                }
            }
            TokenKind::Punctuation(b'{' | b'[') if forms.begins_pattern(at) => forms.pattern(at)?,
            TokenKind::Word if !is_member(tokens, at) => forms.word(at)?,
            _ => {}
        }
    }
    Ok(forms.declared)
}

struct Forms<'a> {
    tokens: &'a [SourceToken],
    brackets: &'a Brackets,
    source: &'a str,
    /// Patterns that were looked at: what begins inside of one is not looked at for itself again.
    seen: Vec<bool>,
    declared: BTreeSet<&'a str>,
}

impl<'a> Forms<'a> {
    fn is(&self, at: usize, byte: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(byte))
    }

    fn is_before(&self, at: usize, byte: u8) -> bool {
        at.checked_sub(1).is_some_and(|before| self.is(before, byte))
    }

    /// The word at a position, if it is none behind a point.
    fn keyword(&self, at: usize) -> Option<&'a str> {
        let token = self.tokens.get(at).filter(|token| token.kind == TokenKind::Word)?;
        (!is_member(self.tokens, at)).then(|| token.text(self.source))
    }

    fn keyword_before(&self, at: usize) -> Option<&'a str> {
        self.keyword(at.checked_sub(1)?)
    }

    /// Two signs without a blank between them: `=>`, `==`.
    fn is_pair(&self, at: usize, first: u8, second: u8) -> bool {
        let end = self.tokens.get(at).map(|token| token.range.end);
        let start = self.tokens.get(at + 1).map(|token| token.range.start);
        self.is(at, first) && self.is(at + 1, second) && end == start
    }

    fn is_assignment(&self, at: usize) -> bool {
        self.is(at, b'=') && !self.is_pair(at, b'=', b'>') && !self.is_pair(at, b'=', b'=')
    }

    /// `name(…) {` is a method, unless the name is a word of the language or a function's.
    fn method(&self, open: usize) -> Result<(), ExprError> {
        let Some(before) = open.checked_sub(1) else { return Ok(()) };
        let is_named = match self.tokens.get(before).map(|token| token.kind) {
            Some(TokenKind::Word) => !self.begins_function_or_block(before),
            Some(TokenKind::Text | TokenKind::Number) => true,
            Some(TokenKind::Punctuation(b']')) => true,
            _ => false,
        };
        let body = self.brackets.partner(open).map(|end| end + 1);
        let has_body = body.is_some_and(|body| {
            self.is(body, b'{') && self.tokens.get(body).is_some_and(|token| !token.begins_line())
        });
        if !is_named || !has_body {
            return Ok(());
        }
        Err(ExprError::Syntax { detail: "objects and classes cannot have methods".into() })
    }

    /// Whether what follows a word is the head of a statement, a list of parameters, or a call.
    fn begins_function_or_block(&self, at: usize) -> bool {
        let Some(word) = self.keyword(at) else { return true };
        let before = self.keyword_before(at);
        let is_generator =
            self.is_before(at, b'*') && self.keyword_before(at - 1) == Some("function");
        BEFORE_BLOCKS.contains(&word)
            || before == Some("function")
            || is_generator
            || (word == "await" && before == Some("for"))
    }

    /// Where a list of parameters ends, if one begins here.
    fn parameters_end(&self, open: usize) -> Option<usize> {
        let end = self.brackets.partner(open)?;
        let is_function = {
            let named = self.keyword_before(open);
            let is_keyword = |word: Option<&str>| matches!(word, Some("function" | "catch"));
            let before_name = open.checked_sub(1).and_then(|name| name.checked_sub(1));
            is_keyword(named)
                || (named.is_some() && before_name.is_some_and(|at| is_keyword(self.keyword(at))))
                || (self.is_before(open, b'*')
                    && open.checked_sub(2).is_some_and(|at| is_keyword(self.keyword(at))))
        };
        (is_function || self.is_pair(end + 1, b'=', b'>')).then_some(end)
    }

    fn parameters(&mut self, open: usize, end: usize) -> Result<(), ExprError> {
        let Some((starts, _)) = self.brackets.elements(self.tokens, open) else { return Ok(()) };
        for start in starts {
            let name = self.behind_dots(start);
            if name < end {
                self.binding(name)?;
            }
        }
        Ok(())
    }

    fn behind_dots(&self, at: usize) -> usize {
        if (0..3).all(|dot| self.is(at + dot, b'.')) { at + 3 } else { at }
    }

    /// A name, or a pattern that is looked at from here because nothing else shows what it is.
    fn binding(&mut self, at: usize) -> Result<(), ExprError> {
        if self.is(at, b'{') || self.is(at, b'[') {
            return self.pattern(at);
        }
        self.name(at)
    }

    fn name(&mut self, at: usize) -> Result<(), ExprError> {
        match self.keyword(at) {
            Some(name) if RESERVED.contains(&name) => Err(reserved(name)),
            Some(name) if super::is_forbidden(name) => {
                self.declared.insert(name);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether a bracket begins a pattern: it is declared or assigned to.
    fn begins_pattern(&self, open: usize) -> bool {
        let Some(end) = self.brackets.partner(open).filter(|end| *end > open) else { return false };
        if matches!(self.keyword_before(open), Some("const" | "let" | "var")) {
            return true;
        }
        // `a[0] = 1` sets an element.
        let is_element = self.is(open, b'[')
            && open.checked_sub(1).and_then(|before| self.tokens.get(before)).is_some_and(
                |token| match token.kind {
                    TokenKind::Punctuation(byte) => matches!(byte, b')' | b']'),
                    _ => true,
                },
            );
        let is_head = matches!(self.keyword(end + 1), Some("of" | "in"))
            && self.is_before(open, b'(')
            && open.checked_sub(2).and_then(|at| self.keyword(at)) == Some("for");
        !is_element && (self.is_assignment(end + 1) || is_head)
    }

    /// Refuses a pattern that takes a forbidden or a computed name. Patterns inside are found the
    /// same way.
    fn pattern(&mut self, open: usize) -> Result<(), ExprError> {
        let mut patterns = vec![open];
        while let Some(open) = patterns.pop() {
            match self.seen.get_mut(open) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            let Some((starts, end)) = self.brackets.elements(self.tokens, open) else { continue };
            for start in starts.into_iter().filter(|start| *start < end) {
                let target = if self.is(open, b'{') { self.field(start)? } else { Some(start) };
                let Some(target) = target.map(|at| self.behind_dots(at)) else { continue };
                if self.is(target, b'{') || self.is(target, b'[') {
                    patterns.push(target);
                } else {
                    self.name(target)?;
                }
            }
        }
        Ok(())
    }

    /// Looks at the name of a field in a pattern; gives the position of what it is taken into.
    fn field(&self, start: usize) -> Result<Option<usize>, ExprError> {
        let Some(token) = self.tokens.get(start) else { return Ok(None) };
        let text = token.text(self.source);
        let name = match token.kind {
            TokenKind::Punctuation(b'[') => {
                return Err(ExprError::Forbidden {
                    message: "Computed property names in destructuring are not allowed due to \
                              security concerns"
                        .into(),
                });
            }
            TokenKind::Text => text.get(1..text.len().saturating_sub(1)).unwrap_or_default(),
            _ => text,
        };
        if super::is_forbidden(name) {
            return Err(ExprError::Forbidden {
                message: format!("Cannot destructure \"{name}\" due to security concerns").into(),
            });
        }
        Ok(Some(if self.is(start + 1, b':') { start + 2 } else { start }))
    }

    /// Words that declare a name, and classes that extend another.
    fn word(&mut self, at: usize) -> Result<(), ExprError> {
        let Some(word) = self.keyword(at) else { return Ok(()) };
        match word {
            "const" | "let" | "var" | "class" | "function" => self.name(at + 1),
            "extends" if !self.is(at + 1, b':') => {
                let (name, body) = match self.is(at + 1, b'(') && self.is(at + 3, b')') {
                    true => (self.keyword(at + 2), at + 4),
                    false => (self.keyword(at + 1), at + 2),
                };
                match name {
                    Some(name) if FUNCTION_CLASSES.contains(&name) => Err(ExprError::Forbidden {
                        message: format!("Cannot extend \"{name}\" due to security concerns")
                            .into(),
                    }),
                    Some(name) if self.is(body, b'{') && name != "null" && name != "class" => {
                        Ok(())
                    }
                    _ => Err(ExprError::Forbidden {
                        message: "Cannot use dynamic class extension due to security concerns"
                            .into(),
                    }),
                }
            }
            _ => Ok(()),
        }
    }
}

fn reserved(name: &str) -> ExprError {
    ExprError::Forbidden {
        message: format!("Cannot use \"{name}\" due to security concerns").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::source::tokens;
    use super::*;

    fn look_at(source: &str) -> Result<(), ExprError> {
        let tokens = tokens(source);
        check(&tokens, &Brackets::new(&tokens, source), source).map(|_| ())
    }

    #[test]
    fn methods_are_no_javascript_of_expressions() {
        for source in [
            "({ f() { return 1 } })",
            "({ get x() { return 1 } })",
            "({ async *f(a) {} })",
            "({ 'a'() {}, ['b']() {} })",
            "class { constructor() {} }",
            "class { static #f() {} }",
        ] {
            assert!(matches!(look_at(source), Err(ExprError::Syntax { .. })), "{source}");
        }
        for source in [
            "(function () { return 1 })()",
            "(function* f(a) { yield a })(1)",
            "(() => { if (a) { return b(c) } for (const d of e) { f(d) } })()",
            "(async (x) => { for await (const y of x) { y() } })(1)",
            "(() => { try { a() } catch (e) { b(e) } switch (c()) { default: } })()",
            "(() => { a()\n{ b() } })()",
            "class { f = () => { return 1 } }",
            "a.if(b)",
        ] {
            assert_eq!(look_at(source), Ok(()), "{source}");
        }
    }

    #[test]
    fn patterns_do_not_take_forbidden_names() {
        for source in [
            "(() => { const { constructor: x } = a })()",
            "(() => { const b = 1, { a: [{ constructor: x }] } = a })()",
            "(() => { let x; ({ 'constructor': x } = a) })()",
            "(() => { let x; [{ constructor: x }] = a })()",
            "(() => { for (const { constructor } of a) {} })()",
            "(() => { for ({ constructor: x } of a) {} })()",
            "(() => { try {} catch ({ constructor }) {} })()",
            "a.map(({ constructor: c } = {}) => 1)",
            "a.map(function f(b, { constructor: c }) { return 1 })",
            "(({ ['a']: x }) => 1)(a)",
            "((___n8n_data) => 1)()",
            "(() => { function __sanitize() {} })()",
            "(() => { const { a: __sanitize } = {} })()",
        ] {
            assert!(matches!(look_at(source), Err(ExprError::Forbidden { .. })), "{source}");
        }
        for source in [
            "({ constructor: 1 })",
            "a[{ constructor: 1 }] = 1",
            "a == { constructor: 1 }",
            "(() => { const { a: { b = { constructor: 1 } }, ...rest } = c })()",
            "a.map(({ b: c = 1 }, [d, e]) => c)",
        ] {
            assert_eq!(look_at(source), Ok(()), "{source}");
        }
    }

    #[test]
    fn classes_extend_names_only() {
        for source in ["Function", "null", "(() => 1)", "a.b", "a()", "class {}"] {
            let found = look_at(&format!("class A extends {source} {{}}"));
            assert!(matches!(found, Err(ExprError::Forbidden { .. })), "{source}");
        }
        for source in ["Array", "(Array)", "missing"] {
            assert_eq!(look_at(&format!("class A extends {source} {{}}")), Ok(()), "{source}");
        }
    }
}
