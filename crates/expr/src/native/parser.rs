//! Reads tokens into an expression, resolving names on the way. `None` means: not for the native
//! evaluator.

mod functions;
mod primary;

use super::Inner;
use super::ast::*;
use super::lexer::{Token, Tokens};
use super::sum::quickened;
use model::Str;

/// Deeper trees are left to the sandbox, so that walking one cannot exhaust the stack.
const MAX_HEIGHT: usize = 72;
const MAX_SLOTS: u32 = 200;

/// A whole expression, with or without a closing semicolon.
pub(super) fn parse(tokens: Tokens) -> Option<Inner> {
    let mut parser = Parser { tokens: tokens.list, breaks: tokens.breaks, ..Parser::default() };
    let root = parser.sequence()?;
    while parser.take(";") {}
    if parser.at != parser.tokens.len() {
        return None;
    }
    Some(Inner { root, functions: parser.functions, slots: parser.next_slot })
}

/// The statements of a Code node: the body of a function that is called once.
pub(super) fn parse_code(tokens: Tokens) -> Option<Inner> {
    let mut parser =
        Parser { tokens: tokens.list, breaks: tokens.breaks, is_code: true, ..Parser::default() };
    let root = parser.whole_code()?;
    Some(Inner { root, functions: parser.functions, slots: parser.next_slot })
}

#[derive(Default)]
struct Parser {
    tokens: Vec<Token>,
    /// For each token, whether it begins on a line of its own.
    breaks: Vec<bool>,
    /// A Code node, where statements may change what later ones see.
    is_code: bool,
    at: usize,
    functions: Vec<Function>,
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
    top_logical: Option<Logical>,
}

struct Local {
    name: Str,
    slot: u32,
    can_change: bool,
    ready: bool,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get_mut(self.at)?;
        self.at += 1;
        // Tokens are read once, except for names and signs, which are cheap to copy.
        Some(match token {
            Token::Template(..) => std::mem::replace(token, Token::Sign("`")),
            other => other.clone(),
        })
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(found)) if *found == sign)
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek(), Some(Token::Keyword(found)) if *found == keyword)
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
        let mut height = self.height;
        let mut parts = vec![first];
        while self.take(",") {
            parts.push(self.assignment()?);
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
                Some(Token::Sign("=")) => {
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
                Some(Token::Sign(sign))
                    if sign.len() > 1
                        && sign.ends_with('=')
                        && !matches!(*sign, "==" | "===" | "!=" | "!==" | "<=" | ">=") =>
                {
                    None
                }
                Some(Token::Sign("++" | "--" | "=>")) => None,
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
            if operator == Operator::InstanceOf {
                let Some(Token::Name(name)) = self.next() else { return None };
                let class = Class::from_name(&name)
                    .filter(|_| !self.locals.iter().any(|local| local.name == name))?;
                self.grow(left_height)?;
                left = Expr::InstanceOf { value: Box::new(left), class };
                continue;
            }
            if operator == Operator::Binary(Binary::Pow) && matches!(left, Expr::Unary { .. }) {
                return None;
            }
            // Only `**` groups to the right.
            let right_minimum =
                if operator == Operator::Binary(Binary::Pow) { precedence } else { precedence + 1 };
            let right = Box::new(self.nested(|parser| parser.binary(right_minimum))?);
            let right_logical = self.top_logical;
            self.grow(left_height.max(self.height))?;
            let left_side = Box::new(left);
            left = match operator {
                Operator::Binary(operator) => {
                    self.top_logical = None;
                    Expr::Binary { operator, left: left_side, right }
                }
                Operator::Logical(operator) => {
                    // JavaScript refuses `??` beside `||` or `&&` without parentheses.
                    let mixes = |other: Option<Logical>| {
                        other.is_some_and(|other| {
                            (other == Logical::Coalesce) != (operator == Logical::Coalesce)
                        })
                    };
                    if mixes(left_logical) || mixes(right_logical) {
                        return None;
                    }
                    self.top_logical = Some(operator);
                    Expr::Logical { operator, left: left_side, right }
                }
                Operator::InstanceOf => return None,
            };
        }
        Some(quickened(left))
    }

    fn unary(&mut self) -> Option<Expr> {
        let operator = match self.peek() {
            Some(Token::Sign("!")) => Unary::Not,
            Some(Token::Sign("-")) => Unary::Minus,
            Some(Token::Sign("+")) => Unary::Plus,
            Some(Token::Sign("~")) => Unary::BitNot,
            Some(Token::Keyword("typeof")) => Unary::TypeOf,
            Some(Token::Keyword("void")) => Unary::Void,
            _ => return self.postfix(),
        };
        self.at += 1;
        let operand = Box::new(self.nested(Self::unary)?);
        self.grow(self.height)?;
        Some(Expr::Unary { operator, operand })
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Binary(Binary),
    Logical(Logical),
    InstanceOf,
}

fn operator_of(token: &Token) -> Option<(Operator, u8)> {
    use Operator::{InstanceOf, Logical as L};
    let binary = |operator, precedence| (Operator::Binary(operator), precedence);
    Some(match token {
        Token::Keyword("in") => binary(Binary::In, 7),
        Token::Keyword("instanceof") => (InstanceOf, 7),
        Token::Sign(sign) => match *sign {
            "??" => (L(Logical::Coalesce), 1),
            "||" => (L(Logical::Or), 1),
            "&&" => (L(Logical::And), 2),
            "|" => binary(Binary::BitOr, 3),
            "^" => binary(Binary::BitXor, 4),
            "&" => binary(Binary::BitAnd, 5),
            "==" => binary(Binary::Equal, 6),
            "!=" => binary(Binary::NotEqual, 6),
            "===" => binary(Binary::Same, 6),
            "!==" => binary(Binary::NotSame, 6),
            "<" => binary(Binary::Less, 7),
            "<=" => binary(Binary::LessEqual, 7),
            ">" => binary(Binary::Greater, 7),
            ">=" => binary(Binary::GreaterEqual, 7),
            "<<" => binary(Binary::ShiftLeft, 8),
            ">>" => binary(Binary::ShiftRight, 8),
            ">>>" => binary(Binary::ShiftRightZero, 8),
            "+" => binary(Binary::Add, 9),
            "-" => binary(Binary::Sub, 9),
            "*" => binary(Binary::Mul, 10),
            "/" => binary(Binary::Div, 10),
            "%" => binary(Binary::Rem, 10),
            "**" => binary(Binary::Pow, 11),
            _ => return None,
        },
        _ => return None,
    })
}
