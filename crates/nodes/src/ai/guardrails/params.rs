//! The form of the guardrails node.

use super::llm_checks::{JAILBREAK, NSFW, TOPIC};
use formats::sensitive::PERSONAL_DATA;
use node_api::prelude::*;

pub(super) fn params() -> Vec<Param> {
    let operations = [("classify", "Check text for violations"), ("sanitize", "Sanitize text")];
    vec![
        Param::choice("operation", "Operation", &operations)
            .raw()
            .help("Route texts by violation, or redact them."),
        Param::long_text("text", "Text to check", "").required().help("The text."),
        Param::collection("guardrails", "Guardrails", guardrails()).help("What to search for."),
        Param::flag("customizeSystemMessage", "Customize system message", false)
            .show("operation", &["classify"])
            .help("Use your own instructions for the model."),
        Param::long_text("systemMessage", "System message", "")
            .show("customizeSystemMessage", &[true])
            .help("Instructions for the model, added after the prompt of each check."),
    ]
}

fn guardrails() -> Vec<Param> {
    let classify = &["classify"];
    let entities: Vec<(&str, &str)> =
        PERSONAL_DATA.iter().map(|(value, label, _)| (*value, *label)).collect();
    let levels = [("balanced", "Balanced"), ("strict", "Strict"), ("permissive", "Permissive")];
    let schemes = ["https", "http", "ftp", "data", "javascript", "vbscript", "mailto"]
        .map(|scheme| (scheme, scheme));
    let personal = [
        Param::choice("type", "Type", &[("all", "All"), ("selected", "Selected")])
            .help("All entity types, or a selection."),
        Param::multi_choice("entities", "Entities", &entities)
            .show("type", &["selected"])
            .help("What to search for."),
    ];
    let keys = [Param::choice("permissiveness", "Permissiveness", &levels)
        .help("How closely a string must resemble a key.")];
    let addresses = [
        Param::text("allowedUrls", "Block all URLs except", "")
            .help("Comma-separated hosts, IP addresses and networks."),
        Param::multi_choice("allowedSchemes", "Allowed schemes", &schemes)
            .preset(json!(["https"]))
            .help("Allowed URL schemes."),
        Param::flag("blockUserinfo", "Block userinfo", true)
            .help("Block URLs that contain a user name or password."),
        Param::flag("allowSubdomains", "Allow subdomains", true)
            .help("Also allow subdomains of allowed hosts."),
    ];
    let own = [
        Param::text("name", "Name", "").help("Name of the check."),
        threshold(),
        Param::long_text("prompt", "Prompt", "").help("Prompt for the model that checks the text."),
    ];
    let patterns = [
        Param::text("name", "Name", "").help("Replacement for matches."),
        Param::text("value", "Regex", "").help("The regular expression, plain or as /…/gi."),
    ];
    vec![
        Param::text("keywords", "Keywords", "")
            .show("/operation", classify)
            .help("Comma-separated keywords."),
        check("jailbreak", "Jailbreak", "Attempts to bypass the model's rules.", JAILBREAK)
            .show("/operation", classify),
        check("nsfw", "NSFW", "Content that is not safe for work.", NSFW)
            .show("/operation", classify),
        group("pii", "Personal data (PII)", personal.into())
            .help("Personal data, detected by pattern."),
        group("secretKeys", "Secret keys", keys.into()).help("Strings that look like secret keys."),
        check(
            "topicalAlignment",
            "Topical alignment",
            "Texts outside the system's purpose.",
            TOPIC,
        )
        .show("/operation", classify),
        group("urls", "URLs", addresses.into()).help("URLs that are not allowed."),
        Param::repeated("custom", "Custom", [FieldGroup::new("guardrail", "Guardrail", own)])
            .show("/operation", classify)
            .help("Custom checks made by the model."),
        Param::repeated(
            "customRegex",
            "Custom regex",
            [FieldGroup::new("regex", "Regex", patterns)],
        )
        .help("Custom patterns."),
    ]
}

fn group(name: &str, label: &str, fields: Vec<Param>) -> Param {
    Param::group(name, label, [FieldGroup::new("value", "Value", fields)])
}

fn check(name: &str, label: &str, help: &str, prompt: &str) -> Param {
    let fields = vec![
        threshold(),
        Param::flag("customizePrompt", "Customize prompt", false).help("Use a custom prompt."),
        Param::long_text("prompt", "Prompt", prompt)
            .help("Prompt for the model that checks the text."),
    ];
    group(name, label, fields).help(help)
}

fn threshold() -> Param {
    Param::number("threshold", "Threshold", 0.7)
        .between(0.0, 1.0)
        .help("Minimum confidence of the model.")
}
