//! What holds of turns wherever they are kept: order, wholeness, and each once.

use super::backends::{BackendKind, MemoryBackend};
use model::{Object, json};
use node_api::ai::{
    ChatRole, Embedding, Lifetime, Media, MediaData, Message, MessagePart, Opaque, RewriteOutcome,
    StoredTurn, ToolArguments, ToolCall, ToolResult, TurnKey,
};

fn key(text: &str) -> TurnKey {
    TurnKey(text.into())
}

fn turn(name: &str) -> StoredTurn {
    StoredTurn::new(key(name), vec![Message::user(name), Message::assistant("yes")])
}

fn keys(names: &[&str]) -> Vec<TurnKey> {
    names.iter().map(|name| key(name)).collect()
}

async fn rewrite(backend: &MemoryBackend, seen: &[&str], new: Vec<StoredTurn>) -> RewriteOutcome {
    backend
        .conversations
        .rewrite(&backend.conversation("s"), &keys(seen), new, Lifetime::Endless)
        .await
        .unwrap()
}

async fn with_turns(backend: &MemoryBackend, names: &[&str]) {
    for name in names {
        backend.append("s", name, name).await;
    }
}

pub(crate) async fn a_conversation_that_nobody_has_begun_is_empty(backend: &MemoryBackend) {
    assert!(backend.all("s").await.is_empty());
    backend.conversations.clear(&backend.conversation("s")).await.unwrap();
    assert!(backend.all("s").await.is_empty());
}

pub(crate) async fn turns_come_back_in_their_order(backend: &MemoryBackend) {
    let names: Vec<String> = (0..30).map(|number| format!("{number}")).collect();
    for name in &names {
        backend.append("s", name, name).await;
    }
    assert_eq!(backend.user_messages("s").await, names);
    let first = &backend.all("s").await[0];
    assert_eq!(
        (first.key.0.as_str(), first.messages.len(), first.messages[1].text().as_str()),
        ("0", 2, "0!")
    );
}

pub(crate) async fn images_calls_and_thoughts_survive(backend: &MemoryBackend) {
    let opaque =
        || Some(Opaque { provider: "p".into(), data: json!({ "signature": [1, null, "x"] }) });
    let media = |data| Media { mime_type: "image/png".into(), name: Some("a.png".into()), data };
    let call = |id: &str, arguments| {
        MessagePart::ToolCall(ToolCall {
            id: id.into(),
            name: "add".into(),
            arguments,
            opaque: opaque(),
        })
    };
    let result = |id: &str, is_error| ToolResult {
        id: id.into(),
        name: "add".into(),
        content: "{\"a\":1}".into(),
        is_error,
    };
    let image = MessagePart::Image(media(MediaData::Bytes((0..=255).collect::<Vec<u8>>().into())));
    let file = MessagePart::File(media(MediaData::Url("https://a.test/f?x=1&y=2".into())));
    let messages = vec![
        Message::new(ChatRole::User, vec![MessagePart::Text("see".into()), image, file]),
        Message::new(
            ChatRole::Assistant,
            vec![
                MessagePart::Thinking { text: "hm".into(), opaque: opaque() },
                MessagePart::Text("let me".into()),
                call(
                    "1",
                    ToolArguments::Parsed(Object::from_iter([(
                        "a",
                        json!({ "deep": [1.5, true] }),
                    )])),
                ),
                call("2", ToolArguments::parse("{ broken")),
            ],
        ),
        Message::results([result("1", false), result("2", true)]),
        Message { opaque: opaque(), ..Message::assistant("done") },
    ];
    let kept = StoredTurn::new(key("1"), messages);
    backend
        .conversations
        .append(&backend.conversation("s"), kept.clone(), Lifetime::Endless)
        .await
        .unwrap();
    assert_eq!(backend.all("s").await, [kept]);
    if backend.kind != BackendKind::Postgres {
        let found = StoredTurn {
            embedding: Some(Embedding { model: "m".into(), vector: vec![0.1, -2.0] }),
            ..turn("2")
        };
        backend
            .conversations
            .append(&backend.conversation("s"), found.clone(), Lifetime::Endless)
            .await
            .unwrap();
        assert_eq!(backend.all("s").await[1], found);
    }
}

