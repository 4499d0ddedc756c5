//! Checks of the document's own fields: is each of a type that it can have?

use super::{Checker, MAX_NODES, ProblemDraft, escape::short};
use model::workflow::{FieldSpec, SETTING_FIELDS, WORKFLOW_FIELDS};
use model::{Code, Object, Value};

impl Checker<'_> {
    pub(super) fn fields(&mut self) {
        let doc = self.workflow.doc();
        self.field_types(WORKFLOW_FIELDS, doc, "", || {
            ProblemDraft::error(Code::WORKFLOW_FIELD, "")
        });
        if let Some(settings) = doc.get("settings").and_then(Value::as_object) {
            self.field_types(SETTING_FIELDS, settings, "settings.", || {
                ProblemDraft::warning(Code::WORKFLOW_FIELD, "The setting is ignored.")
            });
        }
        if !doc.contains_key("nodes") {
            let finding = ProblemDraft::error(
                Code::WORKFLOW_JSON,
                "A workflow must be an object with `nodes` and `connections`.",
            );
            self.problem(finding, || "nodes".into(), || "The workflow has no list of nodes".into());
        }
        let elements = doc.get("nodes").and_then(Value::as_array).unwrap_or_default();
        if elements.len() > MAX_NODES {
            let finding = ProblemDraft::error(
                Code::WORKFLOW_TOO_LARGE,
                "Split it into workflows that call each other.",
            );
            let message =
                || format!("The workflow has {} nodes; the limit is {MAX_NODES}", elements.len());
            self.problem(finding, || "nodes".into(), message);
        }
        for (index, element) in
            elements.iter().enumerate().filter(|(_, element)| !element.is_object())
        {
            let finding = ProblemDraft::error(
                Code::WORKFLOW_FIELD,
                "A node must be an object with a name and a type.",
            );
            self.wrong_type(finding, || format!("nodes[{index}]"), element, &["object"]);
        }
        for (name, pinned) in
            doc.get("pinData").and_then(Value::as_object).into_iter().flat_map(Object::iter)
        {
            if !pinned.is_array() {
                let finding = ProblemDraft::warning(
                    Code::WORKFLOW_FIELD,
                    "Pinned data must be a list of items.",
                )
                .of(name);
                self.wrong_type(finding, || format!("pinData.{}", short(name)), pinned, &["array"]);
            }
        }
    }

    pub(super) fn field_types<'n>(
        &mut self,
        fields: &[FieldSpec],
        object: &Object,
        prefix: &str,
        finding: impl Fn() -> ProblemDraft<'n>,
    ) {
        for field in fields {
            if let Some(value) = object.get(field.name)
                && !field.accepts(value)
            {
                self.wrong_type(
                    finding(),
                    || format!("{prefix}{}", field.name),
                    value,
                    field.kinds,
                );
            }
        }
    }

    pub(super) fn wrong_type(
        &mut self,
        finding: ProblemDraft<'_>,
        place: impl Fn() -> String,
        value: &Value,
        kinds: &[&str],
    ) {
        let message = || {
            format!("'{}' is {}, but must be {}", place(), value.kind_name(), kinds.join(" or "))
        };
        self.problem(finding, &place, message);
    }
}
