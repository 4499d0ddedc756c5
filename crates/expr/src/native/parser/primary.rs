//! The smallest parts of an expression and what may follow them: literals, names, calls, property
//! access.

use super::super::ast::*;
use super::super::lexer::ExprToken;
use super::super::names;
use super::super::regexp::RegExp;
use super::ExprParser;
use model::{Str, Value};
use std::sync::Arc;

impl ExprParser {
    /// A primary part with all its `.a`, `[b]`, `(c)` and `?.` behind it.
    pub(super) fn postfix(&mut self) -> Option<Expr> {
        let mentions_before = self.local_mentions;
        let mut has_optional = false;
        let mut value = self.primary()?;
        loop {
            let height = self.height;
            let mentions_local = self.local_mentions != mentions_before;
            match self.peek() {
                Some(ExprToken::Sign(".")) => {
                    self.at += 1;
                    value = self.member(value, false, mentions_local, height)?;
                }
                Some(ExprToken::Sign("?.")) => {
                    self.at += 1;
                    has_optional = true;
                    if self.is_sign("[") {
                        self.at += 1;
                        value = self.index(value, true, height)?;
                    } else {
                        value = self.member(value, true, mentions_local, height)?;
                    }
                }
                Some(ExprToken::Sign("[")) => {
                    self.at += 1;
                    value = self.index(value, false, height)?;
                }
                Some(ExprToken::Sign("(")) => {
                    if !matches!(value, Expr::Arrow(_) | Expr::Local(_)) {
                        return None;
                    }
                    self.at += 1;
                    let args = self.arguments()?;
                    self.grow(height.max(self.height))?;
                    value = Expr::Apply { function: Box::new(value), args };
                }
                Some(ExprToken::Template(..)) => return None,
                _ => break,
            }
            has_optional |= matches!(&value, Expr::Method(call) if call.optional_call);
        }
        if has_optional {
            self.grow(self.height)?;
            value = Expr::Chain(Box::new(value));
        }
        Some(value)
    }

    fn member(
        &mut self,
        object: Expr,
        optional: bool,
        mentions_local: bool,
        height: usize,
    ) -> Option<Expr> {
        let key = match self.next()? {
            ExprToken::Name(name) => name,
            ExprToken::Keyword(keyword) => Str::from(keyword),
            _ => return None,
        };
        if names::is_unsafe(&key) {
            return None;
        }
        let optional_call = self.is_sign("?.")
            && matches!(self.tokens.get(self.at + 1), Some(ExprToken::Sign("(")));
        if optional_call {
            self.at += 1;
        }
        if !self.take("(") {
            self.grow(height)?;
            return Some(extend_path(object, key, optional));
        }
        let args = self.arguments()?;
        self.grow(height.max(self.height))?;
        let fresh = (!mentions_local && !self.is_code)
            || match &object {
                Expr::Array(_) | Expr::Object(_) | Expr::New { .. } | Expr::Static { .. } => true,
                // A Code node that asks twice for all items gets the same list.
                Expr::Method(call) => {
                    names::returns_fresh(&call.name) && !(self.is_code && call.name == "all")
                }
                _ => false,
            };
        let is_own = names::is_prototype_method(&key) && !names::is_extension(&key);
        let is_at = key == "at" && matches!(&*args, [Arg { spread: false, .. }]);
        let makes_something = !names::returns_existing(&key);
        let call = MethodCall {
            object,
            name: key,
            args,
            optional,
            optional_call,
            is_own,
            is_at,
            makes_something,
            fresh,
        };
        Some(Expr::Method(Box::new(call)))
    }

    fn index(&mut self, object: Expr, optional: bool, height: usize) -> Option<Expr> {
        let index = self.sequence()?;
        self.expect("]")?;
        // A computed call such as `a['map']()` is rare and easy to get wrong.
        if self.is_sign("(") {
            return None;
        }
        self.grow(height.max(self.height))?;
        match index {
            Expr::Literal(Value::String(key)) if names::is_unsafe(&key) => None,
            Expr::Literal(Value::String(key)) => Some(extend_path(object, key, optional)),
            index => {
                Some(Expr::Index { object: Box::new(object), index: Box::new(index), optional })
            }
        }
    }

    /// What stands in the parentheses of a call, after the opening one.
    pub(super) fn arguments(&mut self) -> Option<Box<[Arg]>> {
        self.list(")")
    }

    fn list(&mut self, end: &str) -> Option<Box<[Arg]>> {
        let mut args = Vec::new();
        let mut height = 0;
        while !self.take(end) {
            let spread = self.take("...");
            args.push(Arg { value: self.assignment()?, spread });
            height = height.max(self.height);
            if !self.take(",") {
                self.expect(end)?;
                break;
            }
        }
        self.height = height;
        Some(args.into())
    }

