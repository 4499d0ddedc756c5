//! Workflows that come as text. They run with the rights of the stored workflow that calls them,
//! and whoever wrote them may be somebody else: what they may use is settled here, before anybody
//! keeps or runs them.

use crate::plan::Plan;
use model::{Object, Str, Value, Workflow, keep_credentials};
use node_api::host::WorkflowOrigin;
use std::collections::HashSet;

/// The field of a document's `meta` that says that it came as text, and from where. It stays with
/// the document while its run sleeps.
const MARK: &str = "heddleText";

/// The workflow with those credentials that the workflow which calls it names itself; none if
/// somebody else wrote it. What a caller that came as text itself may not use, it cannot pass on.
pub(crate) fn restrict_credentials(
    mut workflow: Workflow,
    source: WorkflowOrigin,
    caller: &Plan,
) -> Workflow {
    let source = match caller.is_untrusted() {
        true if source == WorkflowOrigin::Written => WorkflowOrigin::Made,
        _ => source,
    };
    let named: HashSet<(Str, Str, Str)> =
        if source == WorkflowOrigin::Fetched { HashSet::new() } else { named_in(caller).collect() };
    let document = workflow.doc_mut();
    keep_credentials(document, |kind, id, name| {
        named.contains(&(kind.into(), id.into(), name.into()))
    });
    let mut meta = document.remove("meta").unwrap_or_default();
    meta.make_object().insert(MARK, source.name());
    document.insert("meta", meta);
    workflow
}

/// The source of a workflow that came as text; `None` if it is a stored one.
pub(crate) fn source_of(workflow: &Workflow) -> Option<WorkflowOrigin> {
    workflow.doc().get("meta")?.get(MARK)?.as_str().and_then(WorkflowOrigin::from_name)
}

/// Type, id and name of every credential that the nodes of a plan name.
fn named_in(plan: &Plan) -> impl Iterator<Item = (Str, Str, Str)> {
    let references = plan.nodes.iter().flat_map(|node| node.credentials.iter());
    references.filter_map(|(kind, reference): (&Str, &Value)| {
        let text = |key: &str| reference.get(key).and_then(Value::as_str).map(Str::from);
        Some((
            kind.clone(),
            text("id").filter(|id| !id.is_empty())?,
            text("name").unwrap_or_default(),
        ))
    })
}

/// The name of a credential that a document had to leave behind.
pub(crate) fn withheld<'c>(credentials: &'c Object, kind: &str) -> Option<&'c str> {
    credentials.get(kind)?.get("name")?.as_str().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;
    use node_api::Registry;

    fn plan(document: &Value) -> Plan {
        Plan::new(&Workflow::from_value(document).unwrap(), &Registry::new([]))
    }

    fn http(id: &str, name: &str) -> Value {
        json!({ "nodes": [{ "name": "Request", "type": "n8n-nodes-base.httpRequest",
                            "credentials": { "httpHeaderAuth": { "id": (id), "name": (name) } } }],
                "meta": { "heddleText": "forged", "templateId": "7" } })
    }

    fn chosen(caller: &Plan, text: &Value, source: WorkflowOrigin) -> (Plan, Option<Str>) {
        let settled = plan(
            &restrict_credentials(Workflow::from_value(text).unwrap(), source, caller).to_value(),
        );
        let chosen = settled.nodes[0].chosen_credential("httpHeaderAuth").map(Str::from);
        (settled, chosen)
    }

    #[test]
    fn issue_14_07_a_workflow_as_text_uses_only_what_its_caller_names_itself() {
        let caller = plan(&http("1", "Mine"));
        let id = |text: Value, source| chosen(&caller, &text, source).1;
        assert_eq!(id(http("1", "Mine"), WorkflowOrigin::Written).as_deref(), Some("1"));
        assert_eq!(id(http("1", "Mine"), WorkflowOrigin::Made).as_deref(), Some("1"));
        assert_eq!(id(http("1", "Mine"), WorkflowOrigin::Fetched), None, "somebody else wrote it");
        assert_eq!(
            id(http("1", "x"), WorkflowOrigin::Written),
            None,
            "an id alone is easy to guess"
        );
        assert_eq!(id(http("2", "Mine"), WorkflowOrigin::Written), None);
        let other = json!({ "nodes": [{ "name": "Mail", "type": "x", "credentials": { "smtp": { "id": "1", "name": "Mine" } } }] });
        assert_eq!(
            chosen(&plan(&other), &http("1", "Mine"), WorkflowOrigin::Written).1,
            None,
            "of another type"
        );
    }

    #[test]
    fn issue_14_07_text_within_text_has_no_more_than_what_calls_it() {
        let caller = plan(&http("1", "Mine"));
        let (fetched, _) = chosen(&caller, &http("1", "Mine"), WorkflowOrigin::Fetched);
        let (inner, id) = chosen(&fetched, &http("1", "Mine"), WorkflowOrigin::Written);
        assert_eq!((inner.text, id), (Some(WorkflowOrigin::Made), None));
        assert!(inner.is_untrusted() && fetched.is_untrusted());
        let (written, _) = chosen(&caller, &http("1", "Mine"), WorkflowOrigin::Written);
        assert!(!written.is_untrusted() && !caller.is_untrusted());
        assert_eq!(withheld(&fetched.nodes[0].credentials, "httpHeaderAuth"), Some("Mine"));
    }
}
