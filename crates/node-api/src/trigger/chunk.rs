//! Pieces of an answer that leave while the run goes on: n8n's lines of a stream, and what an agent
//! does between them.

use model::{Object, Str, Value};

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamChunk {
    pub kind: ChunkKind,
    /// In n8n's kinds text, or anything else, which is sent as its JSON; in the others an object.
    pub content: Option<Value>,
    pub node_id: Str,
    pub node_name: Str,
    pub item: usize,
    pub run_index: usize,
    pub timestamp_ms: i64,
}

/// What a piece says. The first four are n8n's; whoever reads n8n's streams leaves the others out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkKind {
    Begin,
    Item,
    End,
    Error,
    /// A tool is called: `id`, `name`, `arguments`.
    ToolStart,
    /// It is over: `id`, `name`, `result`, `isError`, `durationMs`.
    ToolEnd,
    /// Whoever asked is to call tools of their own: `text`, `calls` with `id`, `name`, `arguments`.
    ToolCalls,
    /// A person is asked before a tool is called: `id`, `call`, `name`, `arguments`, `digest`,
    /// `untilMs`.
    Approval,
    /// A model has answered: `inputTokens`, `cachedTokens`, `outputTokens`, `reasoningTokens`,
    /// `dollars`.
    Usage,
    /// An agent is done: `finishReason`, `iterations`, `durationMs`.
    Done,
}

/// What a caller takes of a run while it goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyMode {
    #[default]
    Buffered,
    /// The answer piece by piece.
    Streamed(StreamDetail),
}

impl ReplyMode {
    /// What the caller hears of a piece; `None` if it is nothing.
    pub fn filter_chunk(self, chunk: StreamChunk) -> Option<StreamChunk> {
        match self {
            ReplyMode::Buffered => None,
            ReplyMode::Streamed(detail) => chunk.within(detail),
        }
    }
}

/// What a caller that is streamed to hears besides the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamDetail {
    /// Nothing: n8n's lines and no others.
    Answer,
    /// That a tool is called and how it went, but not with what and with which result: these are
    /// the author's.
    #[default]
    Steps,
    Everything,
}

impl ChunkKind {
    pub fn name(self) -> &'static str {
        match self {
            ChunkKind::Begin => "begin",
            ChunkKind::Item => "item",
            ChunkKind::End => "end",
            ChunkKind::Error => "error",
            ChunkKind::ToolStart => "tool-start",
            ChunkKind::ToolEnd => "tool-end",
            ChunkKind::ToolCalls => "tool-calls",
            ChunkKind::Approval => "approval",
            ChunkKind::Usage => "usage",
            ChunkKind::Done => "done",
        }
    }

    fn is_n8ns(self) -> bool {
        matches!(self, ChunkKind::Begin | ChunkKind::Item | ChunkKind::End | ChunkKind::Error)
    }
}

impl StreamChunk {
    /// As n8n writes it: in its own kinds content is text or left out.
    pub fn to_value(&self) -> Value {
        let content = self.content.as_ref().map(|content| match content {
            Value::String(_) => content.clone(),
            other if self.kind.is_n8ns() => model::json::to_string(other).into(),
            other => other.clone(),
        });
        let metadata = Object::from_iter([
            ("nodeId", Value::from(self.node_id.clone())),
            ("nodeName", self.node_name.clone().into()),
            ("itemIndex", self.item.into()),
            ("runIndex", self.run_index.into()),
            ("timestamp", Value::from(self.timestamp_ms as f64)),
        ]);
        Object::from_iter([
            ("type", Value::from(self.kind.name())),
            ("content", content.into()),
            ("metadata", metadata.into()),
        ])
        .into()
    }

    /// What a caller may hear of it; `None` if it is nothing.
    fn within(mut self, detail: StreamDetail) -> Option<Self> {
        let kept: &[&str] = match (self.kind, detail) {
            (_, StreamDetail::Everything) => return Some(self),
            (kind, _) if kind.is_n8ns() => return Some(self),
            (_, StreamDetail::Answer) | (ChunkKind::Usage, StreamDetail::Steps) => return None,
            (_, StreamDetail::Steps) => {
                &["id", "name", "isError", "durationMs", "untilMs", "finishReason"]
            }
        };
        if let Some(Value::Object(fields)) = &self.content {
            let kept = fields.iter().filter(|(key, _)| kept.contains(&key.as_str()));
            self.content = Some(
                kept.map(|(key, value)| (key.clone(), value.clone())).collect::<Object>().into(),
            );
        }
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn chunk(kind: ChunkKind, content: Value) -> StreamChunk {
        let (node_id, node_name) = (Str::from("1"), Str::from("A"));
        StreamChunk {
            kind,
            content: Some(content),
            node_id,
            node_name,
            item: 0,
            run_index: 0,
            timestamp_ms: 5,
        }
    }

    #[test]
    fn content_is_text_in_n8ns_kinds_and_an_object_in_ours() {
        let content = |kind| chunk(kind, json!({ "a": 1 })).to_value().get("content").cloned();
        assert_eq!(content(ChunkKind::Item), Some(json!("{\"a\":1}")));
        assert_eq!(content(ChunkKind::ToolEnd), Some(json!({ "a": 1 })));
    }

    #[test]
    fn what_a_tool_was_given_and_gave_is_heard_only_by_those_who_may_hear_everything() {
        let ended = json!({ "id": "c", "name": "t", "result": "secret", "arguments": { "q": 1 }, "isError": false, "durationMs": 3 });
        let heard = |kind, detail| {
            chunk(kind, ended.clone()).within(detail).and_then(|chunk| chunk.content)
        };
        assert_eq!(heard(ChunkKind::ToolEnd, StreamDetail::Everything), Some(ended.clone()));
        let steps = json!({ "id": "c", "name": "t", "isError": false, "durationMs": 3 });
        assert_eq!(heard(ChunkKind::ToolEnd, StreamDetail::Steps), Some(steps));
        assert_eq!(heard(ChunkKind::ToolEnd, StreamDetail::Answer), None);
        assert_eq!(heard(ChunkKind::Usage, StreamDetail::Steps), None);
        assert!(heard(ChunkKind::Item, StreamDetail::Answer).is_some());
    }
}
