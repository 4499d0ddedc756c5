//! Parameters compiled once: what has no expression is a constant, the rest is a tree of templates.

use crate::siblings;
use expr::{Error, Part, Scope, Session, Template};
use model::{Object, PathKeys, Str, Value};
use std::sync::Arc;

/// A parameter value, ready to be resolved for any item.
#[derive(Clone)]
pub enum Compiled {
    Constant(Value),
    Template(Arc<Template>),
    Array(Arc<[Compiled]>),
    Object(Arc<[(Str, Compiled)]>),
}

impl Compiled {
    pub fn new(value: &Value) -> Self {
        match value {
            Value::String(text) if text.starts_with('=') => {
                Compiled::Template(Arc::new(Template::parse(text)))
            }
            Value::Array(values) => {
                let parts: Vec<_> = values.iter().map(Self::new).collect();
                match parts.iter().all(Self::is_constant) {
                    true => Compiled::Constant(value.clone()),
                    false => Compiled::Array(parts.into()),
                }
            }
            Value::Object(object) => Self::object(object, |_| false),
            other => Compiled::Constant(other.clone()),
        }
    }

    /// An object of which some fields are taken as they stand.
    pub(crate) fn object(object: &Arc<Object>, is_raw: impl Fn(&str) -> bool) -> Self {
        let compile = |(key, value): (&Str, &Value)| {
            let compiled = match value {
                _ if is_raw(key) => Compiled::Constant(value.clone()),
                Value::String(text) if text.starts_with('=') => {
                    let written = siblings::written_in(text, object);
                    Compiled::Template(Arc::new(Template::parse(
                        written.as_deref().unwrap_or(text),
                    )))
                }
                _ => Self::new(value),
            };
            (key.clone(), compiled)
        };
        let fields: Vec<_> = object.iter().map(compile).collect();
        match fields.iter().all(|(_, field)| field.is_constant()) {
            true => Compiled::Constant(Value::Object(object.clone())),
            false => Compiled::Object(fields.into()),
        }
    }

    pub(crate) fn is_constant(&self) -> bool {
        matches!(self, Compiled::Constant(_))
    }

    /// Whether the value at a path depends on the item.
    pub(crate) fn has_expression(&self, path: &str) -> bool {
        match self.descend(path) {
            Descent::Found(compiled) => !compiled.is_constant(),
            Descent::Inside(..) => true,
            Descent::Constant(_) | Descent::Missing => false,
        }
    }

    /// What a value at a path that depends on the item begins with, whatever the item is; `None` if
    /// it depends on nothing. The beginning of a list or an object is empty.
    pub(crate) fn fixed_beginning(&self, path: &str) -> Option<Str> {
        match self.descend(path) {
            Descent::Found(Compiled::Template(template)) => {
                template.as_text().is_none().then(|| match template.parts().first() {
                    Some(Part::Text(text)) => text.clone(),
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
        session: &Session,
        scope: &dyn Scope,
    ) -> Result<Value, Error> {
        match self.descend(path) {
            Descent::Found(compiled) => compiled.resolve(session, scope),
            Descent::Constant(value) => Ok(value),
            Descent::Inside(template, rest) => {
                Ok(session.evaluate(template, scope)?.get_keys(rest).cloned().unwrap_or_default())
            }
            Descent::Missing => Ok(Value::Undefined),
        }
    }

    pub fn resolve(&self, session: &Session, scope: &dyn Scope) -> Result<Value, Error> {
        match self {
            Compiled::Constant(value) => Ok(value.clone()),
            Compiled::Template(template) => session.evaluate(template, scope),
            Compiled::Array(parts) => {
                let values: Result<Vec<_>, _> =
                    parts.iter().map(|part| part.resolve(session, scope)).collect();
                values.map(Value::array)
            }
            Compiled::Object(fields) => {
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
        if let Compiled::Object(fields) = self
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
                Compiled::Object(fields) => {
                    fields.iter().find(|(name, _)| name == key).map(|(_, field)| field)
                }
                Compiled::Array(parts) => {
                    key.parse().ok().and_then(|index: usize| parts.get(index))
                }
                Compiled::Constant(value) => {
                    return value
                        .get_keys(before)
                        .cloned()
                        .map_or(Descent::Missing, Descent::Constant);
                }
                Compiled::Template(template) => return Descent::Inside(template, before),
            };
            match next {
                Some(next) => current = next,
                None => return Descent::Missing,
            }
        }
    }
}

enum Descent<'c> {
    Found(&'c Compiled),
    /// A part of a constant.
    Constant(Value),
    /// A path that leads into what an expression will give.
    Inside(&'c Template, PathKeys<'c>),
    Missing,
}
