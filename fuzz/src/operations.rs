//! Any workflow and any operations: applying them never panics and never changes the workflow they
//! start from.

use model::{Operation, Workflow};

/// The text holds a workflow and a list of operations, a NUL between them.
pub fn holds(text: &str) {
    let Some((workflow, operations)) = text.split_once('\0') else { return };
    let Ok(workflow) = Workflow::parse(workflow) else { return };
    let Ok(operations) = model::json::parse(operations) else { return };
    let Ok(operations) = model::from_value::<Vec<Operation>>(&operations) else { return };
    let before = workflow.to_text();
    let mut count = 0;
    let after = model::apply(&workflow, &operations, &mut || {
        count += 1;
        format!("new-{count}").into()
    });
    assert_eq!(workflow.to_text(), before);
    if let Ok(after) = after {
        let written = after.to_text();
        assert_eq!(
            Workflow::parse(&written).expect("what we write can be read").to_text(),
            written
        );
    }
}
