//! What a request to the model comes down to: the question, and what was done about it so far.

use model::Str;
use ports::ai::{ChatRole, Message, ToolCall, ToolResult};

/// Requests that one message may hold. With more steps the model would lose its way.
pub(super) const MAX_STEPS: usize = 2;

/// The last question of a conversation, with the calls that followed it.
pub(super) struct DemoRequest {
    pub(super) question: Str,
    pub(super) calls: Vec<ToolCall>,
    pub(super) results: Vec<ToolResult>,
}

impl DemoRequest {
    pub(super) fn of(messages: &[Message]) -> Self {
        let mut places: Vec<usize> =
            (0..messages.len()).filter(|place| messages[*place].role == ChatRole::User).collect();
        // A loop that comes to its end asks for a conclusion behind the results; the question is
        // the one before.
        let is_answered = |place: &usize| {
            place.checked_sub(1).is_some_and(|before| messages[before].role == ChatRole::Tool)
        };
        if places.len() > 1 && places.last().is_some_and(is_answered) {
            places.pop();
        }
        let (question, since) = match places.last() {
            Some(place) => (messages[*place].text(), &messages[place + 1..]),
            None => (Str::new(), messages),
        };
        Self {
            question: question.trim().into(),
            calls: since.iter().flat_map(Message::tool_calls).cloned().collect(),
            results: since.iter().flat_map(Message::tool_results).cloned().collect(),
        }
    }
}

/// Words that a second request begins with behind an "and".
const BEGINNINGS: [&str; 12] = [
    "what",
    "how",
    "where",
    "when",
    "who",
    "which",
    "calculate",
    "tell",
    "find",
    "look",
    "search",
    "send",
];

/// The requests of a message: its sentences, and what an "and" joins if it begins like a request of
/// its own. A sentence that asks for nothing by itself ("I have a question.") stays with the next
/// one.
pub(super) fn parts(question: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let words: Vec<&str> = question.split_whitespace().collect();
    for (place, word) in words.iter().enumerate() {
        let next = words.get(place + 1).map(|next| next.to_lowercase());
        let begins =
            |next: &Option<String>| next.as_deref().is_some_and(|next| BEGINNINGS.contains(&next));
        let is_joint =
            ["and", "then", "also"].contains(&word.to_lowercase().as_str()) && begins(&next);
        let ends_sentence =
            word.ends_with(['?', ';', '!']) || (word.ends_with('.') && begins(&next));
        if !is_joint {
            if !part.is_empty() {
                part.push(' ');
            }
            part.push_str(word);
        }
        if is_joint || ends_sentence {
            parts.extend(Some(std::mem::take(&mut part)).filter(|part| !part.is_empty()));
        }
    }
    parts.extend(Some(part).filter(|part| !part.is_empty()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Object;
    use ports::ai::{MessagePart, ToolArguments};

    #[test]
    fn messages_are_cut_where_a_second_request_begins() {
        let cut = |text: &str| parts(text).join("|");
        assert_eq!(
            cut("What is 2+2 and what is the refund policy?"),
            "What is 2+2|what is the refund policy?"
        );
        assert_eq!(
            cut("What is 2+2? What is the refund policy?"),
            "What is 2+2?|What is the refund policy?"
        );
        assert_eq!(cut("Add 40 and 17"), "Add 40 and 17");
        assert_eq!(
            cut("Calculate 2.5 * 3. Then tell me about refunds."),
            "Calculate 2.5 * 3.|tell me about refunds."
        );
        assert_eq!(
            cut("I bought 3 shirts. They cost 20 each."),
            "I bought 3 shirts. They cost 20 each."
        );
        assert_eq!(cut(""), "");
    }

    #[test]
    fn the_question_is_the_last_one_with_what_followed_it() {
        let call = ToolCall {
            id: "1".into(),
            name: "t".into(),
            arguments: ToolArguments::Parsed(Object::new()),
            opaque: None,
        };
        let result =
            ToolResult { id: "1".into(), name: "t".into(), content: "4".into(), is_error: false };
        let mut messages = vec![
            Message::system("s"),
            Message::user("earlier"),
            Message::assistant("said"),
            Message::user(" now "),
            Message::new(ChatRole::Assistant, vec![MessagePart::ToolCall(call)]),
            Message::results([result]),
        ];
        let asked = DemoRequest::of(&messages);
        assert_eq!(
            (asked.question.as_str(), asked.calls.len(), asked.results.len()),
            ("now", 1, 1)
        );
        messages.push(Message::user("Conclude now."));
        assert_eq!(DemoRequest::of(&messages).question, "now");
        messages.extend([Message::assistant("4"), Message::user("next")]);
        let asked = DemoRequest::of(&messages);
        assert_eq!((asked.question.as_str(), asked.calls.len()), ("next", 0));
        assert_eq!(DemoRequest::of(&[]).question, "");
    }
}
