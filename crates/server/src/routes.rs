//! The table of routes, and who may use them.

use crate::welcome::welcome;
use crate::{App, access, api, form, health, metrics, observe, webhook};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{MethodRouter, any, get};
use axum::{Extension, middleware};
use std::sync::Arc;

/// A path and what answers there.
pub(crate) type Route = (&'static str, fn() -> MethodRouter<App>);

/// Everything that needs no principal, together with signing in ([`access::PUBLIC`]). All other routes do.
pub(crate) const PUBLIC: &[Route] = &[
    ("/", || get(welcome)),
    ("/healthz", || get(health::live)),
    ("/healthz/readiness", || get(health::ready)),
    ("/webhook/{*path}", || any(webhook::production)),
    ("/webhook-test/{*path}", || any(webhook::test)),
    ("/webhook-waiting/{ticket}", || any(webhook::waiting)),
    ("/webhook-waiting/{ticket}/{*suffix}", || any(webhook::waiting_at)),
    ("/form/{*path}", || any(form::production)),
    ("/form-test/{*path}", || any(form::test)),
    ("/form-waiting/{ticket}", || any(form::waiting)),
];

pub(crate) fn router(app: App) -> Router {
    // Calls of workflows go the shortest way: they are the many.
    let table = |rows: &[Route]| rows.iter().fold(Router::new(), |router: Router<App>, (path, handler)| router.route(path, handler()));
    let http = Arc::new(observe::HttpFigures::default());
    let attempts = Extension(Arc::new(access::Attempts::default()));
    let guarded = Router::new()
        .nest("/api/v1", api::router())
        .merge(table(access::PRIVATE).layer(attempts.clone()))
        .route("/metrics", get(metrics::metrics).layer(Extension(http.clone())))
        .layer(middleware::from_fn_with_state(app.clone(), access::require))
        .layer(DefaultBodyLimit::max(app.body_limits.bytes));
    let all = table(PUBLIC).merge(table(access::PUBLIC).layer(attempts)).merge(guarded).fallback(api::not_found);
    all.layer(middleware::from_fn_with_state(http, observe::observe)).with_state(app)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_of_the_api_is_public() {
        assert!(PUBLIC.iter().all(|(path, _)| !path.starts_with("/api") && !path.starts_with("/metrics")));
        let signing_in: Vec<_> = access::PUBLIC.iter().map(|(path, _)| *path).collect();
        let expected = ["/api/setup", "/api/login", "/api/invitation", "/invitation", "/password-reset", "/invitation.js"];
        assert_eq!(signing_in, expected);
    }
}
