//! Values on their way out of the guest, read property by property: dates, `undefined` and `NaN`
//! stay what they are.

use super::guest::{Guest, Raw, RawKind};
use super::memory::text_bytes;
use super::state::GuestState;
use crate::ExprError;
use model::{DateKind, DateValue, Object, Str, Value};
use std::sync::Arc;
use wasmtime::{AsContext, AsContextMut};

/// Names of fields that are remembered by their number in the guest.
const MAX_NAMES: usize = 1024;

/// Names of string keys that are enumerable, in order.
const ENUMERABLE_STRING_KEYS: i32 = 1 | 1 << 4;

/// QuickJS's numbers for the two classes that nearly all data is made of. The image builder checks
/// them.
const CLASS_OBJECT: i32 = 1;
const CLASS_ARRAY: i32 = 2;

/// What an element, a field and the list or object around them take in the host's memory. A list
/// that grows has room to spare, or is there twice for a moment, and an object with many fields has
/// an index.
const ELEMENT_BYTES: usize = 2 * size_of::<Value>();
const FIELD_BYTES: usize = size_of::<(Str, Value)>() + 48;
const CONTAINER_BYTES: usize = 64;

/// The parts of the image that reading needs.
#[derive(Clone, Copy)]
pub(super) struct Helpers {
    /// `describeDate(value)`: `[kind, milliseconds, iso]` for dates.
    pub(super) describe_date: Raw,
    /// `simplify(value)`: what an instance of a class is as plain data.
    pub(super) simplify: Raw,
    pub(super) object_prototype: Raw,
}

/// Reads a value whole. It is paid for as it grows, because a small one with shared parts may be
/// endless when it is written out.
pub(super) fn read(
    guest: &Guest,
    store: &mut impl AsContextMut<Data = GuestState>,
    helpers: Helpers,
    value: Raw,
) -> Result<Value, GuestReadError> {
    ValueReader { guest, store, helpers }.value(value)
}

/// Why a value could not be read.
#[derive(Debug)]
pub(super) enum GuestReadError {
    /// The guest stopped while it was asked.
    Trap(wasmtime::Error),
    /// A getter threw; the exception waits in the guest.
    Thrown,
    Refused(ExprError),
}

impl From<wasmtime::Error> for GuestReadError {
    fn from(error: wasmtime::Error) -> Self {
        GuestReadError::Trap(error)
    }
}

struct ValueReader<'a, S> {
    guest: &'a Guest,
    store: &'a mut S,
    helpers: Helpers,
}

/// A list or object that is being read.
enum OpenContainer {
    List {
        source: Raw,
        len: u32,
        values: Vec<Value>,
    },
    /// `table` is QuickJS's list of names, freed when the object is done.
    Fields {
        source: Raw,
        table: i32,
        len: u32,
        next: u32,
        name: Str,
        object: Object,
    },
}

/// What the next step of reading found.
enum ReadStep {
    Done(Value),
    Enter(OpenContainer),
}

