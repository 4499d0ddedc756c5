//! Every way in: the one table of routes, who may use them, and what answers there.
//!
//! Invariant: nothing is mounted but what [`rows`] lists, and nothing outside of this file mounts
//! anything.

use crate::access::Principal;
use crate::admission::{ClientAddr, HostDecision};
use crate::api::ApiRequest;
use crate::error::ApiError;
use crate::mcp::McpServer;
use crate::observe::HttpMetrics;
use crate::{App, access, api, form, health, mcp, metrics, openai, web, webhook};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, any, get};
use axum::{Extension, middleware};
use node_api::trigger::WebhookAuth;
use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;
use tracing::Instrument as _;

/// A path and what answers there.
pub(crate) struct HttpRoute {
    /// The methods that are answered; a page that is read is also answered without its content
    /// (HEAD).
    methods: &'static [&'static str],
    path: &'static str,
    handler: fn() -> MethodRouter<App>,
}

impl HttpRoute {
    pub(crate) const fn new(
        methods: &'static [&'static str],
        path: &'static str,
        handler: fn() -> MethodRouter<App>,
    ) -> Self {
        Self { methods, path, handler }
    }
}

/// Every method: what the workflow behind the address does not take is refused there.
const ANY: &[&str] = &["ANY"];

/// Everything that needs no principal, together with signing in ([`access::PUBLIC`]) and the files
/// of the editor ([`web`]). All other routes do. Whom a workflow answers is decided where its
/// addresses are looked up.
const PUBLIC: &[HttpRoute] = &[
    HttpRoute::new(&["GET"], "/", || get(web::page)),
    HttpRoute::new(&["GET"], "/healthz", || get(health::live)),
    HttpRoute::new(&["GET"], "/healthz/readiness", || get(health::ready)),
    HttpRoute::new(ANY, "/webhook/{*path}", || any(webhook::live)),
    HttpRoute::new(ANY, "/webhook-test/{*path}", || any(webhook::test)),
    HttpRoute::new(ANY, "/webhook-waiting/{ticket}", || any(webhook::waiting)),
    HttpRoute::new(ANY, "/webhook-waiting/{ticket}/{*suffix}", || any(webhook::waiting_at)),
    HttpRoute::new(ANY, "/form/{*path}", || any(form::live)),
    HttpRoute::new(ANY, "/form-test/{*path}", || any(form::test)),
    HttpRoute::new(ANY, "/form-waiting/{ticket}", || any(form::waiting)),
];

/// What an operator's tools read.
const OPERATIONAL: &[(RouteGuard, HttpRoute)] = &[(
    RouteGuard::Scope("metrics:read"),
    HttpRoute::new(&["GET"], "/metrics", || get(metrics::metrics)),
)];

/// Where the operations of the API are.
const API: &str = "/api/v1";

/// Who may use a way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteGuard {
    /// Nobody is asked who they are.
    Public,
    /// Whoever shows a key or a session.
    Principal,
    /// Whoever is signed in; no key is enough.
    Session,
    /// Whoever has this scope, by their role and their key.
    Scope(&'static str),
}

/// A way in, as others read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// `ANY` for those that leave it to a workflow.
    pub method: &'static str,
    pub path: String,
    pub guard: RouteGuard,
}

/// Routes that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RouteGroup {
    Open,
    SignIn,
    Session,
    Operational,
    Api,
    OpenAi,
    /// The server of the Model Context Protocol, which answers strangers itself.
    Mcp,
}

/// A row of the table of all routes.
struct RouteRow {
    group: RouteGroup,
    methods: Cow<'static, [&'static str]>,
    path: Cow<'static, str>,
    guard: RouteGuard,
    handler: MethodRouter<App>,
}

impl RouteRow {
    fn new(group: RouteGroup, guard: RouteGuard, route: &HttpRoute) -> Self {
        Self {
            group,
            methods: route.methods.into(),
            path: route.path.into(),
            guard,
            handler: (route.handler)(),
        }
    }

