//! What becomes of conversations with time, with a restart, and under the eyes of whoever reads the
//! disk.

use super::backends::{BackendKind, MemoryBackend};
use node_api::ai::{Lifetime, Message, RecallLimit, StoredTurn, TurnKey};

const HOUR: Lifetime = Lifetime::Seconds(3_600);

async fn append(backend: &MemoryBackend, key: &str, lifetime: Lifetime) {
    let turn = StoredTurn::new(TurnKey(key.into()), vec![Message::user(key)]);
    backend.conversations.append(&backend.conversation("s"), turn, lifetime).await.unwrap();
}

async fn length(backend: &MemoryBackend, lifetime: Lifetime) -> usize {
    backend
        .conversations
        .newest(&backend.conversation("s"), RecallLimit::ALL, lifetime)
        .await
        .unwrap()
        .len()
}

pub(crate) async fn a_conversation_that_nobody_uses_vanishes(backend: &MemoryBackend) {
    append(backend, "1", HOUR).await;
    backend.wait(3_500).await;
    assert_eq!(length(backend, Lifetime::Endless).await, 1);
    append(backend, "2", HOUR).await;
    backend.wait(3_601).await;
    let left = if backend.kind.has_lifetimes() { 0 } else { 2 };
    assert_eq!(length(backend, HOUR).await, left);
    append(backend, "3", HOUR).await;
    assert_eq!(length(backend, HOUR).await, left + 1);
}

/// Defect of the sketch: only writing renewed a conversation.
pub(crate) async fn use_keeps_a_conversation(backend: &MemoryBackend) {
    append(backend, "1", HOUR).await;
    for _ in 0..3 {
        backend.wait(2_000).await;
        assert_eq!(length(backend, HOUR).await, 1);
    }
}

pub(crate) async fn without_a_lifetime_a_conversation_stays(backend: &MemoryBackend) {
    append(backend, "1", Lifetime::Endless).await;
    backend.wait(80_000).await;
    assert_eq!(length(backend, Lifetime::Endless).await, 1);
    append(backend, "2", Lifetime::of_seconds(0)).await;
    backend.wait(80_000).await;
    assert_eq!(length(backend, Lifetime::Endless).await, 2);
}

pub(crate) async fn after_a_restart_it_is_there_or_gone(backend: &MemoryBackend) {
    append(backend, "1", Lifetime::Endless).await;
    let again = backend.restarted();
    let left = usize::from(backend.kind.outlives_the_process());
    let which = backend.conversation("s");
    assert_eq!(
        again.newest(&which, RecallLimit::ALL, Lifetime::Endless).await.unwrap().len(),
        left
    );
    let turn = |key: &str| StoredTurn::new(TurnKey(key.into()), vec![Message::user("x")]);
    // The same turn comes again after a crash.
    again.append(&which, turn("1"), Lifetime::Endless).await.unwrap();
    again.append(&which, turn("2"), Lifetime::Endless).await.unwrap();
    assert_eq!(again.newest(&which, RecallLimit::ALL, Lifetime::Endless).await.unwrap().len(), 2);
}

pub(crate) async fn nobody_who_reads_the_disk_reads_what_was_said(backend: &MemoryBackend) {
    backend.append("canary-session", "canary-key", "canary-words").await;
    backend.append("canary-session", "2", "more").await;
    let bytes = backend.bytes().await;
    let has = |needle: &str| bytes.windows(needle.len()).any(|window| window == needle.as_bytes());
    assert!(!has("canary-session"), "the session is hashed");
    if backend.kind.is_encrypted() {
        assert!(!bytes.is_empty() && !has("canary-words") && !has("canary-key"));
    }
    if backend.kind == BackendKind::RedisInTheOpen {
        assert!(has("canary-words"), "the test looks in the right place");
    }
    backend.conversations.clear(&backend.conversation("canary-session")).await.unwrap();
    assert!(backend.all("canary-session").await.is_empty());
}
