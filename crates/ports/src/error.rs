//! How a node fails: a coded error in words for the author of the workflow.

use model::{Code, ItemError, Object, RunError, Str, Value};

/// An error of a node. Small to pass around; the details are boxed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub struct NodeError(Box<Details>);

#[derive(Clone, Debug)]
struct Details {
    code: Code,
    class: ErrorClass,
    message: Str,
    description: Option<Str>,
    hint: Option<Str>,
    item: Option<usize>,
    context: Object,
    result: Object,
}

/// n8n's class of the error, which some workflows look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    Operation,
    Api,
    Expression,
    Plain,
}

/// Names of fields are parameters, wherever they come from.
impl From<model::PathError> for NodeError {
    fn from(error: model::PathError) -> Self {
        Self::new(Code::NODE_PARAMETER, format!("The field name is not a valid path: {error}"))
    }
}

impl NodeError {
    pub fn new(code: Code, message: impl Into<Str>) -> Self {
        let details = Details {
            code,
            class: ErrorClass::Operation,
            message: message.into(),
            description: None,
            hint: None,
            item: None,
            context: Object::new(),
            result: Object::new(),
        };
        Self(Box::new(details))
    }

    /// A parameter is missing or cannot be used.
    pub fn parameter(name: &str, message: impl Into<Str>) -> Self {
        Self::new(Code::NODE_PARAMETER, message).with("parameter", name)
    }

    /// The items are not what the node needs.
    pub fn input(message: impl Into<Str>) -> Self {
        Self::new(Code::NODE_INPUT, message)
    }

    /// The node's own work failed.
    pub fn failed(message: impl Into<Str>) -> Self {
        Self::new(Code::NODE_FAILED, message)
    }

    /// A credential is missing or incomplete.
    pub fn credential(message: impl Into<Str>) -> Self {
        Self::new(Code::NODE_CREDENTIAL, message)
    }

    /// No credential of a type is chosen in the node.
    pub fn no_credential(kind: &str) -> Self {
        Self::new(
            Code::CREDENTIAL_MISSING,
            format!("No credential of type '{kind}' is selected for this node"),
        )
        .hint("Open the node and choose a credential.")
        .with("credentialType", kind)
    }

    /// A node of a workflow that comes as text names a credential that it may not use.
    pub fn credential_withheld(kind: &str, name: &str) -> Self {
        let shown: String = name.chars().take(100).collect();
        let message = format!(
            "The credential '{shown}' of type '{kind}' may not be used here: it was not \
                 selected for this inline workflow"
        );
        Self::new(Code::CREDENTIAL_MISSING, message)
            .hint(
                "Store this workflow, choose the credential in its node and call it by its ID. \
                     An inline workflow in a parameter may also use credentials of its caller's \
                     nodes with the same ID, name and type. A workflow from a file or URL may use \
                     none.",
            )
            .with("credentialType", kind)
    }

    /// A node names a credential that is not here, or that its workflow may not use.
    pub fn credential_not_found(kind: &str, id: &str) -> Self {
        let shown: String = id.chars().take(100).collect();
        Self::new(
            Code::CREDENTIAL_MISSING,
            format!("Credential '{shown}' of type '{kind}' does not exist"),
        )
        .hint("Open the node and choose a credential of this project.")
        .with("credentialType", kind)
    }

    /// The step, or its run, used more CPU time than it may.
    pub fn cpu_time(limit_ms: u128) -> Self {
        Self::new(
            Code::RUN_CPU_TIME,
            format!("The step or its run exceeded the CPU time limit of {limit_ms} ms"),
        )
        .hint(
            "Process fewer items at a time, or ask the operator to raise HEDDLE_STEP_CPU_TIME \
                 and HEDDLE_RUN_CPU_TIME.",
        )
    }

    /// Somebody stopped the run.
    pub fn cancelled() -> Self {
        Self::new(Code::RUN_CANCELLED, "The run was cancelled")
    }

    /// The operator has not allowed it.
    pub fn disallowed(message: impl Into<Str>) -> Self {
        Self::new(Code::NODE_DISALLOWED, message)
    }

    /// Another service answered with an error status.
    pub fn api(status: u16, message: impl Into<Str>) -> Self {
        Self::new(Code::UPSTREAM_STATUS, message)
            .class(ErrorClass::Api)
            .with("httpCode", Str::from(status.to_string()))
    }

    pub fn class(mut self, class: ErrorClass) -> Self {
        self.0.class = class;
        self
    }

    /// A second, longer sentence that n8n shows under the message.
    pub fn describe(mut self, description: impl Into<Str>) -> Self {
        self.0.description = Some(description.into());
        self
    }

    /// What to do about it.
    pub fn hint(mut self, hint: impl Into<Str>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The input item it happened on; the first one told stays.
    pub fn on_item(mut self, item: usize) -> Self {
        self.0.item.get_or_insert(item);
        self
    }

    /// A further field for the record.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.context.insert(key, value);
        self
    }

    /// What there was of a result when it failed. It is on record, and an item that stands for the
    /// failure carries it.
    pub fn with_result(mut self, key: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.0.result.insert(key, value.clone());
        self.with(key, value)
    }

    /// The same error in other words.
    pub fn reword(mut self, message: impl Into<Str>) -> Self {
        self.0.message = message.into();
        self
    }

    pub fn code(&self) -> Code {
        self.0.code
    }

    pub fn message(&self) -> &Str {
        &self.0.message
    }

    pub fn description(&self) -> Option<&Str> {
        self.0.description.as_ref()
    }

    pub fn item(&self) -> Option<usize> {
        self.0.item
    }

    pub fn context(&self) -> &Object {
        &self.0.context
    }

    /// What there was of a result.
    pub fn result(&self) -> &Object {
        &self.0.result
    }

    /// Whether another try would fail as well: what is used up is not there then either, and what
    /// may have happened is not to happen again.
    pub fn is_final(&self) -> bool {
        matches!(
            self.code(),
            Code::AGENT_LIMIT
                | Code::AGENT_OUTWARD
                | Code::BUDGET_REACHED
                | Code::RUN_UNCERTAIN
                | Code::RUN_CPU_TIME
                | Code::RUN_PANICKED
        )
    }

    /// The error of an item that stands for the failure.
    pub fn to_item_error(&self) -> ItemError {
        ItemError {
            message: self.message().clone(),
            description: self.description().cloned(),
            is_final: self.is_final(),
        }
    }

    /// The record of the error for a node of this name.
    pub fn to_run_error(&self, node: &str) -> RunError {
        let Details { code, class, message, description, hint, item, context, result: _ } =
            (*self.0).clone();
        RunError {
            code,
            message,
            description,
            hint,
            name: class.name().into(),
            node: Some(node.into()),
            item,
            context,
        }
    }
}

impl ErrorClass {
    pub fn name(self) -> &'static str {
        match self {
            ErrorClass::Operation => "NodeOperationError",
            ErrorClass::Api => "NodeApiError",
            ErrorClass::Expression => "ExpressionError",
            ErrorClass::Plain => "Error",
        }
    }
}
