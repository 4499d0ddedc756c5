//! Values on their way out of the guest, read property by property: dates, `undefined` and `NaN` stay what they are.

use super::guest::{Guest, Kind, Raw};
use super::state::State;
use crate::Error;
use model::{DateKind, DateValue, Object, Str, Value};
use std::sync::Arc;
use wasmtime::{AsContext, AsContextMut};

/// Names of string keys that are enumerable, in order.
const ENUMERABLE_STRING_KEYS: i32 = 1 | 1 << 4;

/// The parts of the image that reading needs.
#[derive(Clone, Copy)]
pub(super) struct Helpers {
    /// `describeDate(value)`: `[kind, milliseconds, iso]` for dates.
    pub(super) describe_date: Raw,
    /// `simplify(value)`: what an instance of a class is as plain data.
    pub(super) simplify: Raw,
    pub(super) object_prototype: Raw,
}

/// Reads a value whole. `budget` is what is left of the output limit.
pub(super) fn read(
    guest: &Guest,
    store: &mut impl AsContextMut<Data = State>,
    helpers: Helpers,
    value: Raw,
    budget: &mut usize,
) -> Result<Value, ReadError> {
    Reader { guest, store, helpers, budget }.value(value, 0)
}

/// Why a value could not be read.
#[derive(Debug)]
pub(super) enum ReadError {
    /// The guest stopped while it was asked.
    Trap(wasmtime::Error),
    /// A getter threw; the exception waits in the guest.
    Thrown,
    Refused(Error),
}

impl From<wasmtime::Error> for ReadError {
    fn from(error: wasmtime::Error) -> Self {
        ReadError::Trap(error)
    }
}

struct Reader<'a, S> {
    guest: &'a Guest,
    store: &'a mut S,
    helpers: Helpers,
    budget: &'a mut usize,
}

