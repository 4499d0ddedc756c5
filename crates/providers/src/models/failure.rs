//! How an attempt fails, in one shape for all providers: the error that is told, and whether it is worth another try.

use super::retry;
use super::wire::WireError;
use model::{Code, Str};
use node_api::NodeError;
use node_api::ai::ModelError;
use node_api::http::HttpError;
use std::time::Duration;

/// Words of a provider that reach the author are cut here.
const LONGEST_MESSAGE: usize = 2_000;

/// Why an attempt gave no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub error: ModelError,
    pub again: Again,
    /// The provider wants fewer requests; everybody who uses the same key should hear it.
    pub too_many: bool,
}

/// Whether to ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    Never,
    /// After a pause of our own choice.
    Soon,
    /// After the pause that the provider asks for.
    After(Duration),
}

impl Failure {
    /// One that another try will not mend.
    pub fn lasting(error: ModelError) -> Self {
        Self { error, again: Again::Never, too_many: false }
    }

    /// One that may pass by itself.
    pub fn passing(mut error: ModelError) -> Self {
        error.may_pass = true;
        Self { error, again: Again::Soon, too_many: false }
    }

    /// An answer that cannot be read as what it should be.
    pub fn unreadable(words: impl Into<Str>) -> Self {
        Self::passing(ModelError::new(Code::MODEL_ERROR, words))
    }

    /// An answer with an error status, whose code and words the caller has read.
    pub fn of_status(status: u16, code: Code, message: &str, headers: &[(String, String)], unix_ms: i64) -> Self {
        let mut error = ModelError::new(code, shortened(message));
        error.status = Some(status);
        let again = match code {
            // No waiting fills an account.
            Code::MODEL_QUOTA => Again::Never,
            _ if !retry::is_retried(status, headers) => Again::Never,
            _ => retry::wait_asked_for(headers, unix_ms).map_or(Again::Soon, Again::After),
        };
        // Where this request is hopeless a different provider may still help: its key, its account, its models are others.
        error.may_pass = again != Again::Never
            || matches!(code, Code::MODEL_QUOTA | Code::INVALID_CREDENTIALS | Code::MODEL_NOT_FOUND | Code::MODEL_RATE_LIMIT);
        Self { error, again, too_many: status == 429 && code != Code::MODEL_QUOTA }
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Self {
        let message = error.to_string();
        match error {
            WireError::Limit { .. } => {
                let hint = "Raise the time limit of the model, or ask for less";
                Self::passing(ModelError::new(Code::MODEL_TIMEOUT, message).hint(hint))
            }
            WireError::Http(HttpError::Timeout { .. }) => Self::passing(ModelError::new(Code::MODEL_TIMEOUT, message)),
            WireError::Http(HttpError::Unreachable { errno, .. }) => {
                let error = ModelError::new(Code::MODEL_ERROR, message);
                // A certificate does not become valid by asking again.
                if errno == Some("CERT_INVALID") { Self::lasting(error) } else { Self::passing(error) }
            }
            WireError::Http(HttpError::TooLarge { .. } | HttpError::TooManyRedirects { .. }) => {
                Self::lasting(ModelError::new(Code::MODEL_ERROR, message))
            }
            WireError::Http(error @ (HttpError::Url { .. } | HttpError::Blocked { .. })) => {
                Self::lasting(ModelError::new(error.code(), message))
            }
            WireError::Line(_) => Self::lasting(ModelError::new(Code::MODEL_ERROR, message)),
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

    fn status(status: u16, code: Code, headers: &[(&str, &str)]) -> Failure {
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Failure::of_status(status, code, "words", &headers, 0)
    }

    #[test]
    fn an_empty_account_is_never_asked_again_whatever_the_headers_say() {
        let failure = status(429, Code::MODEL_QUOTA, &[("x-should-retry", "true"), ("retry-after", "1")]);
        assert_eq!((failure.again, failure.too_many, failure.error.may_pass), (Again::Never, false, true));
    }

    #[test]
    fn a_pause_that_was_asked_for_is_kept() {
        let failure = status(429, Code::MODEL_RATE_LIMIT, &[("Retry-After", "7")]);
        assert_eq!((failure.again, failure.too_many), (Again::After(Duration::from_secs(7)), true));
        assert_eq!(status(503, Code::MODEL_ERROR, &[]).again, Again::Soon);
        assert_eq!(status(400, Code::MODEL_REQUEST, &[]).again, Again::Never);
        assert!(!status(400, Code::MODEL_REQUEST, &[]).error.may_pass);
    }

    #[test]
    fn closed_addresses_and_bad_certificates_are_not_asked_again() {
        let blocked = HttpError::Blocked { host: "h".into(), reason: "r".into() };
        let failure = Failure::from(WireError::Http(blocked));
        assert_eq!((failure.again, failure.error.code), (Again::Never, Code::EGRESS_BLOCKED));
        let reset = HttpError::Unreachable { reason: "r".into(), errno: Some("ECONNRESET") };
        assert_eq!(Failure::from(WireError::Http(reset)).again, Again::Soon);
        let forged = HttpError::Unreachable { reason: "r".into(), errno: Some("CERT_INVALID") };
        assert_eq!(Failure::from(WireError::Http(forged)).again, Again::Never);
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let failure = Failure::of_status(400, Code::MODEL_REQUEST, &"é".repeat(5_000), &[], 0);
        assert_eq!(failure.error.message.chars().count(), LONGEST_MESSAGE + 1);
    }
}