    fn primary(&mut self) -> Option<Expr> {
        self.height = 1;
        match self.next()? {
            ExprToken::Number(number) => Some(Expr::Literal(Value::Number(number))),
            ExprToken::Text(text) => Some(Expr::Literal(Value::String(text))),
            ExprToken::Keyword("true") => Some(Expr::Literal(Value::Bool(true))),
            ExprToken::Keyword("false") => Some(Expr::Literal(Value::Bool(false))),
            ExprToken::Keyword("null") => Some(Expr::Literal(Value::Null)),
            ExprToken::Keyword("new") => self.new_object(),
            ExprToken::RegExp(pattern, flags) => {
                Some(Expr::RegExp(Arc::new(RegExp::new(&pattern, &flags)?)))
            }
            ExprToken::Template(texts, parts) => self.template(texts, parts),
            ExprToken::Name(name) => self.name(name),
            ExprToken::Sign("(") => {
                let inner = self.nested(Self::sequence)?;
                self.expect(")")?;
                self.top_logical = None;
                // Parentheses end a chain: `(a?.b).c` fails where `a?.b.c` does not.
                Some(inner)
            }
            ExprToken::Sign("[") => {
                if self.is_sign(",") {
                    return None;
                }
                let elements = self.nested(|parser| parser.list("]"))?;
                self.grow(self.height)?;
                Some(Expr::Array(elements))
            }
            ExprToken::Sign("{") => self.nested(Self::object),
            _ => None,
        }
    }

    fn template(&mut self, texts: Vec<Str>, parts: Vec<Vec<ExprToken>>) -> Option<Expr> {
        let (outer, outer_at, outer_breaks) =
            (std::mem::take(&mut self.tokens), self.at, std::mem::take(&mut self.breaks));
        let mut height = 0;
        let mut read = Vec::with_capacity(parts.len());
        for tokens in parts {
            self.tokens = tokens;
            self.at = 0;
            read.push(self.nested(Self::sequence)?);
            height = height.max(self.height);
            if self.at != self.tokens.len() {
                return None;
            }
        }
        self.tokens = outer;
        self.at = outer_at;
        self.breaks = outer_breaks;
        self.grow(height)?;
        if let ([text], []) = (texts.as_slice(), read.as_slice()) {
            return Some(Expr::Literal(Value::String(text.clone())));
        }
        Some(Expr::Template { texts: texts.into(), parts: read.into() })
    }

