//! What a tool is asked, slot by slot: each is a number or some words of the request, one of a
//! list, or yes or no. Nothing is made up.

use super::DemoModels;
use super::arithmetic::expression;
use super::route::{ToolKind, dot};
use crate::bert::Bert;
use crate::decode::{choose, likelihoods};
use crate::llama::Llama;
use model::{Object, Str, Value};
use regex::Regex;
use std::sync::LazyLock;

/// Words of the request that the model chooses spans of, and how long those are: with more the
/// choice gets slow and bad.
const MAX_WORDS: usize = 60;
const MAX_SPAN: usize = 10;
/// Letters of a request that the model is shown.
const MAX_SHOWN: usize = 1000;
/// A request that says nothing.
const SAYS_NOTHING: &str = "Something.";
/// How much the nearness of a label to the request counts beside how likely the model finds it.
const NEARNESS_COUNTS: f32 = 10.0;
/// How deep objects may lie in each other.
const MAX_DEPTH: usize = 4;

/// Names of slots that the whole request goes into.
const WHOLE: [&str; 11] = [
    "query",
    "question",
    "q",
    "search",
    "input",
    "prompt",
    "request",
    "text",
    "message",
    "chatinput",
    "searchterm",
];

static URL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"https?://[^\s<>"'`]+"#).ok());
static EMAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+").ok());
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"-?\d+(?:\.\d+)?").ok());

/// A slot that nothing in the request fits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MissingArgument(pub(super) Str);

/// Fills the slots of a schema from a request.
pub(super) fn fill(
    schema: &Value,
    request: &str,
    kind: ToolKind,
    minds: &DemoModels,
) -> Result<Object, MissingArgument> {
    Filler { request, kind, llama: &minds.llama, bert: &minds.bert }.object(schema, 0)
}

struct Filler<'a> {
    request: &'a str,
    kind: ToolKind,
    llama: &'a Llama,
    bert: &'a Bert,
}

/// What a slot is called and what is said of it.
struct ArgumentSlot<'a> {
    name: &'a str,
    schema: &'a Value,
}

impl ArgumentSlot<'_> {
    fn text(&self, key: &str) -> &str {
        self.schema.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn options(&self) -> Option<&[Value]> {
        self.schema.get("enum").and_then(Value::as_array).filter(|options| !options.is_empty())
    }

    /// The first kind of value that it takes and that is no null.
    fn kind(&self) -> &str {
        match self.schema.get("type") {
            Some(Value::String(kind)) => kind,
            Some(Value::Array(kinds)) => kinds
                .iter()
                .filter_map(Value::as_str)
                .find(|kind| *kind != "null")
                .unwrap_or("string"),
            _ => "string",
        }
    }
}