impl<S: AsContextMut<Data = State>> Reader<'_, S> {
    fn value(&mut self, value: Raw, depth: usize) -> Result<Value, ReadError> {
        match value.kind() {
            Kind::Undefined | Kind::Symbol => Ok(Value::Undefined),
            Kind::Null => Ok(Value::Null),
            Kind::Bool(flag) => Ok(Value::Bool(flag)),
            Kind::Number(number) => {
                self.spend(8)?;
                Ok(Value::Number(number))
            }
            Kind::BigInt => Err(ReadError::Refused(type_error("Do not know how to serialize a BigInt"))),
            Kind::Exception => Err(ReadError::Thrown),
            Kind::String => {
                let text = self.guest.text(&mut *self.store, value)?;
                self.spend(text.len() + 2)?;
                Ok(Value::String(text.into()))
            }
            Kind::Object => self.object(value, depth),
        }
    }

    /// The element is read and let go.
    fn owned(&mut self, value: Raw, depth: usize) -> Result<Value, ReadError> {
        let read = self.value(value, depth);
        self.guest.drop_value(&mut *self.store, value)?;
        read
    }

    fn object(&mut self, value: Raw, depth: usize) -> Result<Value, ReadError> {
        let limits = self.store.as_context().data().limits;
        if depth >= limits.depth {
            return Err(ReadError::Refused(type_error("Converting circular structure to JSON")));
        }
        self.spend(2)?;
        if self.guest.js_is_array.call(&mut *self.store, value.0)? != 0 {
            return self.array(value, depth);
        }
        if self.guest.js_is_function.call(&mut *self.store, (self.guest.context, value.0))? != 0 {
            return Ok(Value::Undefined);
        }
        let prototype = Raw(self.guest.js_prototype.call(&mut *self.store, (self.guest.context, value.0))?);
        let plain = prototype == self.helpers.object_prototype || prototype.kind() == Kind::Null;
        self.guest.drop_value(&mut *self.store, prototype)?;
        if plain {
            return self.fields(value, depth);
        }
        if let Some(date) = self.date(value)? {
            return Ok(date);
        }
        let simple = self.guest.call(&mut *self.store, self.helpers.simplify, Raw::UNDEFINED, &[value])?;
        if simple == value {
            let fields = self.fields(value, depth);
            self.guest.drop_value(&mut *self.store, simple)?;
            return fields;
        }
        self.owned(simple, depth + 1)
    }

    fn array(&mut self, value: Raw, depth: usize) -> Result<Value, ReadError> {
        let scratch = self.store.as_context().data().scratch;
        if self.guest.js_length.call(&mut *self.store, (self.guest.context, value.0, scratch))? < 0 {
            return Err(ReadError::Thrown);
        }
        let len = self.guest.read_u32(&*self.store, scratch)?;
        let mut values = Vec::with_capacity((len as usize).min(4096));
        for index in 0..len {
            self.spend(1)?;
            let element = Raw(self.guest.js_get_at.call(&mut *self.store, (self.guest.context, value.0, index as i32))?);
            values.push(self.owned(element, depth + 1)?);
        }
        Ok(Value::array(values))
    }

    fn fields(&mut self, value: Raw, depth: usize) -> Result<Value, ReadError> {
        let scratch = self.store.as_context().data().scratch;
        let names = (self.guest.context, scratch, scratch + 4, value.0, ENUMERABLE_STRING_KEYS);
        if self.guest.js_names.call(&mut *self.store, names)? < 0 {
            return Err(ReadError::Thrown);
        }
        let table = self.guest.read_u32(&*self.store, scratch)? as i32;
        let len = self.guest.read_u32(&*self.store, scratch + 4)?;
        let mut object = Object::with_capacity((len as usize).min(4096));
        let mut failed = None;
        for index in 0..len {
            // An entry is two words: whether it is enumerable, and the atom of its name.
            let atom = self.guest.read_u32(&*self.store, table + index as i32 * 8 + 4)?;
            match self.field(value, atom as i32, depth) {
                Ok((name, field)) => {
                    object.insert(name, field);
                }
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        if !matches!(failed, Some(ReadError::Trap(_))) {
            self.guest.js_free_names.call(&mut *self.store, (self.guest.context, table, len as i32))?;
        }
        failed.map_or_else(|| Ok(Value::object(object)), Err)
    }

    fn field(&mut self, value: Raw, atom: i32, depth: usize) -> Result<(Str, Value), ReadError> {
        let scratch = self.store.as_context().data().scratch;
        let pointer = self.guest.js_atom_text.call(&mut *self.store, (self.guest.context, scratch + 8, atom))?;
        if pointer == 0 {
            return Err(ReadError::Thrown);
        }
        let len = self.guest.read_u32(&*self.store, scratch + 8)? as usize;
        let name: Str = String::from_utf8_lossy(self.guest.slice(&*self.store, pointer, len)?).into();
        self.guest.js_free_text.call(&mut *self.store, (self.guest.context, pointer))?;
        self.spend(name.len() + 4)?;
        let field = Raw(self.guest.js_get.call(&mut *self.store, (self.guest.context, value.0, atom))?);
        Ok((name, self.owned(field, depth + 1)?))
    }

    fn date(&mut self, value: Raw) -> Result<Option<Value>, ReadError> {
        let described = self.guest.call(&mut *self.store, self.helpers.describe_date, Raw::UNDEFINED, &[value])?;
        if described.kind() == Kind::Undefined {
            return Ok(None);
        }
        let Value::Array(parts) = self.owned(described, 0)? else { return Ok(None) };
        Ok(Some(match (parts.first(), parts.get(1), parts.get(2)) {
            (Some(Value::String(kind)), Some(Value::Number(epoch_ms)), Some(Value::String(iso))) => {
                let kind = if kind == "luxon" { DateKind::Luxon } else { DateKind::Js };
                Value::Date(Arc::new(DateValue { epoch_ms: *epoch_ms, iso: iso.clone(), kind }))
            }
            // An invalid date serialises as null.
            _ => Value::Null,
        }))
    }

    fn spend(&mut self, bytes: usize) -> Result<(), ReadError> {
        match self.budget.checked_sub(bytes) {
            Some(left) => {
                *self.budget = left;
                Ok(())
            }
            None => {
                let limit_bytes = self.store.as_context().data().limits.output_bytes;
                Err(ReadError::Refused(Error::Output { limit_bytes }))
            }
        }
    }
}

fn type_error(message: &str) -> Error {
    Error::Thrown { name: "TypeError".into(), message: message.into(), stack: None }
}
