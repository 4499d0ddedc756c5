//! Guardrails: looks for what a text must not hold, and lets it pass, stops it, or takes it out.

mod keywords;
mod llm_checks;
mod mask;
mod params;
mod patterns;
mod pii;
mod secrets;
mod urls;

use super::agent_host::NodeAgentHost;
use super::sub_nodes::model;
use mask::mask_findings;
use model::Kind;
use node_api::prelude::*;
use patterns::PatternCache;

pub(crate) struct Guardrails;

impl Node for Guardrails {
    fn spec() -> Spec {
        Spec::new("@n8n/n8n-nodes-langchain.guardrails", &[1.0, 2.0], "Guardrails", "Check texts for policy violations, or redact them").icon("shield-check")
            .group(NodeGroup::Ai)
            .inputs([Port::main(), Port::of(Kind::AiLanguageModel, "Chat Model").optional()])
            .output_rule(PortRule::named(&["Pass", "Fail"]).when("operation", "classify"))
            .params(params::params())
            .hint("Add it before a model that reads untrusted input, or after one whose output is \
                 public.")
            .alias(&["pii", "secret", "injection", "sanitize", "moderation", "jailbreak"])
            .records_steps()
            .computes()
            .note("Keywords, PII, secret keys, URLs and patterns are detected without a model. Only \
                 the jailbreak, NSFW, topical alignment and custom checks use one.")
            .example(
                "Mask an email address",
                r#"{ "operation": "sanitize", "text": "Write to ada@example.com", "guardrails": { "pii": { "value": { "type": "selected", "entities": ["EMAIL_ADDRESS"] } } } }"#,
                r#"[{}]"#,
                r#"[[{ "guardrailsInput": "Write to <EMAIL_ADDRESS>", "checks": [{ "name": "personalData", "triggered": true, "info": { "analyzerResults": [{ "entityType": "EMAIL_ADDRESS", "text": "ada@example.com" }] } }] }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let operation = ctx.text("operation", 0)?;
        let classifies = operation == "classify";
        let (mut passed, mut failed) = (ctx.builder(), ctx.builder());
        let mut patterns = PatternCache::default();
        for index in 0..items.len() {
            let checked = match classifies {
                true => classify(ctx, index, &mut patterns).await,
                false => sanitize(ctx, index, &mut patterns),
            };
            match checked {
                Ok(GuardrailVerdict { text, checks, has_passed }) => {
                    let shown = checks.iter().map(CheckResult::to_value).collect::<Vec<_>>();
                    let json = Object::from_iter([
                        ("guardrailsInput", Value::from(text)),
                        ("checks", shown.into()),
                    ]);
                    let output = if has_passed { &mut passed } else { &mut failed };
                    output.push(Item::new(json).paired_with(index));
                }
                Err(error) if classifies => {
                    let mut item = ctx.failed_item(index, error)?;
                    item.json.make_object().insert("guardrailsInput", "");
                    failed.push(item);
                }
                Err(error) => passed.push(ctx.failed_item(index, error)?),
            }
        }
        let mut outputs = vec![passed.finish()];
        if classifies {
            outputs.push(failed.finish());
        }
        Ok(outputs)
    }
}

/// What came of one check.
#[derive(Clone, Debug, Default, PartialEq)]
struct CheckResult {
    name: Str,
    is_triggered: bool,
    confidence: Option<f64>,
    info: Object,
    /// What is to be masked, each with the word that stands in its place.
    masks: Vec<(Str, String)>,
}

impl CheckResult {
    fn to_value(&self) -> Value {
        let mut shown = Object::from_iter([
            ("name", Value::from(self.name.clone())),
            ("triggered", self.is_triggered.into()),
        ]);
        if let Some(confidence) = self.confidence {
            shown.insert("confidenceScore", confidence);
            shown.insert("executionFailed", false);
        }
        shown.insert("info", self.info.clone());
        shown.into()
    }
}

struct GuardrailVerdict {
    text: Str,
    checks: Vec<CheckResult>,
    has_passed: bool,
}

/// First what needs no model; a text that holds such things is shown to none.
async fn classify(
    ctx: &Ctx<'_>,
    index: usize,
    patterns: &mut PatternCache,
) -> Result<GuardrailVerdict, NodeError> {
    let text = ctx.text("text", index)?;
    let chosen = ctx.param("guardrails", index)?;
    let checks = without_model(&chosen, &text, patterns)?;
    if checks.iter().any(|check| check.is_triggered) {
        let checks = checks.into_iter().filter(|check| check.is_triggered).collect();
        return Ok(GuardrailVerdict { text, checks, has_passed: false });
    }
    let mut checks = checks;
    if let Some(words) =
        chosen.get("keywords").and_then(Value::as_str).filter(|words| !words.trim().is_empty())
    {
        checks.push(keywords::check(&text, words, patterns)?);
    }
    let questions = llm_checks::enabled_checks(&chosen);
    if !questions.is_empty() {
        let model = model(ctx, index).await?;
        let rules = match ctx.flag("customizeSystemMessage", index)? {
            true => Some(ctx.text("systemMessage", index)?),
            false => None,
        };
        let world = NodeAgentHost::silent(ctx, index);
        for question in &questions {
            checks.push(
                llm_checks::check(&world, model.as_ref(), question, rules.as_deref(), &text)
                    .await?,
            );
        }
    }
    let has_passed = !checks.iter().any(|check| check.is_triggered);
    let told = checks.into_iter().filter(|check| has_passed || check.is_triggered).collect();
    Ok(GuardrailVerdict { text, checks: told, has_passed })
}

fn sanitize(
    ctx: &Ctx<'_>,
    index: usize,
    patterns: &mut PatternCache,
) -> Result<GuardrailVerdict, NodeError> {
    let text = ctx.text("text", index)?;
    let checks = without_model(&ctx.param("guardrails", index)?, &text, patterns)?;
    Ok(GuardrailVerdict { text: mask_findings(&text, &checks)?, checks, has_passed: true })
}

fn without_model(
    chosen: &Value,
    text: &str,
    patterns: &mut PatternCache,
) -> Result<Vec<CheckResult>, NodeError> {
    let mut checks = Vec::new();
    let value = |name: &str| {
        chosen.get(name).and_then(|check| check.get("value")).filter(|value| value.is_object())
    };
    if let Some(settings) = value("pii") {
        checks.push(pii::check(text, settings)?);
    }
    if let Some(written) =
        chosen.get("customRegex").and_then(|check| check.get("regex")).and_then(Value::as_array)
    {
        checks.push(pii::check_custom(text, written, patterns)?);
    }
    if let Some(settings) = value("secretKeys") {
        checks.push(secrets::check(
            text,
            settings.get("permissiveness").and_then(Value::as_str).unwrap_or("balanced"),
        )?);
    }
    if let Some(settings) = value("urls") {
        checks.push(urls::check(text, &urls::AllowedUrls::read(settings))?);
    }
    Ok(checks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    async fn checked(guardrails: Value, text: &str) -> Vec<Value> {
        let params = Object::from_iter([
            ("operation", Value::from("classify")),
            ("text", text.into()),
            ("guardrails", guardrails),
        ]);
        run::<Guardrails>(params.into(), json!([{}])).await.unwrap()
    }

    #[tokio::test]
    async fn a_text_that_holds_what_it_must_not_fails_without_a_model() {
        for (guardrails, bad, good) in [
            (
                json!({ "keywords": "bomb, secret plan." }),
                "The Secret Plan is ready",
                "The bombastic plan",
            ),
            (
                json!({ "pii": { "value": { "type": "all" } } }),
                "Mail me: ada@example.com",
                "Mail me",
            ),
            (
                json!({ "secretKeys": { "value": { "permissiveness": "balanced" } } }),
                "key sk-1234",
                "an ordinary sentence",
            ),
            (
                json!({ "urls": { "value": { "allowedUrls": "example.com", "allowedSchemes": ["https"] } } }),
                "see https://evil.test/x",
                "see https://www.example.com/x",
            ),
            (
                json!({ "customRegex": { "regex": [{ "name": "ticket", "value": "/t-\\d+/i" }] } }),
                "see T-12",
                "see 12",
            ),
        ] {
            let outputs = checked(guardrails.clone(), bad).await;
            assert_eq!(
                (outputs[0].as_array().unwrap().len(), outputs[1].as_array().unwrap().len()),
                (0, 1),
                "{guardrails:?} {bad}"
            );
            assert_eq!(
                outputs[1].at(0).unwrap().get_path("checks[0].triggered"),
                Some(&json!(true))
            );
            let outputs = checked(guardrails.clone(), good).await;
            assert_eq!(
                (outputs[0].as_array().unwrap().len(), outputs[1].as_array().unwrap().len()),
                (1, 0),
                "{guardrails:?} {good}"
            );
        }
    }

    #[tokio::test]
    async fn what_is_found_is_masked_the_longest_first() {
        let guardrails = json!({
            "pii": { "value": { "type": "selected", "entities": ["EMAIL_ADDRESS", "PHONE_NUMBER"] } },
            "secretKeys": { "value": { "permissiveness": "balanced" } },
            "customRegex": { "regex": [{ "name": "NAME", "value": "Ada" }] }
        });
        let text = "Ada: ada@example.com, 555-123-4567, sk-abc";
        let params = Object::from_iter([
            ("operation", Value::from("sanitize")),
            ("text", text.into()),
            ("guardrails", guardrails),
        ]);
        let outputs = run::<Guardrails>(params.into(), json!([{}])).await.unwrap();
        let shown = outputs[0].at(0).unwrap();
        assert_eq!(
            shown.get("guardrailsInput"),
            Some(&json!("<NAME>: <EMAIL_ADDRESS>, <PHONE_NUMBER>, <SECRET>"))
        );
    }

    #[tokio::test]
    async fn a_broken_pattern_is_told() {
        let params = json!({ "operation": "sanitize", "text": "x", "guardrails": { "customRegex": { "regex": [{ "name": "n", "value": "(" }] } } });
        assert!(
            run::<Guardrails>(params, json!([{}]))
                .await
                .unwrap_err()
                .to_string()
                .contains("The pattern 'n'")
        );
    }
}
