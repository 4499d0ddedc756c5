//! `POST /api/v1/workflows/check`: what is wrong with a workflow, and how well each of its nodes is
//! supported here.

mod credentials;

use crate::App;
use crate::access::Principal;
use crate::api::{ApiOperation, RequestJson};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use engine::check::{CheckProblem, CheckReport, Compatibility, NodeReport, Severity, check};
use model::{Code, Str, Value, Workflow};
use node_api::Registry;

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "POST",
    "/workflows/check",
    "workflow:read",
    "checkWorkflow",
    "Check a workflow for problems",
    || post(show),
)
.request_body::<wire::DrawnWorkflow>()
.response::<wire::WorkflowReport>(200)];

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let permit = app.previews().admit(&who.user_id, body.length).await?;
    let document = Value::from(body.read::<wire::DrawnWorkflow>()?.into_document());
    let chosen = credentials::chosen(&document, &app.runtime.engine.registry);
    let unavailable = credentials::unavailable(&app, &who, chosen).await?;
    let registry = app.runtime.engine.registry.clone();
    // Compiling many expressions takes a moment, in which others want to be answered.
    let checked = move || {
        let mut report = match Workflow::from_value(&document) {
            Some(workflow) => check(&workflow, &registry),
            None => CheckReport::unreadable("The workflow is not an object"),
        };
        report.problems.extend(unavailable);
        typed(StatusCode::OK, &to_wire(&report, &registry))
    };
    let checked = permit.run(async move { compute::interruptible(checked) }).await?;
    checked.map_err(|busy| ApiError::new(Code::OVERLOAD, busy.to_string()))
}

fn to_wire<'a>(report: &'a CheckReport, registry: &Registry) -> wire::WorkflowReport<'a> {
    wire::WorkflowReport {
        problems: report.problems.iter().map(problem).collect(),
        nodes: report.nodes.iter().map(|node| support(node, registry)).collect(),
    }
}

fn problem(problem: &CheckProblem) -> wire::WorkflowProblem<'_> {
    wire::WorkflowProblem {
        severity: match problem.severity {
            Severity::Error => wire::ProblemSeverity::Error,
            Severity::Warning => wire::ProblemSeverity::Warning,
        },
        code: problem.code.name(),
        message: &problem.message,
        place: &problem.place,
        stops_node: stops_node(problem.code),
        hint: problem.hint.as_deref(),
        node: problem.node.as_deref(),
        parameter: problem.place.split_once(".parameters.").map(|(_, path)| path),
    }
}

/// What a node cannot do without: a type that is known here, and its credentials.
fn stops_node(code: Code) -> bool {
    matches!(code, Code::NODE_TYPE_UNKNOWN | Code::NODE_VERSION_UNKNOWN | Code::CREDENTIAL_MISSING)
}

fn support<'a>(node: &'a NodeReport, registry: &Registry) -> wire::NodeSupport<'a> {
    let (support, notes) = match &node.compatibility {
        Compatibility::Runs => (wire::SupportLevel::Full, Vec::new()),
        Compatibility::Differs(how) => {
            (wire::SupportLevel::Differs, how.iter().map(Str::as_str).collect())
        }
        Compatibility::Unsupported(why) if registry.of_type(&node.type_name).is_empty() => {
            (wire::SupportLevel::Unknown, vec![why.as_str()])
        }
        Compatibility::Unsupported(why) => (wire::SupportLevel::Version, vec![why.as_str()]),
    };
    wire::NodeSupport {
        name: &node.name,
        kind: &node.type_name,
        type_version: wire::Number(node.version),
        support,
        notes,
    }
}
