//! The page at the address that is printed at the start.

use crate::App;
use crate::page_policy::hash_of;
use crate::response;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

const STYLE: &str = include_str!("welcome.css");

/// Threads of a loom, one of them lifted.
const MARK: &str = "<svg viewBox=\"0 0 48 48\" fill=\"none\" stroke-width=\"3\" stroke-linecap=\"round\" aria-hidden=\"true\">\
<g stroke=\"var(--warp)\"><path d=\"M8 6v36M19 6v36M41 6v36\"/></g><path stroke=\"var(--accent)\" d=\"M30 6v36M4 18h16m12 0h12M4 30h22m8 0h10\"/></svg>";

pub(crate) async fn welcome(State(app): State<App>) -> Response {
    let state = match app.runtime.n_active() {
        0 => "Running. No workflow is active yet.".to_owned(),
        1 => "Running. One workflow is active.".to_owned(),
        many => format!("Running. {many} workflows are active."),
    };
    let page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width, \
             initial-scale=1\"><title>Heddle</title><style>{STYLE}</style></head><body><main>{MARK}<h1>Heddle</h1><p \
             class=\"state\">{state}</p><dl><div><dt>Open the editor</dt><dd>It is not part of this \
             build. Run <code>cargo xtask web</code>, then build again.</dd></div><div><dt>Add a \
             workflow</dt><dd><code>heddle import --activate \
             FILE.json</code></dd></div><div><dt>Use the API</dt><dd>It is at <code>/api/v1</code>. \
             Create a key with <code>heddle api-keys create</code>.</dd></div><div><dt>Call a \
             webhook</dt><dd>Active workflows listen at <code>/webhook/PATH</code>, forms at \
             <code>/form/PATH</code>.</dd></div></dl></main></body></html>"
    );
    let policy = format!(
        "default-src 'none'; style-src {}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        hash_of(STYLE)
    );
    response::page(StatusCode::OK, &policy, page)
}
