//! Recorded traffic of OpenAI through the readers: every answer becomes a complete turn or its
//! vectors.

use heddle_providers::models::body_decoder::{BodyDecoder, EventReader};
use heddle_providers::models::openai::{ChatReader, ResponsesReader, read_vectors};
use heddle_providers::models::requester::{DecodeProgress, ReplyDecoder as _};
use model::Value;
use node_api::ai::{ChatEvent, ModelReply, StopReason};

#[derive(Debug, Default, PartialEq)]
struct Counts {
    chats: usize,
    responses: usize,
    embeddings: usize,
    of_others: usize,
}

#[test]
fn every_recorded_answer_of_openai_becomes_a_complete_turn() {
    let Some(folder) = testkit::corpus("llm") else { return };
    let mut counts = Counts::default();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let case = model::json::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for exchange in case.get("exchanges").and_then(Value::as_array).unwrap_or_default() {
            let text = |name: &str| exchange.get(name).and_then(Value::as_str).unwrap_or_default();
            let (url, response) = (text("url"), text("response"));
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            match url.rsplit('/').next() {
                Some("completions") if url.contains("chat") => {
                    counts.chats += 1;
                    check_turn(&name, ChatReader::default, response);
                }
                Some("responses") => {
                    counts.responses += 1;
                    check_turn(&name, ResponsesReader::default, response);
                }
                Some("embeddings") => {
                    counts.embeddings += 1;
                    let n_texts = exchange
                        .get("requestBody")
                        .and_then(|body| body.get("input")?.as_array())
                        .map_or(1, <[Value]>::len);
                    let vectors = read_vectors(response.as_bytes(), n_texts).unwrap();
                    assert!(
                        vectors.len() == n_texts
                            && vectors.iter().all(|vector| vector.len() >= 256),
                        "{name}"
                    );
                }
                _ => counts.of_others += 1,
            }
        }
    }
    println!("{counts:?}");
    assert_eq!(counts, Counts { chats: 0, responses: 3, embeddings: 15, of_others: 252 });
}

fn check_turn<R: EventReader>(name: &str, reader: impl Fn() -> R, response: &str) {
    let (events, turn) = read(reader(), response.as_bytes(), response.len().max(1));
    assert!(!turn.message.parts.is_empty(), "{name}: something is said");
    assert!(turn.usage.input > 0 && turn.usage.output > 0, "{name}: the use is known");
    assert!(!turn.model.is_empty(), "{name}: the model is known");
    let has_calls = turn.message.tool_calls().next().is_some();
    assert!(
        if has_calls { turn.stop == StopReason::ToolCalls } else { turn.stop == StopReason::Stop },
        "{name}: {:?}",
        turn.stop
    );
    let told: String = events
        .iter()
        .filter_map(
            |event| if let ChatEvent::Text(text) = event { Some(text.as_str()) } else { None },
        )
        .collect();
    assert_eq!(told, turn.message.text().as_str(), "{name}: what was told is what is in the turn");
    for size in [1, 7, 1_000] {
        assert_eq!(
            read(reader(), response.as_bytes(), size),
            (events.clone(), turn.clone()),
            "{name}: in pieces of {size}"
        );
    }
}

fn read<R: EventReader>(reader: R, bytes: &[u8], size: usize) -> (Vec<ChatEvent>, ModelReply) {
    let mut reading = BodyDecoder::new(reader, 10 << 20);
    let mut events = Vec::new();
    for piece in bytes.chunks(size) {
        if reading.feed(piece, &mut events).unwrap() == DecodeProgress::Complete {
            break;
        }
    }
    let turn = reading.finish(&mut events).unwrap();
    (events, turn)
}
