//! The stack of the thread that JavaScript runs on.
//!
//! An expression may ask for something that is an expression again, in an instance of its own. All
//! of them share one stack, so it is measured from where the first one began.

use crate::ExprError;
use std::cell::Cell;

/// How far the stack may have grown when the guest calls the host. What is left must do for the
/// host's own work: threads of tokio and of tests have two megabytes.
const BEFORE_HOST_BYTES: usize = 768 << 10;

/// The same when a guest is entered: beyond it WebAssembly may take a megabyte.
const BEFORE_GUEST_BYTES: usize = 512 << 10;

thread_local! {
    static BASE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A guest runs on this thread as long as this is held.
pub(super) struct StackGuard {
    pub(super) base: usize,
    is_first: bool,
}

impl StackGuard {
    pub(super) fn now() -> Result<Self, ExprError> {
        match BASE.get() {
            Some(base) if used_since(base) > BEFORE_GUEST_BYTES => Err(ExprError::Stack),
            Some(base) => Ok(Self { base, is_first: false }),
            None => {
                let base = address();
                BASE.set(Some(base));
                Ok(Self { base, is_first: true })
            }
        }
    }
}

impl Drop for StackGuard {
    fn drop(&mut self) {
        if self.is_first {
            BASE.set(None);
        }
    }
}

pub(super) fn is_too_deep_for_host(base: usize) -> bool {
    used_since(base) > BEFORE_HOST_BYTES
}

fn used_since(base: usize) -> usize {
    base.saturating_sub(address())
}

/// Roughly where the stack of this thread is now.
#[inline(never)]
fn address() -> usize {
    let marker = 0_u8;
    std::ptr::addr_of!(marker) as usize
}
