//! One way to the provider and back: what the browser keeps meanwhile, signed.

use crate::App;
use crate::access::session::{cookie, new_token, set_cookie};
use crate::access::sign_in::now_ms;
use crate::error::ApiError;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use axum::http::{HeaderMap, HeaderValue};
use model::Str;

const FLOW_COOKIE: &str = "heddle_oidc";
/// How long somebody may take at the provider.
const LIFETIME_SECONDS: i64 = 15 * 60;
/// In the place of a user's id.
const SIGN_IN: &str = "";
const MAX_NEXT_BYTES: usize = 512;

/// A page of this server: another site's address is never followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NextPage(String);

impl NextPage {
    pub(super) fn new(path: Option<&str>) -> Self {
        let is_ours = |path: &&str| {
            path.len() <= MAX_NEXT_BYTES
                && path.starts_with('/')
                && !path.starts_with("//")
                && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
        };
        Self(path.filter(is_ours).unwrap_or("/").to_owned())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Keeps what an answer has to fit: whoever has another browser sign in with their own answer has no
/// cookie there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flow {
    pub(super) purpose: FlowPurpose,
    /// Comes back beside the code.
    pub(super) state: String,
    /// Comes back within the ID token.
    pub(super) nonce: String,
    /// Shows that the code was asked for here (PKCE).
    pub(super) verifier: String,
    began_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FlowPurpose {
    SignIn {
        /// The page that was asked for.
        next: NextPage,
    },
    /// Somebody who is signed in connects their account.
    Connect { user: Str, generation: i64 },
}

impl Flow {
    pub(super) fn new(purpose: FlowPurpose) -> Self {
        let (state, nonce, verifier) = (new_token(), new_token(), new_token());
        Self { purpose, state, nonce, verifier, began_ms: now_ms() }
    }

    /// No part has a dot.
    fn to_text(&self) -> String {
        let purpose = match &self.purpose {
            FlowPurpose::SignIn { next } => format!("{SIGN_IN}.{}", hex::encode(next.as_str())),
            FlowPurpose::Connect { user, generation } => format!("{user}.{generation}"),
        };
        let Self { state, nonce, verifier, began_ms, .. } = self;
        format!("{state}.{nonce}.{verifier}.{began_ms}.{purpose}")
    }

    fn from_text(text: &str) -> Option<Self> {
        let [state, nonce, verifier, began_ms, purpose, detail] =
            text.split('.').collect::<Vec<_>>().try_into().ok()?;
        let purpose = match purpose {
            SIGN_IN => {
                let next = String::from_utf8(hex::decode(detail).ok()?).ok()?;
                FlowPurpose::SignIn { next: NextPage::new(Some(&next)) }
            }
            user => FlowPurpose::Connect { user: user.into(), generation: detail.parse().ok()? },
        };
        let [state, nonce, verifier] = [state, nonce, verifier].map(str::to_owned);
        Some(Self { purpose, state, nonce, verifier, began_ms: began_ms.parse().ok()? })
    }
}

/// Signs flows, so that nobody makes one up.
pub(super) struct FlowSigner(hmac::Key);

impl FlowSigner {
    pub(super) async fn load(app: &App) -> Result<Self, ApiError> {
        Ok(Self::new(&app.store.secret("oidc_flows").await?))
    }

    fn new(secret: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()))
    }

    pub(super) fn cookie(&self, app: &App, flow: &Flow) -> Result<HeaderValue, ApiError> {
        set_cookie(app, FLOW_COOKIE, &self.sign(flow), LIFETIME_SECONDS)
    }

    pub(super) fn expired_cookie(app: &App) -> Result<HeaderValue, ApiError> {
        set_cookie(app, FLOW_COOKIE, "", 0)
    }

    /// The flow that an answer with this state belongs to.
    pub(super) fn read(&self, app: &App, headers: &HeaderMap, state: &str) -> Option<Flow> {
        self.verify(cookie(headers, FLOW_COOKIE, app.is_secure())?, state, now_ms())
    }

    fn sign(&self, flow: &Flow) -> String {
        let text = flow.to_text();
        let signature = hmac::sign(&self.0, text.as_bytes());
        format!("{text}.{}", hex::encode(signature))
    }

    fn verify(&self, value: &str, state: &str, now_ms: i64) -> Option<Flow> {
        let (text, signature) = value.rsplit_once('.')?;
        hmac::verify(&self.0, text.as_bytes(), &hex::decode(signature).ok()?).ok()?;
        let flow = Flow::from_text(text)?;
        verify_slices_are_equal(flow.state.as_bytes(), state.as_bytes()).ok()?;
        let age_ms = now_ms.checked_sub(flow.began_ms)?;
        (0..LIFETIME_SECONDS * 1000).contains(&age_ms).then_some(flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_for_its_own_question_and_for_a_while() {
        let signer = FlowSigner::new("secret");
        let next = NextPage::new(Some("/workflow/1?panel=a.b"));
        let flow = Flow::new(FlowPurpose::SignIn { next });
        let signed = signer.sign(&flow);
        let now = flow.began_ms;
        assert_eq!(signer.verify(&signed, &flow.state, now), Some(flow.clone()));
        assert_eq!(signer.verify(&signed, "", now), None);
        assert_eq!(signer.verify(&signed, &new_token(), now), None);
        assert_eq!(signer.verify(&signed, &flow.state, now + LIFETIME_SECONDS * 1000), None);
        assert_eq!(signer.verify(&signed, &flow.state, now - 1), None);
        assert_eq!(FlowSigner::new("other").verify(&signed, &flow.state, now), None);
        let purpose = FlowPurpose::Connect { user: "u1".into(), generation: 3 };
        let connecting = Flow { purpose, ..flow.clone() };
        let signed_too = signer.sign(&connecting);
        assert_eq!(signer.verify(&signed_too, &flow.state, now), Some(connecting.clone()));
        let signature = signed.rsplit_once('.').unwrap().1;
        let forged = format!("{}.{signature}", connecting.to_text());
        assert_eq!(signer.verify(&forged, &flow.state, now), None);
        for wrong in ["", ".", "x", "x.y", &signed[..signed.len() - 2]] {
            assert_eq!(signer.verify(wrong, &flow.state, now), None, "{wrong}");
        }
    }

    #[test]
    fn nobody_is_sent_to_another_site() {
        for path in ["/workflow/1", "/executions?status=error", "/a//b"] {
            assert_eq!(NextPage::new(Some(path)).as_str(), path);
        }
        let long = format!("/{}", "a".repeat(MAX_NEXT_BYTES));
        let other = ["//evil", "/\\evil", "https://evil", "", "x", "/\t/evil", "/a b", "/ü", &long];
        for path in other {
            assert_eq!(NextPage::new(Some(path)).as_str(), "/", "{path}");
        }
    }
}
