//! Arrow functions: parameters, patterns and simple block bodies.

use super::super::ast::*;
use super::super::lexer::ExprToken;
use super::super::names;
use super::{ExprParser, Local, MAX_SLOTS};
use model::Str;

impl ExprParser {
    /// All there is, as a function without parameters and its call.
    pub(super) fn whole_code(&mut self) -> Option<Expr> {
        let mut statements = Vec::new();
        let mut height = 0;
        while self.at < self.tokens.len() {
            if self.take(";") {
                continue;
            }
            self.statement(&mut statements, 0)?;
            height = height.max(self.height);
        }
        self.grow(height)?;
        let body = FunctionBody::Block(statements.into());
        let function = FunctionDef {
            params: Box::default(),
            rest: None,
            is_plain: true,
            body,
            slots: 0..self.next_slot,
        };
        self.functions.push(function);
        let function = Box::new(Expr::Arrow(self.functions.len() as u32 - 1));
        Some(Expr::Apply { function, args: Box::default() })
    }

    /// `$input.item.json.key = value`, after the path.
    pub(super) fn set_field(&mut self, keys: &[Str]) -> Option<Expr> {
        let key = own_field(keys)?;
        self.expect("=")?;
        let value = Box::new(self.assignment()?);
        self.grow(self.height)?;
        Some(Expr::SetField { key, value })
    }