pub(crate) async fn every_character_survives(backend: &MemoryBackend) {
    let text = "tab\t line\r\n \u{1}\u{1b}[31m \u{7f} 'quote' \"double\" \\u0000 \\ {{ $json }} ${x} %s $1 \u{202e}bidi \u{200b} 日本語 🧶 \u{10ffff}";
    backend.append("s", "1", text).await;
    backend.append("s", "2", "nul\0nul").await;
    // JSON in Postgres has no place for this one character.
    let nul = if backend.kind == BackendKind::Postgres { "nul\u{fffd}nul" } else { "nul\0nul" };
    assert_eq!(backend.user_messages("s").await, [text, nul]);
}

pub(crate) async fn the_same_turn_is_kept_once(backend: &MemoryBackend) {
    for text in ["first", "again"] {
        backend.append("s", "1", text).await;
    }
    with_turns(backend, &["2"]).await;
    backend.append("s", "1", "again").await;
    assert_eq!(backend.user_messages("s").await, ["first", "2"]);
}

pub(crate) async fn the_same_key_in_another_session_is_another_turn(backend: &MemoryBackend) {
    backend.append("s", "1", "mine").await;
    backend.append("t", "1", "yours").await;
    assert_eq!(
        (backend.user_messages("s").await, backend.user_messages("t").await),
        (vec!["mine".to_owned()], vec!["yours".to_owned()])
    );
}

pub(crate) async fn clearing_forgets_one_session_and_no_other(backend: &MemoryBackend) {
    backend.append("s", "1", "mine").await;
    backend.append("t", "1", "yours").await;
    backend.conversations.clear(&backend.conversation("s")).await.unwrap();
    assert!(backend.all("s").await.is_empty());
    assert_eq!(backend.user_messages("t").await, ["yours"]);
}

pub(crate) async fn after_clearing_a_conversation_begins_anew(backend: &MemoryBackend) {
    with_turns(backend, &["1", "2"]).await;
    backend.conversations.clear(&backend.conversation("s")).await.unwrap();
    with_turns(backend, &["3", "4"]).await;
    assert_eq!(backend.user_messages("s").await, ["3", "4"]);
}

pub(crate) async fn many_tasks_that_append_at_once_lose_nothing(backend: &MemoryBackend) {
    let tasks = (0..12).map(|task| async move {
        for number in 0..8 {
            backend.append("s", &format!("{task}-{number}"), &format!("{task}-{number}")).await;
        }
    });
    futures::future::join_all(tasks).await;
    let said = backend.user_messages("s").await;
    assert_eq!(said.len(), 96);
    for task in 0..12 {
        let own: Vec<&String> =
            said.iter().filter(|name| name.starts_with(&format!("{task}-"))).collect();
        let expected: Vec<String> = (0..8).map(|number| format!("{task}-{number}")).collect();
        assert_eq!(
            own,
            expected.iter().collect::<Vec<_>>(),
            "each task's turns stay in their order"
        );
    }
}

pub(crate) async fn turns_that_are_appended_at_once_do_not_mix(backend: &MemoryBackend) {
    let which = backend.conversation("s");
    let turns = (0..10).map(|number: usize| {
        let messages = (0..20).map(|at| Message::user(format!("{number}/{at}"))).collect();
        backend.conversations.append(
            &which,
            StoredTurn::new(key(&number.to_string()), messages),
            Lifetime::Endless,
        )
    });
    futures::future::join_all(turns).await.into_iter().for_each(|kept| kept.unwrap());
    let kept = backend.all("s").await;
    assert_eq!(kept.len(), 10);
    for turn in kept {
        let expected: Vec<String> = (0..20).map(|at| format!("{}/{at}", turn.key.0)).collect();
        assert_eq!(
            turn.messages.iter().map(|message| message.text().to_string()).collect::<Vec<_>>(),
            expected
        );
    }
}

pub(crate) async fn one_turn_that_many_append_is_kept_once(backend: &MemoryBackend) {
    futures::future::join_all((0..12).map(|_| backend.append("s", "1", "once"))).await;
    assert_eq!(backend.user_messages("s").await, ["once"]);
}

