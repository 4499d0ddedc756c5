//! Where settings come from, and what is said about wrong ones.

use crate::support::Folder;
use crate::{errors, run, told};

/// The line of a setting in what the doctor says.
fn line(text: &str, name: &str) -> String {
    let found = text.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
    found.unwrap_or_default().split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_file_gives_way_to_the_environment_and_that_to_flags() {
    let data = Folder::new("settings-order");
    std::fs::write(data.0.join("heddle.toml"), "keep_days = 3\nkeep_count = 30\nmax_body = '1MB'\n").unwrap();
    let doctor = run(&data.0, &["doctor", "--set", "keep_days=1"], &[("HEDDLE_KEEP_DAYS", "2"), ("HEDDLE_KEEP_COUNT", "20")]);
    let text = told(&doctor);
    assert_eq!(line(&text, "HEDDLE_KEEP_DAYS"), "HEDDLE_KEEP_DAYS 1 --set");
    assert_eq!(line(&text, "HEDDLE_KEEP_COUNT"), "HEDDLE_KEEP_COUNT 20 environment");
    assert!(line(&text, "HEDDLE_MAX_BODY").starts_with("HEDDLE_MAX_BODY 1MB /"), "{text}");
    assert!(text.lines().any(|line| line.contains("HEDDLE_MAX_BODY") && line.contains("heddle.toml, line 3")), "{text}");
    assert_eq!(line(&text, "HEDDLE_TIMEZONE"), "HEDDLE_TIMEZONE UTC default");
}

#[test]
fn another_file_can_be_named_and_must_then_be_there() {
    let data = Folder::new("settings-named");
    let file = data.0.join("other.toml");
    std::fs::write(&file, "timezone = 'Europe/Berlin'").unwrap();
    let name = file.to_str().unwrap();
    for doctor in [run(&data.0, &["doctor", "--config", name], &[]), run(&data.0, &["doctor"], &[("HEDDLE_CONFIG", name)])] {
        assert!(line(&told(&doctor), "HEDDLE_TIMEZONE").starts_with("HEDDLE_TIMEZONE Europe/Berlin"));
    }
    let missing = run(&data.0, &["list", "--config", "/nowhere/heddle.toml"], &[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(errors(&missing).contains("SETTING_INVALID"), "{}", errors(&missing));
}

#[test]
fn an_unknown_name_is_an_error_with_its_line_and_the_nearest_one() {
    let data = Folder::new("settings-unknown");
    std::fs::write(data.0.join("heddle.toml"), "# mine\nkeep_dyas = 3\n").unwrap();
    let refused = run(&data.0, &["serve"], &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        errors(&refused).contains("line 2: keep_dyas is not a setting; did you mean keep_days? (SETTING_UNKNOWN)"),
        "{}",
        errors(&refused)
    );
    std::fs::remove_file(data.0.join("heddle.toml")).unwrap();
    let refused = run(&data.0, &["serve", "--set", "prot=1"], &[]);
    assert!(errors(&refused).contains("did you mean port? (SETTING_UNKNOWN)"), "{}", errors(&refused));
    let warned = run(&data.0, &["nodes"], &[("HEDDLE_KEEP_DYAS", "3")]);
    assert!(warned.status.success());
    assert!(errors(&warned).contains("HEDDLE_KEEP_DYAS is not a setting; did you mean HEDDLE_KEEP_DAYS?"), "{}", errors(&warned));
}

#[test]
fn a_value_that_cannot_be_used_is_named_with_where_it_stands() {
    let data = Folder::new("settings-invalid");
    std::fs::write(data.0.join("heddle.toml"), "\n\nport = 'many'\n").unwrap();
    let refused = run(&data.0, &["serve"], &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("heddle.toml, line 3, is 'many', which is no port (SETTING_INVALID)"), "{}", errors(&refused));
    let refused = run(&data.0, &["serve", "--set", "port=1", "--set", "keep_days=some"], &[]);
    assert!(errors(&refused).contains("--set keep_days is 'some'"), "{}", errors(&refused));
}

#[test]
fn secrets_among_settings_are_not_shown() {
    let data = Folder::new("settings-secret");
    let doctor = run(&data.0, &["doctor"], &[("OTEL_EXPORTER_OTLP_HEADERS", "authorization=s3cret")]);
    assert!(told(&doctor).contains("(not shown)"));
    assert!(!told(&doctor).contains("s3cret") && !errors(&doctor).contains("s3cret"));
}

#[test]
fn the_page_of_settings_is_up_to_date() {
    let data = Folder::new("settings-page");
    let page = data.0.join("settings.md");
    assert!(run(&data.0, &["doctor", "--docs", page.to_str().unwrap()], &[]).status.success());
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    assert_eq!(std::fs::read_to_string(page).unwrap(), std::fs::read_to_string(kept).unwrap(), "run `cargo xtask docs`");
}
