//! Answers the generated cases that need nothing but items: `answer_cases FILE [sandbox]`. See `tests/oracle/README.md`.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use heddle_expr::EvalRoute;
use heddle_expr::testing::cases::{Case, encode};
use model::{Object, json};

fn main() {
    let file = std::env::args().nth(1).expect("the path of the cases");
    let route = match std::env::args().nth(2).as_deref() {
        Some("sandbox") => EvalRoute::Sandbox,
        _ => EvalRoute::Auto,
    };
    for line in std::fs::read_to_string(&file).unwrap().lines() {
        let mut case = Case::read(line).expect("a case");
        if !case.needs_only_items() {
            continue;
        }
        // What n8n's side makes of a single node.
        let workflow = json!({ "active": false, "id": "", "name": "My workflow" });
        let known = [
            ("$workflow", workflow),
            ("$nodeId", "uuid-1234".into()),
            ("$nodeVersion", 1.0.into()),
            ("$mode", "manual".into()),
        ];
        for (name, value) in known {
            case.scope = case.scope.with_variable(name, value);
        }
        let id = case.fields.get("id").cloned().unwrap_or_default();
        let mut answer = Object::from_iter([("id", id)]);
        match case.evaluate(route) {
            Ok(value) => answer.insert("value", encode(&value)),
            Err(error) => answer.insert("error", error.to_string()),
        };
        println!("{}", json::to_string(&answer.into()));
    }
}
