//! Stops that are added and removed for an operator: the rest of the text stays as it was written.

use super::PolicyError;
use super::table::line_at;
use model::Str;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

/// What is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopTarget {
    /// Tools by name, wherever they are.
    Tool(Str),
    /// All tools of an MCP server.
    Server(Str),
    /// All tools that nodes of a type supply.
    NodeType(Str),
    /// Every agent of a workflow.
    Workflow(Str),
    /// One agent of a workflow, by the name of its node.
    Agent { workflow: Str, agent: Str },
}

impl StopTarget {
    fn keys(&self) -> Vec<(&'static str, &Str)> {
        match self {
            StopTarget::Tool(name) => vec![("tools", name)],
            StopTarget::Server(name) => vec![("servers", name)],
            StopTarget::NodeType(name) => vec![("node_types", name)],
            StopTarget::Workflow(id) => vec![("workflows", id)],
            StopTarget::Agent { workflow, agent } => {
                vec![("workflows", workflow), ("agents", agent)]
            }
        }
    }
}

/// The text with one more stop, and what that is called.
pub(in super::super) fn with_stop(
    text: &str,
    target: &StopTarget,
    reason: &str,
) -> Result<(String, Str), PolicyError> {
    let mut document = read(text)?;
    let stops = document
        .entry("stop")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()))
        .as_array_of_tables_mut()
        .ok_or_else(|| PolicyError::Invalid {
            line: 1,
            problem: "stop must be written as [[stop]] to be changed here".into(),
        })?;
    let is_used =
        |name: &str| stops.iter().any(|stop| stop.get("name").and_then(Item::as_str) == Some(name));
    let words: Vec<&str> = target.keys().into_iter().map(|(_, name)| name.as_str()).collect();
    let base = format!("stop {}", words.join(" / "));
    let names = std::iter::once(base.clone()).chain((2..).map(|number| format!("{base} {number}")));
    let name: Str = { names }.find(|name| !is_used(name)).unwrap_or(base).into();
    let mut stop = Table::new();
    stop["name"] = value(name.as_str());
    for (key, text) in target.keys() {
        stop[key] = value(text.as_str());
    }
    if !reason.is_empty() {
        stop["reason"] = value(reason);
    }
    stops.push(stop);
    Ok((document.to_string(), name))
}

/// The text without a stop.
pub(in super::super) fn without_stop(text: &str, name: &str) -> Result<String, PolicyError> {
    let mut document = read(text)?;
    let missing = || PolicyError::NoStop { name: name.into() };
    let stops = document.get_mut("stop").and_then(Item::as_array_of_tables_mut);
    let stops = stops.ok_or_else(missing)?;
    // One without a name is called by its place, as the rules call it.
    let place = stops.iter().enumerate().position(|(place, stop)| {
        match stop.get("name").and_then(Item::as_str) {
            Some(given) => given == name,
            None => format!("stop {}", place + 1) == name,
        }
    });
    stops.remove(place.ok_or_else(missing)?);
    if stops.is_empty() {
        document.remove("stop");
    }
    Ok(document.to_string())
}

fn read(text: &str) -> Result<DocumentMut, PolicyError> {
    text.parse::<DocumentMut>().map_err(|error| PolicyError::Invalid {
        line: line_at(text, error.span()),
        problem: error.message().to_owned(),
    })
}
