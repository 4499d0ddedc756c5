//! What an answer cost and why it ended, in OpenAI's words and in ours.

use model::{Str, Value};
use node_api::ai::{StopReason, TokenUsage};

/// The tokens of chat completions or of responses, whichever names are there. What is missing,
/// negative or no number counts as none.
pub(super) fn usage(raw: &Value) -> TokenUsage {
    let first = |names: &[&str]| names.iter().find_map(|name| count(raw, name)).unwrap_or(0);
    let detail =
        |places: &[&str], name: &str| places.iter().find_map(|place| count(raw.get(place)?, name));
    let inputs = ["prompt_tokens_details", "input_tokens_details"];
    let outputs = ["completion_tokens_details", "output_tokens_details"];
    let input = first(&["prompt_tokens", "input_tokens"]);
    let output = first(&["completion_tokens", "output_tokens"]);
    let cached_read = detail(&inputs, "cached_tokens")
        .or_else(|| count(raw, "prompt_cache_hit_tokens"))
        .unwrap_or(0)
        .min(input);
    TokenUsage {
        input,
        cached_read,
        cache_write: detail(&inputs, "cache_write_tokens").unwrap_or(0).min(input - cached_read),
        output,
        reasoning: detail(&outputs, "reasoning_tokens").unwrap_or(0).min(output),
        raw: Some(raw.clone()),
    }
}

/// Why an answer ended. Servers that only say `stop` are taken at what they did.
pub(super) fn stop(finish: Option<&str>, has_calls: bool, refused: bool) -> StopReason {
    match finish {
        _ if refused => StopReason::Refusal,
        Some("length" | "max_tokens") => StopReason::Length,
        Some("content_filter") => StopReason::ContentFilter,
        _ if has_calls => StopReason::ToolCalls,
        None | Some("stop" | "tool_calls" | "function_call" | "end_turn" | "eos") => {
            StopReason::Stop
        }
        Some(other) => StopReason::Other(Str::from(other)),
    }
}

fn count(value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn both_sets_of_names_are_read() {
        let chat = json!({ "prompt_tokens": 100, "completion_tokens": 50,
            "prompt_tokens_details": { "cached_tokens": 40, "cache_write_tokens": 20 }, "completion_tokens_details": { "reasoning_tokens": 30 } });
        let responses = json!({ "input_tokens": 100, "output_tokens": 50,
            "input_tokens_details": { "cached_tokens": 40, "cache_write_tokens": 20 }, "output_tokens_details": { "reasoning_tokens": 30 } });
        for raw in [chat, responses] {
            let expected = TokenUsage {
                input: 100,
                cached_read: 40,
                cache_write: 20,
                output: 50,
                reasoning: 30,
                raw: Some(raw.clone()),
            };
            assert_eq!(usage(&raw), expected);
        }
    }

    #[test]
    fn nonsense_counts_as_nothing_and_parts_are_no_more_than_the_whole() {
        let odd = usage(
            &json!({ "prompt_tokens": -5, "completion_tokens": "many", "prompt_tokens_details": null }),
        );
        assert_eq!((odd.input, odd.output, odd.cached_read), (0, 0, 0));
        let greedy = usage(
            &json!({ "prompt_tokens": 10, "prompt_tokens_details": { "cached_tokens": 99, "cache_write_tokens": 99 } }),
        );
        assert_eq!((greedy.cached_read, greedy.cache_write), (10, 0));
        assert_eq!(
            usage(&json!({ "prompt_tokens": 10, "prompt_cache_hit_tokens": 4 })).cached_read,
            4
        );
    }

    #[test]
    fn an_end_is_what_happened() {
        assert_eq!(stop(Some("stop"), true, false), StopReason::ToolCalls);
        assert_eq!(stop(Some("tool_calls"), false, false), StopReason::Stop);
        assert_eq!(stop(Some("length"), true, false), StopReason::Length);
        assert_eq!(stop(Some("stop"), false, true), StopReason::Refusal);
        assert_eq!(stop(Some("weird"), false, false), StopReason::Other("weird".into()));
        assert_eq!(stop(None, false, false), StopReason::Stop);
    }
}
