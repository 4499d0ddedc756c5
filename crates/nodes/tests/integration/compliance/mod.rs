//! Walks the table of nodes: every description is complete, every example runs.

mod destinations;
mod icons;

use model::{Items, Kind, Value, json};
use node_api::{Ctx, DestinationForm, NodeGroup, NodeInfo, NodeType, Param, ParamKind};
use node_testing::{TestHost, items, to_json};
use std::collections::HashSet;
use std::sync::Arc;

fn entries() -> Vec<Arc<NodeType>> {
    heddle_nodes::registry_with_test_nodes().all().into_iter().cloned().collect()
}

#[test]
fn every_type_and_version_is_served_once() {
    let mut seen = HashSet::new();
    for entry in entries() {
        let spec = &entry.spec;
        assert!(!spec.versions.is_empty(), "{}: no versions", spec.id);
        for version in &spec.versions {
            assert!(
                seen.insert((spec.id.clone(), version.to_string())),
                "{} v{version} is served twice",
                spec.id
            );
        }
    }
}

#[test]
fn what_a_model_fills_in_is_a_parameter_of_a_tool() {
    for entry in entries() {
        let spec = &entry.spec;
        for path in &spec.model_fills {
            let name = path.split('.').next().unwrap_or_default();
            assert!(spec.params.iter().any(|param| param.name == name), "{}: {path}", spec.id);
            let is_tool = spec.outputs.iter().any(|port| port.kind == Kind::AiTool);
            assert!(is_tool && !entry.can_be_a_tool(), "{}: {path}", spec.id);
        }
    }
}

#[test]
fn every_node_and_parameter_explains_itself() {
    fn walk(node: &str, params: &[Param]) {
        for param in params {
            assert!(!param.name.is_empty(), "{node}: a parameter without a name");
            assert!(!param.help.is_empty(), "{node}: parameter '{}' has no help", param.name);
            match &param.kind {
                ParamKind::Collection { params } => walk(node, params),
                ParamKind::Groups { groups, .. } => {
                    groups.iter().for_each(|group| walk(node, &group.params))
                }
                ParamKind::Choice { options } => {
                    assert!(!options.is_empty(), "{node}: '{}' has no options", param.name);
                    let known = options.iter().any(|option| option.value == param.default)
                        || param.default == json!("");
                    assert!(
                        known,
                        "{node}: the default of '{}' is none of its options",
                        param.name
                    );
                }
                _ => {}
            }
        }
    }
    for entry in entries() {
        let spec = &entry.spec;
        assert!(
            !spec.name.is_empty() && !spec.summary.is_empty(),
            "{}: no name or summary",
            spec.id
        );
        assert!(!spec.builder_hint.is_empty(), "{}: no hint for the builder", spec.id);
        walk(&spec.id, &spec.params);
    }
}

/// Parameters of ordinary nodes that sound like a place where data goes, and are none.
const NOT_DESTINATIONS: &[(&str, &str, &str)] = &[
    ("n8n-nodes-base.emailSend", "fromEmail", "who the mail is from; nothing is sent there"),
    (
        "n8n-nodes-base.httpRequest",
        "nextURL",
        "further pages are kept to the host of the URL by the request itself",
    ),
    ("n8n-nodes-base.iCal", "email", "is written into a file"),
    (
        "n8n-nodes-mcp.mcpClient",
        "resourceUri",
        "names something that the connected server has; only that server is asked for it",
    ),
    ("n8n-nodes-base.iCal", "url", "is written into a file"),
    ("n8n-nodes-base.convertToFile", "email", "is written into a file"),
    ("n8n-nodes-base.convertToFile", "url", "is written into a file"),
    ("@n8n/n8n-nodes-langchain.guardrails", "allowedUrls", "a list that texts are compared with"),
    (
        "n8n-nodes-base.executeWorkflow",
        "workflowId",
        "a stored workflow, whose own author wrote down where it sends data",
    ),
    ("n8n-nodes-base.n8n", "workflowObject", "is stored, for whoever activates or calls it"),
    ("n8n-nodes-base.readBinaryFile", "filePath", "is read; nothing is sent there"),
];

