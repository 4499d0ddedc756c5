//! Conversations in the tables that n8n has made, and in a Redis whose protection was changed.

use super::backends::{self, MemoryBackend, host, postgres_server, postgres_table, redis_server};
use agent::memory::MemoryWindow;
use model::{Object, Value};
use node_api::ai::{
    ChatRole, ConversationStore as _, Lifetime, Memory as _, Message, RecallLimit, SessionId,
    TurnKey,
};
use providers::memory::{N8nConversations, Protection, RedisConversations};
use std::sync::Arc;
use store::{OpenMode, Sqlite};
use testkit::services;

async fn run(sql: &str) -> Vec<Object> {
    let server = postgres_server(&services::postgres());
    let mut session = host().connections().sql(&server).await.unwrap();
    session.run(sql, &[]).await.unwrap().into_iter().flat_map(|result| result.rows).collect()
}

/// A table as n8n makes it, with a conversation that n8n has written.
async fn with_n8ns_rows(backend: &MemoryBackend) -> String {
    let table = format!("\"{}\"", postgres_table(backend.number));
    run(&format!("CREATE TABLE {table} (id SERIAL PRIMARY KEY, session_id VARCHAR(255) NOT NULL, message JSONB NOT NULL)")).await;
    let rows = [
        r#"{"type": "human", "content": "I am Ada", "additional_kwargs": {}, "response_metadata": {}}"#,
        r#"{"type": "ai", "content": "Hello Ada", "tool_calls": [], "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}"#,
        r#"{"type": "human", "content": "What is 2+2?", "additional_kwargs": {}, "response_metadata": {}}"#,
        r#"{"type": "ai", "content": "", "tool_calls": [{"name": "add", "args": {"a": 2}, "id": "c1", "type": "tool_call"}]}"#,
        r#"{"type": "tool", "content": "4", "tool_call_id": "c1", "name": "add"}"#,
        r#"{"type": "ai", "content": "Four"}"#,
    ];
    for row in rows {
        run(&format!("INSERT INTO {table} (session_id, message) VALUES ('ada', '{row}')")).await;
    }
    table
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_n8n_has_begun_goes_on() {
    let backend = backends::postgres();
    let table = with_n8ns_rows(&backend).await;
    let session = SessionId::new("ada").unwrap();
    let memory = backend.memory(MemoryWindow::Turns(5));
    let seen = memory.load(&session, "").await.unwrap().messages;
    let roles: Vec<ChatRole> = seen.iter().map(|message| message.role).collect();
    assert_eq!(
        roles,
        [
            ChatRole::User,
            ChatRole::Assistant,
            ChatRole::User,
            ChatRole::Assistant,
            ChatRole::Tool,
            ChatRole::Assistant
        ]
    );
    let turn = [Message::user("and 3+3?"), Message::assistant("Six")];
    memory.append(&session, &TurnKey("1".into()), &turn).await.unwrap();
    let newest = backend.memory(MemoryWindow::Turns(2)).load(&session, "").await.unwrap().messages;
    assert_eq!(
        newest.iter().map(|message| message.text().to_string()).collect::<Vec<_>>(),
        ["What is 2+2?", "", "", "Four", "and 3+3?", "Six"]
    );
    let rows =
        run(&format!("SELECT session_id, message FROM {table} ORDER BY id DESC LIMIT 1")).await;
    let field = |path: &str| {
        rows[0]
            .get("message")
            .and_then(|message| message.get(path))
            .map(Value::to_js_string)
            .unwrap_or_default()
    };
    assert_eq!(
        (field("type").as_str(), field("content").as_str()),
        ("ai", "Six"),
        "n8n reads it as its own"
    );
    assert_eq!(rows[0].get("session_id").map(Value::to_js_string).as_deref(), Some("ada"));
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_that_n8n_has_written_can_be_rewritten_and_forgotten() {
    let backend = backends::postgres();
    with_n8ns_rows(&backend).await;
    let which = backend.conversation("ada");
    let turns =
        backend.conversations.newest(&which, RecallLimit::ALL, Lifetime::Endless).await.unwrap();
    assert_eq!(turns.len(), 2);
    let seen: Vec<TurnKey> = turns.iter().map(|turn| turn.key.clone()).collect();
    backend
        .conversations
        .rewrite(&which, &seen, turns[1..].to_vec(), Lifetime::Endless)
        .await
        .unwrap();
    assert_eq!(backend.user_messages("ada").await, ["What is 2+2?"]);
    backend.conversations.clear(&which).await.unwrap();
    assert!(backend.all("ada").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_in_redis_goes_on_when_its_protection_changes() {
    let backend = backends::redis();
    let folder = std::env::temp_dir().join(format!("heddle-protection-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let store = Arc::new(Sqlite::open(&folder, OpenMode::Shared).unwrap());
    let server = redis_server(&services::redis());
    let kept = |protection| RedisConversations {
        host: host(),
        server: server.clone(),
        prefix: format!("changed:{}:", backend.number).into(),
        protection,
    };
    let (sealed, open) = (kept(Protection::Sealed(store.clone())), kept(Protection::Open(store)));
    let which = backend.conversation("s");
    let turn =
        |key: &str| node_api::ai::StoredTurn::new(TurnKey(key.into()), vec![Message::user(key)]);
    sealed.append(&which, turn("1"), Lifetime::Endless).await.unwrap();
    open.append(&which, turn("2"), Lifetime::Endless).await.unwrap();
    for conversations in [&sealed, &open] {
        assert_eq!(
            conversations.newest(&which, RecallLimit::ALL, Lifetime::Endless).await.unwrap(),
            [turn("1"), turn("2")]
        );
    }
    // Another instance has another key, and says so instead of giving less.
    let foreign = Arc::new(Sqlite::open(&folder.join("other"), OpenMode::Shared).unwrap());
    let error = kept(Protection::Sealed(foreign))
        .newest(&which, RecallLimit::ALL, Lifetime::Endless)
        .await
        .unwrap_err();
    assert!(error.message.contains("another instance"), "{error}");
    let _ = std::fs::remove_dir_all(&folder);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_n8n_has_begun_in_redis_goes_on_and_stays_forgotten_once_it_is() {
    let backend = backends::redis();
    let folder = std::env::temp_dir().join(format!("heddle-carried-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let store = Arc::new(Sqlite::open(&folder, OpenMode::Shared).unwrap());
    let server = redis_server(&services::redis());
    let (prefix, session) =
        (format!("carried:{}:", backend.number), format!("n8n-session-{}", backend.number));
    let mut redis = host().connections().redis(&server).await.unwrap();
    for entry in [
        r#"{"type":"human","data":{"content":"I am Ada","additional_kwargs":{},"response_metadata":{}}}"#,
        r#"{"type":"ai","data":{"content":"Hello Ada","tool_calls":[],"additional_kwargs":{}}}"#,
    ] {
        redis.command(&["LPUSH", &session, entry]).await.unwrap();
    }
    let own = RedisConversations {
        host: host(),
        server,
        prefix: prefix.into(),
        protection: Protection::Sealed(store),
    };
    let (kept, which) = (N8nConversations(own), backend.conversation(&session));
    let said = async || -> Vec<Vec<String>> {
        let turns = kept.newest(&which, RecallLimit::ALL, Lifetime::Endless).await.unwrap();
        turns
            .iter()
            .map(|turn| turn.messages.iter().map(|message| message.text().to_string()).collect())
            .collect()
    };
    assert_eq!(said().await, [["I am Ada", "Hello Ada"]]);
    let turn = node_api::ai::StoredTurn::new(
        TurnKey("1".into()),
        vec![Message::user("Who am I?"), Message::assistant("Ada.")],
    );
    kept.append(&which, turn, Lifetime::Endless).await.unwrap();
    assert_eq!(said().await, [["I am Ada", "Hello Ada"], ["Who am I?", "Ada."]]);
    kept.clear(&which).await.unwrap();
    assert!(said().await.is_empty(), "what was forgotten does not come back");
    assert_eq!(
        redis.command(&["LLEN", &session]).await.unwrap().as_f64(),
        Some(2.0),
        "n8n's list stays as it is"
    );
    let _ = std::fs::remove_dir_all(&folder);
}
