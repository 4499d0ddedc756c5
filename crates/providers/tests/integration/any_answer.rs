//! No answer of a model stops the process, however it is cut: the fuzzer's property on random
//! input.

#[path = "../../../../fuzz/src/model_stream.rs"]
mod property;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_read_alike_in_any_cut(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        property::holds(&bytes);
    }

    #[test]
    fn pieces_of_real_answers_are_read_alike_in_any_cut(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..14)) {
        property::holds(pieces.concat().as_bytes());
    }
}

const PIECES: &[&str] = &[
    "data: ",
    "data:",
    "event: response.completed\n",
    ": ping\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "[DONE]",
    "{",
    "}",
    "é😀",
    r#"{"choices":[{"delta":{"content":"a"}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]},"finish_reason":"tool_calls"}]}"#,
    r#"{"choices":[{"message":{"content":[{"type":"text","text":"b"}]},"finish_reason":"stop"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":1e300}}"#,
    r#"{"error":{"code":"insufficient_quota"}}"#,
    r#"{"type":"response.output_text.delta","delta":"x"}"#,
    r#"{"type":"response.output_item.done","item":{"type":"function_call","name":"f"}}"#,
    r#"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}}"#,
    r#"{"data":[{"embedding":[1,2]}]}"#,
    "event: message_stop\n",
    r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"t","input":{}}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
    r#"{"type":"message_stop"}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"name":"t"}}]},"finishReason":"STOP"}]}"#,
    r#"{"message":{"content":"a","tool_calls":[{"function":{"name":"t"}}]},"done":false}"#,
    r#"{"message":{"content":"b"},"done":true}"#,
];
