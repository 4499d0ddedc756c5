//! Patterns, each compiled once: ours for as long as the process runs, those of the author for one
//! run of the node.

use formats::ticker::LoopTicker;
use node_api::prelude::*;
use regex::Regex;
use std::collections::HashMap;
use std::sync::OnceLock;

/// What may be found in one text. Each finding is shown with its text, so that many of them take
/// far more room than the text itself.
pub(super) const MAX_FINDINGS: usize = 250_000;

/// Patterns of the author that are kept for the next item.
const MAX_CACHED: usize = 256;

/// Patterns of the author, and words as patterns.
#[derive(Default)]
pub(super) struct PatternCache(HashMap<String, Regex>);

impl PatternCache {
    /// A pattern under a name that an error tells.
    pub(super) fn get(&mut self, name: &str, written: &str) -> Result<&Regex, NodeError> {
        if !self.0.contains_key(written) {
            if self.0.len() >= MAX_CACHED {
                self.0.clear();
            }
            self.0.insert(written.to_owned(), compile(name, written)?);
        }
        self.0
            .get(written)
            .ok_or_else(|| NodeError::failed(format!("The pattern '{name}' is missing")))
    }
}

/// A pattern of ours, which is compiled when it is first needed.
pub(super) struct StaticPattern(OnceLock<Regex>);

impl StaticPattern {
    pub(super) const fn new() -> Self {
        Self(OnceLock::new())
    }

    pub(super) fn get(
        &self,
        name: &str,
        written: impl FnOnce() -> String,
    ) -> Result<&Regex, NodeError> {
        if let Some(compiled) = self.0.get() {
            return Ok(compiled);
        }
        let made = compile(name, &written())?;
        Ok(self.0.get_or_init(|| made))
    }
}

/// A broken pattern is told.
fn compile(name: &str, written: &str) -> Result<Regex, NodeError> {
    regex::RegexBuilder::new(written).size_limit(1 << 20).build().map_err(|error| {
        NodeError::parameter("guardrails", format!("The pattern '{name}' is not valid"))
            .describe(error.to_string())
            .hint("Use a regular expression without look-around and backreferences.")
    })
}

/// Counts what is found in one text, and lets others have their turn meanwhile.
#[derive(Default)]
pub(super) struct FindingCounter {
    count: usize,
    ticker: LoopTicker,
}

impl FindingCounter {
    pub(super) fn add(&mut self) -> Result<(), NodeError> {
        self.count += 1;
        if self.count > MAX_FINDINGS {
            return Err(NodeError::input(format!(
                "More than {MAX_FINDINGS} matches were found in the text"
            ))
            .hint("Split the text into shorter ones, or run fewer checks."));
        }
        self.ticker.tick()
    }
}
