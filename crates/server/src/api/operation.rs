//! One operation of the API: its route, who may use it, and how it is described.

use super::invalid;
use crate::App;
use crate::access::Principal;
use crate::error::ApiError;
use crate::wire::components::{QueryParam, QueryType, WireType, query_params, schema_of};
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use axum::routing::MethodRouter;
use model::Code;
use schemars::JsonSchema;
use std::sync::Arc;

/// A row of the table of operations.
pub(crate) struct ApiOperation {
    pub(crate) method: &'static str,
    /// Below `/api/v1`.
    pub(crate) path: &'static str,
    /// What a principal needs; `None` if being one is enough.
    pub(crate) scope: Option<&'static str>,
    /// The name that n8n gives it.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    query: Option<QueryType>,
    pub(super) body: Option<WireType>,
    /// The body may be left out.
    pub(super) body_is_optional: bool,
    pub(super) status: u16,
    pub(super) response: Option<WireType>,
    handler: fn() -> MethodRouter<App>,
}

impl ApiOperation {
    pub(super) const fn new(
        method: &'static str,
        path: &'static str,
        scope: &'static str,
        id: &'static str,
        summary: &'static str,
        handler: fn() -> MethodRouter<App>,
    ) -> Self {
        Self {
            method,
            path,
            scope: Some(scope),
            id,
            summary,
            query: None,
            body: None,
            body_is_optional: false,
            status: 200,
            response: None,
            handler,
        }
    }

    pub(super) const fn without_scope(mut self) -> Self {
        self.scope = None;
        self
    }

    pub(super) const fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(query_params::<T>);
        self
    }

    /// The parameters that it knows; others are refused.
    pub(super) fn query_params(&self) -> Vec<QueryParam> {
        self.query.map(|params| params()).unwrap_or_default()
    }

    pub(super) const fn request_body<T: JsonSchema>(mut self) -> Self {
        self.body = Some(schema_of::<T>);
        self
    }

    /// A body that may be left out.
    pub(super) const fn optional_body<T: JsonSchema>(mut self) -> Self {
        self.body = Some(schema_of::<T>);
        self.body_is_optional = true;
        self
    }

    pub(super) const fn response<T: JsonSchema>(mut self, status: u16) -> Self {
        self.status = status;
        self.response = Some(schema_of::<T>);
        self
    }

    pub(super) const fn empty_response(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The handler behind the check of this row.
    pub(crate) fn guarded(&'static self) -> MethodRouter<App> {
        let known: Arc<[String]> =
            self.query_params().into_iter().map(|param| param.name).collect();
        let check = move |request: Request, next: Next| {
            let checked = self.check(&request, &known);
            async move {
                match checked {
                    Ok(()) => next.run(request).await,
                    Err(error) => error.into_response(),
                }
            }
        };
        (self.handler)().layer(middleware::from_fn(check))
    }

    fn check(&self, request: &Request, known_params: &[String]) -> Result<(), ApiError> {
        let who = request.extensions().get::<Principal>();
        let who = who.ok_or_else(|| {
            ApiError::new(Code::ACCESS_DENIED, "An API key or session is required")
        })?;
        if let Some(scope) = self.scope {
            who.require(scope)?;
        }
        let asked = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes());
        for (name, value) in asked {
            if !known_params.iter().any(|known| *known == name) {
                return Err(invalid(&name, "is not a parameter of this address"));
            }
            if value.contains('\0') {
                return Err(invalid(&name, "contains an invalid character"));
            }
        }
        Ok(())
    }
}
