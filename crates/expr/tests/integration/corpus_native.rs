//! Sends the corpus' expressions through the native evaluator: each must be right or declined,
//! never wrong.

use heddle_expr::native::NativeFailure;
use heddle_expr::{ExprError, PreviousNode, Scope, Template};
use model::{Item, Items, Object, Str, Value, json};

/// The share of the expressions that the native evaluator must take.
const WANTED_SHARE: f64 = 0.8;

#[test]
fn every_corpus_expression_is_right_or_declined() {
    let Some(corpus) = testkit::corpus("expressions") else { return };
    let mut tally = Tally::default();
    for case in lines(&corpus.join("expressions.jsonl")) {
        tally.expression(&case);
    }
    let expressions = tally.summary("expressions");
    let mut wild = Tally::default();
    for case in lines(&corpus.join("wild.jsonl")) {
        let context = case.get("context").and_then(Value::as_str).unwrap_or_default();
        let context =
            std::fs::read_to_string(corpus.join("wild_contexts").join(format!("{context}.json")))
                .unwrap();
        wild.wild(&case, &json::parse(&context).unwrap());
    }
    let wild_summary = wild.summary("wild");
    println!("{expressions}\n{wild_summary}");
    tally.add(wild);
    println!("{}", tally.summary("together"));
    if std::env::var_os("SHOW_DECLINED").is_some() {
        println!("{}", tally.declined.join("\n"));
    }
    assert!(tally.wrong.is_empty(), "{} wrong:\n{}", tally.wrong.len(), tally.wrong.join("\n"));
    assert!(tally.share() >= WANTED_SHARE, "only {:.1} % taken", tally.share() * 100.0);
}

/// Published workflows come without expected values; how many of their expressions are compiled is
/// worth knowing.
#[test]
fn most_expressions_of_published_workflows_compile() {
    let Some(corpus) = testkit::corpus("") else { return };
    let mut expressions = Vec::new();
    for folder in ["templates", "flows"] {
        for file in std::fs::read_dir(corpus.join(folder)).unwrap() {
            collect_expressions(
                &json::parse(&std::fs::read_to_string(file.unwrap().path()).unwrap()).unwrap(),
                &mut expressions,
            );
        }
    }
    let (native, declined): (Vec<&Str>, Vec<&Str>) =
        expressions.iter().partition(|text| Template::parse(text).is_native());
    let share = native.len() as f64 / expressions.len() as f64;
    println!(
        "published workflows: {:.1} % of {} expressions compile",
        share * 100.0,
        expressions.len()
    );
    if std::env::var_os("SHOW_DECLINED").is_some() {
        println!(
            "{}",
            declined.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join("\n")
        );
    }
    assert!(share >= 0.9, "only {share:.3}");
}

fn collect_expressions(value: &Value, out: &mut Vec<Str>) {
    match value {
        Value::String(text) if text.starts_with('=') && text.contains("{{") => {
            out.push(text.clone())
        }
        Value::Array(values) => values.iter().for_each(|value| collect_expressions(value, out)),
        Value::Object(object) => object.values().for_each(|value| collect_expressions(value, out)),
        _ => {}
    }
}

fn lines(file: &std::path::Path) -> Vec<Value> {
    std::fs::read_to_string(file).unwrap().lines().map(|line| json::parse(line).unwrap()).collect()
}

#[derive(Default)]
struct Tally {
    taken: usize,
    declined: Vec<String>,
    wrong: Vec<String>,
    /// Cases that need a workflow with runs, which is the engine's to set up.
    not_set_up: usize,
}

impl Tally {
    fn expression(&mut self, case: &Value) {
        let needs_engine = [
            "workflow",
            "runData",
            "fixture",
            "globals",
            "additionalKeys",
            "nodeParameters",
            "inputSource",
            "env",
        ];
        let Some(expression) = case.get("expression").and_then(Value::as_str) else {
            self.not_set_up += 1;
            return;
        };
        if needs_engine.iter().any(|key| case.get(key).is_some()) {
            self.not_set_up += 1;
            return;
        }
        let items = case
            .get("items")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .map(Item::from_value)
            .collect();
        let scope = CorpusScope {
            items,
            now_ms: 1_768_480_496_789,
            input: "before".into(),
            ..CorpusScope::default()
        };
        self.judge(case, expression, &scope);
    }

    fn wild(&mut self, case: &Value, context: &Value) {
        let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default();
        let list = |value: &Value| {
            value.as_array().unwrap_or_default().iter().map(Item::from_value).collect::<Vec<_>>()
        };
        let pinned =
            context.get("pinData").and_then(Value::as_object).into_iter().flat_map(Object::iter);
        let nodes = context.get("nodes").and_then(Value::as_array).unwrap_or_default();
        let scope = CorpusScope {
            items: context
                .get("pinData")
                .and_then(|pins| pins.get(text("input")))
                .map(list)
                .unwrap_or_default(),
            pinned: pinned.map(|(name, items)| (name.clone(), list(items))).collect(),
            nodes: nodes
                .iter()
                .filter_map(|node| node.get("name").and_then(Value::as_str))
                .map(Str::from)
                .collect(),
            now_ms: instant(
                case.get("now").and_then(Value::as_str).unwrap_or("2026-01-15T12:34:56.789Z"),
            ),
            input: text("input").into(),
        };
        self.judge(case, text("expression"), &scope);
    }

