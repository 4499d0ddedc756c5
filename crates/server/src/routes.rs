//! The table of routes, and who may use them.

use crate::{App, access, api, form, health, webhook};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{MethodRouter, any, get};

/// A path and what answers there.
type Route = (&'static str, fn() -> MethodRouter<App>);

/// Everything that needs no principal. All other routes do.
pub(crate) const PUBLIC: &[Route] = &[
    ("/", || get(health::welcome)),
    ("/healthz", || get(health::live)),
    ("/healthz/readiness", || get(health::ready)),
    ("/webhook/{*path}", || any(webhook::production)),
    ("/webhook-waiting/{ticket}", || any(webhook::waiting)),
    ("/webhook-waiting/{ticket}/{*suffix}", || any(webhook::waiting_at)),
    ("/form/{*path}", || any(form::production)),
    ("/form-waiting/{ticket}", || any(form::waiting)),
];

pub(crate) fn router(app: App) -> Router {
    // Calls of workflows go the shortest way: they are the many.
    let public = PUBLIC.iter().fold(Router::new(), |router, (path, handler)| router.route(path, handler()));
    let guarded = Router::new()
        .nest("/api/v1", api::router())
        .route("/metrics", get(health::metrics))
        .layer(middleware::from_fn_with_state(app.clone(), access::require))
        .layer(DefaultBodyLimit::max(app.body_limits.bytes));
    public.merge(guarded).fallback(api::not_found).with_state(app)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_of_the_api_is_public() {
        assert!(PUBLIC.iter().all(|(path, _)| !path.starts_with("/api") && !path.starts_with("/metrics")));
    }
}
