//! Parameters that refer to parameters of other nodes: each is an evaluation of its own, and all
//! share one stack.

use heddle_engine::{Plan, Preview, Vars, preview};
use model::{Code, Value, Workflow, json};
use node_api::{NodeEntry, Registry};

/// Threads of tokio have as much.
const STACK_BYTES: usize = 2 << 20;

/// A row of nodes, each of which reads the next one's parameters at the bottom of so many calls.
fn preview_nested(calls: usize) -> Result<Value, Code> {
    let names = ["A", "B", "C", "D", "E", "F", "G"];
    let nodes = names.iter().zip(names.iter().skip(1)).map(|(name, next)| {
        let deep = format!("={{{{ (function f(n) {{ return n > 0 ? [f(n - 1)][0] : $node['{next}'].parameter.x }})({calls}) }}}}");
        json!({ "name": *name, "type": "test", "typeVersion": 1, "position": [0, 0], "parameters": { "x": deep } })
    });
    let last = json!({ "name": "G", "type": "test", "typeVersion": 1, "position": [0, 0], "parameters": { "x": "end" } });
    let nodes = Value::array(nodes.chain([last]).collect());
    let workflow =
        Workflow::from_value(&json!({ "name": "W", "nodes": nodes, "connections": {} })).unwrap();
    let plan = Plan::new(&workflow, &Registry::new([] as [&'static [NodeEntry]; 0]));
    let vars = Vars::default();
    let made = preview(&Preview {
        plan: &plan,
        run_data: &[],
        node: 0,
        expression: "={{ $node['A'].parameter.x }}",
        item: 0,
        run: 0,
        vars: &vars,
        now_ms: 0,
    });
    made.map_err(|error| error.code())
}

#[test]
fn issue_14_03_evaluations_inside_of_each_other_share_one_stack() {
    let on_a_small_stack = |calls: usize| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || preview_nested(calls))
            .unwrap();
        thread.join().unwrap()
    };
    // Few calls each: the chain is followed as far as it may be.
    assert!(on_a_small_stack(1).is_ok());
    for calls in [50, 100, 200, 300, 400, 600, 1_000, 5_000] {
        let answered = on_a_small_stack(calls);
        assert!(
            matches!(answered, Ok(_) | Err(Code::SANDBOX_STACK | Code::SANDBOX_TIME)),
            "{calls}: {answered:?}"
        );
    }
    assert_eq!(on_a_small_stack(1_000_000), Err(Code::SANDBOX_STACK));
    // The thread that asked before is as good as new.
    assert!(preview_nested(1).is_ok());
}
