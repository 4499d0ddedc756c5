//! The fields of a workflow that we know, and which types of value they may hold.

use crate::Value;

/// A field and the names of the types it may have ([`Value::kind_name`]).
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    pub name: &'static str,
    pub kinds: &'static [&'static str],
}

impl FieldSpec {
    pub fn accepts(&self, value: &Value) -> bool {
        self.kinds.contains(&value.kind_name())
    }
}

macro_rules! fields {
    ($($name:literal: $($kind:literal)|+,)*) => { &[$(FieldSpec { name: $name, kinds: &[$($kind),+] },)*] };
}

pub const WORKFLOW_FIELDS: &[FieldSpec] = fields! {
    "id": "string" | "number" | "null",
    "name": "string",
    "active": "boolean" | "null",
    "nodes": "array",
    "connections": "object",
    "settings": "object" | "null",
    "pinData": "object" | "null",
    "staticData": "object" | "string" | "null",
    "meta": "object" | "null",
    "tags": "array" | "null",
};

/// Settings that a run looks at.
pub const SETTING_FIELDS: &[FieldSpec] = fields! {
    "executionOrder": "string" | "null",
    "timezone": "string" | "null",
    "errorWorkflow": "string" | "null",
    "executionTimeout": "number" | "null",
    "callerPolicy": "string" | "null",
    "budget": "object" | "null",
};

pub const NODE_FIELDS: &[FieldSpec] = fields! {
    "id": "string",
    "name": "string",
    "type": "string",
    "typeVersion": "number" | "string",
    "position": "array" | "object",
    "parameters": "object",
    "credentials": "object" | "null",
    "disabled": "boolean" | "null",
    "onError": "string" | "null",
    "continueOnFail": "boolean" | "null",
    "retryOnFail": "boolean" | "null",
    "maxTries": "number" | "null",
    "waitBetweenTries": "number" | "null",
    "executeOnce": "boolean" | "null",
    "alwaysOutputData": "boolean" | "null",
    "safeToRepeat": "boolean" | "null",
    "notes": "string" | "null",
    "notesInFlow": "boolean" | "null",
    "webhookId": "string" | "null",
};