pub(crate) async fn the_oldest_turns_are_replaced_and_later_ones_stay(backend: &MemoryBackend) {
    with_turns(backend, &["1", "2", "3", "4"]).await;
    assert_eq!(rewrite(backend, &["1", "2"], vec![turn("1 and 2")]).await, RewriteOutcome::Done);
    assert_eq!(backend.user_messages("s").await, ["1 and 2", "3", "4"]);
    assert_eq!(
        rewrite(backend, &["1 and 2", "3"], vec![turn("a"), turn("b"), turn("c")]).await,
        RewriteOutcome::Done
    );
    with_turns(backend, &["5"]).await;
    assert_eq!(backend.user_messages("s").await, ["a", "b", "c", "4", "5"]);
    if backend.kind != BackendKind::Postgres {
        backend.append("s", "2", "again").await;
        assert_eq!(
            backend.user_messages("s").await.len(),
            5,
            "a turn that was folded is not appended again"
        );
    }
}

pub(crate) async fn a_turn_that_is_kept_by_a_rewrite_keeps_its_place(backend: &MemoryBackend) {
    with_turns(backend, &["1", "2", "3"]).await;
    assert_eq!(
        rewrite(backend, &["1", "2", "3"], vec![turn("1"), turn("2")]).await,
        RewriteOutcome::Done
    );
    assert_eq!(backend.user_messages("s").await, ["1", "2"]);
    with_turns(backend, &["4"]).await;
    assert_eq!(
        rewrite(backend, &["1", "2", "4"], vec![turn("4"), turn("1")]).await,
        RewriteOutcome::Done
    );
    assert_eq!(backend.user_messages("s").await, ["4", "1"]);
}

pub(crate) async fn what_somebody_else_has_changed_is_not_rewritten(backend: &MemoryBackend) {
    with_turns(backend, &["1", "2", "3"]).await;
    for seen in [&["2"] as &[&str], &["1", "3"], &["1", "2", "3", "4"], &["gone"]] {
        assert_eq!(
            rewrite(backend, seen, vec![turn("x")]).await,
            RewriteOutcome::Stale,
            "{seen:?}"
        );
    }
    assert_eq!(backend.user_messages("s").await, ["1", "2", "3"]);
}

pub(crate) async fn of_many_rewrites_one_is_done(backend: &MemoryBackend) {
    with_turns(backend, &["1", "2", "3"]).await;
    let names: Vec<String> = (0..8).map(|number| format!("sum {number}")).collect();
    let done = futures::future::join_all(
        names.iter().map(|name| rewrite(backend, &["1", "2"], vec![turn(name)])),
    )
    .await;
    assert_eq!(done.iter().filter(|rewritten| **rewritten == RewriteOutcome::Done).count(), 1);
    let said = backend.user_messages("s").await;
    assert!(said.len() == 2 && said[0].starts_with("sum ") && said[1] == "3", "{said:?}");
}

pub(crate) async fn everything_can_be_rewritten_to_nothing(backend: &MemoryBackend) {
    with_turns(backend, &["1", "2"]).await;
    assert_eq!(rewrite(backend, &["1", "2"], Vec::new()).await, RewriteOutcome::Done);
    assert!(backend.all("s").await.is_empty());
    assert_eq!(rewrite(backend, &[], vec![turn("3")]).await, RewriteOutcome::Done);
    assert_eq!(backend.user_messages("s").await, ["3"]);
}

pub(crate) async fn an_append_during_a_rewrite_is_not_lost(backend: &MemoryBackend) {
    with_turns(backend, &["1", "2"]).await;
    let appends = futures::future::join_all((0..6).map(|number| async move {
        backend.append("s", &format!("new {number}"), &format!("new {number}")).await;
    }));
    let (rewritten, _) =
        futures::future::join(rewrite(backend, &["1", "2"], vec![turn("sum")]), appends).await;
    assert_eq!(rewritten, RewriteOutcome::Done);
    let said = backend.user_messages("s").await;
    assert_eq!((said[0].as_str(), said.len()), ("sum", 7), "{said:?}");
}
