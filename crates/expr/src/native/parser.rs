//! Reads tokens into an expression, resolving names on the way. `None` means: not for the native
//! evaluator.

mod functions;
mod primary;

use super::ProgramInner;
use super::arithmetic::quickened;
use super::ast::*;
use super::lexer::{ExprToken, ExprTokens};
use model::Str;

/// Deeper trees are left to the sandbox, so that walking one cannot exhaust the stack.
const MAX_HEIGHT: usize = 72;
const MAX_SLOTS: u32 = 200;

/// A whole expression, with or without a closing semicolon.
pub(super) fn parse(tokens: ExprTokens) -> Option<ProgramInner> {
    let mut parser =
        ExprParser { tokens: tokens.list, breaks: tokens.breaks, ..ExprParser::default() };
    let root = parser.sequence()?;
    while parser.take(";") {}
    if parser.at != parser.tokens.len() {
        return None;
    }
    Some(ProgramInner { root, functions: parser.functions, slots: parser.next_slot })
}

/// The statements of a Code node: the body of a function that is called once.
pub(super) fn parse_code(tokens: ExprTokens) -> Option<ProgramInner> {
    let mut parser = ExprParser {
        tokens: tokens.list,
        breaks: tokens.breaks,
        is_code: true,
        ..ExprParser::default()
    };
    let root = parser.whole_code()?;
    Some(ProgramInner { root, functions: parser.functions, slots: parser.next_slot })
}

#[derive(Default)]
struct ExprParser {
    tokens: Vec<ExprToken>,
    /// For each token, whether it begins on a line of its own.
    breaks: Vec<bool>,
    /// A Code node, where statements may change what later ones see.
    is_code: bool,
    at: usize,
    functions: Vec<FunctionDef>,
    locals: Vec<Local>,
    next_slot: u32,
    /// Names that were taken for globals; declaring one of them later would change their meaning.
    assumed_global: Vec<Str>,
    /// How many times a local was mentioned so far.
    local_mentions: usize,
    /// Height of the tree that was read last.
    height: usize,
    nesting: usize,
    /// The first slot of the function that is being read.
    function_start: u32,
    /// The logical operator on top of the tree read last, unless it stood in parentheses.
    top_logical: Option<LogicalOp>,
}

struct Local {
    name: Str,
    slot: u32,
    can_change: bool,
    ready: bool,
}

impl ExprParser {
    fn peek(&self) -> Option<&ExprToken> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<ExprToken> {
        let token = self.tokens.get_mut(self.at)?;
        self.at += 1;
        // Tokens are read once, except for names and signs, which are cheap to copy.
        Some(match token {
            ExprToken::Template(..) => std::mem::replace(token, ExprToken::Sign("`")),
            other => other.clone(),
        })
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(ExprToken::Sign(found)) if *found == sign)
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek(), Some(ExprToken::Keyword(found)) if *found == keyword)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Option<()> {
        self.take(sign).then_some(())
    }

    /// Notes that a node now stands on top of children of this height.
    fn grow(&mut self, child_height: usize) -> Option<()> {
        self.height = child_height + 1;
        (self.height <= MAX_HEIGHT).then_some(())
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.nesting += 1;
        if self.nesting > MAX_HEIGHT {
            return None;
        }
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// `a, b, c`.
    fn sequence(&mut self) -> Option<Expr> {
        let first = self.assignment()?;
        if !self.is_sign(",") {
            return Some(first);
        }
        if !self.is_code && changes_data(&first) {
            return None;
        }
        let mut height = self.height;
        let mut parts = vec![first];
        while self.take(",") {
            let part = self.assignment()?;
            if !self.is_code && changes_data(&part) {
                return None;
            }
            parts.push(part);
            height = height.max(self.height);
        }
        self.grow(height)?;
        Some(Expr::Sequence(parts.into()))
    }

    fn assignment(&mut self) -> Option<Expr> {
        self.nested(|parser| {
            if parser.at_arrow_function() {
                return parser.arrow_function();
            }
            let left = parser.conditional()?;
            match parser.peek() {
                Some(ExprToken::Sign("=")) => {
                    let slot = match left {
                        Expr::Local(slot) => slot,
                        Expr::Path { root: PathRoot::InputJson, keys } if parser.is_code => {
                            return parser.set_field(&keys);
                        }
                        _ => return None,
                    };
                    // Setting a local of an outer function would carry state from call to call.
                    if slot < parser.function_start
                        || !parser.locals.iter().any(|local| local.slot == slot && local.can_change)
                    {
                        return None;
                    }
                    parser.at += 1;
                    let value = Box::new(parser.assignment()?);
                    parser.grow(parser.height)?;
                    Some(Expr::Assign { slot, value })
                }
                Some(ExprToken::Sign(sign))
                    if sign.len() > 1
                        && sign.ends_with('=')
                        && !matches!(*sign, "==" | "===" | "!=" | "!==" | "<=" | ">=") =>
                {
                    None
                }
                Some(ExprToken::Sign("++" | "--" | "=>")) => None,
                _ => Some(left),
            }
        })
    }

    fn conditional(&mut self) -> Option<Expr> {
        let test = self.binary(0)?;
        if !self.take("?") {
            return Some(test);
        }
        let test_height = self.height;
        let then = Box::new(self.assignment()?);
        let then_height = self.height;
        self.expect(":")?;
        let otherwise = Box::new(self.assignment()?);
        self.grow(test_height.max(then_height).max(self.height))?;
        self.top_logical = None;
        Some(Expr::Conditional { test: Box::new(test), then, otherwise })
    }

    fn binary(&mut self, minimum: u8) -> Option<Expr> {
        let mut left = self.unary()?;
        self.top_logical = None;
        while let Some((operator, precedence)) = self.peek().and_then(operator_of) {
            if precedence < minimum {
                break;
            }
            self.at += 1;
            let left_height = self.height;
            let left_logical = self.top_logical;
            if operator == InfixOp::InstanceOf {
                let Some(ExprToken::Name(name)) = self.next() else { return None };
                let class = Class::from_name(&name)
                    .filter(|_| !self.locals.iter().any(|local| local.name == name))?;
                self.grow(left_height)?;
                left = Expr::InstanceOf { value: Box::new(left), class };
                continue;
            }
            if operator == InfixOp::Binary(BinaryOp::Pow) && matches!(left, Expr::Unary { .. }) {
                return None;
            }
            // Only `**` groups to the right.
            let right_minimum = if operator == InfixOp::Binary(BinaryOp::Pow) {
                precedence
            } else {
                precedence + 1
            };
            let right = Box::new(self.nested(|parser| parser.binary(right_minimum))?);
            let right_logical = self.top_logical;
            self.grow(left_height.max(self.height))?;
            let left_side = Box::new(left);
            left = match operator {
                InfixOp::Binary(operator) => {
                    self.top_logical = None;
                    Expr::Binary { operator, left: left_side, right }
                }
                InfixOp::Logical(operator) => {
                    // JavaScript refuses `??` beside `||` or `&&` without parentheses.
                    let mixes = |other: Option<LogicalOp>| {
                        other.is_some_and(|other| {
                            (other == LogicalOp::Coalesce) != (operator == LogicalOp::Coalesce)
                        })
                    };
                    if mixes(left_logical) || mixes(right_logical) {
                        return None;
                    }
                    self.top_logical = Some(operator);
                    Expr::Logical { operator, left: left_side, right }
                }
                InfixOp::InstanceOf => return None,
            };
        }
        Some(quickened(left))
    }

    fn unary(&mut self) -> Option<Expr> {
        let operator = match self.peek() {
            Some(ExprToken::Sign("!")) => UnaryOp::Not,
            Some(ExprToken::Sign("-")) => UnaryOp::Minus,
            Some(ExprToken::Sign("+")) => UnaryOp::Plus,
            Some(ExprToken::Sign("~")) => UnaryOp::BitNot,
            Some(ExprToken::Keyword("typeof")) => UnaryOp::TypeOf,
            Some(ExprToken::Keyword("void")) => UnaryOp::Void,
            _ => return self.postfix(),
        };
        self.at += 1;
        let operand = Box::new(self.nested(Self::unary)?);
        self.grow(self.height)?;
        Some(Expr::Unary { operator, operand })
    }
}

