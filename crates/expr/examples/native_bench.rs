//! Measures the native evaluator: nanoseconds for each of some typical expressions.
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a benchmark prints its results")]

use heddle_expr::native::Program;
use heddle_expr::{ExprError, PreviousNode, Scope, Template};
use model::{Item, Items, Str, Value};
use std::hint::black_box;
use std::time::Instant;

const EXPRESSIONS: [&str; 6] = [
    "$json.a.b",
    "$('Webhook').item.json.body.email",
    "$json.price * $json.count + ' ' + $json.currency",
    "$json.active ? $json.name.toUpperCase() : 'inactive'",
    "$json.tags.map(tag => tag.trim()).filter(Boolean).join(', ')",
    "$now.plus({ days: 1 }).toFormat('yyyy-MM-dd')",
];

fn main() {
    let scope = BenchScope { item: Item::new(data()) };
    for source in EXPRESSIONS {
        let program = Program::compile(source)
            .expect("the native evaluator supports every expression of the benchmark");
        report(source, || program.evaluate(&scope).is_ok());
    }
    let template = Template::parse("=Hello {{ $json.name }}, you have {{ $json.count }} items");
    report("a text with two parts", || template.evaluate_native(&scope).is_ok());
    report("compiling $json.a.b", || Program::compile(black_box("$json.a.b")).is_some());
}

/// The best of many short rounds, so that other work on the machine counts little.
fn report(name: &str, mut run: impl FnMut() -> bool) {
    const CALLS: u32 = 200;
    let mut best = f64::INFINITY;
    for _ in 0..1000 {
        let start = Instant::now();
        for _ in 0..CALLS {
            assert!(black_box(run()), "{name}");
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
    }
    println!("{best:8.0} ns  {name}");
}

fn data() -> Value {
    model::json!({
        "id": 7, "name": "Ann", "email": "ann@example.com", "a": { "b": "value" }, "price": 12.5, "count": 3, "currency": "EUR",
        "active": true, "tags": [" red", "green ", "", "blue"], "body": { "email": "ann@example.com" },
    })
}

struct BenchScope {
    item: Item,
}

impl Scope for BenchScope {
    fn item(&self) -> Option<Item> {
        Some(self.item.clone())
    }
    fn item_index(&self) -> usize {
        0
    }
    fn run_index(&self) -> usize {
        0
    }
    fn input(&self) -> Items {
        Items::one(self.item.clone())
    }
    fn previous(&self) -> Option<PreviousNode> {
        None
    }
    fn node_items(&self, _: &str, _: Option<usize>, _: Option<usize>) -> Result<Items, ExprError> {
        Ok(self.input())
    }
    fn paired_item(&self, _: &str, _: Option<usize>) -> Result<Option<Item>, ExprError> {
        Ok(Some(self.item.clone()))
    }
    fn has_node(&self, _: &str) -> bool {
        true
    }
    fn is_executed(&self, _: &str) -> bool {
        true
    }
    fn parameter(&self, _: Option<&str>, _: &str, _: Option<usize>) -> Result<Value, ExprError> {
        Ok(Value::Undefined)
    }
    fn written_parameters(&self, _: Option<&str>) -> Result<Value, ExprError> {
        Ok(Value::Undefined)
    }
    fn context(&self, _: Option<&str>) -> Result<Value, ExprError> {
        Ok(Value::Undefined)
    }
    fn variable(&self, _: &str) -> Result<Option<Value>, ExprError> {
        Ok(None)
    }
    fn variable_names(&self) -> Vec<Str> {
        Vec::new()
    }
    fn ai_value(&self, _: &str, default: Option<Value>) -> Result<Value, ExprError> {
        Ok(default.unwrap_or_default())
    }
    fn now_ms(&self) -> i64 {
        1_768_480_496_789
    }
    fn timezone(&self) -> &str {
        "America/New_York"
    }
}
