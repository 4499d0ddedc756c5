//! What operators write, and what becomes of it.

use super::*;
use model::{Object, Value, json};
use node_api::ai::Exposure;
use node_api::policy::{PolicyCall, PolicyDecision, PolicySubject, ToolSource};

const RULES: &str = r#"
default = "deny"

[[effect]]
tools = ["pay_*"]
effect = "spend"

[[rule]]
name = "looking is free"
effects = ["read"]
action = "allow"

[[rule]]
name = "mail"
node_types = "n8n-nodes-base.gmail*"
action = "allow"

[[rule]]
name = "mail to strangers"
node_types = "n8n-nodes-base.gmail*"
arguments = [{ path = "to", none_of = ["*@ours.example"] }]
action = "approve"

[[rule]]
name = "small payments"
effects = ["spend"]
arguments = [{ path = "amount", below = 100 }]
action = "allow"

[[rule]]
name = "secrets"
servers = ["vault"]
untrusted = true
action = "deny"
reason = "No secrets after web pages."

[[rule]]
name = "vault"
servers = ["vault"]
action = "allow-anywhere"
"#;

struct Call {
    tool: &'static str,
    source: ToolSource,
    effect: SideEffect,
    arguments: Value,
    untrusted: bool,
}

impl Default for Call {
    fn default() -> Self {
        Self {
            tool: "tool",
            source: ToolSource::default(),
            effect: SideEffect::Write,
            arguments: json!({}),
            untrusted: false,
        }
    }
}

fn decide(rules: &str, call: Call) -> PolicyDecision {
    let subject =
        PolicySubject { workflow_id: "w1".into(), agent: "Agent".into(), session: "ada".into() };
    let empty = Object::new();
    parse(rules).unwrap().decide(&PolicyCall {
        subject: &subject,
        tool: call.tool,
        source: &call.source,
        effect: call.effect,
        arguments: call.arguments.as_object().unwrap_or(&empty),
        exposure: Exposure { untrusted: call.untrusted, private: false },
    })
}

fn rule_of(decision: PolicyDecision) -> String {
    match decision {
        PolicyDecision::Allow { anywhere: false } => "allowed".into(),
        PolicyDecision::Allow { anywhere: true } => "anywhere".into(),
        PolicyDecision::Approve { rule } => format!("approve: {rule}"),
        PolicyDecision::Deny { rule, .. } => format!("deny: {rule}"),
    }
}

fn node(kind: &str) -> ToolSource {
    ToolSource { node_type: kind.into(), server: Str::new() }
}

fn server(name: &str) -> ToolSource {
    ToolSource { node_type: "mcpClientTool".into(), server: name.into() }
}

#[test]
fn the_strictest_rule_that_applies_counts() {
    let read = Call { effect: SideEffect::Read, ..Call::default() };
    assert_eq!(rule_of(decide(RULES, read)), "allowed");
    assert_eq!(rule_of(decide(RULES, Call::default())), "deny: default");
    let mail = |to: Value| Call {
        source: node("n8n-nodes-base.gmailTool"),
        effect: SideEffect::Send,
        arguments: json!({ "to": to }),
        ..Call::default()
    };
    assert_eq!(rule_of(decide(RULES, mail(json!("bob@ours.example")))), "allowed");
    assert_eq!(
        rule_of(decide(RULES, mail(json!("eve@evil.example")))),
        "approve: mail to strangers"
    );
    // What cannot be told is not taken for harmless.
    assert_eq!(
        rule_of(decide(RULES, mail(json!(["bob@ours.example"])))),
        "approve: mail to strangers"
    );
    let pay = |amount: Value| Call {
        tool: "pay_invoice",
        arguments: json!({ "amount": amount }),
        ..Call::default()
    };
    assert_eq!(rule_of(decide(RULES, pay(json!(99)))), "allowed");
    assert_eq!(rule_of(decide(RULES, pay(json!(100)))), "deny: default");
    assert_eq!(rule_of(decide(RULES, pay(json!("5")))), "deny: default");
    let vault = |untrusted| Call { source: server("vault"), untrusted, ..Call::default() };
    assert_eq!(rule_of(decide(RULES, vault(false))), "anywhere");
    assert_eq!(rule_of(decide(RULES, vault(true))), "deny: secrets");
    assert_eq!(
        rule_of(decide(RULES, Call { source: node("vault"), ..Call::default() })),
        "deny: default",
        "a node that has the name of a server"
    );
}

