//! An answer that is none: which error it is, and whether asking again may help.

use jiff::Timestamp;
use model::{Code, Str, Value};
use node_api::ai::ModelError;
use std::time::Duration;

/// Why a request was not answered, and what may be done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub error: ModelError,
    pub retry: Retry,
}

/// Whether the same request may be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    Never,
    /// After a pause that grows.
    Soon,
    /// After the pause that the provider asks for.
    After(Duration),
}

/// The most of a provider's own words that goes into a message.
const LONGEST_MESSAGE: usize = 1_000;

impl Refusal {
    /// By the status alone, which is all that many servers in between say.
    pub fn of_status(provider: &str, status: u16, headers: &[(String, String)], words: &str, now: Timestamp) -> Self {
        let code = code_of(status);
        let asked_for = should_retry(headers).unwrap_or_else(|| may_repeat(status));
        let retry = match (asked_for, pause_of(headers, now)) {
            (false, _) => Retry::Never,
            (true, Some(pause)) => Retry::After(pause),
            (true, None) => Retry::Soon,
        };
        Self { error: error(provider, code, Some(status), words), retry }
    }

    /// For an answer that cannot be read or that breaks off.
    pub fn broken(provider: &str, what: &str) -> Self {
        Self { error: error(provider, Code::MODEL_ERROR, None, what), retry: Retry::Soon }
    }

    pub fn with_code(mut self, code: Code) -> Self {
        self.error.code = code;
        self.error.may_pass = may_pass(code);
        self
    }

    pub fn with_retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }
}

/// An error in the words of the provider, or in ours where it has none.
pub(super) fn error(provider: &str, code: Code, status: Option<u16>, words: &str) -> ModelError {
    let words = words.trim();
    let message = if words.is_empty() {
        match status {
            Some(status) => format!("{provider} answered with status {status}"),
            None => format!("{provider} failed to answer"),
        }
    } else {
        let short: String = words.chars().take(LONGEST_MESSAGE).collect();
        format!("{provider}: {short}")
    };
    ModelError { code, message: message.into(), hint: None, status, may_pass: may_pass(code) }
}

/// What another model, or this one later, may do better. A request that is wrong, or a key that is, stays so.
fn may_pass(code: Code) -> bool {
    !matches!(code, Code::MODEL_REQUEST | Code::INVALID_CREDENTIALS)
}

fn code_of(status: u16) -> Code {
    match status {
        401 | 403 => Code::INVALID_CREDENTIALS,
        402 => Code::MODEL_QUOTA,
        404 => Code::MODEL_NOT_FOUND,
        408 | 504 => Code::MODEL_TIMEOUT,
        413 => Code::MODEL_CONTEXT,
        429 => Code::MODEL_RATE_LIMIT,
        409 | 500.. => Code::MODEL_ERROR,
        _ => Code::MODEL_REQUEST,
    }
}

fn may_repeat(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..)
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn should_retry(headers: &[(String, String)]) -> Option<bool> {
    header(headers, "x-should-retry")?.parse().ok()
}

/// The pause in `retry-after-ms` or `retry-after`, as a number of seconds or as a date. What cannot be read is no pause.
fn pause_of(headers: &[(String, String)], now: Timestamp) -> Option<Duration> {
    let milliseconds = header(headers, "retry-after-ms").and_then(|text| text.parse::<f64>().ok());
    if let Some(pause) = milliseconds.and_then(|number| Duration::try_from_secs_f64(number / 1e3).ok()) {
        return Some(pause);
    }
    let text = header(headers, "retry-after")?;
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

/// The body of a refusal as JSON, or as the text it is.
pub(super) fn read_body(body: &[u8]) -> Result<Value, Str> {
    let text = String::from_utf8_lossy(body);
    match model::json::parse(&text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        // Some servers in between put the object into a list.
        Ok(Value::Array(values)) if values.first().is_some_and(Value::is_object) => Ok(values[0].clone()),
        // A page of a server in between says less than the status does.
        _ if text.trim_start().starts_with('<') => Err(Str::new()),
        _ => Err(text.as_ref().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, headers: &[(&str, &str)]) -> Refusal {
        let headers: Vec<_> = headers.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let now = "2026-11-15T10:00:00Z".parse().unwrap();
        Refusal::of_status("anthropic", status, &headers, "", now)
    }

    #[test]
    fn the_status_says_which_error_it_is() {
        let cases = [
            (400, Code::MODEL_REQUEST, Retry::Never),
            (401, Code::INVALID_CREDENTIALS, Retry::Never),
            (402, Code::MODEL_QUOTA, Retry::Never),
            (403, Code::INVALID_CREDENTIALS, Retry::Never),
            (404, Code::MODEL_NOT_FOUND, Retry::Never),
            (408, Code::MODEL_TIMEOUT, Retry::Soon),
            (409, Code::MODEL_ERROR, Retry::Soon),
            (413, Code::MODEL_CONTEXT, Retry::Never),
            (422, Code::MODEL_REQUEST, Retry::Never),
            (429, Code::MODEL_RATE_LIMIT, Retry::Soon),
            (500, Code::MODEL_ERROR, Retry::Soon),
            (504, Code::MODEL_TIMEOUT, Retry::Soon),
            (529, Code::MODEL_ERROR, Retry::Soon),
        ];
        for (status, code, retry) in cases {
            let refusal = refusal(status, &[]);
            assert_eq!((refusal.error.code, refusal.retry), (code, retry), "{status}");
            assert_eq!(refusal.error.status, Some(status));
        }
    }

    #[test]
    fn the_pause_is_read_from_seconds_dates_and_milliseconds_and_never_from_garbage() {
        let cases = [
            ("0", Retry::After(Duration::ZERO)),
            ("3600", Retry::After(Duration::from_secs(3600))),
            ("1.5", Retry::After(Duration::from_millis(1500))),
            ("Sun, 15 Nov 2026 10:00:37 GMT", Retry::After(Duration::from_secs(37))),
            ("Sun, 15 Nov 2026 09:00:00 GMT", Retry::After(Duration::ZERO)),
            ("soon", Retry::Soon),
            ("-3", Retry::Soon),
            ("NaN", Retry::Soon),
            ("1e400", Retry::Soon),
            ("", Retry::Soon),
        ];
        for (text, retry) in cases {
            assert_eq!(refusal(429, &[("Retry-After", text)]).retry, retry, "{text}");
        }
        assert_eq!(refusal(429, &[("retry-after-ms", "250"), ("retry-after", "9")]).retry, Retry::After(Duration::from_millis(250)));
        assert_eq!(refusal(400, &[("retry-after", "9")]).retry, Retry::Never);
        assert_eq!(refusal(429, &[("x-should-retry", "false")]).retry, Retry::Never);
        assert_eq!(refusal(400, &[("x-should-retry", "true")]).retry, Retry::Soon);
    }
}
