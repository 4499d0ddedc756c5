//! What hostile callers send, each to a workflow that an honest author might have written.

use crate::support::workflow::node;
use serde_json::{Value, json};

pub(crate) struct Attack {
    /// Also the path of its webhook.
    pub(crate) name: &'static str,
    pub(crate) nodes: Vec<Value>,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn webhook(path: &str, expression: &str) -> Value {
    // The name of an honest caller's workflow is that of its path.
    let path = match path {
        "honest" if expression.contains("Object.entries") => "javascript",
        "honest" => "native",
        path => path,
    };
    node("Webhook", "webhook", 2.0, json!({ "httpMethod": "POST", "path": path, "responseMode": "lastNode" }))
}

/// One Set node with an expression.
fn expression(name: &'static str, expression: &str, body: Value) -> Attack {
    let assignments = json!({ "assignments": [{ "id": "1", "name": "answer", "type": "string", "value": expression }] });
    attack(name, node("Set", "set", 3.4, json!({ "assignments": assignments })), body)
}

fn attack(name: &'static str, hit: Value, body: Value) -> Attack {
    Attack { name, nodes: vec![webhook(name, ""), hit], content_type: "application/json", body: body.to_string().into_bytes() }
}

pub(crate) fn attacks() -> Vec<Attack> {
    let nested = |open: &str, close: &str, depth: usize| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let query = "={{ $jmespath($json.body, $json.body.q) }}";
    let condition = json!({ "conditions": {
        "options": { "caseSensitive": true, "typeValidation": "loose", "version": 2 }, "combinator": "and",
        "conditions": [{ "id": "1", "leftValue": "={{ $json.body.text }}", "rightValue": "={{ $json.body.pattern }}",
                         "operator": { "type": "string", "operation": "regex" } }] } });
    let numbers: Vec<u32> = (0..100_000).map(|number| (number * 7_919) % 100_003).collect();
    let list: Vec<u32> = (0..3_000).collect();
    let sort = json!({ "sortFieldsUi": { "sortField": [{ "fieldName": "n" }] } });
    let mut attacks = vec![
        expression("backtracking", "={{ /^(a+)+$/.test($json.body.text) }}", json!({ "text": format!("{}b", "a".repeat(40)) })),
        expression("endless", "={{ (() => { while (true) {} })() }}", json!({})),
        expression("memory", "={{ (() => { const held = []; for (;;) held.push(new Array(1e5).fill(held.length)) })() }}", json!({})),
        expression("long-text", "={{ 'x'.repeat($json.body.count) }}", json!({ "count": 30_000_000 })),
        expression(
            "nested-loops",
            "={{ $json.body.list.map(a => $json.body.list.map(b => a * b).length).length }}",
            json!({ "list": list }),
        ),
        expression("deep-query", query, json!({ "q": "(".repeat(200_000) })),
        expression("doubling-query", query, json!({ "q": format!("[@,@]{}", "|[@,@]".repeat(24)) })),
        expression("calling-query", query, json!({ "q": "abs(".repeat(100_000) })),
        attack("retrying-pattern", node("If", "if", 2.2, condition), json!({ "text": "a".repeat(40), "pattern": "^(?=(a+)+b)(a|a)*$" })),
        attack(
            "markup",
            node("XML", "xml", 1.0, json!({ "dataPropertyName": "body.text" })),
            json!({ "text": nested("<a>", "</a>", 100_000) }),
        ),
        attack(
            "page",
            node("Markdown", "markdown", 1.0, json!({ "mode": "htmlToMarkdown", "html": "={{ $json.body.text }}" })),
            json!({ "text": nested("<div><b>", "</b></div>", 50_000) }),
        ),
        attack("deep-body", node("Set", "noOp", 1.0, json!({})), Value::Null),
        attack("wide-body", node("Set", "noOp", 1.0, json!({})), json!(numbers)),
    ];
    let split = node("Split Out", "splitOut", 1.0, json!({ "fieldToSplitOut": "body", "options": { "destinationFieldName": "n" } }));
    let mut sorting = attack("sorting", split, json!(numbers));
    sorting.nodes.push(node("Sort", "sort", 1.0, sort));
    sorting.nodes.push(node("Limit", "limit", 1.0, json!({})));
    attacks.push(sorting);
    for attack in &mut attacks {
        if attack.name == "deep-body" {
            attack.body = nested("[", "]", 1_000_000).into_bytes();
        }
    }
    attacks
}
