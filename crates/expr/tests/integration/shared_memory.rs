//! Memory of all evaluations together. The limit is one for the process and would end what other
//! tests evaluate, so the test has a process of its own.

use heddle_expr::sandbox::{ExpressionCode, Sandbox, SandboxLimits, limit_shared_memory};
use heddle_expr::testing::FakeScope;
use heddle_expr::{EvalRoute, Evaluator, ExprError, Template};
use model::{Value, json};

fn evaluate(source: &str) -> Result<Value, ExprError> {
    Sandbox::new()
        .session(SandboxLimits::expression())
        .evaluate(&ExpressionCode::new(source), &FakeScope::default())
}

#[test]
fn issue_14_06_memory_of_all_evaluations_together_is_limited() {
    testkit::isolated(|| {
        limit_shared_memory(48 << 20);
        let source = "(() => { const held = []; for (let i = 0; i < 300; i++) held.push(new Uint8Array(1 << 17)); const until = Date.now(); let n = 0; for (let i = 0; i < 2e6; i++) n += i; return held.length })()";
        let results: Vec<_> = std::thread::scope(|scope| {
            let many: Vec<_> = (0..8).map(|_| scope.spawn(|| evaluate(source))).collect();
            many.into_iter().map(|one| one.join().unwrap()).collect()
        });
        limit_shared_memory(256 << 20);
        assert!(
            results.iter().any(|result| matches!(result, Err(ExprError::SharedMemory { .. }))),
            "{results:?}"
        );
        assert!(
            results
                .iter()
                .all(|result| matches!(result, Ok(_) | Err(ExprError::SharedMemory { .. }))),
            "{results:?}"
        );
        assert_eq!(evaluate(source), Ok(json!(300)));
        // What is evaluated without an instance has its part of the same memory, and gives it back.
        let native =
            Template::parse("={{ numberList(1, 4).map(x => 'x'.repeat(9000000 + x)).length }}");
        let session = || Evaluator::new(EvalRoute::Native).evaluate(&native, &FakeScope::default());
        limit_shared_memory(8 << 20);
        assert_eq!(session(), Err(ExprError::SharedMemory { limit_bytes: 8 << 20 }));
        limit_shared_memory(32 << 20);
        assert_eq!((session(), session()), (Ok(json!(4)), Ok(json!(4))));
        limit_shared_memory(256 << 20);
    });
}