#[test]
fn issue_14_12_every_parameter_that_says_where_data_goes_is_marked() {
    const WORDS: &[&str] =
        &["url", "uri", "endpoint", "email", "host", "command", "path", "workflow"];
    fn walk(before: &str, params: &[Param], found: &mut Vec<(String, String)>) {
        for param in params {
            let path = if before.is_empty() {
                param.name.to_string()
            } else {
                format!("{before}.{}", param.name)
            };
            let lower = param.name.to_lowercase();
            match &param.kind {
                ParamKind::Collection { params } => walk(&path, params, found),
                ParamKind::Groups { groups, multiple } => groups.iter().for_each(|group| {
                    let star = if *multiple { ".*" } else { "" };
                    walk(&format!("{path}.{}{star}", group.name), &group.params, found);
                }),
                ParamKind::Text | ParamKind::LongText | ParamKind::Json
                    if WORDS.iter().any(|word| lower.contains(word)) =>
                {
                    found.push((path, param.name.to_string()));
                }
                _ => {}
            }
        }
    }
    for entry in entries() {
        let spec = &entry.spec;
        let is_ordinary = spec.group != NodeGroup::Trigger
            && spec.inputs.iter().any(|input| input.kind == Kind::Main);
        let mut found = Vec::new();
        walk("", &spec.params, &mut found);
        for (path, name) in found.iter().filter(|_| is_ordinary) {
            let is_marked = spec.flow.sends_to.iter().any(|marked| marked.param == *path);
            let is_none =
                NOT_DESTINATIONS.iter().any(|(id, param, _)| *id == spec.id && param == name);
            assert!(
                is_marked != is_none,
                "{}: '{path}' is either marked with `sends_to` or listed here with a reason",
                spec.id
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn issue_14_12_only_destinations_that_are_marked_so_are_taken_apart() {
    let mut reached = HashSet::new();
    for entry in entries() {
        for destination in entry
            .spec
            .flow
            .sends_to
            .iter()
            .filter(|destination| destination.form != DestinationForm::Whole)
        {
            let is_list = destination.form == DestinationForm::Addresses;
            for separator in [",", ", ", ";", " ", "\n", "|", "\t"] {
                let text = format!("https://first.test/a{separator}https://second.test/b");
                let mut gone_to = Vec::new();
                for params in destinations::params_with(&entry.spec, &destination.param, &text) {
                    gone_to.extend(destinations::addresses_used(&entry, &params).await);
                }
                let has = |host: &str| gone_to.iter().any(|address| address.starts_with(host));
                let is_apart = has("https://second.test/");
                let (id, param) = (&entry.spec.id, &destination.param);
                assert!(
                    is_list || !is_apart,
                    "{id}: '{param}' is taken apart at {separator:?}, and not marked with `sends_to_each`"
                );
                if is_list {
                    assert_eq!(
                        is_apart,
                        separator.contains(','),
                        "{id}: '{param}' at {separator:?}: the engine splits at commas only"
                    );
                }
                if has("https://first.test/") {
                    reached.insert((id.clone(), param.clone()));
                }
            }
        }
    }
    // What no test reaches, no test proves.
    for (id, param) in [
        ("@n8n/n8n-nodes-langchain.anthropic", "attachmentsUrls"),
        ("@n8n/n8n-nodes-langchain.anthropic", "documentUrls"),
        ("@n8n/n8n-nodes-langchain.anthropic", "fileUrl"),
        ("@n8n/n8n-nodes-langchain.anthropic", "imageUrls"),
        ("@n8n/n8n-nodes-langchain.googleGemini", "imageUrls"),
        ("@n8n/n8n-nodes-langchain.googleGemini", "fileUrl"),
        ("@n8n/n8n-nodes-langchain.openAi", "imageUrls"),
        ("@n8n/n8n-nodes-langchain.openAi", "responses.values.*.fileUrl"),
        ("@n8n/n8n-nodes-langchain.openAi", "responses.values.*.imageUrl"),
        ("n8n-nodes-base.graphql", "endpoint"),
        ("n8n-nodes-base.httpRequest", "url"),
        ("n8n-nodes-base.rssFeedRead", "url"),
    ] {
        assert!(reached.contains(&(id.into(), param.into())), "{id}: '{param}' is not reached");
    }
}

#[tokio::test]
async fn every_example_gives_what_it_says() {
    let mut ran = 0;
    for entry in entries() {
        let spec = &entry.spec;
        for example in &spec.examples {
            let parse = |text: &str| {
                model::json::parse(text)
                    .unwrap_or_else(|error| panic!("{}: {error}: {text}", spec.id))
            };
            let version = example.version.parse().unwrap_or_else(|_| spec.newest_version());
            let input = parse(&example.input);
            let is_list_of_lists =
                spec.inputs.iter().filter(|input| input.kind == model::Kind::Main).count() > 1;
            let inputs: Vec<Option<Items>> = match is_list_of_lists {
                true => input
                    .as_array()
                    .unwrap_or_default()
                    .iter()
                    .map(|list| Some(items(list)))
                    .collect(),
                false => vec![Some(items(&input))],
            };
            let host = TestHost::new(spec, version, &parse(&example.params));
            let info = NodeInfo {
                id: "1".into(),
                name: spec.name.clone(),
                type_name: spec.id.clone(),
                version,
                ..NodeInfo::default()
            };
            let ctx = Ctx::new(&info, &inputs, 0, &host);
            let outputs =
                entry.run(&ctx, inputs.first().cloned().flatten().unwrap_or_default()).await;
            let outputs =
                outputs.unwrap_or_else(|error| panic!("{} '{}': {error}", spec.id, example.title));
            let found = Value::array(outputs.iter().map(to_json).collect());
            assert_eq!(found, parse(&example.output), "{} '{}'", spec.id, example.title);
            ran += 1;
        }
    }
    assert!(ran > 0);
}

#[test]
fn every_file_of_a_node_has_a_row() {
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for folder in
        std::fs::read_dir(sources).unwrap().flatten().filter(|entry| entry.path().is_dir())
    {
        let table = std::fs::read_to_string(folder.path().with_extension("rs")).unwrap();
        for file in walk_files(&folder.path()) {
            let text = std::fs::read_to_string(&file).unwrap();
            for line in text.lines() {
                if let Some(node) = line
                    .strip_prefix("impl Node for ")
                    .and_then(|rest| rest.split_whitespace().next())
                {
                    assert!(
                        table.contains(&format!("{node}>()")),
                        "{node} in {} has no row in its table",
                        file.display()
                    );
                }
            }
        }
    }
}

fn walk_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk_files(&path) } else { vec![path] }).collect()
}
