//! How much of a conversation a model sees: whole turns, and no call without its result or result
//! without its call.

use ports::ai::{ChatRole, Message, MessagePart, RecallLimit, StoredTurn};
use std::collections::HashSet;

/// A rule of thumb; tokenizers differ from model to model.
const BYTES_PER_TOKEN: usize = 4;

/// The newest part of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryWindow {
    All,
    Turns(usize),
    /// Turns that have no more messages than this between them. The newest is seen even if it alone
    /// has more, unless this is 0.
    Messages(usize),
    /// Turns that have no more tokens than this between them, as they are guessed from the letters.
    /// The newest is seen even if it alone has more.
    Tokens(usize),
}

impl MemoryWindow {
    /// What has to be read for it.
    pub fn recall_limit(self) -> RecallLimit {
        match self {
            MemoryWindow::All => RecallLimit::turns(usize::MAX),
            // Turns take more where they are kept than their text, so that none is missed.
            MemoryWindow::Tokens(_) => RecallLimit::turns(usize::MAX),
            // No turn has less than one message.
            MemoryWindow::Turns(number) | MemoryWindow::Messages(number) => {
                RecallLimit::turns(number)
            }
        }
    }

    /// How many of these turns, from the oldest on, it leaves out.
    pub fn count_dropped(self, turns: &[StoredTurn]) -> usize {
        match self {
            MemoryWindow::All => 0,
            MemoryWindow::Turns(number) => turns.len().saturating_sub(number),
            MemoryWindow::Tokens(number) => {
                let room = RecallLimit::bytes_of(number, BYTES_PER_TOKEN);
                turns.len() - room.count_fitting(turns.iter().rev().map(StoredTurn::bytes))
            }
            MemoryWindow::Messages(0) => turns.len(),
            MemoryWindow::Messages(number) => {
                let mut n_messages = 0;
                let fitting = turns.iter().rev().take_while(|turn| {
                    let is_newest = n_messages == 0;
                    n_messages += turn.messages.len();
                    is_newest || n_messages <= number
                });
                turns.len() - fitting.count()
            }
        }
    }

    pub fn truncate(self, mut turns: Vec<StoredTurn>) -> Vec<StoredTurn> {
        turns.split_off(self.count_dropped(&turns))
    }
}

/// The messages without results whose call is gone, and without calls that nobody has answered:
/// providers refuse both.
pub fn repair_messages(messages: Vec<Message>) -> Vec<Message> {
    let mut kept: Vec<Message> = Vec::with_capacity(messages.len());
    let mut messages = messages.into_iter().peekable();
    // The calls of the message before, as far as they are answered.
    let mut open: HashSet<model::Str> = HashSet::new();
    while let Some(mut message) = messages.next() {
        let answered: HashSet<model::Str> = match messages.peek() {
            Some(next) if next.role == ChatRole::Tool => {
                next.tool_results().map(|result| result.id.clone()).collect()
            }
            _ => HashSet::new(),
        };
        let n_parts = message.parts.len();
        message.parts.retain(|part| match part {
            MessagePart::ToolResult(result) => open.contains(&result.id),
            MessagePart::ToolCall(call) => answered.contains(&call.id),
            _ => true,
        });
        open = message.tool_calls().map(|call| call.id.clone()).collect();
        let is_empty = message.parts.is_empty() && n_parts > 0;
        if !is_empty {
            kept.push(message);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use ports::ai::{ToolArguments, ToolCall, ToolResult, TurnKey};

    fn call(id: &str) -> Message {
        let call = ToolCall {
            id: id.into(),
            name: "add".into(),
            arguments: ToolArguments::parse(""),
            opaque: None,
        };
        Message::new(ChatRole::Assistant, vec![MessagePart::ToolCall(call)])
    }

    fn result(id: &str) -> Message {
        Message::results([ToolResult {
            id: id.into(),
            name: "add".into(),
            content: "2".into(),
            is_error: false,
        }])
    }

    /// Turns of 2, 4, 2 and 6 messages.
    fn conversation() -> Vec<StoredTurn> {
        let plain =
            |number: usize| vec![Message::user(format!("{number}?")), Message::assistant("yes")];
        let with_tools = |number: usize, calls: usize| {
            let mut messages = vec![Message::user(format!("{number}?"))];
            for at in 0..calls {
                let id = format!("{number}-{at}");
                messages.extend([call(&id), result(&id)]);
            }
            messages.push(Message::assistant("done"));
            messages
        };
        let turns = [plain(0), with_tools(1, 1), plain(2), with_tools(3, 2)];
        turns
            .into_iter()
            .enumerate()
            .map(|(at, messages)| StoredTurn::new(TurnKey(at.to_string().into()), messages))
            .collect()
    }

    /// The window is cut at every position.
    #[test]
    fn wherever_it_is_cut_calls_and_results_stay_together() {
        let sizes = [
            (0, 0),
            (1, 6),
            (5, 6),
            (6, 6),
            (7, 6),
            (8, 8),
            (11, 8),
            (12, 12),
            (13, 12),
            (14, 14),
            (99, 14),
        ];
        for (limit, expected) in sizes {
            let cut = MemoryWindow::Messages(limit).truncate(conversation());
            let messages: Vec<Message> = cut.into_iter().flat_map(|turn| turn.messages).collect();
            assert_eq!(messages.len(), expected, "limit {limit}");
            assert_eq!(repair_messages(messages.clone()), messages, "limit {limit}");
            assert!(
                messages.first().is_none_or(|first| first.role == ChatRole::User),
                "limit {limit}"
            );
        }
    }

    #[test]
    fn a_window_of_turns_has_that_many() {
        for number in 0..6 {
            assert_eq!(MemoryWindow::Turns(number).truncate(conversation()).len(), number.min(4));
        }
        assert_eq!(MemoryWindow::All.truncate(conversation()).len(), 4);
    }

    /// Defect of the sketch: a cut in the middle of a turn began with a result, and the provider
    /// refused it.
    #[test]
    fn what_was_cut_elsewhere_is_mended_at_every_position() {
        let all: Vec<Message> = conversation().into_iter().flat_map(|turn| turn.messages).collect();
        for start in 0..=all.len() {
            for end in start..=all.len() {
                let mut open: Vec<model::Str> = Vec::new();
                for message in repair_messages(all[start..end].to_vec()) {
                    let results: Vec<model::Str> =
                        message.tool_results().map(|result| result.id.clone()).collect();
                    assert_eq!(results, open, "{start}..{end}");
                    open = message.tool_calls().map(|call| call.id.clone()).collect();
                }
                assert!(open.is_empty(), "{start}..{end}");
            }
        }
    }
}
