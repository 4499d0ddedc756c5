//! Expressions: `={{ … }}` templates are parsed once, then evaluated by one of two evaluators with one meaning:
//! a native one for the common forms and the JavaScript sandbox for the rest. The sandbox also runs Code nodes.
//!
//! Invariant: an expression sees what its [`Scope`] gives it and nothing else: no file, network, process or clock.
//! Invariant: text that comes out of data is never parsed as an expression.
//! Invariant: both evaluators agree on every expression that the native one accepts.

mod error;
mod evaluator;
pub mod native;
pub mod sandbox;
mod scope;
mod template;

pub use error::Error;
pub use evaluator::Session;
pub use scope::{PreviousNode, Scope};
pub use template::{Part, Template};
