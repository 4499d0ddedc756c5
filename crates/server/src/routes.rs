//! Every way in: the one table of routes, who may use them, and what answers there.
//!
//! Invariant: nothing is mounted but what [`rows`] lists, and nothing outside of this file mounts
//! anything.

use crate::gate::{Client, Served};
use crate::observe::HttpFigures;
use crate::{App, access, api, form, health, metrics, openai, web, webhook};
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
use tower_service::Service as _;
use tracing::Instrument as _;

/// A path and what answers there.
pub(crate) struct Route {
    /// The methods that are answered; a page that is read is also answered without its content
    /// (HEAD).
    methods: &'static [&'static str],
    path: &'static str,
    handler: fn() -> MethodRouter<App>,
}

impl Route {
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
const PUBLIC: &[Route] = &[
    Route::new(&["GET"], "/", || get(web::page)),
    Route::new(&["GET"], "/healthz", || get(health::live)),
    Route::new(&["GET"], "/healthz/readiness", || get(health::ready)),
    Route::new(ANY, "/webhook/{*path}", || any(webhook::production)),
    Route::new(ANY, "/webhook-test/{*path}", || any(webhook::test)),
    Route::new(ANY, "/webhook-waiting/{ticket}", || any(webhook::waiting)),
    Route::new(ANY, "/webhook-waiting/{ticket}/{*suffix}", || any(webhook::waiting_at)),
    Route::new(ANY, "/form/{*path}", || any(form::production)),
    Route::new(ANY, "/form-test/{*path}", || any(form::test)),
    Route::new(ANY, "/form-waiting/{ticket}", || any(form::waiting)),
];

/// What an operator's tools read.
const OPERATING: &[(Guard, Route)] =
    &[(Guard::Scope("metrics:read"), Route::new(&["GET"], "/metrics", || get(metrics::metrics)))];

/// Where the operations of the API are.
const API: &str = "/api/v1";

/// Who may use a way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
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
    pub guard: Guard,
}

/// Routes that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Open,
    SigningIn,
    Session,
    Operating,
    Api,
    OpenAi,
}

/// A row of the table of all routes.
struct Row {
    group: Group,
    methods: Cow<'static, [&'static str]>,
    path: Cow<'static, str>,
    guard: Guard,
    handler: MethodRouter<App>,
}

impl Row {
    fn new(group: Group, guard: Guard, route: &Route) -> Self {
        Self {
            group,
            methods: route.methods.into(),
            path: route.path.into(),
            guard,
            handler: (route.handler)(),
        }
    }

    /// The same, and nobody gets to the handler without what the guard asks for.
    fn guarded(group: Group, (guard, route): &'static (Guard, Route)) -> Self {
        let row = Self::new(group, *guard, route);
        let check = middleware::from_fn(move |request: Request, next: Next| {
            access::require_guard(*guard, request, next)
        });
        Self { handler: row.handler.route_layer(check), ..row }
    }
}

/// All routes there are.
fn rows() -> Vec<Row> {
    let table = |group: Group, guard: Guard, rows: &'static [Route]| {
        rows.iter().map(move |route| Row::new(group, guard, route))
    };
    let pages = web::PAGES.iter().flat_map(|page| {
        [format!("/{page}"), format!("/{page}/{{*rest}}")].map(|path| Row {
            group: Group::Open,
            methods: Cow::Borrowed(&["GET"]),
            path: path.into(),
            guard: Guard::Public,
            handler: get(web::page),
        })
    });
    let operations = api::OPERATIONS.iter().flat_map(|table| table.iter()).map(|operation| Row {
        group: Group::Api,
        methods: vec![operation.method].into(),
        path: operation.path.into(),
        guard: operation.scope.map_or(Guard::Principal, Guard::Scope),
        handler: operation.guarded(),
    });
    table(Group::Open, Guard::Public, PUBLIC)
        .chain(pages)
        .chain(table(Group::SigningIn, Guard::Public, access::PUBLIC))
        .chain(access::PRIVATE.iter().map(|row| Row::guarded(Group::Session, row)))
        .chain(OPERATING.iter().map(|row| Row::guarded(Group::Operating, row)))
        .chain(operations)
        .chain(
            openai::ROUTES
                .iter()
                .map(|(scope, route)| Row::new(Group::OpenAi, Guard::Scope(scope), route)),
        )
        .collect()
}