    /// The same, and nobody gets to the handler without what the guard asks for.
    fn guarded(group: RouteGroup, (guard, route): &'static (RouteGuard, HttpRoute)) -> Self {
        let row = Self::new(group, *guard, route);
        let check = middleware::from_fn(move |request: Request, next: Next| {
            access::require_guard(*guard, request, next)
        });
        Self { handler: row.handler.route_layer(check), ..row }
    }
}

/// All routes there are.
fn rows() -> Vec<RouteRow> {
    let table = |group: RouteGroup, guard: RouteGuard, rows: &'static [HttpRoute]| {
        rows.iter().map(move |route| RouteRow::new(group, guard, route))
    };
    let pages = web::page_paths().into_iter().flat_map(|page| {
        [format!("/{page}"), format!("/{page}/{{*rest}}")].map(|path| RouteRow {
            group: RouteGroup::Open,
            methods: Cow::Borrowed(&["GET"]),
            path: path.into(),
            guard: RouteGuard::Public,
            handler: get(web::page),
        })
    });
    let operations =
        api::OPERATIONS.iter().flat_map(|table| table.iter()).map(|operation| RouteRow {
            group: RouteGroup::Api,
            methods: vec![operation.method].into(),
            path: operation.path.into(),
            guard: operation.scope.map_or(RouteGuard::Principal, RouteGuard::Scope),
            handler: operation.guarded(),
        });
    table(RouteGroup::Open, RouteGuard::Public, PUBLIC)
        .chain(table(RouteGroup::Open, RouteGuard::Public, mcp::PUBLIC))
        .chain(table(RouteGroup::Mcp, RouteGuard::Principal, mcp::ROUTES))
        .chain(pages)
        .chain(table(RouteGroup::SignIn, RouteGuard::Public, access::PUBLIC))
        .chain(access::PRIVATE.iter().map(|row| RouteRow::guarded(RouteGroup::Session, row)))
        .chain(OPERATIONAL.iter().map(|row| RouteRow::guarded(RouteGroup::Operational, row)))
        .chain(operations)
        .chain(openai::ROUTES.iter().map(|(scope, route)| {
            RouteRow::new(RouteGroup::OpenAi, RouteGuard::Scope(scope), route)
        }))
        .collect()
}

/// Every way in, for whoever wants to know them all. What none of them takes is a file of the
/// editor, or nothing.
pub fn entry_points() -> Vec<EntryPoint> {
    let all = rows().into_iter().flat_map(|row| {
        let path = if row.group == RouteGroup::Api {
            format!("{API}{}", row.path)
        } else {
            row.path.into_owned()
        };
        let methods = row.methods.into_owned();
        methods.into_iter().map(move |method| EntryPoint {
            method,
            path: path.clone(),
            guard: row.guard,
        })
    });
    all.collect()
}

fn router(app: App, figures: Arc<HttpMetrics>, stop: &CancellationToken) -> Router {
    let mut rows = rows();
    let mut mounted = |group: RouteGroup| {
        let (mine, others) =
            std::mem::take(&mut rows).into_iter().partition(|row| row.group == group);
        rows = others;
        let mine: Vec<RouteRow> = mine;
        mine.into_iter()
            .fold(Router::new(), |router: Router<App>, row| router.route(&row.path, row.handler))
    };
    let attempts = Extension(Arc::new(access::LoginThrottle::default()));
    let operations = mounted(RouteGroup::Api)
        .fallback(api::fallback)
        .method_not_allowed_fallback(api::method_not_allowed)
        .layer(middleware::map_response(api::json_error));
    let inside = ApiCaller(operations.clone().with_state(app.clone()));
    let servers = Extension(McpServer::new(&app, inside, stop));
    let guarded = Router::new()
        .nest(API, operations)
        .merge(mounted(RouteGroup::Session).layer(attempts.clone()))
        .merge(mounted(RouteGroup::Operational).layer(Extension(figures)))
        .layer(middleware::from_fn_with_state(app.clone(), access::require))
        .layer(DefaultBodyLimit::max(app.body_limits.bytes));
    let openai = mounted(RouteGroup::OpenAi)
        .layer(middleware::from_fn_with_state(app.clone(), openai::require))
        .layer(DefaultBodyLimit::max(app.body_limits.bytes));
    let open = mounted(RouteGroup::Open)
        .merge(mounted(RouteGroup::Mcp))
        .layer(servers)
        .merge(mounted(RouteGroup::SignIn).layer(attempts));
    let all = open.merge(guarded).merge(openai).fallback(web::file);
    all.with_state(app)
}

