//! Programs of Code nodes in both evaluators: what the native one takes means the same in the
//! sandbox.

use futures::future::BoxFuture;
use heddle_expr::native::NativeCode;
use heddle_expr::sandbox::{
    CodeHost, CodeStaticData, Flavour, Sandbox, SandboxJob, SandboxLimits, SandboxOutput,
};
use heddle_expr::testing::FakeScope;
use heddle_expr::{ExprError, Scope as _};
use model::{Item, Object, Value, json};

struct Nobody;

impl CodeHost for Nobody {
    fn request<'a>(
        &'a self,
        name: &'a str,
        _argument: Value,
    ) -> BoxFuture<'a, Result<Value, ExprError>> {
        Box::pin(async move { Err(ExprError::data(format!("no {name} here"))) })
    }
}

async fn in_sandbox(source: &str, flavour: Flavour, scope: &FakeScope) -> Vec<SandboxOutput> {
    let job = SandboxJob {
        source: source.into(),
        flavour,
        static_data: CodeStaticData::default(),
        first: 0,
        names: Object::new(),
    };
    let mut returned = Vec::new();
    let mut session = Sandbox::new().session(SandboxLimits::code_node());
    let ended = session.run_code(&job, scope, &Nobody, &mut |value| returned.push(value)).await;
    ended.unwrap_or_else(|failure| panic!("{source}: {failure}"));
    returned
}

fn natively(source: &str, flavour: Flavour, scope: &FakeScope) -> Option<Vec<SandboxOutput>> {
    let code = NativeCode::compile(source)?;
    if flavour == Flavour::EachItem {
        let one = |(index, item): (usize, &Item)| {
            let here = FakeScope { item_index: index, ..scope.clone() };
            code.for_item(item.clone(), &here).map(|value| SandboxOutput::ForItem { index, value })
        };
        return scope.items.iter().enumerate().map(one).collect();
    }
    Some(match code.for_all(scope)? {
        Value::Array(values) => {
            let elements = values
                .iter()
                .cloned()
                .enumerate()
                .map(|(index, value)| SandboxOutput::Element { index, value });
            [SandboxOutput::List { len: values.len() }].into_iter().chain(elements).collect()
        }
        value => vec![SandboxOutput::Whole(value)],
    })
}

fn world() -> FakeScope {
    let person = |n: usize| {
        json!({ "7": "seven", "n": n, "name": (format!("Ada {n}")), "mail": (format!("a{n}@b.org")), "tags": ["x", "y"],
                "deep": { "list": [3, 1, 2], "none": null } })
    };
    FakeScope { items: (1..=3).map(|n| Item::new(person(n))).collect(), ..FakeScope::default() }
        .with_node("Start", [json!({ "s": 7 })])
        .with_variable("$vars", json!({ "key": "value" }))
}

