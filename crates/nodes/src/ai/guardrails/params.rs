//! The form of the guardrails node.

use super::llm_checks::{JAILBREAK, NSFW, TOPIC};
use super::pii::ENTITIES;
use node_api::prelude::*;

pub(super) fn params() -> Vec<Param> {
    let operations = [("classify", "Check text for violations"), ("sanitize", "Sanitize text")];
    vec![
        Param::choice("operation", "Operation", &operations)
            .raw()
            .help("Sort texts by what they hold, or take it out."),
        Param::long_text("text", "Text to check", "").required().help("The text."),
        Param::collection("guardrails", "Guardrails", guardrails()).help("What is looked for."),
        Param::flag("customizeSystemMessage", "Customize system message", false)
            .show("operation", &["classify"])
            .help("Say in your own words how a model is to judge."),
        Param::long_text("systemMessage", "System message", "")
            .show("customizeSystemMessage", &[true])
            .help("What a model is told after the prompt of each check."),
    ]
}

fn guardrails() -> Vec<Param> {
    let classify = &["classify"];
    let entities: Vec<(&str, &str)> =
        ENTITIES.iter().map(|(value, label, _)| (*value, *label)).collect();
    let levels = [("balanced", "Balanced"), ("strict", "Strict"), ("permissive", "Permissive")];
    let schemes = ["https", "http", "ftp", "data", "javascript", "vbscript", "mailto"]
        .map(|scheme| (scheme, scheme));
    let personal = [
        Param::choice("type", "Type", &[("all", "All"), ("selected", "Selected")])
            .help("Everything that is known, or some of it."),
        Param::multi_choice("entities", "Entities", &entities)
            .show("type", &["selected"])
            .help("What is looked for."),
    ];
    let keys = [Param::choice("permissiveness", "Permissiveness", &levels)
        .help("How much a word must look like a key.")];
    let addresses = [
        Param::text("allowedUrls", "Block all URLs except", "")
            .help("Hosts, addresses and networks, with commas between."),
        Param::multi_choice("allowedSchemes", "Allowed schemes", &schemes)
            .preset(json!(["https"]))
            .help("What addresses may begin with."),
        Param::flag("blockUserinfo", "Block userinfo", true)
            .help("Refuse addresses with a user and a password in them."),
        Param::flag("allowSubdomains", "Allow subdomains", true)
            .help("Take the hosts below an allowed one, too."),
    ];
    let own = [
        Param::text("name", "Name", "").help("What the check is called."),
        threshold(),
        Param::long_text("prompt", "Prompt", "").help("What the model is asked about the text."),
    ];
    let patterns = [
        Param::text("name", "Name", "").help("What stands in the place of what is found."),
        Param::text("value", "Regex", "").help("The pattern, bare or as /…/gi."),
    ];
    vec![
        Param::text("keywords", "Keywords", "")
            .show("/operation", classify)
            .help("Words with commas between."),
        check("jailbreak", "Jailbreak", "Attempts to make a model leave its rules.", JAILBREAK)
            .show("/operation", classify),
        check("nsfw", "NSFW", "Content that is not fit for work.", NSFW)
            .show("/operation", classify),
        group("pii", "Personal data (PII)", personal.into()).help("Personal data, by its form."),
        group("secretKeys", "Secret keys", keys.into()).help("Words that look like keys."),
        check(
            "topicalAlignment",
            "Topical alignment",
            "Texts that leave the purpose of the system.",
            TOPIC,
        )
        .show("/operation", classify),
        group("urls", "URLs", addresses.into()).help("Addresses that are not allowed."),
        Param::repeated("custom", "Custom", [FieldGroup::new("guardrail", "Guardrail", own)])
            .show("/operation", classify)
            .help("Checks of your own, made by the model."),
        Param::repeated(
            "customRegex",
            "Custom regex",
            [FieldGroup::new("regex", "Regex", patterns)],
        )
        .help("Patterns of your own."),
    ]
}

fn group(name: &str, label: &str, fields: Vec<Param>) -> Param {
    Param::group(name, label, [FieldGroup::new("value", "Value", fields)])
}

fn check(name: &str, label: &str, help: &str, prompt: &str) -> Param {
    let fields = vec![
        threshold(),
        Param::flag("customizePrompt", "Customize prompt", false)
            .help("Ask the model in your own words."),
        Param::long_text("prompt", "Prompt", prompt)
            .help("What the model is asked about the text."),
    ];
    group(name, label, fields).help(help)
}

fn threshold() -> Param {
    Param::number("threshold", "Threshold", 0.7)
        .between(0.0, 1.0)
        .help("How sure the model must be.")
}