impl<S: AsContextMut<Data = GuestState>> ValueReader<'_, S> {
    /// Reads without recursion: data that JavaScript nested deeply must not use up the host's
    /// stack.
    fn value(&mut self, value: Raw) -> Result<Value, GuestReadError> {
        let mut stack: Vec<OpenContainer> = Vec::new();
        let result = self.walk(value, &mut stack);
        // After a trap the guest is not asked for anything any more.
        if !matches!(result, Err(GuestReadError::Trap(_))) {
            for open in stack.into_iter().rev() {
                self.close(&open)?;
            }
        }
        result
    }

    fn walk(
        &mut self,
        value: Raw,
        stack: &mut Vec<OpenContainer>,
    ) -> Result<Value, GuestReadError> {
        let mut step = self.step(value, stack.len(), false)?;
        loop {
            let mut finished = match step {
                ReadStep::Enter(open) => {
                    stack.push(open);
                    None
                }
                ReadStep::Done(value) => Some(value),
            };
            // Puts what is finished into what is open, and closes what is complete.
            let next = loop {
                let Some(open) = stack.last_mut() else {
                    return Ok(finished.unwrap_or_default());
                };
                match open {
                    OpenContainer::List { values, .. } => values.extend(finished.take()),
                    OpenContainer::Fields { name, object, .. } => {
                        if let Some(value) = finished.take() {
                            object.insert(std::mem::take(name), value);
                        }
                    }
                }
                match self.child(stack)? {
                    Some(child) => break child,
                    None => {
                        if let Some(open) = stack.pop() {
                            self.close(&open)?;
                            finished = Some(match open {
                                OpenContainer::List { values, .. } => Value::array(values),
                                OpenContainer::Fields { object, .. } => Value::object(object),
                            });
                        }
                    }
                }
            };
            step = self.step(next, stack.len(), true)?;
        }
    }

    /// The next element or field of what is open, which the caller owns; `None` when there is none
    /// left.
    fn child(&mut self, stack: &mut [OpenContainer]) -> Result<Option<Raw>, GuestReadError> {
        match stack.last_mut() {
            Some(OpenContainer::List { source, len, values }) if (values.len() as u32) < *len => {
                self.spend(1, ELEMENT_BYTES)?;
                let arguments = (self.guest.context, source.0, values.len() as i32);
                Ok(Some(Raw(self.guest.js_get_at.call(&mut *self.store, arguments)?)))
            }
            Some(OpenContainer::Fields { source, table, len, next, name, .. }) if *next < *len => {
                // An entry is two words: whether it is enumerable, and the atom of its name.
                let atom = self.guest.read_u32(&*self.store, *table + *next as i32 * 8 + 4)? as i32;
                *next += 1;
                *name = self.name(atom)?;
                Ok(Some(Raw(self
                    .guest
                    .js_get
                    .call(&mut *self.store, (self.guest.context, source.0, atom))?)))
            }
            _ => Ok(None),
        }
    }

    /// Reads a value as far as it is simple. An owned value is let go, or kept by what it opens.
    fn step(&mut self, value: Raw, depth: usize, owned: bool) -> Result<ReadStep, GuestReadError> {
        let simple = match value.kind() {
            RawKind::Undefined | RawKind::Symbol => Value::Undefined,
            RawKind::Null => Value::Null,
            RawKind::Bool(flag) => Value::Bool(flag),
            RawKind::Number(number) => {
                self.spend(8, 0)?;
                Value::Number(number)
            }
            RawKind::BigInt if self.store.as_context().data().is_expression => {
                let text: Str = self.guest.text(&mut *self.store, value)?;
                self.spend(text.len() + 2, 0)?;
                Value::String(text)
            }
            RawKind::BigInt => {
                return Err(GuestReadError::Refused(type_error(
                    "Do not know how to serialize a BigInt",
                )));
            }
            RawKind::Exception => return Err(GuestReadError::Thrown),
            RawKind::String => {
                let text: Str = self.guest.text(&mut *self.store, value)?;
                self.spend(text.len() + 2, 0)?;
                Value::String(text)
            }
            RawKind::Object => match self.object(value, depth)? {
                ReadStep::Enter(open) => {
                    let opened = match &open {
                        OpenContainer::List { source, .. }
                        | OpenContainer::Fields { source, .. } => *source,
                    };
                    // What stands for an instance belongs to us already; then the instance itself
                    // is let go.
                    if opened == value && !owned {
                        self.guest.js_dup.call(&mut *self.store, (self.guest.context, value.0))?;
                    } else if opened != value && owned {
                        self.guest.drop_value(&mut *self.store, value)?;
                    }
                    return Ok(ReadStep::Enter(open));
                }
                ReadStep::Done(simple) => simple,
            },
        };
        if owned {
            self.guest.drop_value(&mut *self.store, value)?;
        }
        Ok(ReadStep::Done(simple))
    }

    fn object(&mut self, value: Raw, depth: usize) -> Result<ReadStep, GuestReadError> {
        let limits = self.store.as_context().data().limits;
        if depth >= limits.depth {
            return Err(GuestReadError::Refused(type_error(
                "Converting circular structure to JSON",
            )));
        }
        self.spend(2, CONTAINER_BYTES)?;
        let class = self.guest.js_class.call(&mut *self.store, value.0)?;
        match class {
            CLASS_ARRAY => return self.list(value),
            CLASS_OBJECT => {}
            _ if self
                .guest
                .js_is_function
                .call(&mut *self.store, (self.guest.context, value.0))?
                != 0 =>
            {
                return Ok(ReadStep::Done(Value::Undefined));
            }
            // A proxy of an array counts as one.
            _ if self.guest.js_is_array.call(&mut *self.store, value.0)? != 0 => {
                return self.list(value);
            }
            _ => {}
        }
        let prototype =
            Raw(self.guest.js_prototype.call(&mut *self.store, (self.guest.context, value.0))?);
        let plain = prototype == self.helpers.object_prototype || prototype.kind() == RawKind::Null;
        self.guest.drop_value(&mut *self.store, prototype)?;
        // A proxy may have a form of its own.
        if plain && class == CLASS_OBJECT {
            return self.fields(value);
        }
        if let Some(date) = self.date(value)? {
            return Ok(ReadStep::Done(date));
        }
        let simple =
            self.guest.call(&mut *self.store, self.helpers.simplify, Raw::UNDEFINED, &[value])?;
        if simple == value {
            let fields = self.fields(value);
            self.guest.drop_value(&mut *self.store, simple)?;
            return fields;
        }
        self.simplified(simple, depth)
    }

    /// What stands for an instance of a class. It is read as plain data, or a `toJSON` that answers
    /// with its like would never end.
    fn simplified(&mut self, simple: Raw, depth: usize) -> Result<ReadStep, GuestReadError> {
        if simple.kind() != RawKind::Object {
            return self.step(simple, depth, true);
        }
        let opened = if self.guest.js_is_array.call(&mut *self.store, simple.0)? != 0 {
            self.list(simple)?
        } else {
            self.fields(simple)?
        };
        Ok(opened)
    }

    fn list(&mut self, source: Raw) -> Result<ReadStep, GuestReadError> {
        let scratch = self.store.as_context().data().scratch;
        if self.guest.js_length.call(&mut *self.store, (self.guest.context, source.0, scratch))? < 0
        {
            return Err(GuestReadError::Thrown);
        }
        let len = self.guest.read_u32(&*self.store, scratch)?;
        Ok(ReadStep::Enter(OpenContainer::List {
            source,
            len,
            values: Vec::with_capacity((len as usize).min(4096)),
        }))
    }

    fn fields(&mut self, source: Raw) -> Result<ReadStep, GuestReadError> {
        let scratch = self.store.as_context().data().scratch;
        let names = (self.guest.context, scratch, scratch + 4, source.0, ENUMERABLE_STRING_KEYS);
        if self.guest.js_names.call(&mut *self.store, names)? < 0 {
            return Err(GuestReadError::Thrown);
        }
        let table = self.guest.read_u32(&*self.store, scratch)? as i32;
        let len = self.guest.read_u32(&*self.store, scratch + 4)?;
        let object = Object::with_capacity((len as usize).min(4096));
        Ok(ReadStep::Enter(OpenContainer::Fields {
            source,
            table,
            len,
            next: 0,
            name: Str::new(),
            object,
        }))
    }

    fn close(&mut self, open: &OpenContainer) -> Result<(), GuestReadError> {
        let source = match open {
            OpenContainer::List { source, .. } => *source,
            OpenContainer::Fields { source, table, len, .. } => {
                self.guest
                    .js_free_names
                    .call(&mut *self.store, (self.guest.context, *table, *len as i32))?;
                *source
            }
        };
        Ok(self.guest.drop_value(&mut *self.store, source)?)
    }

    fn name(&mut self, atom: i32) -> Result<Str, GuestReadError> {
        if let Some(name) = self.store.as_context().data().names.get(&atom) {
            let name = name.clone();
            self.spend(name.len() + 4, FIELD_BYTES)?;
            return Ok(name);
        }
        let scratch = self.store.as_context().data().scratch;
        let pointer = self
            .guest
            .js_atom_text
            .call(&mut *self.store, (self.guest.context, scratch + 8, atom))?;
        if pointer == 0 {
            return Err(GuestReadError::Thrown);
        }
        let len = self.guest.read_u32(&*self.store, scratch + 8)? as usize;
        self.spend(len + 4, FIELD_BYTES + text_bytes(len))?;
        let name: Str =
            String::from_utf8_lossy(self.guest.slice(&*self.store, pointer, len)?).into();
        self.guest.js_free_text.call(&mut *self.store, (self.guest.context, pointer))?;
        if self.store.as_context().data().names.len() < MAX_NAMES {
            // Held in the guest as well, so that the number cannot come to mean another name.
            self.guest.js_dup_atom.call(&mut *self.store, (self.guest.context, atom))?;
            self.store.as_context_mut().data_mut().names.insert(atom, name.clone());
        }
        Ok(name)
    }

    fn date(&mut self, value: Raw) -> Result<Option<Value>, GuestReadError> {
        let described = self.guest.call(
            &mut *self.store,
            self.helpers.describe_date,
            Raw::UNDEFINED,
            &[value],
        )?;
        if described.kind() == RawKind::Undefined {
            return Ok(None);
        }
        let parts = self.value(described)?;
        self.guest.drop_value(&mut *self.store, described)?;
        let Value::Array(parts) = parts else { return Ok(None) };
        Ok(Some(match (parts.first(), parts.get(1), parts.get(2)) {
            (
                Some(Value::String(kind)),
                Some(Value::Number(epoch_ms)),
                Some(Value::String(iso)),
            ) => {
                let kind = if kind == "luxon" { DateKind::Luxon } else { DateKind::Js };
                Value::Date(Arc::new(DateValue { epoch_ms: *epoch_ms, iso: iso.clone(), kind }))
            }
            // An invalid date serialises as null.
            _ => Value::Null,
        }))
    }

    fn spend(&mut self, output: usize, held: usize) -> Result<(), GuestReadError> {
        self.store.as_context_mut().data_mut().spend(output, held).map_err(GuestReadError::Refused)
    }
}

fn type_error(message: &str) -> ExprError {
    ExprError::Thrown { name: "TypeError".into(), message: message.into(), stack: None }
}