impl Filler<'_> {
    /// Only what is required is filled in; without that, everything that something fits.
    fn object(&self, schema: &Value, depth: usize) -> Result<Object, MissingArgument> {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let mut filled = Object::new();
        for (name, schema) in
            schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Object::iter)
        {
            let is_required = required.contains(&name.as_str());
            if !is_required && !required.is_empty() {
                continue;
            }
            match self.slot(&ArgumentSlot { name, schema }, depth) {
                Ok(value) => filled.insert(name.clone(), value),
                Err(unfilled) if is_required => return Err(unfilled),
                Err(_) => continue,
            };
        }
        Ok(filled)
    }

    fn slot(&self, slot: &ArgumentSlot<'_>, depth: usize) -> Result<Value, MissingArgument> {
        let none = || MissingArgument(slot.name.into());
        if let Some(constant) = slot.schema.get("const") {
            return Ok(constant.clone());
        }
        if let Some(options) = slot.options() {
            return self.one_of(slot, options).ok_or_else(none);
        }
        match slot.kind() {
            "boolean" => self.yes_or_no(slot).map(Value::from).ok_or_else(none),
            "number" | "integer" => self.number(slot).map(Value::from).ok_or_else(none),
            "object" if depth < MAX_DEPTH => self.object(slot.schema, depth + 1).map(Value::from),
            "array" if depth < MAX_DEPTH => {
                let items = slot.schema.get("items").cloned().unwrap_or_default();
                Ok(Value::array(vec![
                    self.slot(&ArgumentSlot { name: slot.name, schema: &items }, depth + 1)?,
                ]))
            }
            "string" => self.words(slot).map(Value::from).ok_or_else(none),
            _ => Err(none()),
        }
    }

    fn words(&self, slot: &ArgumentSlot<'_>) -> Option<String> {
        let name = slot.name.to_lowercase().replace(['_', '-'], "");
        let found = |pattern: &LazyLock<Option<Regex>>| {
            let found = pattern.as_ref()?.find(self.request)?;
            Some(found.as_str().trim_end_matches(['.', ',', ';', ')', '?', '!']).to_owned())
        };
        if self.kind == ToolKind::Calculator {
            return expression(self.request, self.llama);
        }
        if name.contains("url") || slot.text("format") == "uri" {
            return found(&URL);
        }
        if name.contains("email") || name == "to" || slot.text("format") == "email" {
            return found(&EMAIL);
        }
        if WHOLE.contains(&name.as_str()) {
            return Some(self.request.trim().to_owned()).filter(|request| !request.is_empty());
        }
        self.span(slot)
    }

    /// Some words of the request, as they stand there.
    fn span(&self, slot: &ArgumentSlot<'_>) -> Option<String> {
        let words: Vec<&str> = self.request.split_whitespace().take(MAX_WORDS).collect();
        let trimmed = |words: &[&str]| {
            words.join(" ").trim_matches(|edge: char| ".,;:?!\"'()".contains(edge)).to_owned()
        };
        let spans = (0..words.len())
            .flat_map(|from| (from + 1..=words.len().min(from + MAX_SPAN)).map(move |to| from..to));
        let mut texts: Vec<String> =
            spans.map(|span| trimmed(&words[span])).filter(|text| !text.is_empty()).collect();
        texts.sort();
        texts.dedup();
        let prompt = format!("{SPANS}Request: {}\n{}:", self.shown(), described(slot));
        choose(self.llama, &prompt, &texts).map(|place| texts.swap_remove(place))
    }

    fn number(&self, slot: &ArgumentSlot<'_>) -> Option<f64> {
        let found = NUMBER.as_ref()?.find_iter(self.request).map(|found| found.as_str().to_owned());
        let is_whole = slot.kind() == "integer";
        let texts: Vec<String> = found.filter(|text| !is_whole || !text.contains('.')).collect();
        let prompt = || format!("{NUMBERS}Request: {}\n{}:", self.shown(), described(slot));
        let place = if texts.len() > 1 { choose(self.llama, &prompt(), &texts)? } else { 0 };
        texts.get(place)?.parse().ok()
    }

    /// One of a list. What the request names is taken without asking.
    fn one_of(&self, slot: &ArgumentSlot<'_>, options: &[Value]) -> Option<Value> {
        let texts: Vec<String> =
            options.iter().map(|option| option.to_js_string().to_string()).collect();
        let request = self.request.to_lowercase();
        let is_word = |word: &str| {
            request
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .any(|part| part == word)
        };
        let named: Vec<usize> =
            (0..texts.len()).filter(|place| is_word(&texts[*place].to_lowercase())).collect();
        if let [only] = named.as_slice() {
            return options.get(*only).cloned();
        }
        let asked = format!("{} ({})", described(slot), texts.join(", "));
        let vector = self.bert.embed(&self.shown());
        let near = |text: &String| NEARNESS_COUNTS * dot(&vector, &self.bert.embed(text));
        options.get(self.label(LABELS, &asked, &texts, texts.iter().map(near).collect())?).cloned()
    }

    fn yes_or_no(&self, slot: &ArgumentSlot<'_>) -> Option<bool> {
        let texts = ["yes".to_owned(), "no".to_owned()];
        self.label(YES_OR_NO, &described(slot), &texts, vec![0.0; texts.len()])
            .map(|place| place == 0)
    }

    /// The label that the request makes more likely than it is for a request that says nothing: a
    /// small model likes some labels better than others whatever it reads. What else speaks for
    /// each is added.
    fn label(
        &self,
        examples: &str,
        asked: &str,
        texts: &[String],
        mut weights: Vec<f32>,
    ) -> Option<usize> {
        for (request, sign) in [(self.shown().as_str(), 1.0), (SAYS_NOTHING, -1.0)] {
            let prompt = format!("{examples}Request: {request}\n{asked}:");
            for (weight, likelihood) in
                weights.iter_mut().zip(likelihoods(self.llama, &prompt, texts))
            {
                *weight += sign * likelihood;
            }
        }
        weights
            .iter()
            .enumerate()
            .max_by(|(_, one), (_, other)| one.total_cmp(other))
            .map(|(place, _)| place)
    }

    fn shown(&self) -> String {
        self.request
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(MAX_SHOWN)
            .collect()
    }
}

/// A slot as the prompts show it: its name in words, and what is said of it.
fn described(slot: &ArgumentSlot<'_>) -> String {
    let mut name = String::new();
    for letter in slot.name.chars() {
        match letter {
            '_' | '-' => name.push(' '),
            _ if letter.is_uppercase() => {
                name.extend([' '].into_iter().chain(letter.to_lowercase()))
            }
            _ => name.push(letter),
        }
    }
    let about: String = slot
        .text("description")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(100)
        .collect();
    if about.is_empty() { name } else { format!("{name} ({about})") }
}

const SPANS: &str = "Request: What's the weather in Paris?\ncity (the city to look up): Paris\n\n\
Request: Tell Anna that dinner is at eight.\nrecipient (who gets the message): Anna\n\n\
Request: Please create a task to water the plants tomorrow\ntitle: water the plants\n\n\
Request: Is it going to rain in New York this weekend?\nlocation: New York\n\n\
Request: Find the invoice of the company Miller Steel\ncustomer name: Miller Steel\n\n";

const NUMBERS: &str = "Request: Book a table for 4 people at 19\npeople (how many come): 4\n\n\
Request: Remind me in 30 minutes to call room 12\nminutes: 30\n\n\
Request: Show the first 5 orders of customer 981\ncustomer id: 981\n\n";

const LABELS: &str = "Request: I love this phone, it is great!\nsentiment (positive, negative): positive\n\n\
Request: The server is down and nobody can work!\npriority (low, high): high\n\n\
Request: The food was cold and the waiter rude.\nsentiment (positive, negative): negative\n\n\
Request: There is a small typo on the page, no hurry.\npriority (low, high): low\n\n";

const YES_OR_NO: &str = "Request: Send it right away, this is urgent!\nurgent: yes\n\n\
Request: Whenever you have time, have a look.\nurgent: no\n\n\
Request: Give me a window seat, please.\nwindow seat: yes\n\n\
Request: I do not want any newsletters.\nnewsletter: no\n\n";
