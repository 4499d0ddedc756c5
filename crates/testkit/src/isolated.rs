//! Tests that need a process of their own, because they change or measure what all threads of a process share: limits, environment
//! variables, authorities that are read once.

#![expect(clippy::expect_used, reason = "a helper of a test may stop it")]

use std::any::type_name;
use std::process::Command;

/// Set in the process of an isolated test.
const VARIABLE: &str = "HEDDLE_ISOLATED_TEST";

/// Runs `test`, a closure of the calling test, in a process of its own: this binary again, with only the calling test. Fails if the test fails there.
///
/// # Panics
///
/// If the test fails, or if the process does not run exactly this test.
pub fn isolated<F: FnOnce()>(test: F) {
    isolated_with(|_| (), test);
}

/// As [`isolated`], with `prepare` run in the calling process: it may set environment variables, and what it returns is kept until
/// the test has ended.
///
/// # Panics
///
/// As [`isolated`] does.
pub fn isolated_with<G, F: FnOnce()>(prepare: impl FnOnce(&mut Command) -> G, test: F) {
    run_named::<F, G>(prepare, test);
}

/// `Body` is the type of the closure or block whose name tells the test.
fn run_named<Body, G>(prepare: impl FnOnce(&mut Command) -> G, test: impl FnOnce()) {
    if std::env::var_os(VARIABLE).is_some() {
        return test();
    }
    let name = test_name(type_name::<Body>()).expect("the body is a closure of the test itself");
    let program = std::env::current_exe().expect("a test knows its own binary");
    let mut command = Command::new(program);
    command.args(["--exact", name, "--nocapture"]).env(VARIABLE, "1");
    let _guard = prepare(&mut command);
    let output = command.output().expect("a test can start its own binary");
    let text = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .join("\n");
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{name} in its own process: {}\n{text}",
        output.status
    );
}

/// As [`isolated`], for an asynchronous test: an `async` block of it, which is polled in the process of
/// its own only.
///
/// # Panics
///
/// As [`isolated`] does.
pub fn isolated_async<F: Future<Output = ()>>(test: F) {
    run_named::<F, _>(
        |_| (),
        || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a test can have a runtime").block_on(test);
        },
    );
}

/// The name of a test as its harness knows it, from the name of a closure in it:
/// `binary::module::test::{{closure}}`.
fn test_name(closure: &'static str) -> Option<&'static str> {
    let (function, _) = closure.split_once("::{{closure}}")?;
    function.split_once("::").map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::isolated;
    use std::sync::atomic::{AtomicBool, Ordering};

    static TOUCHED: AtomicBool = AtomicBool::new(false);

    #[test]
    fn an_isolated_test_leaves_nothing_in_the_process_of_the_others() {
        isolated(|| TOUCHED.store(true, Ordering::Relaxed));
        // In its own process the test passes here as well.
        let is_isolated = std::env::var_os(super::VARIABLE).is_some();
        assert_eq!(TOUCHED.load(Ordering::Relaxed), is_isolated);
    }

    #[test]
    #[should_panic(expected = "in its own process")]
    fn an_isolated_test_that_fails_fails() {
        isolated(|| assert!(std::env::var_os(super::VARIABLE).is_none()));
    }
}
