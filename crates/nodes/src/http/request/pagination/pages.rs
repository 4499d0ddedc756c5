//! Asks for one page after the other.

use super::super::super::auth::{AuthSession, HttpCredentials};
use super::super::super::draft::RequestDraft;
use super::super::super::failure::RequestFailure;
use super::super::response::body_for_expressions;
use super::{
    CompleteWhen, MAX_PAGES, MAX_SAME_ANSWERS, NEXT_URL, Pagination, leads_elsewhere, names,
    number, stays_at,
};
use node_api::prelude::*;
use std::hash::{DefaultHasher, Hasher as _};

/// The pages for one item, one after the other. None is kept here: whoever asks for the next one is
/// done with those before it.
pub(in super::super) struct PageFetcher<'p, 'c> {
    pagination: &'p Pagination,
    ctx: &'p Ctx<'c>,
    session: &'p AuthSession,
    credentials: &'p HttpCredentials,
    draft: &'p RequestDraft,
    item: usize,
    /// The request for the next page, if there is one, and the pause before it.
    upcoming: Option<RequestDraft>,
    pause_ms: u64,
    n_pages: usize,
    /// The status and the body of the last page, the body as a hash.
    last: Option<(u16, u64)>,
    /// How often it has come again.
    same: usize,
}

impl<'p, 'c> PageFetcher<'p, 'c> {
    /// Beginning with the first.
    pub(in super::super) async fn new(
        pagination: &'p Pagination,
        ctx: &'p Ctx<'c>,
        session: &'p AuthSession,
        credentials: &'p HttpCredentials,
        draft: &'p RequestDraft,
        item: usize,
    ) -> Result<Self, NodeError> {
        let names = names(draft, None, 0, &credentials.secrets(session).await);
        let mut pages = Self {
            pagination,
            ctx,
            session,
            credentials,
            draft,
            item,
            upcoming: None,
            pause_ms: 0,
            n_pages: 0,
            last: None,
            same: 0,
        };
        pages.upcoming = Some(pages.request(&names)?);
        Ok(pages)
    }

    pub(in super::super) async fn next(
        &mut self,
        never_error: bool,
    ) -> Result<Option<HttpResponse>, RequestFailure> {
        let Some(request) = self.upcoming.take() else { return Ok(None) };
        let (ctx, item, pagination) = (self.ctx, self.item, self.pagination);
        if self.pause_ms > 0 {
            ctx.host().sleep(self.pause_ms).await?;
        }
        if self.n_pages > 0 && ctx.host().is_cancelled() {
            return Err(NodeError::cancelled().into());
        }
        let mut response = self.credentials.send(ctx, self.session, request).await?;
        let seen = Some((response.status, hash_of(&response.body)));
        self.same = if self.last == seen { self.same + 1 } else { 0 };
        self.last = seen;
        if self.same >= MAX_SAME_ANSWERS {
            let error = NodeError::failed(
                "The returned response was identical 5x, so requests got stopped",
            );
            return Err(error
                .describe("Check if \"Pagination Completed When\" has been configured correctly.")
                .into());
        }
        self.n_pages += 1;
        // A token may be another one by now.
        let secrets = self.credentials.secrets(self.session).await;
        let body = secrets.hide_in(body_for_expressions(&mut response).await?);
        let names = names(self.draft, Some((&response, &body)), self.n_pages, &secrets);
        let most = pagination
            .max_pages
            .as_ref()
            .map(|most| number(ctx, most, item, &names))
            .transpose()?
            .filter(|most| *most > 0.0);
        let limit = most.map_or(MAX_PAGES, |most| most as usize).min(MAX_PAGES);
        let is_complete = pagination.is_complete(ctx, response.status, &body, item, &names)?;
        // An expression that says "complete" to an error answer most likely found nothing in it.
        let is_masked = is_complete
            && matches!(pagination.complete, CompleteWhen::Expression(_))
            && !response.is_success()
            && !never_error;
        if self.n_pages >= limit || (is_complete && !is_masked) {
            return Ok(Some(response));
        }
        // Any status may end the pages, but only a good one lets them go on.
        if !response.is_success() {
            return Err(RequestFailure::Status(response));
        }
        self.pause_ms = number(ctx, &pagination.pause, item, &names)?.max(0.0) as u64;
        self.upcoming = Some(self.request(&names)?);
        Ok(Some(response))
    }

    /// The request for the next page, by what is known of the last one.
    fn request(&self, names: &Object) -> Result<RequestDraft, NodeError> {
        let request =
            self.pagination.changed(self.ctx, self.draft, self.item, names, self.n_pages == 0)?;
        if stays_at(&self.draft.url, &request.url) {
            return Ok(request);
        }
        if self.credentials.signs() && !self.draft.credentials_cross_origins {
            return Err(leads_elsewhere(&request.url));
        }
        Ok(request.chosen_in(self.ctx, NEXT_URL, self.item))
    }
}

fn hash_of(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(body);
    hasher.finish()
}
