//! File and text formats: Markdown, HTML, XML, dates, spreadsheets, calendars, PDF, archives, API
//! descriptions, tool manifests.
//!
//! Invariant: nothing here knows a workflow, a file system or the network: bytes and values in,
//! values and bytes out. What could take long ticks ([`ticker`]), and every reader has limits.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

// The fuzzer's properties name the crate from outside.
#[cfg(test)]
extern crate self as formats;

pub mod calendar;
pub mod dates;
pub mod encoding;
pub mod html;
pub mod js_regex;
pub mod markdown;
pub mod names;
pub mod openapi;
pub mod pdf;
pub mod sensitive;
pub mod sheet;
pub mod ticker;
pub mod tools;
pub mod unpack;
pub mod xml;
