//! Any text: reading, checking and planning it never panics, and what is written back reads the
//! same.

use model::Workflow;
use node_api::Registry;

#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str, registry: &Registry) {
    let Ok(workflow) = Workflow::parse(text) else { return };
    let report = engine::check::check(&workflow, registry);
    assert!(report.problems.len() <= engine::check::MAX_PROBLEMS + 1);
    for problem in &report.problems {
        assert!(
            problem.message.len() < 2000 && problem.place.len() < 2000,
            "a problem is told briefly: {problem:?}"
        );
    }
    let plan = engine::Plan::new(&workflow, registry);
    assert!(plan.nodes.len() <= workflow.nodes().count());
    let written = workflow.to_text();
    let again = Workflow::parse(&written).expect("what we write can be read");
    assert_eq!(again.to_text(), written, "writing is stable");
    assert!(again.to_value() == workflow.to_value(), "nothing is lost");
}
