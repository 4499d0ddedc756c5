//! Knowledge from end to end: files go into collections and vector stores, agents and chains find
//! what they need there.

mod collections;
mod harness;
mod pgvector;
mod stores;
