//! Expressions: `={{ … }}` templates are parsed once, then evaluated by one of two evaluators with
//! one meaning: a native one for the common forms and the JavaScript sandbox for the rest. The
//! sandbox also runs Code nodes.
//!
//! Invariant: an expression sees what its [`Scope`] gives it and nothing else: no file, network,
//! process or clock. Invariant: text that comes out of data is never parsed as an expression.
//! Invariant: both evaluators agree on every expression that the native one accepts.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod date_text;
mod error;
mod evaluator;
mod from_ai;
pub mod host_functions;
pub mod native;
pub mod sandbox;
mod scope;
mod template;
pub mod testing;

pub use error::ExprError;
pub use evaluator::{EvalRoute, Evaluator};
pub use from_ai::{FromAiCall, FromAiKind, extract_from_ai_calls, is_from_ai_only_expression};
pub use model::rename::{is_plain_name, rename_in_expression};
pub use scope::{PreviousNode, Scope};
pub use template::{Template, TemplatePart, TemplateSegment, is_expression, split, strict_form};
