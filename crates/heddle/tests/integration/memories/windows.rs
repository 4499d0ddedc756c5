//! How much of a conversation is read.

use super::backends::MemoryBackend;
use agent::memory::{MemoryWindow, repair_messages};
use node_api::ai::{
    ChatRole, Lifetime, MAX_TURN_BYTES, Memory as _, Message, MessagePart, RecallLimit, SessionId,
    StoredTurn, ToolArguments, ToolCall, ToolResult, TurnKey,
};

fn session() -> SessionId {
    SessionId::new("s").unwrap()
}

/// A turn with this many calls of tools.
fn with_calls(name: &str, calls: usize) -> Vec<Message> {
    let mut messages = vec![Message::user(name)];
    for number in 0..calls {
        let id = format!("{name}-{number}");
        let call = ToolCall {
            id: id.as_str().into(),
            name: "add".into(),
            arguments: ToolArguments::parse("{}"),
            opaque: None,
        };
        messages.push(Message::new(ChatRole::Assistant, vec![MessagePart::ToolCall(call)]));
        messages.push(Message::results([ToolResult {
            id: id.into(),
            name: "add".into(),
            content: "1".into(),
            is_error: false,
        }]));
    }
    messages.push(Message::assistant("done"));
    messages
}

/// The window cut at every position keeps call and result together.
pub(crate) async fn a_window_cut_at_every_position_keeps_pairs(backend: &MemoryBackend) {
    let memory = backend.memory(MemoryWindow::All);
    for (number, calls) in [0, 1, 3, 0, 2].into_iter().enumerate() {
        let name = number.to_string();
        memory
            .append(&session(), &TurnKey(name.as_str().into()), &with_calls(&name, calls))
            .await
            .unwrap();
    }
    let everything = memory.load(&session(), "").await.unwrap().messages;
    assert_eq!(everything.len(), 2 + 4 + 8 + 2 + 6);
    for limit in 0..=everything.len() + 1 {
        let seen = backend
            .memory(MemoryWindow::Messages(limit))
            .load(&session(), "")
            .await
            .unwrap()
            .messages;
        // The newest turn has 6 messages, and is seen whole however small the window.
        assert!(seen.len() <= limit.max(6), "{limit}: {}", seen.len());
        assert_eq!(seen.is_empty(), limit == 0);
        assert!(seen.first().is_none_or(|first| first.role == ChatRole::User), "{limit}");
        assert_eq!(repair_messages(seen.clone()), seen, "{limit}");
        assert!(everything.ends_with(&seen), "{limit}");
    }
}

pub(crate) async fn a_window_of_turns_has_that_many(backend: &MemoryBackend) {
    for number in 0..6 {
        backend.append("s", &number.to_string(), &number.to_string()).await;
    }
    for wanted in 0..8 {
        let seen = backend
            .memory(MemoryWindow::Turns(wanted))
            .load(&session(), "")
            .await
            .unwrap()
            .messages;
        assert_eq!(seen.len(), wanted.min(6) * 2, "{wanted}");
        assert!(wanted == 0 || seen.last().unwrap().text() == "5!");
    }
}

pub(crate) async fn a_huge_session_is_read_from_its_end(backend: &MemoryBackend) {
    // In one go: what counts is how it is read.
    let turns: Vec<StoredTurn> = (0..1_500)
        .map(|number: usize| {
            let messages =
                vec![Message::user(number.to_string()), Message::assistant("x".repeat(100))];
            StoredTurn::new(TurnKey(number.to_string().into()), messages)
        })
        .collect();
    let which = backend.conversation("s");
    backend.conversations.rewrite(&which, &[], turns, Lifetime::Endless).await.unwrap();
    for wanted in [1, 63, 64, 65, 130, 199, 200, 201, 1_499, 1_500, 9_999] {
        let newest = backend
            .conversations
            .newest(&which, RecallLimit::turns(wanted), Lifetime::Endless)
            .await
            .unwrap();
        assert_eq!(newest.len(), wanted.min(1_500), "{wanted}");
        assert_eq!(newest.last().unwrap().key.0, "1499");
        assert_eq!(newest[0].key.0, (1_500 - wanted.min(1_500)).to_string().as_str());
    }
    backend.append("s", "last", "last").await;
    assert_eq!(backend.all("s").await.len(), 1_501);
}

pub(crate) async fn no_more_bytes_are_read_than_are_wanted(backend: &MemoryBackend) {
    for number in 0..20 {
        backend.append("s", &number.to_string(), &"y".repeat(10_000)).await;
    }
    let most = RecallLimit { turns: usize::MAX, bytes: 150_000 };
    let newest = backend
        .conversations
        .newest(&backend.conversation("s"), most, Lifetime::Endless)
        .await
        .unwrap();
    assert!((4..=8).contains(&newest.len()), "{}", newest.len());
    assert_eq!(newest.last().unwrap().key.0, "19");
}

pub(crate) async fn the_newest_turn_comes_even_if_it_is_too_large(backend: &MemoryBackend) {
    for number in 0..3 {
        backend.append("s", &number.to_string(), &"y".repeat(10_000)).await;
    }
    let most = RecallLimit { turns: usize::MAX, bytes: 10 };
    let newest = backend
        .conversations
        .newest(&backend.conversation("s"), most, Lifetime::Endless)
        .await
        .unwrap();
    assert_eq!(newest.iter().map(|turn| turn.key.0.as_str()).collect::<Vec<_>>(), ["2"]);
}

pub(crate) async fn a_turn_past_the_limit_is_refused_by_name(backend: &MemoryBackend) {
    let memory = backend.memory(MemoryWindow::All);
    let large = Message::user("x".repeat(2 << 20));
    memory.append(&session(), &TurnKey("1".into()), std::slice::from_ref(&large)).await.unwrap();
    assert_eq!(memory.load(&session(), "").await.unwrap().messages, [large]);
    let too_large = Message::user("x".repeat(MAX_TURN_BYTES + 1));
    let error = memory.append(&session(), &TurnKey("2".into()), &[too_large]).await.unwrap_err();
    assert!(error.message.contains("MAX_TURN_BYTES"), "{error}");
    assert_eq!(backend.all("s").await.len(), 1);
}
