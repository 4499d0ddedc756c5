//! Looks a workflow over and tells what is wrong with it; never fails.

mod graph;

use model::{Code, Node, Str, Value, Workflow};
use node_api::Registry;
use std::collections::HashMap;

/// Everything `check` found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub problems: Vec<Problem>,
    pub nodes: Vec<NodeReport>,
}

/// Something that is wrong, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub severity: Severity,
    pub code: Code,
    /// A path into the document, such as `nodes[3].name`.
    pub place: Str,
    pub node: Option<Str>,
    pub message: Str,
    pub hint: Option<Str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The workflow cannot run as it is.
    Error,
    /// It runs, but probably not as meant.
    Warning,
}

/// How well one node is supported here.
#[derive(Clone, Debug)]
pub struct NodeReport {
    pub name: Str,
    pub type_name: Str,
    pub version: f64,
    pub compatibility: Compatibility,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Compatibility {
    Runs,
    Differs(Vec<Str>),
    Unsupported(Str),
}

impl Compatibility {
    pub fn kind(&self) -> &'static str {
        match self {
            Compatibility::Runs => "runs",
            Compatibility::Differs(_) => "differs",
            Compatibility::Unsupported(_) => "unsupported",
        }
    }
}

impl Report {
    /// The report of a text that is not even a workflow.
    pub fn unreadable(message: &str) -> Self {
        let problem = Problem {
            severity: Severity::Error,
            code: Code::WORKFLOW_JSON,
            place: "".into(),
            node: None,
            message: message.into(),
            hint: None,
        };
        Self { problems: vec![problem], nodes: Vec::new() }
    }
}

/// Workflows with more nodes than this are refused by whoever stores them; `check` looks at no more.
pub const MAX_NODES: usize = 10_000;

/// More problems than this are only counted.
pub const MAX_PROBLEMS: usize = 1000;

/// Tells all problems of a workflow, and how well each node is supported.
pub fn check(workflow: &Workflow, registry: &Registry) -> Report {
    let mut checker = Checker { workflow, registry, report: Report::default() };
    checker.fields();
    checker.nodes();
    checker.connections();
    checker.report
}

struct Checker<'a> {
    workflow: &'a Workflow,
    registry: &'a Registry,
    report: Report,
}

