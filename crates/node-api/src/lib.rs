//! The contract between the engine and the nodes: what a node is ([`Node`], [`Spec`]), what it is
//! given ([`Ctx`]) and how it fails ([`NodeError`]).
//!
//! Invariant: nothing here runs a workflow or reaches the outside. A node gets the [`ports`] through
//! its [`host::Host`]. Invariant: a [`Spec`] is plain data, so one loaded from a file cannot be told
//! from one written beside its node.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod appearance;
pub mod credential;
mod credential_use;
mod ctx;
mod defaults;
mod destination;
pub mod docs;
pub mod host;
mod idempotency;
mod param;
mod port;
mod range;
mod registry;
mod spec;
mod supply;
mod tool_form;
mod tool_name;
pub mod trigger;

pub use appearance::{InitialParams, ResumeCall, ResumeKind, Standing, TriggerKind};
pub use credential::Credential;
pub use ctx::{Ctx, NodeInfo, PerItemParam, PreparedParams};
pub use destination::{Destination, DestinationForm, addresses};
pub use idempotency::{
    CredentialChoice, KEY_HEADER_HINT, KeyRule, MAX_KEY_HEADER, RequestKey, is_key_header,
};
pub use param::{Choice, DisplayRule, FieldGroup, Param, ParamKind, RuleTest};
pub use port::{Port, PortCount, PortRule};
pub use ports::{
    ErrorClass, NodeError, ai, checkpoints, collections, connect, files, hosts, http, mcp, policy,
    tables, tools, untrusted,
};
pub use range::NumberRange;
pub use registry::{
    Node, NodeEntry, NodeFuture, NodeType, Registry, SupplyFuture, run, run_and_supply, supply,
    trigger,
};
pub use spec::{
    CredentialUse, Difference, Example, NodeFlow, NodeGroup, RequiredInputs, Spec, StartCause,
};
pub use supply::{Supplied, Supplier, SupplyCtx};
pub use tool_form::ToolForm;
pub use tool_name::{tool_name, tool_name_of, unique_name};
pub use trigger::Trigger;

/// The items of each `main` output, in order. No outputs at all means that the node has nothing to
/// say in this run.
pub type Outputs = Vec<model::Items>;

/// Everything a node's file needs.
pub mod prelude {
    pub use crate::http::{HttpBody, HttpError, HttpRequest, HttpResponse};
    pub use crate::{
        Ctx, Example, FieldGroup, Node, NodeError, NodeGroup, Outputs, Param, Port, PortRule,
        RequiredInputs, ResumeCall, Spec, StartCause, TriggerKind,
    };
    pub use model::{
        Binary, Code, Item, Items, ItemsBuilder, Object, PairedItem, Pairs, Str, Value, json,
    };
    pub use serde::Deserialize;
}