    fn object(&mut self) -> Option<Expr> {
        let mut fields = Vec::new();
        let mut height = 0;
        while !self.take("}") {
            let field = match self.next()? {
                ExprToken::Sign("...") => ObjectField::Spread(self.assignment()?),
                ExprToken::Sign("[") => {
                    let key = self.assignment()?;
                    height = height.max(self.height);
                    self.expect("]")?;
                    self.expect(":")?;
                    ObjectField::Computed(key, self.assignment()?)
                }
                ExprToken::Number(number) => {
                    self.expect(":")?;
                    ObjectField::Named(model::number_to_string(number).into(), self.assignment()?)
                }
                ExprToken::Text(key) => {
                    self.expect(":")?;
                    ObjectField::Named(key, self.assignment()?)
                }
                ExprToken::Keyword(key) => {
                    self.expect(":")?;
                    ObjectField::Named(key.into(), self.assignment()?)
                }
                ExprToken::Name(key) if self.take(":") => {
                    ObjectField::Named(key, self.assignment()?)
                }
                ExprToken::Name(key) if self.is_sign(",") || self.is_sign("}") => {
                    self.height = 1;
                    let value = self.name(key.clone())?;
                    ObjectField::Named(key, value)
                }
                _ => return None,
            };
            if matches!(&field, ObjectField::Named(key, _) if names::is_unsafe(key) || key == "$") {
                return None;
            }
            height = height.max(self.height);
            fields.push(field);
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        self.grow(height)?;
        Some(Expr::Object(fields.into()))
    }

    fn new_object(&mut self) -> Option<Expr> {
        let Some(ExprToken::Name(name)) = self.next() else { return None };
        let class = self.class(&name)?;
        if !matches!(class, Class::Date | Class::Set | Class::Array | Class::RegExp) {
            return None;
        }
        let args = if self.take("(") { self.arguments()? } else { Box::default() };
        self.grow(self.height)?;
        Some(Expr::New { class, args })
    }

    fn class(&self, name: &str) -> Option<Class> {
        if self.locals.iter().any(|local| local.name == name) {
            return None;
        }
        Class::from_name(name)
    }

    fn name(&mut self, name: Str) -> Option<Expr> {
        if let Some(local) = self.locals.iter().rev().find(|local| local.name == name) {
            self.local_mentions += 1;
            return local.ready.then_some(Expr::Local(local.slot));
        }
        let value = self.global(&name);
        self.assumed_global.push(name);
        value
    }

    fn global(&mut self, name: &Str) -> Option<Expr> {
        if let Some(constant) = constant(name) {
            return Some(Expr::Literal(constant));
        }
        if let Some(root) = root(name) {
            return Some(Expr::Root(root));
        }
        let is_call = self.is_sign("(");
        if let Some(function) = Builtin::from_name(name)
            && !self.is_sign(".")
        {
            if !is_call {
                let is_class =
                    matches!(function, Builtin::String | Builtin::Number | Builtin::Boolean);
                return (is_class || !name.starts_with('$')).then_some(Expr::Builtin(function));
            }
            self.at += 1;
            let args = self.arguments()?;
            self.grow(self.height)?;
            if function == Builtin::If && !self.is_code {
                return choice(args);
            }
            return Some(Expr::Call { function, args });
        }
        // `parseInt.name`.
        if Builtin::from_name(name).is_some() && Class::from_name(name).is_none() {
            return None;
        }
        if let Some(class) = Class::from_name(name) {
            if is_call && class == Class::Array {
                self.at += 1;
                let args = self.arguments()?;
                self.grow(self.height)?;
                return Some(Expr::New { class, args });
            }
            self.expect(".")?;
            let Some(ExprToken::Name(member)) = self.next() else { return None };
            if self.take("(") {
                let args = self.arguments()?;
                self.grow(self.height)?;
                // `Object.assign` changes its first argument; only a literal is sure to be seen by
                // nobody else.
                if member == "assign"
                    && !matches!(args.first(), Some(Arg { value: Expr::Object(_), spread: false }))
                {
                    return None;
                }
                return Some(Expr::Static { class, name: member, args });
            }
            return class_constant(class, &member)
                .map(|number| Expr::Literal(Value::Number(number)));
        }
        let is_special = matches!(
            name.as_str(),
            "$item"
                | "$position"
                | "$evaluateExpression"
                | "$getPairedItem"
                | "$rawParameter"
                | "$self"
                | "$data"
        );
        if is_special || names::is_foreign_global(name) {
            return None;
        }
        Some(Expr::Variable(name.clone()))
    }
}

/// Adds a key to a path that is walked by reference, or makes an ordinary member access.
fn extend_path(object: Expr, key: Str, optional: bool) -> Expr {
    if !optional
        && key == "json"
        && let Expr::Member { object: of, key: item, optional: false } = &object
        && item == "item"
        && let Some(root) = root_of_item(of)
    {
        return Expr::Path { root, keys: Box::default() };
    }
    match object {
        Expr::Root(Root::Json) if !optional => {
            Expr::Path { root: PathRoot::Json, keys: [key].into() }
        }
        Expr::Path { root, keys } if !optional => {
            let mut keys = keys.into_vec();
            keys.push(key);
            Expr::Path { root, keys: keys.into() }
        }
        object => Expr::Member { object: Box::new(object), key, optional },
    }
}

/// Whose item `object.item` is, if that can be told from the text.
fn root_of_item(object: &Expr) -> Option<PathRoot> {
    match object {
        Expr::Root(Root::Input) => Some(PathRoot::InputJson),
        Expr::Call { function: Builtin::Node, args } => match &**args {
            [Arg { value: Expr::Literal(Value::String(node)), spread: false }] => {
                Some(PathRoot::Node(node.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `$if` evaluates only what it chooses.
fn choice(args: Box<[Arg]>) -> Option<Expr> {
    if !matches!(args.len(), 2 | 3) || args.iter().any(|arg| arg.spread) {
        return None;
    }
    let mut values = args.into_vec().into_iter().map(|arg| Box::new(arg.value));
    let (test, then) = (values.next()?, values.next()?);
    let otherwise = values.next().unwrap_or_else(|| Box::new(Expr::Literal(Value::Bool(false))));
    Some(Expr::Conditional { test, then, otherwise })
}

fn constant(name: &str) -> Option<Value> {
    match name {
        "undefined" => Some(Value::Undefined),
        "NaN" => Some(Value::Number(f64::NAN)),
        "Infinity" => Some(Value::Number(f64::INFINITY)),
        _ => None,
    }
}

fn root(name: &str) -> Option<Root> {
    Some(match name {
        "$json" | "$data" => Root::Json,
        "$binary" => Root::Binary,
        "$input" => Root::Input,
        "$node" => Root::OldNodes,
        "$prevNode" => Root::PreviousNode,
        "$parameter" => Root::Parameter,
        "$runIndex" => Root::RunIndex,
        "$itemIndex" => Root::ItemIndex,
        "$now" => Root::Now,
        "$today" => Root::Today,
        _ => return None,
    })
}

fn class_constant(class: Class, name: &str) -> Option<f64> {
    Some(match (class, name) {
        (Class::Math, "PI") => std::f64::consts::PI,
        (Class::Math, "E") => std::f64::consts::E,
        (Class::Math, "SQRT2") => std::f64::consts::SQRT_2,
        (Class::Math, "LN2") => std::f64::consts::LN_2,
        (Class::Math, "LN10") => std::f64::consts::LN_10,
        (Class::Number, "MAX_SAFE_INTEGER") => 9_007_199_254_740_991.0,
        (Class::Number, "MIN_SAFE_INTEGER") => -9_007_199_254_740_991.0,
        (Class::Number, "MAX_VALUE") => f64::MAX,
        (Class::Number, "EPSILON") => f64::EPSILON,
        (Class::Number, "NaN") => f64::NAN,
        (Class::Number, "POSITIVE_INFINITY") => f64::INFINITY,
        (Class::Number, "NEGATIVE_INFINITY") => f64::NEG_INFINITY,
        _ => return None,
    })
}
