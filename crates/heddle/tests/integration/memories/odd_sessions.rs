//! Sessions that try to be something else.

use super::backends::MemoryBackend;
use node_api::ai::{Lifetime, MAX_SESSION_ID_BYTES, Message, RecallLimit, StoredTurn, TurnKey};

/// Each session has its own turn and no other.
async fn are_apart(backend: &MemoryBackend, sessions: &[String]) {
    for (number, session) in sessions.iter().enumerate() {
        backend.append(session, "1", &format!("of {number}")).await;
    }
    for (number, session) in sessions.iter().enumerate() {
        assert_eq!(backend.user_messages(session).await, [format!("of {number}")], "{session:?}");
    }
    backend.conversations.clear(&backend.conversation(&sessions[0])).await.unwrap();
    assert!(backend.all(&sessions[0]).await.is_empty());
    for session in &sessions[1..] {
        assert_eq!(backend.all(session).await.len(), 1, "{session:?}");
    }
}

fn owned(sessions: &[&str]) -> Vec<String> {
    sessions.iter().map(|session| (*session).to_owned()).collect()
}

pub(crate) async fn sessions_do_not_mix(backend: &MemoryBackend) {
    are_apart(backend, &owned(&["ada", "bob", "Ada", "ada ", " ada", "ada1"])).await;
}

pub(crate) async fn odd_ids_are_sessions_like_others(backend: &MemoryBackend) {
    let odd = [
        "*",
        "?",
        ":",
        "::",
        "a:b",
        "a*",
        "[a]",
        "{a}",
        "\n",
        "a\nb",
        "a\r\nb",
        "\0",
        "a\0b",
        "a\0",
        "'",
        "\"",
        "'; DROP TABLE x; --",
        "$1",
        "%",
        "_",
        "..",
        "../../etc/passwd",
        "/",
        "\\",
        "null",
        "undefined",
        "true",
        "0",
        "-1",
        "🧶",
        "\u{202e}abc",
        " ",
        "\t",
        "default",
    ];
    let long =
        [MAX_SESSION_ID_BYTES, MAX_SESSION_ID_BYTES - 1, 256, 255].map(|length| "x".repeat(length));
    let sessions: Vec<String> =
        odd.iter().map(|session| (*session).to_owned()).chain(long).collect();
    are_apart(backend, &sessions).await;
}

pub(crate) async fn ids_that_look_the_same_are_two_sessions(backend: &MemoryBackend) {
    // Composed and decomposed, wide and narrow, Latin and Cyrillic, with and without something
    // invisible.
    are_apart(
        backend,
        &owned(&["caf\u{e9}", "cafe\u{301}", "ａ", "a", "а", "a\u{200b}", "ß", "ss", "İ", "i"]),
    )
    .await;
}

pub(crate) async fn an_id_cannot_pretend_to_be_a_key_of_the_back_end(backend: &MemoryBackend) {
    let long = "y".repeat(300);
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, long.as_bytes());
    let hex: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let identity = backend.conversation("victim").identity();
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &identity);
    let victims: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let prefix = format!("test:{}:", backend.number);
    let sessions = [
        "victim".to_owned(),
        long,
        format!("heddle-sha256:{hex}"),
        hex,
        victims.clone(),
        format!("{{{victims}}}"),
        format!("{prefix}{{{victims}}}"),
        format!("{prefix}{{{victims}}}:keys"),
        "victim}:keys".to_owned(),
        String::from_utf8_lossy(&identity).into_owned(),
    ];
    are_apart(backend, &sessions).await;
}

/// A session id of another tenant opens nothing of theirs.
pub(crate) async fn nodes_and_workflows_do_not_mix(backend: &MemoryBackend) {
    let places =
        [("a", ""), ("b", ""), ("a", "node 1"), ("a", "node 2"), ("an", "ode 1"), ("", "a")];
    for (owner, scope) in places {
        let text = format!("{owner}/{scope}");
        let turn = StoredTurn::new(TurnKey(text.as_str().into()), vec![Message::user(text)]);
        backend
            .conversations
            .append(&backend.of_workflow(owner, scope, "same"), turn, Lifetime::Endless)
            .await
            .unwrap();
    }
    for (owner, scope) in places {
        let kept = backend
            .conversations
            .newest(&backend.of_workflow(owner, scope, "same"), RecallLimit::ALL, Lifetime::Endless)
            .await
            .unwrap();
        match backend.kind.keeps_workflows_apart() {
            true => assert_eq!(
                kept.iter().map(|turn| turn.key.0.as_str()).collect::<Vec<_>>(),
                [format!("{owner}/{scope}")]
            ),
            false => assert_eq!(kept.len(), places.len(), "whoever shares n8n's table shares it"),
        }
    }
}
