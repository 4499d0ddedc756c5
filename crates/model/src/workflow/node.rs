//! A view on one node of a workflow document.

use crate::{Object, Value};

/// A node as it stands in the document. Fields of the wrong type read as if they were missing.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    fields: &'a Object,
}

/// What happens when a node fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnError {
    #[default]
    Stop,
    /// Go on along the regular output; the item carries the error.
    ContinueRegular,
    /// Failed items leave by an extra last output.
    ContinueError,
}

impl<'a> Node<'a> {
    /// A node as a document has it.
    pub fn new(fields: &'a Object) -> Self {
        Self { fields }
    }

    pub fn fields(&self) -> &'a Object {
        self.fields
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.fields.get(key).and_then(Value::as_str)
    }

    fn flag(&self, key: &str) -> bool {
        self.fields.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    pub fn id(&self) -> Option<&'a str> {
        self.text("id")
    }

    pub fn name(&self) -> &'a str {
        self.text("name").unwrap_or_default()
    }

    /// The node's type, such as `n8n-nodes-base.set`.
    pub fn type_name(&self) -> &'a str {
        self.text("type").unwrap_or_default()
    }

    pub fn type_version(&self) -> f64 {
        match self.fields.get("typeVersion") {
            Some(Value::Number(version)) => *version,
            Some(Value::String(text)) => text.parse().unwrap_or(1.0),
            _ => 1.0,
        }
    }

    pub fn parameters(&self) -> Option<&'a Object> {
        self.fields.get("parameters")?.as_object()
    }

    pub fn parameter(&self, key: &str) -> Option<&'a Value> {
        self.parameters()?.get(key)
    }

    pub fn credentials(&self) -> Option<&'a Object> {
        self.fields.get("credentials")?.as_object()
    }

    pub fn position(&self) -> (f64, f64) {
        let at = |index| {
            self.fields
                .get("position")
                .and_then(|position| position.at(index))
                .and_then(Value::as_f64)
                .unwrap_or(0.0)
        };
        (at(0), at(1))
    }

    pub fn is_disabled(&self) -> bool {
        self.flag("disabled")
    }

    pub fn executes_once(&self) -> bool {
        self.flag("executeOnce")
    }

    pub fn always_outputs_data(&self) -> bool {
        self.flag("alwaysOutputData")
    }

    /// Whether its author says that running it twice does no harm. This is a field of ours; n8n
    /// keeps it and does not look at it.
    pub fn is_safe_to_repeat(&self) -> bool {
        self.flag("safeToRepeat")
    }

    pub fn retries_on_fail(&self) -> bool {
        self.flag("retryOnFail")
    }

    /// How often a failing node is tried in all, between 2 and 5.
    pub fn max_tries(&self) -> u32 {
        self.fields
            .get("maxTries")
            .and_then(Value::as_f64)
            .map_or(3, |tries| tries as u32)
            .clamp(2, 5)
    }

    /// The pause between two tries in milliseconds, at most 5 seconds.
    pub fn wait_between_tries_ms(&self) -> u64 {
        self.fields
            .get("waitBetweenTries")
            .and_then(Value::as_f64)
            .map_or(1000, |wait| wait as u64)
            .min(5000)
    }

    pub fn on_error(&self) -> OnError {
        match self.text("onError") {
            Some("continueRegularOutput") => OnError::ContinueRegular,
            Some("continueErrorOutput") => OnError::ContinueError,
            Some("stopWorkflow") => OnError::Stop,
            _ if self.flag("continueOnFail") => OnError::ContinueRegular,
            _ => OnError::Stop,
        }
    }
}
