//! Parameters compiled once: what has no expression is a constant, the rest is a tree of templates.

use crate::parameter_refs;
use expr::{Evaluator, ExprError, Scope, Template, TemplatePart};
use model::{Object, PathKeys, Str, Value};
use std::sync::Arc;

/// A parameter value, ready to be resolved for any item.
#[derive(Clone)]
pub enum CompiledParam {
    Constant(Value),
    Template(Arc<Template>),
    Array(Arc<[CompiledParam]>),
    Object(Arc<[(Str, CompiledParam)]>),
}

impl CompiledParam {
    pub fn new(value: &Value) -> Self {
        match value {
            Value::String(text) if text.starts_with('=') => {
                CompiledParam::Template(Arc::new(Template::parse(text)))
            }
            Value::Array(values) => {
                let parts: Vec<_> = values.iter().map(Self::new).collect();
                match parts.iter().all(Self::is_constant) {
                    true => CompiledParam::Constant(value.clone()),
                    false => CompiledParam::Array(parts.into()),
                }
            }
            Value::Object(object) => Self::object(object, |_| false),
            other => CompiledParam::Constant(other.clone()),
        }
    }

    /// An object of which some fields are taken as they stand.
    pub(crate) fn object(object: &Arc<Object>, is_raw: impl Fn(&str) -> bool) -> Self {
        let compile = |(key, value): (&Str, &Value)| {
            let compiled = match value {
                _ if is_raw(key) => CompiledParam::Constant(value.clone()),
                Value::String(text) if text.starts_with('=') => {
                    let written = parameter_refs::written_in(text, object);
                    CompiledParam::Template(Arc::new(Template::parse(
                        written.as_deref().unwrap_or(text),
                    )))
                }
                _ => Self::new(value),
            };
            (key.clone(), compiled)
        };
        let fields: Vec<_> = object.iter().map(compile).collect();
        match fields.iter().all(|(_, field)| field.is_constant()) {
            true => CompiledParam::Constant(Value::Object(object.clone())),
            false => CompiledParam::Object(fields.into()),
        }
    }

    pub(crate) fn is_constant(&self) -> bool {
        matches!(self, CompiledParam::Constant(_))
    }

    /// Whether the value at a path depends on the item.
    pub(crate) fn has_expression(&self, path: &str) -> bool {
        match self.descend(path) {
            Descent::Found(compiled) => !compiled.is_constant(),
            Descent::Inside(..) => true,
            Descent::Constant(_) | Descent::Missing => false,
        }
    }

    /// The value at a path that does not depend on the item.
    pub(crate) fn constant_at(&self, path: &str) -> Option<Value> {
        match self.descend(path) {
            Descent::Found(CompiledParam::Constant(value)) => Some(value.clone()),
            Descent::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// What a value at a path that depends on the item begins with, whatever the item is; `None` if
    /// it depends on nothing. The beginning of a list or an object is empty.
    pub(crate) fn fixed_beginning(&self, path: &str) -> Option<Str> {
        match self.descend(path) {
            Descent::Found(CompiledParam::Template(template)) => {
                template.as_text().is_none().then(|| match template.parts().first() {
                    Some(TemplatePart::Text(text)) => text.clone(),
                    _ => Str::new(),
                })
            }
            Descent::Found(compiled) => (!compiled.is_constant()).then(Str::new),
            Descent::Inside(..) => Some(Str::new()),
            Descent::Constant(_) | Descent::Missing => None,
        }
    }

    /// The value at a path for the scope's item; `undefined` if there is none.
    pub(crate) fn resolve_at(
        &self,
        path: &str,
        session: &Evaluator,
        scope: &dyn Scope,
    ) -> Result<Value, ExprError> {
        match self.descend(path) {
            Descent::Found(compiled) => compiled.resolve(session, scope),
            Descent::Constant(value) => Ok(value),
            Descent::Inside(template, rest) => {
                Ok(session.evaluate(template, scope)?.get_keys(rest).cloned().unwrap_or_default())
            }
            Descent::Missing => Ok(Value::Undefined),
        }
    }

    pub fn resolve(&self, session: &Evaluator, scope: &dyn Scope) -> Result<Value, ExprError> {
        match self {
            CompiledParam::Constant(value) => Ok(value.clone()),
            CompiledParam::Template(template) => session.evaluate(template, scope),
            CompiledParam::Array(parts) => {
                let values: Result<Vec<_>, _> =
                    parts.iter().map(|part| part.resolve(session, scope)).collect();
                values.map(Value::array)
            }
            CompiledParam::Object(fields) => {
                let mut object = Object::with_capacity(fields.len());
                for (key, field) in fields.iter() {
                    object.append(key.clone(), field.resolve(session, scope)?);
                }
                Ok(Value::object(object))
            }
        }
    }

    fn descend<'c>(&'c self, path: &'c str) -> Descent<'c> {
        if path.is_empty() {
            return Descent::Found(self);
        }
        // Most paths are one plain key, which needs no splitting.
        if let CompiledParam::Object(fields) = self
            && let Some((_, field)) = fields.iter().find(|(key, _)| key == path)
        {
            return Descent::Found(field);
        }
        let mut keys = PathKeys::of(path);
        let mut current = self;
        loop {
            let before = keys.clone();
            let Some(key) = keys.next() else { return Descent::Found(current) };
            let next = match current {
                CompiledParam::Object(fields) => {
                    fields.iter().find(|(name, _)| name == key).map(|(_, field)| field)
                }
                CompiledParam::Array(parts) => {
                    key.parse().ok().and_then(|index: usize| parts.get(index))
                }
                CompiledParam::Constant(value) => {
                    return value
                        .get_keys(before)
                        .cloned()
                        .map_or(Descent::Missing, Descent::Constant);
                }
                CompiledParam::Template(template) => return Descent::Inside(template, before),
            };
            match next {
                Some(next) => current = next,
                None => return Descent::Missing,
            }
        }
    }
}

enum Descent<'c> {
    Found(&'c CompiledParam),
    /// A part of a constant.
    Constant(Value),
    /// A path that leads into what an expression will give.
    Inside(&'c Template, PathKeys<'c>),
    Missing,
}
