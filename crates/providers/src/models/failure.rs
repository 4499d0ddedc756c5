//! How an attempt fails, in one shape for all providers: the error that is told, and whether it is
//! worth another try.

use super::retry;
use super::secret::{Secret, without_secrets};
use super::wire::WireError;
use model::{Code, Str, Value};
use node_api::NodeError;
use node_api::ai::ModelError;
use node_api::http::HttpError;
use std::time::Duration;

/// Words of a provider that reach the author are cut here.
const LONGEST_MESSAGE: usize = 2_000;

/// Why an attempt gave no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFailure {
    pub error: ModelError,
    pub retry: RetryHint,
    /// The provider wants fewer requests; everybody who uses the same key should hear it.
    pub rate_limited: bool,
}

/// Whether to ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryHint {
    Never,
    /// After a pause of our own choice.
    Soon,
    /// After the pause that the provider asks for.
    After(Duration),
}

impl ModelFailure {
    /// One that another try will not mend.
    pub fn permanent(mut error: ModelError) -> Self {
        error.may_pass = may_pass(error.code);
        Self { error, retry: RetryHint::Never, rate_limited: false }
    }

    /// One that may pass by itself.
    pub fn transient(mut error: ModelError) -> Self {
        error.may_pass = true;
        Self { error, retry: RetryHint::Soon, rate_limited: false }
    }

    /// An answer that cannot be read as what it should be.
    pub fn unreadable(words: impl Into<Str>) -> Self {
        Self::transient(ModelError::new(Code::MODEL_ERROR, words))
    }

    /// An answer of a provider that cannot be read or that breaks off.
    pub fn broken(provider: &str, what: &str) -> Self {
        Self::unreadable(in_words_of(provider, what, None))
    }

    /// An answer with an error status and the provider's own words, by the status alone.
    pub fn refused(
        provider: &str,
        status: u16,
        headers: &[(String, String)],
        words: &str,
        unix_ms: i64,
    ) -> Self {
        Self::of_status(
            status,
            code_of(status),
            &in_words_of(provider, words, Some(status)),
            headers,
            unix_ms,
        )
    }

    /// An answer with an error status, whose code and words the caller has read.
    pub fn of_status(
        status: u16,
        code: Code,
        message: &str,
        headers: &[(String, String)],
        unix_ms: i64,
    ) -> Self {
        let mut error = ModelError::new(code, shortened(message));
        error.status = Some(status);
        error.hint = hint(code).map(Str::from);
        let again = match code {
            // No waiting fills an account.
            Code::MODEL_QUOTA => RetryHint::Never,
            _ if !retry::is_retryable(status, headers) => RetryHint::Never,
            _ => retry::retry_after(headers, unix_ms).map_or(RetryHint::Soon, RetryHint::After),
        };
        error.may_pass = again != RetryHint::Never || may_pass(code);
        Self { error, retry: again, rate_limited: status == 429 && code != Code::MODEL_QUOTA }
    }

    /// The same, of another kind than its status says.
    pub fn with_code(mut self, code: Code) -> Self {
        self.error.code = code;
        self.error.hint = hint(code).map(Str::from);
        self.error.may_pass = self.retry != RetryHint::Never || may_pass(code);
        self
    }

    pub fn with_retry(mut self, again: RetryHint) -> Self {
        self.retry = again;
        self.error.may_pass = again != RetryHint::Never || may_pass(self.error.code);
        self
    }

    /// The same without the secrets that a server may have repeated.
    pub fn without(mut self, secrets: &[Secret]) -> Self {
        self.error.message =
            without_secrets(&self.error.message, secrets.iter().map(Secret::reveal)).into();
        self
    }
}

/// Which error a status is. All formats go by this; what is more exact in an answer than its status
/// goes over it.
pub fn code_of(status: u16) -> Code {
    match status {
        401 | 403 => Code::INVALID_CREDENTIALS,
        402 => Code::MODEL_QUOTA,
        404 => Code::MODEL_NOT_FOUND,
        408 | 504 => Code::MODEL_TIMEOUT,
        413 => Code::MODEL_CONTEXT,
        429 => Code::MODEL_RATE_LIMIT,
        400..=499 if status != 409 => Code::MODEL_REQUEST,
        _ => Code::MODEL_ERROR,
    }
}

