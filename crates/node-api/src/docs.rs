//! The reference page of a node type, made from its descriptions.

use crate::{Param, ParamKind, Port, Spec};
use std::fmt::Write as _;

/// The page in Markdown. The entries are those of one type, oldest first; without any the page is
/// empty.
pub fn page(entries: &[&Spec]) -> String {
    let Some(newest) = entries.last() else { return String::new() };
    let mut text = format!(
        "# {}\n\n{}\n\nType `{}`. {}\n",
        newest.name,
        sentence(&newest.summary),
        newest.id,
        newest.builder_hint
    );
    for spec in entries.iter().rev() {
        let versions: Vec<String> = spec.versions.iter().map(f64::to_string).collect();
        let _ = write!(text, "\n## Version {}\n\n", versions.join(", "));
        for difference in &spec.differs {
            let _ = writeln!(text, "> Differs from n8n: {}\n", difference.how);
        }
        for note in &spec.notes {
            let _ = writeln!(text, "> {note}\n");
        }
        let required: Vec<String> =
            spec.inputs.iter().filter(|port| port.required).map(input).collect();
        if !required.is_empty() {
            let _ = writeln!(text, "Required inputs: {}.\n", required.join(", "));
        }
        if spec
            .params
            .iter()
            .any(|param| !matches!(param.kind, ParamKind::Notice | ParamKind::Hidden))
        {
            text.push_str("| parameter | kind | default | help |\n| --- | --- | --- | --- |\n");
            rows(&mut text, &spec.params, "");
        } else {
            text.push_str("This node has no parameters.\n");
        }
        for example in &spec.examples {
            let _ = write!(
                text,
                "\nExample: {}\n\n```json\n{}\n```\n\nwith the items `{}` returns `{}`.\n",
                lower_first(&example.title),
                example.params,
                example.input,
                example.output
            );
        }
    }
    text
}

/// An input by its label and kind, such as ``Model (`ai_languageModel`)``.
fn input(port: &Port) -> String {
    let kind = port.kind.name();
    let label = if port.label.is_empty() { kind } else { &port.label };
    let condition = if port.show.is_empty() { "" } else { " with some parameters" };
    format!("{label} (`{kind}`){condition}")
}

fn rows(text: &mut String, params: &[Param], prefix: &str) {
    for param in
        params.iter().filter(|param| !matches!(param.kind, ParamKind::Notice | ParamKind::Hidden))
    {
        let default = match model::json::to_string(&param.default) {
            empty if empty == "\"\"" || empty == "{}" || empty == "null" => String::new(),
            value => format!("`{}`", value.replace('|', "\\|")),
        };
        let _ = writeln!(
            text,
            "| `{prefix}{}` | {} | {default} | {} |",
            param.name,
            kind(param),
            param.help.replace("|", "\\|").replace("\n", " ")
        );
        match &param.kind {
            ParamKind::Collection { params } => {
                rows(text, params, &format!("{prefix}{}.", param.name))
            }
            ParamKind::Groups { groups, multiple } => {
                for group in groups {
                    let many = if *multiple { "[]" } else { "" };
                    rows(
                        text,
                        &group.params,
                        &format!("{prefix}{}.{}{many}.", param.name, group.name),
                    );
                }
            }
            _ => {}
        }
    }
}

fn kind(param: &Param) -> String {
    match &param.kind {
        ParamKind::Choice { options } | ParamKind::MultiChoice { options } => options
            .iter()
            .map(|option| format!("`{}`", option.value.to_js_string().replace("|", "\\|")))
            .collect::<Vec<_>>()
            .join(" "),
        ParamKind::Text | ParamKind::LongText => "text".into(),
        ParamKind::Secret => "secret".into(),
        ParamKind::Number { min, max } => match (min, max) {
            (Some(min), Some(max)) => format!("number from {min} to {max}"),
            (Some(min), None) => format!("number, at least {min}"),
            (None, Some(max)) => format!("number, at most {max}"),
            (None, None) => "number".into(),
        },
        ParamKind::Flag => "yes/no".into(),
        ParamKind::Json => "JSON".into(),
        ParamKind::Code { language } => format!("code ({language})"),
        ParamKind::DateTime => "date".into(),
        ParamKind::Color => "colour".into(),
        ParamKind::Collection { .. } => "options".into(),
        ParamKind::Groups { .. } => "fields".into(),
        ParamKind::Locator { .. } => "resource selector".into(),
        ParamKind::Mapper => "columns".into(),
        ParamKind::Filter => "conditions".into(),
        ParamKind::Assignments => "assignments".into(),
        ParamKind::CredentialKind => "credential type".into(),
        ParamKind::Notice | ParamKind::Hidden => String::new(),
    }
}

fn sentence(text: &str) -> String {
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Kind;

    #[test]
    fn a_page_tells_required_inputs_and_ranges() {
        let spec = Spec::new("test", &[1.0], "Test", "Tests things")
            .inputs([
                Port::main(),
                Port::of(Kind::AiLanguageModel, "Model"),
                Port::of(Kind::AiTool, "Tools"),
                Port::of(Kind::AiDocument, "Document").show("mode", &["insert"]),
            ])
            .param(Param::number("n", "N", 1).between(1.0, 9.0).help("How many."));
        let text = page(&[&spec]);
        assert!(text.contains(
            "Required inputs: Model (`ai_languageModel`), Document (`ai_document`) with some parameters."
        ));
        assert!(text.contains("| `n` | number from 1 to 9 | `1` | How many. |"));
    }
}