#[derive(Clone, Copy, PartialEq)]
enum InfixOp {
    Binary(BinaryOp),
    Logical(LogicalOp),
    InstanceOf,
}

fn operator_of(token: &ExprToken) -> Option<(InfixOp, u8)> {
    use InfixOp::{InstanceOf, Logical as L};
    let binary = |operator, precedence| (InfixOp::Binary(operator), precedence);
    Some(match token {
        ExprToken::Keyword("in") => binary(BinaryOp::In, 7),
        ExprToken::Keyword("instanceof") => (InstanceOf, 7),
        ExprToken::Sign(sign) => match *sign {
            "??" => (L(LogicalOp::Coalesce), 1),
            "||" => (L(LogicalOp::Or), 1),
            "&&" => (L(LogicalOp::And), 2),
            "|" => binary(BinaryOp::BitOr, 3),
            "^" => binary(BinaryOp::BitXor, 4),
            "&" => binary(BinaryOp::BitAnd, 5),
            "==" => binary(BinaryOp::Equal, 6),
            "!=" => binary(BinaryOp::NotEqual, 6),
            "===" => binary(BinaryOp::Same, 6),
            "!==" => binary(BinaryOp::NotSame, 6),
            "<" => binary(BinaryOp::Less, 7),
            "<=" => binary(BinaryOp::LessEqual, 7),
            ">" => binary(BinaryOp::Greater, 7),
            ">=" => binary(BinaryOp::GreaterEqual, 7),
            "<<" => binary(BinaryOp::ShiftLeft, 8),
            ">>" => binary(BinaryOp::ShiftRight, 8),
            ">>>" => binary(BinaryOp::ShiftRightZero, 8),
            "+" => binary(BinaryOp::Add, 9),
            "-" => binary(BinaryOp::Sub, 9),
            "*" => binary(BinaryOp::Mul, 10),
            "/" => binary(BinaryOp::Div, 10),
            "%" => binary(BinaryOp::Rem, 10),
            "**" => binary(BinaryOp::Pow, 11),
            _ => return None,
        },
        _ => return None,
    })
}
/// Whether a part of a sequence is a call that changes a list, which may be read again behind it.
fn changes_data(part: &Expr) -> bool {
    const NAMES: [&str; 9] =
        ["copyWithin", "fill", "pop", "push", "reverse", "shift", "sort", "splice", "unshift"];
    matches!(part, Expr::Method(call) if NAMES.contains(&call.name.as_str()))
}