/// Calls operations of the API for somebody who is known already.
#[derive(Clone)]
pub(crate) struct ApiCaller(Router);

impl ApiCaller {
    /// The answer of an operation, with the checks that every call of it gets.
    pub(crate) async fn call(
        &self,
        who: &Principal,
        request: ApiRequest,
    ) -> Result<model::Value, ApiError> {
        let request = request.into_request(who)?;
        let response = self.0.clone().call(request).await;
        api::read_answer(response.unwrap_or_else(|never: Infallible| match never {})).await
    }
}

/// Answers every request that is let in, and sees it go by.
#[derive(Clone)]
pub(crate) struct RequestHandler {
    app: App,
    router: Router,
    metrics: Arc<HttpMetrics>,
}

impl RequestHandler {
    pub(crate) fn new(app: App, stop: &CancellationToken) -> Self {
        let figures = Arc::new(HttpMetrics::default());
        Self { router: router(app.clone(), figures.clone(), stop), app, metrics: figures }
    }

    pub(crate) async fn handle(mut self, mut request: Request, client: ClientAddr) -> Response {
        let sight = self.metrics.begin(&request);
        request.extensions_mut().insert(sight.origin(client));
        let span = sight.span();
        let answering = async {
            let served = match self.app.hosts.check(&request) {
                Ok(served) => served,
                Err(error) => return error.into_response(),
            };
            // Calls of workflows go the shortest way, which is that of their row: they are the
            // many. What they wait for is large, and in a box it is moved once.
            match (webhook::plain_path(&request), served) {
                (Some(path), HostDecision::Allowed) => {
                    let found = webhook::find(&self.app, path, &request);
                    Box::pin(webhook::dispatch(&self.app, found, request)).await
                }
                (Some(path), HostDecision::UsersOnly) => {
                    let found = webhook::find(&self.app, path, &request);
                    let for_users =
                        found.ok().filter(|(hook, _)| hook.route.auth == WebhookAuth::User);
                    Box::pin(webhook::dispatch(
                        &self.app,
                        for_users.ok_or_else(|| self.app.hosts.misdirected()),
                        request,
                    ))
                    .await
                }
                (None, HostDecision::UsersOnly) => self.app.hosts.misdirected().into_response(),
                (None, HostDecision::Allowed) => self
                    .router
                    .call(request)
                    .await
                    .unwrap_or_else(|never: Infallible| match never {}),
            }
        };
        let mut response = answering.instrument(span).await;
        self.metrics.finish(sight, &mut response);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_05_whatever_a_workflow_answers_is_at_a_path_of_workflows() {
        for path in PUBLIC
            .iter()
            .chain(mcp::PUBLIC)
            .map(|route| route.path)
            .filter(|path| !matches!(*path, "/" | "/healthz" | "/healthz/readiness"))
        {
            assert!(
                crate::admission::WORKFLOW_PATHS.iter().any(|start| path.starts_with(start)),
                "{path}"
            );
        }
    }

    #[test]
    fn no_path_of_the_api_is_public() {
        let public: Vec<_> = entry_points()
            .into_iter()
            .filter(|entry| entry.guard == RouteGuard::Public)
            .map(|entry| entry.path)
            .collect();
        let signing_in = [
            "/api/setup",
            "/api/setup",
            "/api/login",
            "/api/oidc/sign-in",
            "/api/oidc/callback",
            "/api/invitation",
        ];
        let of_api: Vec<_> = public.iter().filter(|path| path.starts_with("/api")).collect();
        assert_eq!(of_api, signing_in);
        assert!(
            public.iter().all(|path| !path.starts_with("/metrics") && !path.starts_with("/v1"))
        );
    }
}