/// Where this request is hopeless a different model may still help: its key, its account, its name
/// and its context are others. A request that is wrong, or refused for what it says, stays so.
pub fn may_pass(code: Code) -> bool {
    !matches!(
        code,
        Code::MODEL_REQUEST | Code::MODEL_REFUSED | Code::EGRESS_URL | Code::EGRESS_BLOCKED
    )
}

/// The body of a refusal as JSON, or as the text it is.
pub(super) fn read_body(body: &[u8]) -> Result<Value, Str> {
    let text = String::from_utf8_lossy(body);
    match model::json::parse(&text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        // Some servers in between put the object into a list.
        Ok(Value::Array(values)) if values.first().is_some_and(Value::is_object) => {
            Ok(values[0].clone())
        }
        // A page of a server in between says less than the status does.
        _ if text.trim_start().starts_with('<') => Err(Str::new()),
        _ => Err(text.as_ref().into()),
    }
}

fn in_words_of(provider: &str, words: &str, status: Option<u16>) -> String {
    match (words.trim(), status) {
        ("", Some(status)) => format!("{provider} responded with status {status}"),
        ("", None) => format!("{provider} failed to respond"),
        (words, _) => format!("{provider}: {words}"),
    }
}

fn hint(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::INVALID_CREDENTIALS => "Check the key in the model's credential, and its permissions",
        Code::MODEL_RATE_LIMIT => {
            "Reduce concurrency, or raise the account's limits at the provider"
        }
        Code::MODEL_QUOTA => "Check the plan and balance of the account at the provider",
        Code::MODEL_NOT_FOUND => "Choose a model that the key may use, and check the base URL",
        Code::MODEL_CONTEXT => {
            "Send fewer or shorter messages, or choose a model with a larger context window"
        }
        _ => return None,
    })
}

impl From<WireError> for ModelFailure {
    fn from(error: WireError) -> Self {
        let message = error.to_string();
        match error {
            WireError::Limit { .. } => {
                let hint = "Raise the model's timeout, or request less";
                Self::transient(ModelError::new(Code::MODEL_TIMEOUT, message).hint(hint))
            }
            WireError::Http(HttpError::Timeout { .. }) => {
                Self::transient(ModelError::new(Code::MODEL_TIMEOUT, message))
            }
            WireError::Http(HttpError::Unreachable { errno, .. }) => {
                let error = ModelError::new(Code::MODEL_ERROR, message);
                // A certificate does not become valid by asking again.
                if errno == Some("CERT_INVALID") {
                    Self::permanent(error)
                } else {
                    Self::transient(error)
                }
            }
            WireError::Http(HttpError::TooLarge { .. } | HttpError::TooManyRedirects { .. }) => {
                Self::permanent(ModelError::new(Code::MODEL_ERROR, message))
            }
            WireError::Http(error @ HttpError::NoCapacity { .. }) => {
                Self::transient(ModelError::new(error.code(), message))
            }
            WireError::Http(error @ HttpError::Bound { .. }) => {
                let hint = "If the credential is meant for this host, ask its owner to add the host under \
                     Allowed hosts";
                Self::permanent(ModelError::new(error.code(), message).hint(hint))
            }
            WireError::Http(
                error @ (HttpError::Url { .. }
                | HttpError::Blocked { .. }
                | HttpError::HostNotAllowed { .. }
                | HttpError::Method { .. }),
            ) => Self::permanent(ModelError::new(error.code(), message)),
            WireError::Line(_) => Self::permanent(ModelError::new(Code::MODEL_ERROR, message)),
        }
    }
}

/// The error as a node tells it.
pub fn node_error(error: ModelError) -> NodeError {
    let node_error = NodeError::new(error.code, error.message);
    let node_error = match error.status {
        Some(status) => node_error.with("httpCode", Str::from(status.to_string())),
        None => node_error,
    };
    match error.hint {
        Some(hint) => node_error.hint(hint),
        None => node_error,
    }
}

