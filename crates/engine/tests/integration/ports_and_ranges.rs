//! What descriptions of nodes allow: connections between ports, and numbers in their ranges.

use crate::run::{graph, run, with};
use model::{Code, RunStatus, Value, json};

#[tokio::test]
async fn connections_that_the_ports_do_not_allow_carry_nothing() {
    // The second output of a plain node, the second input of one, and the input of a trigger.
    for text in [
        "Start:start -> A:pass =1=> B:pass",
        "Start:start -> A:pass -1-> B:pass",
        "Start:start -> A:pass -> B:start",
    ] {
        let outcome = run(&graph(text)).await;
        assert_eq!(outcome.status, RunStatus::Success, "{text}");
        assert!(outcome.runs_of("B").is_empty(), "{text}");
    }
    let failing = with(
        graph("Start:start -> A:fail =1=> B:pass"),
        "A",
        "onError",
        json!("continueErrorOutput"),
    );
    assert_eq!(run(&failing).await.runs_of("B").len(), 1);
}

#[tokio::test]
async fn a_number_out_of_its_range_is_refused_wherever_it_comes_from() {
    let with_params =
        |params: Value| with(graph("Start:start -> A:ranged"), "A", "parameters", params);
    for (params, message) in [
        (json!({ "count": 0 }), "'Count' must be at least 1"),
        (json!({ "count": "={{ 1 - 1 }}" }), "'Count' must be at least 1"),
        (json!({ "options": { "share": 1.5 } }), "'Share' must be from 0 to 1"),
        (json!({ "options": { "share": "={{ -1 }}" } }), "'Share' must be from 0 to 1"),
    ] {
        let outcome = run(&with_params(params)).await;
        let error = outcome.error.unwrap();
        assert_eq!((error.code, error.message.as_str()), (Code::NODE_PARAMETER, message));
    }
    let allowed = json!({ "count": "={{ 2 }}", "options": { "share": "={{ 0.5 }}" } });
    assert_eq!(run(&with_params(allowed)).await.status, RunStatus::Success);
}
