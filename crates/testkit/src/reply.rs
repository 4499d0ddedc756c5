//! What a model is to answer, the same for all formats.

use crate::fault::NetFault;
use serde_json::Value;

/// One answer of a script.
#[derive(Clone, Debug, Default)]
pub struct ScriptedReply {
    pub text: String,
    pub calls: Vec<ScriptedCall>,
    /// Why it ends; by what it says if this is nothing: `stop`, `tool_calls`, `length` or
    /// `content_filter`.
    pub stop: Option<String>,
    pub usage: ScriptedUsage,
    pub fault: Option<NetFault>,
}

/// A tool that the model calls.
#[derive(Clone, Debug)]
pub struct ScriptedCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

/// The tokens that the answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptedUsage {
    Of { input: i64, output: i64 },
    Missing,
}

impl Default for ScriptedUsage {
    fn default() -> Self {
        ScriptedUsage::Of { input: 11, output: 7 }
    }
}

impl ScriptedReply {
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
        self.calls.push(ScriptedCall { id, name: name.to_owned(), arguments });
        self
    }

    pub fn stopped(mut self, reason: &str) -> Self {
        self.stop = Some(reason.to_owned());
        self
    }

    pub fn with_usage(mut self, input: i64, output: i64) -> Self {
        self.usage = ScriptedUsage::Of { input, output };
        self
    }

    /// The same answer, but something goes wrong on the way.
    pub fn with_fault(mut self, fault: NetFault) -> Self {
        match fault {
            NetFault::UsageMissing => self.usage = ScriptedUsage::Missing,
            NetFault::UsageNegative => self.usage = ScriptedUsage::Of { input: -5, output: -7 },
            _ => {}
        }
        self.fault = Some(fault);
        self
    }

    /// An answer with nothing but what goes wrong.
    pub fn fault(fault: NetFault) -> Self {
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
