//! Looks a workflow over and tells what is wrong with it; never fails.

mod escape;
mod expressions;
mod fields;
mod from_ai;
mod graph;
mod nodes;
mod parameters;
mod ports;
mod reachability;

use escape::short;
use model::{Code, Str, Workflow};
use node_api::Registry;

/// Everything `check` found.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    pub problems: Vec<CheckProblem>,
    pub nodes: Vec<NodeReport>,
}

/// Something that is wrong, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckProblem {
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

impl CheckReport {
    /// The report of a text that is not even a workflow.
    pub fn unreadable(message: &str) -> Self {
        let problem = CheckProblem {
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

/// Workflows with more nodes than this are refused by whoever stores them; `check` looks at no
/// more.
pub const MAX_NODES: usize = 10_000;

/// More problems than this are only counted.
pub const MAX_PROBLEMS: usize = 1000;

/// Tells all problems of a workflow, and how well each node is supported. Looks at everything once:
/// the time it takes grows with the document and with nothing else.
pub fn check(workflow: &Workflow, registry: &Registry) -> CheckReport {
    let mut checker = Checker {
        workflow,
        registry,
        report: CheckReport::default(),
        unlisted: 0,
        unlisted_error: false,
        session: expr::Evaluator::default(),
        compiled: 0,
    };
    checker.fields();
    checker.nodes();
    let ports = checker.connections();
    checker.reach(&ports);
    checker.finish()
}

struct Checker<'a> {
    workflow: &'a Workflow,
    registry: &'a Registry,
    report: CheckReport,
    /// How many problems came after the first [`MAX_PROBLEMS`].
    unlisted: usize,
    unlisted_error: bool,
    session: expr::Evaluator,
    /// How many expressions the sandbox has looked at.
    compiled: usize,
}

/// What is wrong, before it is written down: texts are only made for problems that are listed.
struct ProblemDraft<'a> {
    severity: Severity,
    code: Code,
    node: Option<&'a str>,
    hint: &'static str,
}

impl<'a> ProblemDraft<'a> {
    fn error(code: Code, hint: &'static str) -> Self {
        Self { severity: Severity::Error, code, node: None, hint }
    }

    fn warning(code: Code, hint: &'static str) -> Self {
        Self { severity: Severity::Warning, code, node: None, hint }
    }

    fn of(mut self, node: &'a str) -> Self {
        self.node = Some(node).filter(|name| !name.is_empty());
        self
    }
}

impl Checker<'_> {
    fn problem(
        &mut self,
        finding: ProblemDraft<'_>,
        place: impl FnOnce() -> String,
        message: impl FnOnce() -> String,
    ) {
        if self.report.problems.len() >= MAX_PROBLEMS {
            self.unlisted += 1;
            self.unlisted_error |= finding.severity == Severity::Error;
            return;
        }
        self.report.problems.push(CheckProblem {
            severity: finding.severity,
            code: finding.code,
            place: place().into(),
            node: finding
                .node
                .map(|name| if name.len() <= escape::MAX_NAME { name.into() } else { short(name) }),
            message: message().into(),
            hint: Some(finding.hint).filter(|hint| !hint.is_empty()).map(Str::from),
        });
    }

    fn finish(mut self) -> CheckReport {
        if self.unlisted > 0 {
            self.report.problems.push(CheckProblem {
                severity: if self.unlisted_error { Severity::Error } else { Severity::Warning },
                code: Code::WORKFLOW_TOO_LARGE,
                place: "".into(),
                node: None,
                message: format!("{} more problems are not listed", self.unlisted).into(),
                hint: Some("Fix the problems above and check again.".into()),
            });
        }
        self.report
    }
}
