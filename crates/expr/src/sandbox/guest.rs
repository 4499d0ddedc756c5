//! The C interface of QuickJS inside one instance: calls, texts and raw values.

use super::memory::text_bytes;
use super::state::GuestState;
use std::borrow::Cow;
use wasmtime::{AsContext, AsContextMut, Instance, Memory, Store, TypedFunc};

/// A JavaScript value as QuickJS passes it: a tag in the upper half, a number or an address in the
/// lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Raw(pub(super) i64);

/// The kinds of [`Raw`] that the host tells apart. The image builder checks the tags.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RawKind {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    String,
    Object,
    Symbol,
    BigInt,
    Exception,
}

impl Raw {
    pub(super) const UNDEFINED: Raw = Raw(3 << 32);

    pub(super) fn bool(flag: bool) -> Raw {
        Raw(1 << 32 | i64::from(flag))
    }

    pub(super) fn number(number: f64) -> Raw {
        let whole = number as i32;
        if f64::from(whole) == number && (whole != 0 || number.is_sign_positive()) {
            return Raw(i64::from(whole as u32));
        }
        // Every NaN is written the one way that cannot be taken for a tag.
        let bits = if number.is_nan() { 0x7ff8_0000_0000_0000 } else { number.to_bits() };
        Raw(bits.wrapping_sub(FLOAT_OFFSET) as i64)
    }

    pub(super) fn kind(self) -> RawKind {
        match (self.0 >> 32) as i32 {
            0 => RawKind::Number(f64::from(self.0 as i32)),
            1 => RawKind::Bool(self.0 as i32 != 0),
            2 => RawKind::Null,
            3 | 4 => RawKind::Undefined,
            6 => RawKind::Exception,
            -7 | -6 => RawKind::String,
            -1 => RawKind::Object,
            -8 => RawKind::Symbol,
            -9 | 7 => RawKind::BigInt,
            -5..=-2 | 5 => RawKind::Undefined,
            _ => RawKind::Number(f64::from_bits((self.0 as u64).wrapping_add(FLOAT_OFFSET))),
        }
    }
}

const FLOAT_OFFSET: u64 = 0x7ff8_000a << 32;

macro_rules! guest_functions {
    ($($field:ident = $name:literal : $params:ty => $results:ty,)*) => {
        /// Typed handles to what an instance exports.
        pub(super) struct Guest {
            pub(super) context: i32,
            pub(super) memory: Memory,
            $(pub(super) $field: TypedFunc<$params, $results>,)*
        }

        impl Guest {
            pub(super) fn new(store: &mut Store<GuestState>, instance: &Instance) -> wasmtime::Result<Self> {
                let memory = instance.get_memory(&mut *store, "memory").ok_or_else(|| wasmtime::Error::msg("no memory"))?;
                let context = constant(store, instance, "heddle_context")? as i32;
                Ok(Self { context, memory, $($field: instance.get_typed_func(&mut *store, $name)?,)* })
            }
        }
    };
}