    fn judge(&mut self, case: &Value, expression: &str, scope: &CorpusScope) {
        let id = case.get("id").map(Value::to_js_string).unwrap_or_default();
        let result = Template::parse(expression).evaluate_native(scope);
        let is_right = match (&result, case.get("expectedError")) {
            (Err(NativeFailure::Declined), _) => {
                self.declined
                    .push(format!("{id}: {}", expression.chars().take(200).collect::<String>()));
                return;
            }
            (Err(NativeFailure::Error(error)), Some(wanted)) => {
                wanted.as_str().is_none_or(|part| error.to_string().contains(part))
            }
            (Ok(value), None) => {
                is_expected(value, case.get("expected").unwrap_or(&Value::Undefined), case)
            }
            _ => false,
        };
        if is_right {
            self.taken += 1;
        } else {
            let wanted = case.get("expectedError").or(case.get("expected"));
            self.wrong.push(format!("{id}: {expression}\n  got {result:?}\n  not {wanted:?}"));
        }
    }

    fn share(&self) -> f64 {
        self.taken as f64 / (self.taken + self.declined.len() + self.wrong.len()).max(1) as f64
    }

    fn summary(&self, name: &str) -> String {
        let Tally { taken, declined, wrong, not_set_up } = self;
        let (declined, wrong, share) = (declined.len(), wrong.len(), self.share() * 100.0);
        format!(
            "{name}: {taken} taken ({share:.1} %), {declined} declined, {wrong} wrong, {not_set_up} need a run and are not tried here"
        )
    }

    fn add(&mut self, other: Tally) {
        self.taken += other.taken;
        self.not_set_up += other.not_set_up;
        self.declined.extend(other.declined);
        self.wrong.extend(other.wrong);
    }
}

/// The corpus' way to write values that JSON has not.
fn is_expected(value: &Value, expected: &Value, case: &Value) -> bool {
    match case.get("match").and_then(Value::as_str) {
        Some("truthy") => return value.is_truthy(),
        Some("falsy") => return !value.is_truthy(),
        Some(_) => return false,
        None => {}
    }
    matches_value(value, expected)
}

fn matches_value(value: &Value, expected: &Value) -> bool {
    let special = |key: &str| expected.get(key);
    if special("$undefined").is_some() {
        return value.is_undefined();
    }
    if let Some(number) = special("$number") {
        return value
            .as_f64()
            .is_some_and(|found| model::number_to_string(found) == number.to_js_string());
    }
    if let Some(iso) = special("$date").and_then(Value::as_str) {
        return matches!(value, Value::Date(date) if date.epoch_ms as i64 == instant(iso));
    }
    if let Some(wanted) = special("$arrayContaining").and_then(Value::as_array) {
        let found = value.as_array().unwrap_or_default();
        return wanted.iter().all(|wanted| found.iter().any(|found| matches_value(found, wanted)));
    }
    match (value, expected) {
        (Value::Date(date), Value::String(text)) => date.iso == *text,
        (Value::Array(values), Value::Array(expected)) => {
            values.len() == expected.len()
                && values
                    .iter()
                    .zip(expected.iter())
                    .all(|(value, expected)| matches_value(value, expected))
        }
        (Value::Object(object), Value::Object(expected)) => {
            let keys = object.keys().chain(expected.keys());
            let field = |object: &Object, key: &str| object.get(key).cloned().unwrap_or_default();
            keys.into_iter().all(|key| {
                let (value, expected) = (field(object, key), field(expected, key));
                value == expected || matches_value(&value, &expected)
            })
        }
        _ => value == expected,
    }
}

fn instant(iso: &str) -> i64 {
    iso.parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

#[derive(Default)]
struct CorpusScope {
    items: Vec<Item>,
    pinned: Vec<(Str, Vec<Item>)>,
    nodes: Vec<Str>,
    now_ms: i64,
    input: Str,
}

impl CorpusScope {
    fn pinned(&self, node: &str) -> Result<&[Item], ExprError> {
        let found = self.pinned.iter().find(|(name, _)| name == node);
        found
            .map(|(_, items)| items.as_slice())
            .ok_or_else(|| ExprError::data(format!("no data for {node}")))
    }
}

impl Scope for CorpusScope {
    fn item(&self) -> Option<Item> {
        self.items.first().cloned()
    }
    fn item_index(&self) -> usize {
        0
    }
    fn run_index(&self) -> usize {
        0
    }
    fn input(&self) -> Items {
        self.items.clone().into()
    }
    fn previous(&self) -> Option<PreviousNode> {
        Some(PreviousNode { name: self.input.clone(), output: 0, run: 0 })
    }
    fn node_items(
        &self,
        node: &str,
        _: Option<usize>,
        _: Option<usize>,
    ) -> Result<Items, ExprError> {
        self.pinned(node).map(|items| items.to_vec().into())
    }
    fn paired_item(&self, node: &str, _: Option<usize>) -> Result<Option<Item>, ExprError> {
        Ok(self.pinned(node)?.first().cloned())
    }
    fn has_node(&self, node: &str) -> bool {
        self.nodes.iter().any(|name| name == node)
    }
    fn is_executed(&self, node: &str) -> bool {
        self.pinned(node).is_ok()
    }
    fn parameter(&self, _: Option<&str>, _: &str, _: Option<usize>) -> Result<Value, ExprError> {
        Err(ExprError::data("no parameters here"))
    }
    fn written_parameters(&self, _: Option<&str>) -> Result<Value, ExprError> {
        Err(ExprError::data("no parameters here"))
    }
    fn context(&self, _: Option<&str>) -> Result<Value, ExprError> {
        Err(ExprError::data("no context here"))
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
        self.now_ms
    }
    fn timezone(&self) -> &str {
        "America/New_York"
    }
}
