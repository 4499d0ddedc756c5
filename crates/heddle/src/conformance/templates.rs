//! Published workflows: they must be read, checked and written back unchanged.

use super::report::CaseResult;
use model::Workflow;

pub(super) fn run(id: &str, text: &str) -> CaseResult {
    let workflow = Workflow::parse(text);
    let node_types = workflow
        .as_ref()
        .map(|workflow| {
            workflow
                .nodes()
                .map(|node| node.type_name().to_owned())
                .collect::<std::collections::BTreeSet<_>>()
        })
        .unwrap_or_default();
    let difference = match workflow {
        Err(error) => Some(error.to_string()),
        Ok(workflow) => {
            let report = engine::check::check(&workflow, &node_api::Registry::default());
            let known = workflow.nodes().count();
            let checked = (report.nodes.len() != known)
                .then(|| format!("{known} nodes read, {} checked", report.nodes.len()));
            checked.or_else(|| unequal(&squeeze(text), &squeeze(&workflow.to_text())))
        }
    };
    CaseResult { id: id.to_owned(), node_types: node_types.into_iter().collect(), difference }
}

fn unequal(before: &str, after: &str) -> Option<String> {
    if before == after {
        return None;
    }
    let at = before
        .bytes()
        .zip(after.bytes())
        .position(|(a, b)| a != b)
        .unwrap_or_else(|| before.len().min(after.len()));
    let cut = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(20)..(at + 40).min(text.len())])
            .into_owned()
    };
    Some(format!("serialized differently: {:?} became {:?}", cut(before), cut(after)))
}

/// The text without white space between tokens and with one spelling of escapes, so that only
/// layout may differ.
fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '"' => {
                let mut string = String::from('"');
                while let Some(inner) = rest.next() {
                    string.push(inner);
                    match inner {
                        '\\' => string.extend(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
                match model::json::parse(&string) {
                    Ok(value) => out.push_str(&model::json::to_string(&value)),
                    Err(_) => out.push_str(&string),
                }
            }
            ' ' | '\n' | '\r' | '\t' => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_order_and_number_spelling_count() {
        assert_eq!(run("x", r#"{ "b": 1.0, "a": [1e3, "é"], "nodes": [] }"#).difference, None);
        assert!(unequal(&squeeze(r#"{"a":1,"b":2}"#), &squeeze(r#"{"b":2,"a":1}"#)).is_some());
        assert!(unequal(&squeeze(r#"{"a":1.0}"#), &squeeze(r#"{"a":1}"#)).is_some());
    }
}
