//! Checks of each node by itself: names, ids, fields, and how well its type is supported.

use super::escape::{is_deceptive, short};
use super::{Checker, Compatibility, MAX_NODES, NodeReport, ProblemDraft};
use model::workflow::NODE_FIELDS;
use model::{Code, Node, Object, Str, Value};
use node_api::KEY_HEADER_HINT;
use std::collections::HashMap;

impl Checker<'_> {
    pub(super) fn nodes(&mut self) {
        let workflow = self.workflow;
        let mut names: HashMap<&str, usize> = HashMap::new();
        let mut ids: HashMap<&str, usize> = HashMap::new();
        for (index, node) in workflow.indexed_nodes().take(MAX_NODES) {
            self.node_fields(index, &node);
            let name = node.name();
            let name_place = || format!("nodes[{index}].name");
            if name.is_empty() {
                let finding = ProblemDraft::error(
                    Code::WORKFLOW_NODE_NAME,
                    "Give the node a name; connections refer to nodes by name.",
                );
                self.problem(finding, name_place, || "The node has no name".into());
            } else if let Some(first) = names.get(name).copied() {
                let finding =
                    ProblemDraft::error(Code::WORKFLOW_NODE_NAME, "Rename one of them.").of(name);
                self.problem(finding, name_place, || {
                    format!("The name '{}' is used twice, first by nodes[{first}]", short(name))
                });
            } else {
                names.insert(name, index);
            }
            if name.chars().any(is_deceptive) {
                let finding = ProblemDraft::warning(
                    Code::WORKFLOW_NODE_NAME,
                    "Rename the node; such a name can be mistaken for another.",
                )
                .of(name);
                self.problem(finding, name_place, || {
                    format!("The name '{}' contains invisible characters", short(name))
                });
            }
            if let Some(id) = node.id() {
                if let Some(first) = ids.get(id).copied() {
                    let finding =
                        ProblemDraft::warning(Code::WORKFLOW_NODE_ID, "Change one of the IDs.")
                            .of(name);
                    let message =
                        || format!("The ID '{}' is used twice, first by nodes[{first}]", short(id));
                    self.problem(finding, || format!("nodes[{index}].id"), message);
                } else {
                    ids.insert(id, index);
                }
            }
            if !node.is_disabled() {
                self.parameters(index, &node);
                self.expressions(index, &node);
                self.key_header(index, &node);
                self.arguments_not_asked_for(index, &node);
            }
            let compatibility = self.compatibility(&node);
            self.support(index, &node, &compatibility);
            let (name, type_name) = (name.into(), node.type_name().into());
            self.report.nodes.push(NodeReport {
                name,
                type_name,
                version: node.type_version(),
                compatibility,
            });
        }
    }

    fn node_fields(&mut self, index: usize, node: &Node<'_>) {
        let name = node.name();
        let field = |hint| ProblemDraft::error(Code::WORKFLOW_FIELD, hint).of(name);
        self.field_types(NODE_FIELDS, node.fields(), &format!("nodes[{index}]."), || {
            field("The field is ignored.")
        });
        if node.type_name().is_empty() {
            let finding = ProblemDraft::error(
                Code::NODE_TYPE_UNKNOWN,
                "Give the node a type, such as `n8n-nodes-base.set`.",
            )
            .of(name);
            self.problem(
                finding,
                || format!("nodes[{index}].type"),
                || "The node has no type".into(),
            );
        }
        if let Some(Value::String(version)) = node.fields().get("typeVersion")
            && version.parse::<f64>().is_err()
        {
            let message = || format!("'{}' is not a valid version", short(version));
            self.problem(
                field("The version must be a number, such as 1 or 3.4."),
                || format!("nodes[{index}].typeVersion"),
                message,
            );
        }
        if let Some(on_error) = node.fields().get("onError").and_then(Value::as_str)
            && !matches!(on_error, "stopWorkflow" | "continueRegularOutput" | "continueErrorOutput")
        {
            let finding = field("Use stopWorkflow, continueRegularOutput or continueErrorOutput.");
            self.problem(
                finding,
                || format!("nodes[{index}].onError"),
                || format!("'{}' is not a valid error setting", short(on_error)),
            );
        }
        if let Some(position) = node.fields().get("position").and_then(Value::as_array)
            && !matches!(position, [Value::Number(_), Value::Number(_)])
        {
            let finding =
                ProblemDraft::warning(Code::WORKFLOW_FIELD, "The node is drawn at [0, 0].")
                    .of(name);
            self.problem(
                finding,
                || format!("nodes[{index}].position"),
                || "A position must be two numbers".into(),
            );
        }
        for (kind, credential) in node.credentials().into_iter().flat_map(model::Object::iter) {
            if !matches!(credential, Value::Object(_) | Value::String(_) | Value::Null) {
                let finding = field("A credential must be { id, name }.");
                self.wrong_type(
                    finding,
                    || format!("nodes[{index}].credentials.{}", short(kind)),
                    credential,
                    &["object"],
                );
            }
        }
    }

    /// A key that goes into no header is not sent, and the author relies on it.
    fn key_header(&mut self, index: usize, node: &Node<'_>) {
        let found = self.registry.find(node.type_name(), node.type_version()).cloned();
        let Some(rule) = found.as_ref().and_then(|found| found.spec.sends_key.as_ref()) else {
            return;
        };
        let params = node.fields().get("parameters").cloned().unwrap_or_default();
        if let Some(header) = rule.unusable_header(&params) {
            let finding =
                ProblemDraft::error(Code::NODE_PARAMETER, KEY_HEADER_HINT).of(node.name());
            self.problem(
                finding,
                || format!("nodes[{index}].parameters.{}", rule.header),
                || format!("'{}' cannot be the idempotency key header", short(header)),
            );
        }
    }

    /// A type that is not supported stops a run, unless pinned data takes its place.
    fn support(&mut self, index: usize, node: &Node<'_>, compatibility: &Compatibility) {
        let Compatibility::Unsupported(why) = compatibility else { return };
        let (name, type_name) = (node.name(), node.type_name());
        if node.is_disabled() || type_name.is_empty() {
            return;
        }
        let code = match self.registry.of_type(type_name).is_empty() {
            true => Code::NODE_TYPE_UNKNOWN,
            false => Code::NODE_VERSION_UNKNOWN,
        };
        let hint = "Replace the node, disable it, or pin data to it.";
        let finding = match self.workflow.pin_data(name).is_some() {
            true => ProblemDraft::warning(code, hint),
            false => ProblemDraft::error(code, hint),
        };
        let message = || match code {
            Code::NODE_TYPE_UNKNOWN => {
                format!(
                    "'{}' has the type {}, which is not supported",
                    short(name),
                    short(type_name)
                )
            }
            _ => format!(
                "'{}' has version {} of {}, which is not supported; {why}",
                short(name),
                node.type_version(),
                short(type_name)
            ),
        };
        self.problem(finding.of(name), || format!("nodes[{index}].type"), message);
    }

    fn compatibility(&self, node: &Node<'_>) -> Compatibility {
        let known = self.registry.of_type(node.type_name());
        match self.registry.find(node.type_name(), node.type_version()) {
            Some(found) => {
                let empty = Object::new();
                let given = node.parameters().unwrap_or(&empty);
                match found.spec.differences(node.type_version(), given).as_slice() {
                    [] => Compatibility::Runs,
                    some => {
                        Compatibility::Differs(some.iter().map(|how| Str::from(*how)).collect())
                    }
                }
            }
            None if known.is_empty() => Compatibility::Unsupported("unknown node type".into()),
            None => {
                let versions: Vec<String> = known
                    .iter()
                    .flat_map(|found| found.spec.versions.iter().map(f64::to_string))
                    .collect();
                Compatibility::Unsupported(
                    format!("known versions are {}", versions.join(", ")).into(),
                )
            }
        }
    }
}
