//! Cases that once differed from n8n; see `tests/oracle/README.md` for how they were found.

use heddle_expr::EvalRoute;
use heddle_expr::testing::cases::Case;

#[test]
fn cases_that_differed_are_answered_as_n8n_does() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle/cases.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let cases: Vec<Case> = text.lines().map(|line| Case::read(line).unwrap()).collect();
    assert!(cases.len() > 100, "only {} cases were found", cases.len());
    let mut wrong = Vec::new();
    for route in [EvalRoute::Auto, EvalRoute::Sandbox] {
        for case in &cases {
            let found = case.evaluate(route);
            if !case.is_answered_by(&found) {
                let wanted = case.fields.get("expected").or(case.fields.get("expectedError"));
                let expression = case.expression();
                wrong.push(format!(
                    "{expression}\n  {route:?} gives {found:?}\n  n8n gives {wanted:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