#[test]
fn a_policy_without_a_line_allows_everything_as_before() {
    for text in ["", "# nothing\n", super::super::EMPTY_POLICY] {
        assert_eq!(rule_of(decide(text, Call::default())), "allowed", "{text}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (text, line, words) in [
        ("default = 'maybe'", 1, "allow"),
        ("\n\nrules = []", 3, "rules is unknown"),
        ("[[rule]]\naction = 'allow'\ntool = 'x'", 3, "tool is unknown"),
        ("[[rule]]\ntools = []\naction = 'deny'", 2, "empty list"),
        ("[[rule]]\ntools = 'x'\n", 1, "action is missing"),
        ("[[rule]]\naction = 'forbid'", 2, "must be allow"),
        ("[[rule]]\naction = 'deny'\n[[rule]]\nname = 'rule 1'\naction = 'deny'", 3, "twice"),
        ("[[rule]]\naction = 'deny'\narguments = [{ path = 'a' }]", 3, "needs above"),
        ("[[rule]]\naction = 'deny'\narguments = [{ above = 3 }]", 3, "path is missing"),
        ("[[rule]]\naction = 'deny'\narguments = [{ path = 'a', above = nan }]", 3, "a number"),
        ("[[stop]]\nreason = 'x'", 1, "names what it stops"),
        ("[[limit]]\nper = 'hour'\ncalls = 1\nseconds = 1", 2, "per must be"),
        ("[[limit]]\nper = 'tool'\ncalls = -1\nseconds = 1", 3, "between 0"),
        ("[[limit]]\nper = 'tool'\ncalls = 1\nseconds = 0.5", 4, "between 1"),
        ("[[effect]]\neffect = 'steal'", 2, "read, write"),
        ("rule = 5", 1, "list of tables"),
        ("a = = 1", 1, ""),
    ] {
        match parse(text) {
            Err(PolicyError::Invalid { line: found, problem }) => {
                assert_eq!(found, line, "{text}: {problem}");
                assert!(problem.contains(words), "{text}: {problem}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let many = "[[rule]]\naction = 'deny'\n".repeat(MAX_ENTRIES + 1);
    assert!(
        matches!(parse(&many), Err(PolicyError::Invalid { problem, .. }) if problem.contains("MAX_ENTRIES"))
    );
    assert!(matches!(parse(&"#".repeat(MAX_POLICY_BYTES + 1)), Err(PolicyError::TooLarge { .. })));
}

#[test]
fn a_stop_comes_and_goes_and_leaves_the_rest_as_it_was_written() {
    let (first, name) = with_stop(RULES, &StopTarget::Tool("send_*".into()), "Mail storm").unwrap();
    assert!(first.starts_with(RULES.trim_end()), "{first}");
    let call = |tool| Call { tool, effect: SideEffect::Read, ..Call::default() };
    assert_eq!(rule_of(decide(&first, call("send_mail"))), format!("deny: {name}"));
    assert_eq!(rule_of(decide(&first, call("look"))), "allowed");
    let agent = StopTarget::Agent { workflow: "w1".into(), agent: "Agent".into() };
    let (second, agents) = with_stop(&first, &agent, "").unwrap();
    let subject = |workflow: &str, agent: &str| PolicySubject {
        workflow_id: workflow.into(),
        agent: agent.into(),
        session: Str::new(),
    };
    let rules = parse(&second).unwrap();
    assert!(rules.stop_of_agent(&subject("w1", "Agent")).is_some());
    assert!(rules.stop_of_agent(&subject("w2", "Agent")).is_none());
    assert!(parse(&first).unwrap().stop_of_agent(&subject("w1", "Agent")).is_none());
    // The same again has a name of its own.
    let (third, again) = with_stop(&second, &agent, "").unwrap();
    assert_ne!(again, agents);
    let back = without_stop(&third, &again).unwrap();
    let back = without_stop(&back, &agents).unwrap();
    assert_eq!(parse(&without_stop(&back, &name).unwrap()).unwrap(), parse(RULES).unwrap());
    assert!(matches!(without_stop(&back, "stop 9"), Err(PolicyError::NoStop { .. })));
    let unnamed = "[[stop]]\ntools = 'a'\n[[stop]]\ntools = 'b'\n";
    let left = without_stop(unnamed, "stop 1").unwrap();
    assert_eq!(parse(&left).unwrap().stops.len(), 1);
    // A name that tries to be more than a name.
    let odd = StopTarget::Tool("a\"\n[[rule]]\naction = \"allow-anywhere\"\n#".into());
    let (text, _) = with_stop("", &odd, "\"]\n").unwrap();
    let rules = parse(&text).unwrap();
    assert!(rules.rules.is_empty() && rules.stops.len() == 1);
}
