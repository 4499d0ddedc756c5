//! Streams of chat completions as servers really send them.

use super::*;
use crate::models::body_decoder::read;
use crate::models::failure::RetryHint;
use node_api::ai::StopReason;
use proptest::prelude::*;

fn stream(chunks: &[&str]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

fn turn(text: &str) -> Result<ModelReply, ModelFailure> {
    read(ChatReader::new("asked"), &[text.as_bytes()]).1
}

const CALLING: &[&str] = &[
    r#"{"model":"gpt-x","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"weather","arguments":""}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Kö"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ln 😀\"}"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}"#,
    "[DONE]",
];

#[test]
fn a_call_comes_together_with_its_usage() {
    let (events, turn) = read(ChatReader::new("asked"), &[stream(CALLING).as_bytes()]);
    let turn = turn.unwrap();
    assert_eq!(events, [ChatEvent::CallBegins { index: 0, name: "weather".into() }]);
    let call = turn.message.tool_calls().next().unwrap();
    assert_eq!(
        (call.id.as_str(), call.name.as_str(), call.arguments.to_text().as_str()),
        ("call_a", "weather", r#"{"city":"Köln 😀"}"#)
    );
    assert_eq!(
        (turn.stop, turn.usage.input, turn.usage.output, turn.model.as_str()),
        (StopReason::ToolCalls, 9, 4, "gpt-x")
    );
}

#[test]
fn every_single_byte_may_be_a_piece_of_its_own() {
    let text = stream(CALLING);
    let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    assert_eq!(
        read(ChatReader::new("asked"), &pieces),
        read(ChatReader::new("asked"), &[text.as_bytes()])
    );
}

#[test]
fn text_thoughts_and_comments() {
    let text = format!(
        ": OPENROUTER PROCESSING\n\n{}: ping\n\n{}",
        stream(&[
            r#"{"choices":[{"delta":{"reasoning_content":"Hm"}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":", well","reasoning_content":", well"}}]}"#
        ]),
        stream(&[
            r#"{"choices":[{"delta":{"content":"Hel"}}]}"#,
            r#"{"choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}]}"#,
            "[DONE]"
        ])
    );
    let turn = turn(&text).unwrap();
    assert_eq!(
        turn.message.parts,
        [
            MessagePart::Thinking { text: "Hm, well".into(), opaque: None },
            MessagePart::Text("Hello".into())
        ]
    );
    assert_eq!((turn.stop, turn.model.as_str()), (StopReason::Stop, "asked"));
}

#[test]
fn the_last_marker_may_be_missing_or_the_reason_but_not_both() {
    let said = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    let ended = r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#;
    assert_eq!(turn(&stream(&[said, ended])).unwrap().stop, StopReason::Length);
    assert_eq!(turn(&stream(&[said, "[DONE]"])).unwrap().stop, StopReason::Stop);
    assert_eq!(turn(stream(&[said, "[DONE]"]).trim_end()).unwrap().stop, StopReason::Stop);
    let broken = turn(&stream(&[said])).unwrap_err();
    assert_eq!((broken.error.code, broken.retry), (Code::MODEL_ERROR, RetryHint::Soon));
    for nothing in ["data: [DONE]\n\n", "", "\n\n", ": only\n\n: comments\n\n"] {
        assert_eq!(turn(nothing).unwrap_err().error.code, Code::MODEL_ERROR, "{nothing:?}");
    }
}

#[test]
fn events_without_blank_lines_between_them_are_told_apart() {
    let text = stream(CALLING);
    let expected = turn(&text);
    assert!(expected.is_ok());
    assert_eq!(turn(&text.replace("\n\n", "\n")), expected);
    assert_eq!(turn(&text.replace("\n\n", "\n").replace("data: ", "data:")), expected);
    let over_two_lines = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\ndata: \"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(turn(over_two_lines).unwrap().message.text(), "a");
}

#[test]
fn what_comes_after_the_end_is_not_read() {
    let text = stream(&[
        r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
        "[DONE]",
        r#"{"choices":[{"delta":{"content":"b"}}]}"#,
    ]);
    assert_eq!(turn(&text).unwrap().message.text(), "a");
}

#[test]
fn an_error_inside_a_good_answer_is_an_error() {
    let said = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    let failure =
        turn(&stream(&[said, r#"{"error":{"message":"overloaded","code":503}}"#])).unwrap_err();
    assert_eq!((failure.error.message.as_str(), failure.error.status), ("overloaded", Some(503)));
    let failure =
        turn(r#"{"error":{"message":"no","code":"context_length_exceeded"}}"#).unwrap_err();
    assert_eq!(failure.error.code, Code::MODEL_CONTEXT);
    assert_eq!(turn("data: {oops\n\n").unwrap_err().error.code, Code::MODEL_ERROR);
}

#[test]
fn a_refusal_is_shown_and_named() {
    let turn = turn(&stream(&[
        r#"{"choices":[{"delta":{"refusal":"I can't."},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ]))
    .unwrap();
    assert_eq!((turn.message.text().as_str(), turn.stop), ("I can't.", StopReason::Refusal));
}

#[test]
fn an_answer_may_come_whole_though_a_stream_was_asked_for() {
    let text = r#"
        {"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},
        {"type":"text","text":"hi"}],"tool_calls":[{"id":"x","function":{"name":"f","arguments":"[1]"}}],
        "reasoning_details":[{"type":"reasoning.encrypted","data":"abc"}]},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":3,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":1}}}"#;
    let turn = turn(text).unwrap();
    assert_eq!(
        (turn.message.text().as_str(), turn.stop, turn.usage.reasoning),
        ("hi", StopReason::ToolCalls, 1)
    );
    let call = turn.message.tool_calls().next().unwrap();
    assert!(
        matches!(&call.arguments, node_api::ai::ToolArguments::Malformed { text, .. } if text == "[1]")
    );
    assert!(turn.message.opaque.is_some());
}

#[test]
fn other_choices_and_a_filters_first_chunk_are_passed_over() {
    let turn = turn(&stream(&[
        r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"other"}},{"index":0,"delta":{"content":"one"},"content_filter_results":{}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}],"usage":null}"#,
    ]));
    let turn = turn.unwrap();
    assert_eq!((turn.message.text().as_str(), turn.stop), ("one", StopReason::ContentFilter));
    assert_eq!(turn.usage, TokenUsage::default());
}

#[test]
fn a_flood_of_calls_is_stopped() {
    let calls: Vec<String> = (0..=MAX_CALLS)
        .map(|n| format!(r#"{{"index":{n},"id":"c{n}","function":{{"name":"f"}}}}"#))
        .collect();
    let text = stream(&[&format!(
        r#"{{"choices":[{{"delta":{{"tool_calls":[{}]}}}}]}}"#,
        calls.join(",")
    )]);
    assert_eq!(turn(&text).unwrap_err().retry, RetryHint::Never);
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_turn(cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30)) {
        let text = stream(CALLING).replace("\n\n", "\r\n\r\n");
        let bytes = text.as_bytes();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(read(ChatReader::new("asked"), &pieces), read(ChatReader::new("asked"), &[bytes]));
    }

    #[test]
    fn no_answer_whatsoever_stops_the_process(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(ChatReader::new("asked"), &[&bytes]);
    }
}
