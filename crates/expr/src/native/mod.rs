//! The native evaluator: the common forms of expressions without leaving Rust.