/// Every way in, for whoever wants to know them all. What none of them takes is a file of the
/// editor, or nothing.
pub fn entry_points() -> Vec<EntryPoint> {
    let all = rows().into_iter().flat_map(|row| {
        let path = if row.group == Group::Api {
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

fn router(app: App, figures: Arc<HttpFigures>) -> Router {
    let mut rows = rows();
    let mut mounted = |group: Group| {
        let (mine, others) =
            std::mem::take(&mut rows).into_iter().partition(|row| row.group == group);
        rows = others;
        let mine: Vec<Row> = mine;
        mine.into_iter()
            .fold(Router::new(), |router: Router<App>, row| router.route(&row.path, row.handler))
    };
    let attempts = Extension(Arc::new(access::Attempts::default()));
    let operations = mounted(Group::Api)
        .fallback(api::not_found)
        .method_not_allowed_fallback(api::wrong_method)
        .layer(middleware::map_response(api::as_json));
    let guarded = Router::new()
        .nest(API, operations)
        .merge(mounted(Group::Session).layer(attempts.clone()))
        .merge(mounted(Group::Operating).layer(Extension(figures)))
        .layer(middleware::from_fn_with_state(app.clone(), access::require))
        .layer(DefaultBodyLimit::max(app.body_limits.bytes));
    let openai = mounted(Group::OpenAi)
        .layer(middleware::from_fn_with_state(app.clone(), openai::require))
        .layer(DefaultBodyLimit::max(app.body_limits.bytes));
    let open = mounted(Group::Open).merge(mounted(Group::SigningIn).layer(attempts));
    let all = open.merge(guarded).merge(openai).fallback(web::file);
    all.with_state(app)
}

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

    pub(crate) async fn answer(mut self, mut request: Request, client: Client) -> Response {
        let sight = self.figures.see(&request);
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
                (Some(path), Served::Yes) => {
                    let found = webhook::find(&self.app, path, &request);
                    Box::pin(webhook::met(&self.app, found, request)).await
                }
                (Some(path), Served::ForUsersOnly) => {
                    let found = webhook::find(&self.app, path, &request);
                    let for_users =
                        found.ok().filter(|(hook, _)| hook.route.auth == WebhookAuth::User);
                    Box::pin(webhook::met(
                        &self.app,
                        for_users.ok_or_else(|| self.app.hosts.misdirected()),
                        request,
                    ))
                    .await
                }
                (None, Served::ForUsersOnly) => self.app.hosts.misdirected().into_response(),
                (None, Served::Yes) => self
                    .router
                    .call(request)
                    .await
                    .unwrap_or_else(|never: Infallible| match never {}),
            }
        };
        let mut response = answering.instrument(span).await;
        self.figures.answered(sight, &mut response);
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
            .map(|route| route.path)
            .filter(|path| !matches!(*path, "/" | "/healthz" | "/healthz/readiness"))
        {
            assert!(
                crate::gate::WORKFLOW_PATHS.iter().any(|start| path.starts_with(start)),
                "{path}"
            );
        }
    }

    #[test]
    fn no_path_of_the_api_is_public() {
        let public: Vec<_> = entry_points()
            .into_iter()
            .filter(|entry| entry.guard == Guard::Public)
            .map(|entry| entry.path)
            .collect();
        let signing_in = ["/api/setup", "/api/setup", "/api/login", "/api/invitation"];
        let of_api: Vec<_> = public.iter().filter(|path| path.starts_with("/api")).collect();
        assert_eq!(of_api, signing_in);
        assert!(
            public.iter().all(|path| !path.starts_with("/metrics") && !path.starts_with("/v1"))
        );
    }
}
