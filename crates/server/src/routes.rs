//! The table of routes, and who may use them.

use crate::observe::HttpFigures;
use crate::{App, access, api, form, health, metrics, openai, web, webhook};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::response::Response;
use axum::routing::{MethodRouter, any, get};
use axum::{Extension, middleware};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use tower_service::Service as _;
use tracing::Instrument as _;

/// A path and what answers there.
pub(crate) type Route = (&'static str, fn() -> MethodRouter<App>);

/// Everything that needs no principal, together with signing in ([`access::PUBLIC`]) and the files of the editor ([`web`]). All other
/// routes do.
pub(crate) const PUBLIC: &[Route] = &[
    ("/", || get(web::page)),
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

/// Answers every request that is let in, and sees it go by.
#[derive(Clone)]
pub(crate) struct Answering {
    app: App,
    router: Router,
    figures: Arc<HttpFigures>,
}

impl Answering {
    pub(crate) fn new(app: App) -> Self {
        let figures = Arc::new(HttpFigures::default());
        Self { router: router(app.clone(), figures.clone()), app, figures }
    }

    pub(crate) async fn answer(mut self, mut request: Request, remote: SocketAddr) -> Response {
        let sight = self.figures.see(&request);
        request.extensions_mut().insert(sight.origin(remote));
        let span = sight.span();
        let answering = async {
            // Calls of workflows go the shortest way: they are the many.
            match webhook::plain_path(&request) {
                Some(path) => {
                    let found = webhook::find(&self.app, path, &request);
                    webhook::met(&self.app, found, request).await
                }
                None => self.router.call(request).await.unwrap_or_else(|never: Infallible| match never {}),
            }
        };
        let mut response = answering.instrument(span).await;
        self.figures.answered(sight, &mut response);
        response
    }
}

fn router(app: App, figures: Arc<HttpFigures>) -> Router {
    let table = |rows: &[Route]| rows.iter().fold(Router::new(), |router: Router<App>, (path, handler)| router.route(path, handler()));
    let attempts = Extension(Arc::new(access::Attempts::default()));
    let guarded = Router::new()
        .nest("/api/v1", api::router())
        .merge(table(access::PRIVATE).layer(attempts.clone()))
        .route("/metrics", get(metrics::metrics).layer(Extension(figures)))
        .layer(middleware::from_fn_with_state(app.clone(), access::require))
        .layer(DefaultBodyLimit::max(app.body_limits.bytes));
    let openai = table(openai::ROUTES)
        .layer(middleware::from_fn_with_state(app.clone(), openai::require))
        .layer(DefaultBodyLimit::max(app.body_limits.bytes));
    let pages = web::PAGES.iter().fold(Router::new(), |router: Router<App>, page| {
        router.route(&format!("/{page}"), get(web::page)).route(&format!("/{page}/{{*rest}}"), get(web::page))
    });
    let open = table(PUBLIC).merge(table(access::PUBLIC).layer(attempts)).merge(pages);
    let all = open.merge(guarded).merge(openai).fallback(web::file);
    all.with_state(app)
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
