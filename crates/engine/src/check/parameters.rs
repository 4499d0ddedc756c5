//! Checks of what a known node type asks for: parameters that must not be empty, numbers in their
//! ranges, and credentials.

use super::escape::short;
use super::{Checker, ProblemDraft};
use model::{Code, Node, Object, Value};
use node_api::{NumberRange, Param, ParamKind};

impl Checker<'_> {
    pub(super) fn parameters(&mut self, index: usize, node: &Node<'_>) {
        let version = node.type_version();
        let Some(found) = self.registry.find(node.type_name(), version) else { return };
        let spec = found.spec.clone();
        let empty = Object::new();
        let values = spec.complete(version, node.parameters().unwrap_or(&empty));
        for param in spec.shown(version, &values) {
            let value = values.get(&param.name).unwrap_or(&Value::Undefined);
            let place = || format!("nodes[{index}].parameters.{}", param.name);
            if param.required && is_empty(param, value) {
                self.missing(node, place, param);
            }
            self.group_entries(node, place, param, value);
        }
        let required = spec.required_credentials(version, &values);
        let ranges = spec.ranges(version, &values);
        self.ranges(index, node, &ranges, &Value::object(values));
        for kind in &required {
            if self.has_credential(node, kind) {
                continue;
            }
            let finding = ProblemDraft::warning(
                Code::CREDENTIAL_MISSING,
                "Choose a credential for the node.",
            )
            .of(node.name());
            let message =
                || format!("'{}' needs a credential of type {}", short(node.name()), short(kind));
            self.problem(
                finding,
                || format!("nodes[{index}].credentials.{}", short(kind)),
                message,
            );
        }
    }

    fn has_credential(&self, node: &Node<'_>, kind: &str) -> bool {
        let types = &self.registry.credentials;
        let kind = types.canonical_id(kind);
        node.credentials().into_iter().flat_map(Object::iter).any(|(name, chosen)| {
            let id = chosen.get("id").and_then(Value::as_str);
            types.canonical_id(name) == kind && id.is_some_and(|id| !id.is_empty())
        })
    }

    /// Numbers that are written, and not in their range; what an expression gives shows in a run.
    fn ranges(&mut self, index: usize, node: &Node<'_>, ranges: &[NumberRange], values: &Value) {
        let is_refused = |range: &&NumberRange| {
            values.get_path(&range.path).is_some_and(|value| !range.allows(value))
        };
        for range in ranges.iter().filter(is_refused) {
            let finding =
                ProblemDraft::error(Code::NODE_PARAMETER, "Enter a number that the node accepts.")
                    .of(node.name());
            let message = || {
                format!("'{}' of '{}' must be {}", range.label, short(node.name()), range.words())
            };
            self.problem(finding, || format!("nodes[{index}].parameters.{}", range.path), message);
        }
    }

    /// Fields of repeated groups that are always shown; which of the others are depends on their
    /// neighbours.
    fn group_entries(
        &mut self,
        node: &Node<'_>,
        place: impl Fn() -> String,
        param: &Param,
        value: &Value,
    ) {
        let ParamKind::Groups { groups, .. } = &param.kind else { return };
        for group in groups {
            let required = group
                .params
                .iter()
                .filter(|field| field.required && field.show.is_empty() && field.hide.is_empty());
            for field in required {
                for (at, entry) in value
                    .get(&group.name)
                    .and_then(Value::as_array)
                    .unwrap_or_default()
                    .iter()
                    .enumerate()
                {
                    if entry.is_object()
                        && is_empty(field, entry.get(&field.name).unwrap_or(&Value::Undefined))
                    {
                        self.missing(
                            node,
                            || format!("{}.{}[{at}].{}", place(), group.name, field.name),
                            field,
                        );
                    }
                }
            }
        }
    }

    fn missing(&mut self, node: &Node<'_>, place: impl FnOnce() -> String, param: &Param) {
        let finding = ProblemDraft::warning(Code::NODE_PARAMETER, "Give the parameter a value.")
            .of(node.name());
        let message = || {
            format!(
                "'{}' of '{}' is empty",
                if param.label.is_empty() { &param.name } else { &param.label },
                short(node.name())
            )
        };
        self.problem(finding, place, message);
    }
}

fn is_empty(param: &Param, value: &Value) -> bool {
    match (&param.kind, value) {
        (_, Value::Undefined | Value::Null) => {
            !matches!(param.kind, ParamKind::Flag | ParamKind::Notice | ParamKind::Hidden)
        }
        (_, Value::String(text)) => text.is_empty() || text == "=",
        (ParamKind::MultiChoice { .. }, Value::Array(values)) => values.is_empty(),
        (ParamKind::Locator { .. }, Value::Object(locator)) => match locator.get("value") {
            None | Some(Value::Null | Value::Undefined) => true,
            Some(chosen) => chosen.as_str().is_some_and(str::is_empty),
        },
        _ => false,
    }
}
