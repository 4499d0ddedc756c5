//! `POST /api/v1/workflows/check`: what is wrong with a workflow, and how well each of its nodes is
//! supported here.

use crate::App;
use crate::access::Principal;
use crate::api::{ApiOperation, RequestJson, workflows};
use crate::error::ApiError;
use crate::response::json;
use crate::wire;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use engine::check::{CheckProblem, CheckReport, Compatibility, NodeReport, Severity, check};
use model::{Code, Object, Str, Value, Workflow};
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
    let document = Value::from(workflows::draft_document(body.json()?)?);
    let registry = app.runtime.engine.registry.clone();
    // Compiling many expressions takes a moment, in which others want to be answered.
    let checked = move || {
        let report = match Workflow::from_value(&document) {
            Some(workflow) => check(&workflow, &registry),
            None => CheckReport::unreadable("The workflow is not an object"),
        };
        to_value(&report, &registry)
    };
    let checked = permit.run(async move { compute::interruptible(checked) }).await?;
    Ok(json(
        StatusCode::OK,
        &checked.map_err(|busy| ApiError::new(Code::OVERLOAD, busy.to_string()))?,
    ))
}

fn to_value(report: &CheckReport, registry: &Registry) -> Value {
    let problems = report.problems.iter().map(problem).collect();
    let nodes = report.nodes.iter().map(|node| support(node, registry)).collect();
    Object::from_iter([("problems", Value::array(problems)), ("nodes", Value::array(nodes))]).into()
}

fn problem(problem: &CheckProblem) -> Value {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut fields = Object::from_iter([
        ("severity", Value::from(severity)),
        ("code", problem.code.name().into()),
        ("message", problem.message.clone().into()),
        ("place", problem.place.clone().into()),
    ]);
    let parameter = problem.place.split_once(".parameters.").map(|(_, path)| Str::from(path));
    for (key, text) in [("hint", &problem.hint), ("node", &problem.node), ("parameter", &parameter)]
    {
        if let Some(text) = text {
            fields.insert(key, text.clone());
        }
    }
    fields.into()
}

fn support(node: &NodeReport, registry: &Registry) -> Value {
    let (support, notes) = match &node.compatibility {
        Compatibility::Runs => ("full", Vec::new()),
        Compatibility::Differs(how) => ("differs", how.clone()),
        Compatibility::Unsupported(why) if registry.of_type(&node.type_name).is_empty() => {
            ("unknown", vec![why.clone()])
        }
        Compatibility::Unsupported(why) => ("version", vec![why.clone()]),
    };
    Object::from_iter([
        ("name", Value::from(node.name.clone())),
        ("type", node.type_name.clone().into()),
        ("typeVersion", node.version.into()),
        ("support", support.into()),
        ("notes", Value::array(notes.into_iter().map(Value::from).collect())),
    ])
    .into()
}
