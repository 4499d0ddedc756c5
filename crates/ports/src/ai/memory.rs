//! Memories: what was said before in a session.

use super::conversation::{RewriteOutcome, StoredTurn};
use super::message::Message;
use model::{Str, Value};

/// The longest session id that is taken, in bytes.
pub const MAX_SESSION_ID_BYTES: usize = 1024;

/// The session of everybody. Nobody who shares a trigger with others may have it: they would read
/// each other's conversations.
pub const SHARED_SESSION: &str = "default";

/// Whose conversation it is. Opaque: two ids are the same only if all their bytes are, and none
/// becomes a part of a key or a path as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(Str);

impl SessionId {
    pub fn new(text: impl Into<Str>) -> Result<Self, MemoryError> {
        let text = text.into();
        if text.is_empty() {
            return Err(MemoryError::new("The session ID is empty"));
        }
        if text.len() > MAX_SESSION_ID_BYTES {
            let length = text.len();
            return Err(MemoryError::new(format!(
                "The session ID has {length} bytes; the limit is {MAX_SESSION_ID_BYTES} \
                     (MAX_SESSION_ID_BYTES)"
            )));
        }
        Ok(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which turn it is. The same turn has the same key after a crash, so that it is kept once however
/// often it is appended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TurnKey(pub Str);

/// What an agent remembers with. Implemented in `agent` over
/// [`Conversations`](super::Conversations); called by agents and by the node that looks after
/// memories.
///
/// Messages are kept in whole turns: what an agent appends at once belongs together and is never
/// cut apart, neither by a window nor by two runs that append at the same time.
#[async_trait::async_trait]
pub trait Memory: Send + Sync {
    /// What the model is to see of the past, oldest first: never beginning with the result of a
    /// tool whose call is gone.
    async fn load(&self, session: &SessionId, about: &str)
    -> Result<RecalledMessages, MemoryError>;
    /// Adds a turn: the user's message, what the assistant said and called, and the results.
    /// Appending the same turn again changes nothing. What comes back are warnings: the turn is
    /// kept all the same.
    async fn append(
        &self,
        session: &SessionId,
        key: &TurnKey,
        turn: &[Message],
    ) -> Result<Vec<Str>, MemoryError>;
    async fn clear(&self, session: &SessionId) -> Result<(), MemoryError>;

    /// Everything that is kept, oldest first.
    async fn turns(&self, _session: &SessionId) -> Result<Vec<StoredTurn>, MemoryError> {
        Err(MemoryError::new("This memory cannot be read"))
    }
    /// Puts other turns in the place of those that were seen; see
    /// [`Conversations::rewrite`](super::Conversations::rewrite).
    async fn rewrite(
        &self,
        _session: &SessionId,
        _seen: &[TurnKey],
        _turns: Vec<StoredTurn>,
    ) -> Result<RewriteOutcome, MemoryError> {
        Err(MemoryError::new("This memory cannot be modified"))
    }

    /// Encrypts a copy of what is in the session, for a journal. It opens until the session is
    /// cleared. `None` if this memory keeps no keys.
    async fn seal_copy(
        &self,
        _session: &SessionId,
        _plain: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        Ok(None)
    }
    /// `None` once the session was cleared.
    async fn open_copy(
        &self,
        _session: &SessionId,
        _sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        Ok(None)
    }
}

/// What a memory gives a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecalledMessages {
    pub messages: Vec<Message>,
    /// What did not work although something is there to give.
    pub warnings: Vec<Str>,
}

impl From<Vec<Message>> for RecalledMessages {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages, warnings: Vec::new() }
    }
}

/// Why a memory is of no use at the moment. A run goes on without it and says so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct MemoryError {
    pub message: Str,
}

impl MemoryError {
    pub fn new(message: impl Into<Str>) -> Self {
        Self { message: message.into() }
    }
}

/// What a session begins with that has the name of a person's own, and was named by somebody else.
const UNVERIFIED_PREFIX: &str = "elsewhere:";

/// What a session begins with that this instance has signed.
const SIGNED_PREFIX: &str = "signed.";