    /// Whether an arrow function starts here: `x =>` or `( … ) =>`.
    pub(super) fn at_arrow_function(&self) -> bool {
        let arrow_at = |at: usize| matches!(self.tokens.get(at), Some(ExprToken::Sign("=>")));
        match self.peek() {
            Some(ExprToken::Name(_)) => arrow_at(self.at + 1),
            Some(ExprToken::Sign("(")) => {
                let mut depth = 0usize;
                for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
                    match token {
                        ExprToken::Sign("(" | "[" | "{") => depth += 1,
                        ExprToken::Sign(")" | "]" | "}") => {
                            depth = depth.saturating_sub(1);
                            if depth == 0 {
                                return arrow_at(at + 1);
                            }
                        }
                        _ => {}
                    }
                }
                false
            }
            _ => false,
        }
    }

    pub(super) fn arrow_function(&mut self) -> Option<Expr> {
        let outer_locals = self.locals.len();
        let first_slot = self.next_slot;
        let outer_start = std::mem::replace(&mut self.function_start, first_slot);
        let mut params = Vec::new();
        let mut rest = None;
        let mut height = 0;
        if self.take("(") {
            while !self.take(")") {
                if self.take("...") {
                    let Some(ExprToken::Name(name)) = self.next() else { return None };
                    rest = Some(self.declare(name, true)?);
                    self.expect(")")?;
                    break;
                }
                params.push(self.parameter(true)?);
                height = height.max(self.height);
                if !self.take(",") {
                    self.expect(")")?;
                    break;
                }
            }
        } else {
            params.push(self.parameter(true)?);
        }
        self.expect("=>")?;
        let body = if self.take("{") {
            FunctionBody::Block(self.block()?)
        } else {
            FunctionBody::Expr(self.assignment()?)
        };
        self.grow(height.max(self.height))?;
        self.locals.truncate(outer_locals);
        self.function_start = outer_start;
        let is_name = |param: &FunctionParam| {
            matches!(param, FunctionParam { pattern: BindingPattern::Slot(_), default: None })
        };
        let is_plain = rest.is_none() && params.iter().all(is_name);
        let function = FunctionDef {
            params: params.into(),
            rest,
            is_plain,
            body,
            slots: first_slot..self.next_slot,
        };
        self.functions.push(function);
        Some(Expr::Arrow(self.functions.len() as u32 - 1))
    }

    /// A slot for a new name. A name that was read as a global before cannot become a local
    /// afterwards.
    fn declare(&mut self, name: Str, can_change: bool) -> Option<u32> {
        if self.assumed_global.contains(&name)
            || names::is_unsafe(&name)
            || name == "$"
            || self.next_slot >= MAX_SLOTS
        {
            return None;
        }
        let slot = self.next_slot;
        self.next_slot += 1;
        self.locals.push(Local { name, slot, can_change, ready: true });
        Some(slot)
    }

    fn parameter(&mut self, can_change: bool) -> Option<FunctionParam> {
        self.height = 0;
        let pattern = self.pattern(can_change)?;
        let default = if self.take("=") { Some(self.assignment()?) } else { None };
        Some(FunctionParam { pattern, default })
    }

    fn pattern(&mut self, can_change: bool) -> Option<BindingPattern> {
        self.nested(|parser| match parser.next()? {
            ExprToken::Name(name) => parser.declare(name, can_change).map(BindingPattern::Slot),
            ExprToken::Sign("[") => parser.array_pattern(can_change),
            ExprToken::Sign("{") => parser.object_pattern(can_change),
            _ => None,
        })
    }

    fn array_pattern(&mut self, can_change: bool) -> Option<BindingPattern> {
        let mut elements = Vec::new();
        let mut rest = None;
        while !self.take("]") {
            if self.take(",") {
                elements.push(None);
                continue;
            }
            if self.take("...") {
                let Some(ExprToken::Name(name)) = self.next() else { return None };
                rest = Some(self.declare(name, can_change)?);
                self.expect("]")?;
                break;
            }
            elements.push(Some(self.parameter(can_change)?));
            if !self.take(",") {
                self.expect("]")?;
                break;
            }
        }
        Some(BindingPattern::Array(elements.into(), rest))
    }

    fn object_pattern(&mut self, can_change: bool) -> Option<BindingPattern> {
        let mut fields = Vec::new();
        let mut rest = None;
        while !self.take("}") {
            if self.take("...") {
                let Some(ExprToken::Name(name)) = self.next() else { return None };
                rest = Some(self.declare(name, can_change)?);
                self.expect("}")?;
                break;
            }
            let (key, may_stand_alone) = match self.next()? {
                ExprToken::Name(name) => (name, true),
                ExprToken::Text(text) => (text, false),
                _ => return None,
            };
            if names::is_object_prototype(&key) {
                return None;
            }
            let param = if self.take(":") {
                self.parameter(can_change)?
            } else if may_stand_alone {
                let pattern = BindingPattern::Slot(self.declare(key.clone(), can_change)?);
                let default = if self.take("=") { Some(self.assignment()?) } else { None };
                FunctionParam { pattern, default }
            } else {
                return None;
            };
            fields.push((key, param));
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        Some(BindingPattern::Object(fields.into(), rest))
    }

    /// Statements up to the closing brace.
    fn block(&mut self) -> Option<Box<[Statement]>> {
        self.nested(|parser| {
            let outer_locals = parser.locals.len();
            let mut statements = Vec::new();
            let mut height = 0;
            while !parser.take("}") {
                if parser.take(";") {
                    continue;
                }
                parser.statement(&mut statements, outer_locals)?;
                height = height.max(parser.height);
            }
            parser.locals.truncate(outer_locals);
            parser.grow(height)?;
            Some(statements.into())
        })
    }

    fn statement(&mut self, out: &mut Vec<Statement>, block_start: usize) -> Option<()> {
        if self.take_keyword("return") {
            let value =
                if self.is_sign(";") || self.is_sign("}") { None } else { Some(self.sequence()?) };
            out.push(Statement::Return(value));
            return self.end_of_statement();
        }
        if self.take_keyword("if") {
            self.expect("(")?;
            let test = self.sequence()?;
            let test_height = self.height;
            self.expect(")")?;
            let then = self.branch()?;
            let then_height = self.height;
            let otherwise = if self.take_keyword("else") { self.branch()? } else { Box::default() };
            self.grow(test_height.max(then_height).max(self.height))?;
            out.push(Statement::If(test, then, otherwise));
            return Some(());
        }
        if self.is_keyword("const") || self.is_keyword("let") {
            let can_change = self.is_keyword("let");
            self.at += 1;
            loop {
                let first_new = self.locals.len();
                let pattern = self.pattern(can_change)?;
                // A block that hides an outer name could have meant the outer one further up.
                let hides = |local: &Local| {
                    self.locals[..first_new].iter().any(|older| older.name == local.name)
                };
                if self.locals[first_new..].iter().any(hides) || first_new < block_start {
                    return None;
                }
                for local in &mut self.locals[first_new..] {
                    local.ready = false;
                }
                let value = if self.take("=") {
                    self.assignment()?
                } else if can_change {
                    self.height = 1;
                    Expr::Literal(model::Value::Undefined)
                } else {
                    return None;
                };
                for local in &mut self.locals[first_new..] {
                    local.ready = true;
                }
                out.push(Statement::Declare(pattern, value));
                if !self.take(",") {
                    return self.end_of_statement();
                }
            }
        }
        if self.is_code && self.take_keyword("delete") {
            let Expr::Path { root: PathRoot::InputJson, keys } = self.postfix()? else {
                return None;
            };
            out.push(Statement::Expr(Expr::DeleteField(own_field(&keys)?)));
            return self.end_of_statement();
        }
        if matches!(self.peek(), Some(ExprToken::Keyword(keyword)) if !matches!(*keyword, "typeof" | "void" | "true" | "false" | "null" | "new"))
        {
            return None;
        }
        let value = self.sequence()?;
        out.push(Statement::Expr(value));
        self.end_of_statement()
    }

    fn branch(&mut self) -> Option<Box<[Statement]>> {
        self.nested(|parser| {
            if parser.take("{") {
                return parser.block();
            }
            let mut statements = Vec::new();
            let start = parser.locals.len();
            if parser.is_keyword("const") || parser.is_keyword("let") {
                return None;
            }
            parser.statement(&mut statements, start)?;
            Some(statements.into())
        })
    }

    /// A semicolon, the end of the block, or a new line. What could go on with the expression has
    /// done so already.
    fn end_of_statement(&mut self) -> Option<()> {
        let on_new_line = self.breaks.get(self.at) == Some(&true);
        let is_over = self.is_sign("}") || self.is_keyword("else") || self.at == self.tokens.len();
        (self.take(";") || is_over || on_new_line).then_some(())
    }
}

/// The one key of a path that may be set. A key that looks like a number would have a place of its
/// own among the others.
fn own_field(keys: &[Str]) -> Option<Str> {
    match keys {
        [key] if !key.starts_with(|first: char| first.is_ascii_digit()) => Some(key.clone()),
        _ => None,
    }
}
