//! Tests of the operator's file.

use super::*;

fn problems(text: &str) -> Vec<String> {
    parse(text).problems.iter().map(ToString::to_string).collect()
}

#[test]
fn the_conventional_form_is_read() {
    let config = parse(
        r#"{ "mcpServers": {
            "files": { "command": "npx", "args": ["-y", "server"], "env": { "TOKEN": "x" },
                       "cwd": "/srv", "timeoutMs": 5000, "allowedTools": ["read"] },
            "web": { "type": "http", "url": "https://mcp.example/mcp", "headers": { "X-Key": "k" } },
            "old": { "type": "sse", "url": "http://127.0.0.1:3001/sse" },
            "plain": { "url": "https://mcp.example/mcp" },
            "off": { "command": "x", "disabled": true }
        } }"#,
    );
    assert_eq!(config.problems, []);
    let names: Vec<&str> = config.servers.keys().map(Str::as_str).collect();
    assert_eq!(names, ["files", "old", "plain", "web"]);
    let files = &config.servers["files"];
    assert_eq!(files.call_timeout, Some(Duration::from_secs(5)));
    assert_eq!(files.allowed_tools, Some(vec!["read".into()]));
    let Launch::Process(process) = &files.launch else { panic!("a process") };
    assert_eq!((process.command.as_str(), process.args.len()), ("npx", 2));
    let Launch::Remote { transport, .. } = config.servers["old"].launch else { panic!("remote") };
    assert_eq!(transport, McpTransport::Sse);
}

#[test]
fn a_wrong_entry_is_named_by_line_and_field_and_leaves_the_others() {
    let text = "{\n \"mcpServers\": {\n  \"good\": { \"command\": \"a\" },\n  \"bad\": {\n   \"command\": \"b\",\n   \"args\": \"c\"\n  }\n }\n}";
    let config = parse(text);
    assert!(config.servers.contains_key("good") && !config.servers.contains_key("bad"));
    assert_eq!(problems(text), ["line 6, mcpServers.bad.args: is not a list of texts"]);
    assert_eq!(config.problems[0].server.as_deref(), Some("bad"));
}

#[test]
fn what_is_no_json_or_has_no_servers_is_said() {
    assert!(problems("{\n oops }")[0].starts_with("line 2, mcp.json: the file is not valid JSON"));
    assert_eq!(problems("{}"), ["line 1, mcpServers: is missing or not an object"]);
    let unknown = r#"{"mcpServers":{"a":{"type":"ws","url":"x"}}}"#;
    assert!(problems(unknown)[0].contains("'ws' is unknown"));
    assert!(problems(r#"{"mcpServers":{"a":{}}}"#)[0].contains("neither 'command' nor 'url'"));
    let user = r#"{"mcpServers":{"a":{"url":"https://u:p@x.example/"}}}"#;
    assert!(problems(user)[0].contains("without a user name"));
}

#[test]
fn variables_that_change_what_a_program_runs_are_refused_in_any_case() {
    for name in ["LD_PRELOAD", "ld_preload", "NODE_OPTIONS", "Path", "SHELLOPTS", "BASH_ENV", "a=b"]
    {
        let text = format!(r#"{{"mcpServers":{{"a":{{"command":"x","env":{{"{name}":"1"}}}}}}}}"#);
        assert_eq!(problems(&text).len(), 1, "{name}");
        assert!(parse(&text).servers.is_empty());
    }
}
