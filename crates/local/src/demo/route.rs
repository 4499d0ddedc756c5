//! Which tool a request is for: the one whose description, or whose kind of requests, it is nearest
//! to in meaning.

use crate::bert::Bert;
use ports::ai::{ToolDefinition, ToolEffect};

/// Below this nearness a request has nothing to do with a tool.
const NEAR: f32 = 0.25;
/// A tool that changes something is only called by a request that clearly means it.
const NEAR_ENOUGH_TO_CHANGE: f32 = 0.35;

/// Kinds of tools whose requests look like each other, whatever the tool says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolKind {
    Calculator,
    Knowledge,
    Web,
    Other,
}

const CALCULATIONS: &[&str] = &[
    "What is 12 times 7?",
    "Calculate 15% of 80",
    "How much is 3.5 plus 9 divided by 2?",
    "2+2",
    "What is the square root of 81?",
    "Add 40 and 17",
    "If I buy 6 books for 12 each, what do I pay?",
    "100 / 8",
    "half of 50",
    "subtract 5 from 20",
];

const LOOK_UPS: &[&str] = &[
    "What does the documentation say about this?",
    "How do I set this up?",
    "What is the policy?",
    "Where can I find out how it works?",
    "Explain how this works",
    "What are the rules for this?",
    "Which settings are there?",
    "Can I get my money back?",
];

const CALLS: &[&str] = &[
    "Fetch https://example.com/data",
    "GET the page at this URL",
    "Call the API at https://api.example.com",
    "Download this web address",
];

/// What people say that no tool is needed for.
const SMALL_TALK: &[&str] = &[
    "Hello",
    "Hi there, how are you?",
    "Thank you very much",
    "Good morning",
    "Who are you?",
    "What can you do?",
    "Tell me a joke",
    "bye",
    "ok great",
    "nice to meet you",
];

impl ToolKind {
    /// By what the tool asks for, and by words of its description.
    pub(super) fn of(tool: &ToolDefinition) -> Self {
        let asks_for = |names: &[&str]| {
            let properties =
                tool.parameters.get("properties").and_then(|properties| properties.as_object());
            properties
                .is_some_and(|properties| names.iter().any(|name| properties.contains_key(name)))
        };
        let words = format!("{} {}", tool.name, tool.description).to_lowercase();
        let says = |words_of_kind: &[&str]| words_of_kind.iter().any(|word| words.contains(word));
        if asks_for(&["expression"])
            || (says(&["calculat", "arithmetic"]) && asks_for(&["input", "query"]))
        {
            ToolKind::Calculator
        } else if asks_for(&["url"]) {
            ToolKind::Web
        } else if asks_for(&["query", "question", "input"])
            && says(&["search", "knowledge", "document", "find", "look up", "handbook"])
        {
            ToolKind::Knowledge
        } else {
            ToolKind::Other
        }
    }
}

/// The vectors of the requests that are known, which are the same for everybody.
pub(super) struct Examples {
    calculations: Vec<Vec<f32>>,
    look_ups: Vec<Vec<f32>>,
    calls: Vec<Vec<f32>>,
    small_talk: Vec<Vec<f32>>,
}

impl Examples {
    pub(super) fn new(bert: &Bert) -> Self {
        let embed = |texts: &[&str]| texts.iter().map(|text| bert.embed(text)).collect();
        Self {
            calculations: embed(CALCULATIONS),
            look_ups: embed(LOOK_UPS),
            calls: embed(CALLS),
            small_talk: embed(SMALL_TALK),
        }
    }

    fn of(&self, kind: ToolKind) -> &[Vec<f32>] {
        match kind {
            ToolKind::Calculator => &self.calculations,
            ToolKind::Knowledge => &self.look_ups,
            ToolKind::Web => &self.calls,
            ToolKind::Other => &[],
        }
    }
}

/// Finds tools for requests.
pub(super) struct Router<'a> {
    bert: &'a Bert,
    examples: &'a Examples,
    tools: Vec<ToolRoute<'a>>,
}

struct ToolRoute<'a> {
    tool: &'a ToolDefinition,
    kind: ToolKind,
    /// The vectors of what it says of itself, with its name and without.
    described: [Vec<f32>; 2],
}

/// A tool for a request, and how near the two are.
#[derive(Clone, Copy)]
pub(super) struct RoutedTool<'a> {
    pub(super) tool: &'a ToolDefinition,
    pub(super) kind: ToolKind,
    pub(super) nearness: f32,
}

impl<'a> Router<'a> {
    pub(super) fn new(bert: &'a Bert, examples: &'a Examples, tools: &'a [ToolDefinition]) -> Self {
        let route = |tool: &'a ToolDefinition| {
            let named =
                format!("{}: {}", tool.name.as_str().replace(['_', '-'], " "), tool.description);
            ToolRoute {
                tool,
                kind: ToolKind::of(tool),
                described: [bert.embed(&named), bert.embed(&tool.description)],
            }
        };
        Self { bert, examples, tools: tools.iter().map(route).collect() }
    }

    /// The tool that a request is for, if any. What has to do with nothing is looked up, where
    /// there is something to look into: that changes nothing, and finds nothing at worst.
    pub(super) fn route(&self, request: &str) -> Option<RoutedTool<'a>> {
        let vector = self.bert.embed(request);
        let routed = self.by_nearness(&vector);
        let talk = nearest(&vector, &self.examples.small_talk);
        let needed = |routed: &RoutedTool<'_>| {
            if routed.tool.effect == ToolEffect::None { NEAR } else { NEAR_ENOUGH_TO_CHANGE }
        };
        let best = routed
            .iter()
            .find(|routed| routed.nearness >= needed(routed) && routed.nearness > talk);
        let fallback = || {
            routed
                .iter()
                .find(|routed| routed.kind == ToolKind::Knowledge)
                .filter(|_| talk < NEAR_ENOUGH_TO_CHANGE)
        };
        best.or_else(fallback).copied()
    }

    /// The nearest tool, however far it is.
    pub(super) fn nearest(&self, request: &str) -> Option<RoutedTool<'a>> {
        self.by_nearness(&self.bert.embed(request)).into_iter().next()
    }

    fn by_nearness(&self, vector: &[f32]) -> Vec<RoutedTool<'a>> {
        let near = |route: &ToolRoute<'a>| {
            nearest(vector, &route.described).max(nearest(vector, self.examples.of(route.kind)))
        };
        let routed = self.tools.iter().map(|route| RoutedTool {
            tool: route.tool,
            kind: route.kind,
            nearness: near(route),
        });
        let mut routed: Vec<RoutedTool<'a>> = routed.collect();
        routed.sort_by(|one, other| other.nearness.total_cmp(&one.nearness));
        routed
    }
}

fn nearest(vector: &[f32], others: &[Vec<f32>]) -> f32 {
    others.iter().map(|other| dot(vector, other)).fold(f32::MIN, f32::max)
}

pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(x, y)| x * y).sum()
}
