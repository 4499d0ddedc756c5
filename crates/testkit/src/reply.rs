//! What a model is to answer, the same for all formats.

use crate::fault::Fault;
use serde_json::Value;

/// One answer of a script.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub text: String,
    pub calls: Vec<Call>,
    /// Why it ends; by what it says if this is nothing: `stop`, `tool_calls`, `length` or
    /// `content_filter`.
    pub stop: Option<String>,
    pub usage: Usage,
    pub fault: Option<Fault>,
}

/// A tool that the model calls.
#[derive(Clone, Debug)]
pub struct Call {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

/// The tokens that the answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    Of { input: i64, output: i64 },
    Missing,
}

impl Default for Usage {
    fn default() -> Self {
        Usage::Of { input: 11, output: 7 }
    }
}

impl Reply {
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// One call of a tool.
    pub fn call(name: &str, arguments: Value) -> Self {
        Self::default().and_call(name, arguments)
    }

    /// One more call in the same answer.
    pub fn and_call(mut self, name: &str, arguments: Value) -> Self {
        let id = format!("call_{}", self.calls.len() + 1);
        self.calls.push(Call { id, name: name.to_owned(), arguments });
        self
    }

    pub fn stopped(mut self, reason: &str) -> Self {
        self.stop = Some(reason.to_owned());
        self
    }

    pub fn with_usage(mut self, input: i64, output: i64) -> Self {
        self.usage = Usage::Of { input, output };
        self
    }

    /// The same answer, but something goes wrong on the way.
    pub fn with_fault(mut self, fault: Fault) -> Self {
        match fault {
            Fault::UsageMissing => self.usage = Usage::Missing,
            Fault::UsageNegative => self.usage = Usage::Of { input: -5, output: -7 },
            _ => {}
        }
        self.fault = Some(fault);
        self
    }

    /// An answer with nothing but what goes wrong.
    pub fn fault(fault: Fault) -> Self {
        Self::text("Grüße 😀 from the mock").with_fault(fault)
    }

    pub fn stop_reason(&self) -> &str {
        match &self.stop {
            Some(reason) => reason,
            None if self.calls.is_empty() => "stop",
            None => "tool_calls",
        }
    }
}