guest_functions! {
    malloc = "wasm_malloc": i32 => i32,
    free = "wasm_free": i32 => (),
    eval = "qjs_eval": (i32, i32, i32, i32) => i32,
    set_gc_threshold = "qjs_set_gc_threshold": i32 => (),
    set_memory_limit = "qjs_set_memory_limit": i32 => (),
    set_stack_limit = "qjs_set_max_stack_size": i32 => (),
    set_interrupts = "qjs_set_interrupt_handler": i32 => (),
    is_job_pending = "qjs_is_job_pending": () => i32,
    run_job = "qjs_execute_pending_job": () => i32,
    js_call = "JS_Call": (i32, i64, i64, i32, i32) => i64,
    js_dup = "JS_DupValue": (i32, i64) => i64,
    js_free = "JS_FreeValue": (i32, i64) => (),
    js_exception = "JS_GetException": i32 => i64,
    js_throw = "JS_Throw": (i32, i64) => i64,
    js_new_error = "JS_NewError": i32 => i64,
    js_new_string = "JS_NewStringLen": (i32, i32, i32) => i64,
    js_new_bytes = "JS_NewUint8ArrayCopy": (i32, i32, i32) => i64,
    js_parse_json = "JS_ParseJSON": (i32, i32, i32, i32) => i64,
    js_to_text = "JS_ToCStringLen2": (i32, i32, i64, i32) => i32,
    js_free_text = "JS_FreeCString": (i32, i32) => (),
    js_class = "JS_GetClassID": i64 => i32,
    js_dup_atom = "JS_DupAtom": (i32, i32) => i32,
    js_is_array = "JS_IsArray": i64 => i32,
    js_is_function = "JS_IsFunction": (i32, i64) => i32,
    js_length = "JS_GetLength": (i32, i64, i32) => i32,
    js_names = "JS_GetOwnPropertyNames": (i32, i32, i32, i64, i32) => i32,
    js_free_names = "JS_FreePropertyEnum": (i32, i32, i32) => (),
    js_get = "JS_GetProperty": (i32, i64, i32) => i64,
    js_get_at = "JS_GetPropertyUint32": (i32, i64, i32) => i64,
    js_define = "JS_DefinePropertyValueStr": (i32, i64, i32, i64, i32) => i32,
    js_prototype = "JS_GetPrototype": (i32, i64) => i64,
    js_atom_text = "JS_AtomToCStringLen": (i32, i32, i32) => i32,
    js_bytes = "JS_GetUint8Array": (i32, i32, i64) => i32,
}

/// A number that the image builder left in the module.
pub(super) fn constant(
    store: &mut Store<GuestState>,
    instance: &Instance,
    name: &str,
) -> wasmtime::Result<i64> {
    let global = instance
        .get_global(&mut *store, name)
        .ok_or_else(|| wasmtime::Error::msg(format!("the image has no {name}")))?;
    global
        .get(&mut *store)
        .i64()
        .ok_or_else(|| wasmtime::Error::msg(format!("{name} is not a number")))
}

impl Guest {
    /// Copies bytes into the guest with a zero behind them. The caller frees the address.
    pub(super) fn write(
        &self,
        mut store: impl AsContextMut<Data = GuestState>,
        bytes: &[u8],
    ) -> wasmtime::Result<i32> {
        let len = i32::try_from(bytes.len())
            .ok()
            .and_then(|len| len.checked_add(1))
            .ok_or_else(out_of_memory)?;
        let pointer = self.malloc.call(&mut store, len)?;
        if pointer == 0 {
            return Err(out_of_memory());
        }
        self.memory.write(&mut store, pointer as u32 as usize, bytes)?;
        self.memory.write(&mut store, pointer as u32 as usize + bytes.len(), &[0])?;
        Ok(pointer)
    }