fn shortened(message: &str) -> Str {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        None => message.into(),
        Some((at, _)) => format!("{}…", &message[..at]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, code: Code, headers: &[(&str, &str)]) -> ModelFailure {
        let headers: Vec<_> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ModelFailure::of_status(status, code, "words", &headers, 0)
    }

    #[test]
    fn the_status_says_which_error_it_is_and_whether_another_model_may_do_better() {
        for (status, code, again, may_pass) in [
            (400, Code::MODEL_REQUEST, RetryHint::Never, false),
            (401, Code::INVALID_CREDENTIALS, RetryHint::Never, true),
            (402, Code::MODEL_QUOTA, RetryHint::Never, true),
            (403, Code::INVALID_CREDENTIALS, RetryHint::Never, true),
            (404, Code::MODEL_NOT_FOUND, RetryHint::Never, true),
            (408, Code::MODEL_TIMEOUT, RetryHint::Soon, true),
            (409, Code::MODEL_ERROR, RetryHint::Soon, true),
            (413, Code::MODEL_CONTEXT, RetryHint::Never, true),
            (422, Code::MODEL_REQUEST, RetryHint::Never, false),
            (429, Code::MODEL_RATE_LIMIT, RetryHint::Soon, true),
            (500, Code::MODEL_ERROR, RetryHint::Soon, true),
            (504, Code::MODEL_TIMEOUT, RetryHint::Soon, true),
            (529, Code::MODEL_ERROR, RetryHint::Soon, true),
        ] {
            let failure = ModelFailure::refused("p", status, &[], "", 0);
            assert_eq!(
                (failure.error.code, failure.retry, failure.error.may_pass),
                (code, again, may_pass),
                "{status}"
            );
            assert_eq!((failure.error.status, failure.rate_limited), (Some(status), status == 429));
        }
        assert!(!ModelFailure::permanent(ModelError::new(Code::MODEL_REFUSED, "")).error.may_pass);
    }

    #[test]
    fn a_key_that_the_server_repeats_is_not_told() {
        let failure =
            ModelFailure::refused("p", 401, &[], "Incorrect API key provided: sk-canary-1.", 0);
        let clean = failure.without(&[Secret::new("sk-canary-1")]);
        assert_eq!(clean.error.message, "p: Incorrect API key provided: ***.");
        assert!(clean.error.hint.is_some());
    }

    #[test]
    fn an_empty_account_is_never_asked_again_whatever_the_headers_say() {
        let failure =
            status(429, Code::MODEL_QUOTA, &[("x-should-retry", "true"), ("retry-after", "1")]);
        assert_eq!(
            (failure.retry, failure.rate_limited, failure.error.may_pass),
            (RetryHint::Never, false, true)
        );
    }

    #[test]
    fn a_pause_that_was_asked_for_is_kept() {
        let failure = status(429, Code::MODEL_RATE_LIMIT, &[("Retry-After", "7")]);
        assert_eq!(
            (failure.retry, failure.rate_limited),
            (RetryHint::After(Duration::from_secs(7)), true)
        );
        assert_eq!(status(503, Code::MODEL_ERROR, &[]).retry, RetryHint::Soon);
        assert_eq!(status(400, Code::MODEL_REQUEST, &[]).retry, RetryHint::Never);
        assert!(!status(400, Code::MODEL_REQUEST, &[]).error.may_pass);
    }

    #[test]
    fn closed_addresses_and_bad_certificates_are_not_asked_again() {
        let blocked = HttpError::Blocked { host: "h".into(), reason: "r".into() };
        let failure = ModelFailure::from(WireError::Http(blocked));
        assert_eq!((failure.retry, failure.error.code), (RetryHint::Never, Code::EGRESS_BLOCKED));
        let reset = HttpError::Unreachable { reason: "r".into(), errno: Some("ECONNRESET") };
        assert_eq!(ModelFailure::from(WireError::Http(reset)).retry, RetryHint::Soon);
        let forged = HttpError::Unreachable { reason: "r".into(), errno: Some("CERT_INVALID") };
        assert_eq!(ModelFailure::from(WireError::Http(forged)).retry, RetryHint::Never);
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let failure = ModelFailure::of_status(400, Code::MODEL_REQUEST, &"é".repeat(5_000), &[], 0);
        assert_eq!(failure.error.message.chars().count(), LONGEST_MESSAGE + 1);
    }
}