impl Checker<'_> {
    fn problem(
        &mut self,
        severity: Severity,
        code: Code,
        place: impl Into<Str>,
        node: Option<&str>,
        message: impl Into<Str>,
        hint: Option<&str>,
    ) {
        let problem =
            Problem { severity, code, place: place.into(), node: node.map(Str::from), message: message.into(), hint: hint.map(Str::from) };
        self.report.problems.push(problem);
    }

    fn expect(&mut self, place: &str, value: Option<&Value>, kinds: &[&str]) {
        if let Some(value) = value
            && !kinds.contains(&value.kind_name())
        {
            let message = format!("'{place}' is {}, but should be {}", value.kind_name(), kinds.join(" or "));
            self.problem(Severity::Error, Code::WORKFLOW_FIELD, place, None, message, None);
        }
    }

    fn fields(&mut self) {
        let doc = self.workflow.doc();
        for (key, kinds) in [
            ("nodes", &["array"][..]),
            ("connections", &["object"]),
            ("settings", &["object", "null"]),
            ("pinData", &["object", "null"]),
            ("staticData", &["object", "null", "string"]),
            ("name", &["string"]),
        ] {
            self.expect(key, doc.get(key), kinds);
        }
        if !doc.contains_key("nodes") {
            self.problem(
                Severity::Error,
                Code::WORKFLOW_JSON,
                "nodes",
                None,
                "There is no list of nodes",
                Some("A workflow is an object with `nodes` and `connections`."),
            );
        }
        let elements = doc.get("nodes").and_then(Value::as_array).unwrap_or_default();
        if elements.len() > MAX_NODES {
            let message = format!("The workflow has {} nodes; at most {MAX_NODES} are allowed", elements.len());
            self.problem(
                Severity::Error,
                Code::WORKFLOW_TOO_LARGE,
                "nodes",
                None,
                message,
                Some("Split it into workflows that call each other."),
            );
        }
        for (index, element) in elements.iter().enumerate().take(MAX_NODES) {
            self.expect(&format!("nodes[{index}]"), Some(element), &["object"]);
        }
    }

    fn nodes(&mut self) {
        let workflow = self.workflow;
        let mut names: HashMap<&str, usize> = HashMap::new();
        let mut ids: HashMap<&str, usize> = HashMap::new();
        let mut can_start = false;
        for (index, node) in workflow.nodes().enumerate().take(MAX_NODES) {
            self.node_fields(index, &node);
            let name = node.name();
            if name.is_empty() {
                self.problem(
                    Severity::Error,
                    Code::WORKFLOW_NODE_NAME,
                    format!("nodes[{index}].name"),
                    None,
                    "The node has no name",
                    Some("Connections refer to nodes by name; give it one."),
                );
            } else if let Some(first) = names.insert(name, index) {
                let message = format!("The name '{name}' is used twice, first by nodes[{first}]");
                self.problem(
                    Severity::Error,
                    Code::WORKFLOW_NODE_NAME,
                    format!("nodes[{index}].name"),
                    Some(name),
                    message,
                    Some("Rename one of them."),
                );
            }
            if let Some(id) = node.id()
                && let Some(first) = ids.insert(id, index)
            {
                let message = format!("The id '{id}' is used twice, first by nodes[{first}]");
                self.problem(Severity::Warning, Code::WORKFLOW_NODE_ID, format!("nodes[{index}].id"), Some(name), message, None);
            }
            let compatibility = self.compatibility(&node);
            can_start |= !node.is_disabled() && compatibility.kind() != "note";
            self.report.nodes.push(NodeReport {
                name: name.into(),
                type_name: node.type_name().into(),
                version: node.type_version(),
                compatibility,
            });
        }
        if !can_start && workflow.doc().get("nodes").is_some_and(Value::is_array) {
            self.problem(
                Severity::Warning,
                Code::WORKFLOW_NO_START,
                "nodes",
                None,
                "There is no node the run could start from",
                Some("Add a trigger, for example a Manual Trigger."),
            );
        }
    }

    fn node_fields(&mut self, index: usize, node: &Node<'_>) {
        for (key, kinds) in [
            ("id", &["string"][..]),
            ("name", &["string"]),
            ("type", &["string"]),
            ("typeVersion", &["number", "string"]),
            ("position", &["array", "object"]),
            ("parameters", &["object"]),
            ("credentials", &["object", "null"]),
            ("disabled", &["boolean", "null"]),
            ("onError", &["string", "null"]),
        ] {
            self.expect(&format!("nodes[{index}].{key}"), node.fields().get(key), kinds);
        }
        if node.type_name().is_empty() {
            self.problem(
                Severity::Error,
                Code::NODE_TYPE_UNKNOWN,
                format!("nodes[{index}].type"),
                Some(node.name()),
                "The node has no type",
                None,
            );
        }
    }

    fn compatibility(&mut self, node: &Node<'_>) -> Compatibility {
        let known = self.registry.of_type(node.type_name());
        match self.registry.find(node.type_name(), node.type_version()) {
            Some(found) if found.spec.differs.is_empty() => Compatibility::Runs,
            Some(found) => Compatibility::Differs(found.spec.differs.clone()),
            None if known.is_empty() => Compatibility::Unsupported("the node type is not known here".into()),
            None => {
                let versions: Vec<String> = known.iter().flat_map(|found| found.spec.versions.iter().map(f64::to_string)).collect();
                Compatibility::Unsupported(format!("known versions are {}", versions.join(", ")).into())
            }
        }
    }
}