    pub(super) fn read_u32(
        &self,
        store: impl AsContext<Data = GuestState>,
        at: i32,
    ) -> wasmtime::Result<u32> {
        let mut bytes = [0; 4];
        self.memory.read(&store, at as u32 as usize, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub(super) fn read_raw(
        &self,
        store: impl AsContext<Data = GuestState>,
        at: i32,
    ) -> wasmtime::Result<Raw> {
        let mut bytes = [0; 8];
        self.memory.read(&store, at as u32 as usize, &mut bytes)?;
        Ok(Raw(i64::from_le_bytes(bytes)))
    }

    /// Puts a value where QuickJS expects the result of a host function.
    pub(super) fn boxed(
        &self,
        mut store: impl AsContextMut<Data = GuestState>,
        value: Raw,
    ) -> wasmtime::Result<i32> {
        let pointer = self.malloc.call(&mut store, 8)?;
        if pointer == 0 {
            return Err(out_of_memory());
        }
        self.memory.write(&mut store, pointer as u32 as usize, &value.0.to_le_bytes())?;
        Ok(pointer)
    }

    pub(super) fn string(
        &self,
        mut store: impl AsContextMut<Data = GuestState>,
        text: &str,
    ) -> wasmtime::Result<Raw> {
        let pointer = self.write(&mut store, text.as_bytes())?;
        let value =
            self.js_new_string.call(&mut store, (self.context, pointer, text.len() as i32))?;
        self.free.call(&mut store, pointer)?;
        Ok(Raw(value))
    }

    pub(super) fn bytes(
        &self,
        mut store: impl AsContextMut<Data = GuestState>,
        bytes: &[u8],
    ) -> wasmtime::Result<Raw> {
        let pointer = self.write(&mut store, bytes)?;
        let value =
            self.js_new_bytes.call(&mut store, (self.context, pointer, bytes.len() as i32))?;
        self.free.call(&mut store, pointer)?;
        Ok(Raw(value))
    }

    pub(super) fn parse_json(
        &self,
        mut store: impl AsContextMut<Data = GuestState>,
        text: &str,
    ) -> wasmtime::Result<Raw> {
        let pointer = self.write(&mut store, text.as_bytes())?;
        // QuickJS wants a file name; the zero behind the text serves as an empty one.
        let value = self.js_parse_json.call(
            &mut store,
            (self.context, pointer, text.len() as i32, pointer + text.len() as i32),
        )?;
        self.free.call(&mut store, pointer)?;
        Ok(Raw(value))
    }

    /// The text of a string value, which the instance pays for. Half surrogate pairs, which Rust
    /// has no place for, become U+FFFD.
    pub(super) fn text<T: for<'t> From<Cow<'t, str>>>(
        &self,
        mut store: impl AsContextMut<Data = GuestState>,
        value: Raw,
    ) -> wasmtime::Result<T> {
        let scratch = store.as_context().data().scratch;
        let pointer = self.js_to_text.call(&mut store, (self.context, scratch, value.0, 0))?;
        if pointer == 0 {
            return Err(out_of_memory());
        }
        let len = self.read_u32(&store, scratch)? as usize;
        store.as_context_mut().data_mut().reserve(text_bytes(len))?;
        let text =
            self.slice(&store, pointer, len).map(|bytes| String::from_utf8_lossy(bytes).into());
        self.js_free_text.call(&mut store, (self.context, pointer))?;
        text
    }

    pub(super) fn slice<'a>(
        &self,
        store: &'a impl AsContext<Data = GuestState>,
        at: i32,
        len: usize,
    ) -> wasmtime::Result<&'a [u8]> {
        let start = at as u32 as usize;
        self.memory
            .data(store)
            .get(start..start.saturating_add(len))
            .ok_or_else(|| wasmtime::Error::msg("an address outside the guest"))
    }

    pub(super) fn drop_value(
        &self,
        mut store: impl AsContextMut<Data = GuestState>,
        value: Raw,
    ) -> wasmtime::Result<()> {
        if matches!(
            value.kind(),
            RawKind::String | RawKind::Object | RawKind::Symbol | RawKind::BigInt
        ) {
            self.js_free.call(&mut store, (self.context, value.0))?;
        }
        Ok(())
    }

    /// Calls a function with up to four arguments, which the caller keeps.
    pub(super) fn call(
        &self,
        mut store: impl AsContextMut<Data = GuestState>,
        function: Raw,
        receiver: Raw,
        arguments: &[Raw],
    ) -> wasmtime::Result<Raw> {
        let place = store.as_context().data().scratch + 16;
        for (position, argument) in arguments.iter().take(4).enumerate() {
            self.memory.write(
                &mut store,
                place as u32 as usize + position * 8,
                &argument.0.to_le_bytes(),
            )?;
        }
        let arguments =
            (self.context, function.0, receiver.0, arguments.len().min(4) as i32, place);
        Ok(Raw(self.js_call.call(&mut store, arguments)?))
    }
}

/// Stands for an allocation that the guest refused.
pub(super) fn out_of_memory() -> wasmtime::Error {
    wasmtime::Error::new(OutOfGuestMemory)
}

#[derive(Debug, thiserror::Error)]
#[error("the guest has no memory left")]
pub(super) struct OutOfGuestMemory;
