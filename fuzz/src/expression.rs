//! Any text as a parameter: splitting, compiling and evaluating it natively never panics, and plain
//! text is itself.

use expr::Template;
use expr::testing::FakeScope;

#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str) {
    let json = model::json!({
        "n": 3, "big": 1e300, "s": "héllo {{ 1 + 1 }}", "list": [1, "b", null, { "x": [] }], "o": { "a": { "b": false } },
        "date": "2024-02-30T25:61:00", "empty": ""
    });
    let scope = FakeScope::with_json(json).with_node("A", [model::json!({ "a": 1 })]);
    let template = Template::parse(text);
    let value = template.evaluate_native(&scope);
    if !text.starts_with('=') {
        assert_eq!(
            value.ok().as_ref().and_then(model::Value::as_str),
            Some(text),
            "text without `=` stands for itself"
        );
    }
    let _ = Template::parse_loose(text).evaluate_native(&scope);
    let _ = Template::parse(&format!("={{{{ {text} }}}}")).evaluate_native(&scope);
    let _ = expr::extract_from_ai_calls(text);
    let _ = expr::is_from_ai_only_expression(text);
    let same = model::rename::rename_in_expression(text, "A", "A");
    let there = model::rename::rename_in_expression(&same, "A", "unlikely name");
    assert_eq!(
        model::rename::rename_in_expression(&there, "A", "x"),
        there,
        "no reference to the old name is left"
    );
}