/// The length of a person's id.
const USER_ID_BYTES: usize = 16;

/// What workflows see a session called that this instance gives to somebody. Nobody else can make
/// the name up, and so neither what a workflow makes of it: a key with something before it, a part,
/// a hash.
pub fn signed_session(signature: &str, session: &str) -> Str {
    format!("{SIGNED_PREFIX}{signature}.{session}").into()
}

/// The session and the signature of such a name, whoever made it.
pub fn split_signed(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(SIGNED_PREFIX)?
        .split_once('.')
        .map(|(signature, session)| (session, signature))
}

/// Whether a session is called as those are that a person has at OpenAI's API: by the person's id,
/// and behind it as they like.
fn is_personal_session(session: &str) -> bool {
    session.as_bytes().get(USER_ID_BYTES) == Some(&b':')
        && session.bytes().take(USER_ID_BYTES).all(|byte| byte.is_ascii_alphanumeric())
}

/// What a session is called inside. A person's own is opened by its signed name alone; whoever
/// names it otherwise, at whatever entry point, has another one.
pub fn isolated_session(name: Str, is_signed: impl FnOnce(&str, &str) -> bool) -> Str {
    match split_signed(&name) {
        // As it was called before names were signed.
        Some((session, signature)) if is_signed(session, signature) => session.into(),
        None if !is_personal_session(&name) => name,
        _ => format!("{UNVERIFIED_PREFIX}{name}").into(),
    }
}

/// What a session is called for somebody who was given none: they cannot open one of those that
/// were given away, nor can what a workflow makes of the name.
pub fn caller_session(name: Str) -> Str {
    isolated_session(name, |_, _| false)
}

/// Whose conversation a message says that it belongs to: its field `sessionId`, unless that is no
/// word or number.
pub fn session_id_of(message: &Value) -> Option<Str> {
    match message.get("sessionId")? {
        Value::Null | Value::Undefined | Value::Object(_) | Value::Array(_) => None,
        session => Some(session.to_js_string()).filter(|session| !session.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_id_is_neither_empty_nor_longer_than_its_limit() {
        assert!(SessionId::new("").is_err());
        assert!(SessionId::new("x".repeat(MAX_SESSION_ID_BYTES)).is_ok());
        let error = SessionId::new("x".repeat(1 << 20)).unwrap_err();
        assert!(
            error.message.contains("MAX_SESSION_ID_BYTES") && error.message.len() < 200,
            "{error}"
        );
    }

    #[test]
    fn issue_14_11_a_persons_own_session_is_another_one_for_everybody_else() {
        let own = Str::from("0123456789abcDEF:ada");
        let signed = signed_session("abc", &own);
        let is_signed = |session: &str, signature: &str| {
            (session, signature) == ("0123456789abcDEF:ada", "abc")
        };
        assert_eq!(isolated_session(signed.clone(), is_signed), own, "as it was called before");
        for other in [
            own,
            signed_session("abd", "0123456789abcDEF:ada"),
            signed_session("abc", "x"),
            "signed..".into(),
        ] {
            assert_eq!(isolated_session(other.clone(), is_signed), format!("elsewhere:{other}"));
        }
        assert_eq!(caller_session(signed.clone()), format!("elsewhere:{signed}"));
        assert_eq!(
            isolated_session(caller_session(signed.clone()), is_signed),
            format!("elsewhere:{signed}")
        );
        let free = [
            "7",
            "0123456789abcDEF",
            "0123456789abcDE:ada",
            "0123456789abcDEFG:ada",
            "0123456789abcD-F:ada",
            "",
            ":",
            "signed.",
        ];
        for free in free.into_iter().chain(["café-café-café-:x"]) {
            assert_eq!(isolated_session(free.into(), |_, _| false), free);
        }
    }

    #[test]
    fn ids_that_only_look_the_same_are_two_sessions() {
        assert_ne!(SessionId::new("caf\u{e9}").unwrap(), SessionId::new("cafe\u{301}").unwrap());
    }
}
