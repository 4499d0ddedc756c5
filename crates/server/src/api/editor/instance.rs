//! `/api/v1/instance`: what this instance is, for whoever is signed in.

use crate::App;
use crate::access::Principal;
use crate::api::ApiOperation;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use store::users::UserRole;

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "GET",
    "/instance",
    "",
    "getInstance",
    "Show instance information",
    || get(show),
)
.without_scope()
.response::<wire::Instance>(200)];

async fn show(State(app): State<App>, Extension(who): Extension<Principal>) -> Response {
    let instance = wire::Instance {
        version: env!("CARGO_PKG_VERSION"),
        url: &app.base_url,
        webhook_url: app.webhook_url.as_deref(),
        started_at: wire::Timestamp(app.started_ms()),
        limits: wire::InstanceLimits {
            body_bytes: app.body_limits.bytes,
            connections: app.admission_limits.connections,
        },
        counts: wire::InstanceCounts {
            active_workflows: app.runtime.n_active(),
            runs_in_progress: app.runtime.runner.in_progress(),
        },
        // The names of hosts in a private network are nobody else's business.
        egress_allow: (who.role >= UserRole::Admin).then_some(app.egress_allow.as_slice()),
    };
    typed(StatusCode::OK, &instance)
}
