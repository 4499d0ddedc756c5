//! The functions and objects of the image that Rust calls by name.

use super::decode::Helpers;
use super::guest::{Raw, constant};
use super::state::GuestState;
use wasmtime::{Instance, Store};

macro_rules! entries {
    ($($(#[doc = $doc:literal])* $field:ident = $name:literal,)*) => {
        /// Values that live in the image, at the same address in every instance.
        #[derive(Clone, Copy)]
        pub(super) struct Entries {
            $($(#[doc = $doc])* pub(super) $field: Raw,)*
        }

        impl Entries {
            pub(super) fn new(store: &mut Store<GuestState>, instance: &Instance) -> wasmtime::Result<Self> {
                Ok(Self { $($field: Raw(constant(store, instance, concat!("entry_", $name))?),)* })
            }
        }
    };
}

entries! {
    /// `this` of expressions.
    receiver = "receiver",
    /// Sets Luxon's default zone.
    set_zone = "setZone",
    /// Puts marked values right.
    revive = "revive",
    /// An exception as `[name, message, stack, number of our error, description]`.
    describe_error = "describeError",
    describe_date = "describeDate",
    simplify = "simplify",
    object_prototype = "objectPrototype",
    /// Makes `$name` readable.
    declare_variable = "declareVariable",
    /// Says how many turns all loops of code may have.
    set_loops = "setLoops",
    /// Runs a compiled program.
    start_code = "startCode",
    /// Settles a promise that waits for the host.
    settle = "settle",
}

impl Entries {
    pub(super) fn helpers(&self) -> Helpers {
        Helpers {
            describe_date: self.describe_date,
            simplify: self.simplify,
            object_prototype: self.object_prototype,
        }
    }
}
