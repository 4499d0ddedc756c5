//! Models that run on this machine with no key: an embedding model that is as good as its published
//! reference, and a small demo model.
//!
//! Invariant: no network. Weights are files in one folder, put there by [`registry`], each checked by
//! its sum before it is used. Invariant: nothing is loaded before somebody asks for it, and what is
//! loaded is shared by the whole process. Invariant: arithmetic runs on threads for blocking work,
//! in pieces; whoever waits can stop waiting between two of them.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod bert;
mod decode;
mod demo;
mod embedder;
mod error;
mod library;
mod llama;
mod math;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the weights of models are files"
)]
pub mod registry;
mod tokenizers;
mod weights;

pub use demo::LABEL;
pub use error::LocalError;
pub use library::Library;