#[tokio::test]
async fn what_the_native_evaluator_takes_means_the_same_in_the_sandbox() {
    let for_all = [
        "return [{ json: { a: 1 } }]",
        "const double = (n) => n * 2\nconst list = [1, 2, 3].map(double)\nreturn list.map(n => ({ json: { n } }))",
        "return $input.all().filter(item => item.json.n > 1)",
        "return $input.all().map(item => ({ json: { ...item.json, name: item.json.name.toUpperCase() } }));",
        "const all = $input.all();\nconst sum = all.reduce((total, item) => total + item.json.n, 0);\nreturn { sum, mean: sum / all.length }",
        "const first = $input.first()\nif (first.json.n > 5) {\n  return []\n} else {\n  return [first]\n}",
        "return $('Start').all().map((item, index) => ({ json: { index, s: item.json.s } }))",
        "const { name, deep: { list: [head, ...rest] } } = $input.first().json\nreturn { name, head, rest }",
        "// what it does\n/* and\n why */ const a = `x${1 + 1}`\n;return { a, b: [a, a].join('-'), c: a.padStart(5, '*'), d: a.at(-1) }",
        "let n = 1\nn = n + 1\nreturn { n, big: 1e21, small: 0.1 + 0.2, not: NaN, zero: -0, u: undefined, nothing: null }",
        "return { key: $vars.key, parsed: JSON.parse('{\"a\":[1,2]}'), text: JSON.stringify({ a: 1 }), keys: Object.keys({ b: 1, a: 2, 1: 0 }) }",
        "const words = 'the quick brown fox'.split(' ')\nreturn words\n  .map(word => word[0].toUpperCase() + word.slice(1))\n  .filter(word => word.length > 3)\n  .map(word => ({ json: { word } }))",
        "const a = 1\nconst b = a\n+ 2\nreturn { b }",
        "return Array.from({ length: 3 }).map((_, i) => ({ json: { i } }))",
        "return [...$input.all()].sort((a, b) => b.json.n - a.json.n)",
        "return [1, [2], 'x', null, undefined]",
        "const pick = (o, ...keys) => Object.fromEntries(keys.map(key => [key, o[key]]))\nreturn pick($input.first().json, 'n', 'mail', 'none')",
    ];
    let for_each = [
        "return $input.item",
        "return { json: { n: $json.n + 1 } }",
        "$input.item.json.age = 10 * $json.n\ndelete $input.item.json.mail\nreturn $input.item;",
        "const parts = $input.item.json.mail.split('@')\n$input.item.json.mailData = { user: parts[0], domain: parts[1] }\nreturn $input.item",
        "$input.item.json.tags = $input.item.json.tags.map(tag => tag + '!')\n$input.item.json.count = $json.tags.length\nreturn { json: $json }",
        "return { index: $itemIndex, all: $input.all().length, shout: $json.name.toUpperCase(), more: $json?.missing?.deeper ?? 'none' }",
    ];
    let scope = world();
    for (sources, flavour) in
        [(&for_all[..], Flavour::AllItems), (&for_each[..], Flavour::EachItem)]
    {
        for source in sources {
            let native =
                natively(source, flavour, &scope).unwrap_or_else(|| panic!("declined: {source}"));
            let wanted = in_sandbox(source, flavour, &scope).await;
            assert_eq!(format!("{native:?}"), format!("{wanted:?}"), "{source}");
        }
    }
    assert_eq!(
        format!("{scope:?}"),
        format!("{:?}", world()),
        "items that came in are not changed"
    );
}

/// Each of these is run by the sandbox: it reaches further, or a change would be seen elsewhere, or
/// it fails.
#[test]
fn what_could_mean_something_else_is_declined() {
    let scope = world();
    for source in [
        "const all = $input.all(); all[0].json.n = 9; return all",
        "for (const item of $input.all()) { item.json.x = 1 }\nreturn $input.all()",
        "const out = []; out.push({ json: {} }); return out",
        "return items",
        "return $json",
        "return $input.item",
        "return [{ json: { i: $itemIndex } }]",
        "console.log('x'); return []",
        "return [1, 2].first()",
        "return { a: 'x'.toTitleCase() }",
        "return $if(true, [1], [2])",
        "return undefined.x",
        "const a = 1",
        "return missing",
        "return new Date()",
        "return { when: $now }",
        "return await fetch('x')",
        "const a = 1 const b = 2; return [a, b]",
        "return\n[1]",
        "$input.all().sort((a, b) => b.json.n - a.json.n)\nreturn $input.all()",
        "function f() { return 1 }\nreturn f()",
        "const spin = (n) => n ? spin(n - 1) : 0\nreturn spin(5)",
        "return Array.from({ length: 2000 }).map(() => Array.from({ length: 2000 }).map(() => 1).length)",
    ] {
        assert_eq!(natively(source, Flavour::AllItems, &scope), None, "{source}");
    }
    for source in [
        "const before = $input.item; $input.item.json.x = 1; return before",
        "const json = $input.item.json; $input.item.json.x = 1; return { json }",
        "$input.item.json.self = $input.item.json; return $input.item",
        "$input.item.json.deep.list = []; return $input.item",
        "$input.item.json[5] = 1; return $input.item",
        "$input.item.json.tags.sort(); return $input.item",
        "$input.item.json.deep.list.push(4); return $input.item",
        "$json.x = 1; return $input.item",
        "$input.item.json.__proto__ = 1; return $input.item",
        "$input.item.json = {}; return $input.item",
    ] {
        assert_eq!(natively(source, Flavour::EachItem, &scope), None, "{source}");
    }
    assert!(scope.item().is_some());
}

#[test]
fn random_numbers_are_spread_over_their_range() {
    let code = NativeCode::compile(
        "return Array.from({ length: 1000 }).map(() => Math.floor(Math.random() * 10))",
    )
    .unwrap();
    let Some(Value::Array(values)) = code.for_all(&world()) else { panic!("declined") };
    for digit in 0..10 {
        let count = values.iter().filter(|value| **value == json!(digit)).count();
        assert!((40..200).contains(&count), "{digit} came {count} times in a thousand");
    }
}
