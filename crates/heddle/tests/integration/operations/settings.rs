//! Where settings come from, and what is said about wrong ones.

use super::{errors, run, start_server, stdout_text};
use crate::support::{Server, TempFolder, wait_until};

/// The line of a setting in what the doctor says.
fn line(text: &str, name: &str) -> String {
    let found = text.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
    found.unwrap_or_default().split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_file_gives_way_to_the_environment_and_that_to_flags() {
    let data = TempFolder::new("settings-order");
    std::fs::write(
        data.0.join("heddle.toml"),
        "keep_days = 3\nkeep_count = 30\nmax_body = '1MB'\n",
    )
    .unwrap();
    let doctor = run(
        &data.0,
        &["doctor", "--set", "keep_days=1"],
        &[("HEDDLE_KEEP_DAYS", "2"), ("HEDDLE_KEEP_COUNT", "20")],
    );
    let text = stdout_text(&doctor);
    assert_eq!(line(&text, "HEDDLE_KEEP_DAYS"), "HEDDLE_KEEP_DAYS 1 --set");
    assert_eq!(line(&text, "HEDDLE_KEEP_COUNT"), "HEDDLE_KEEP_COUNT 20 environment");
    assert!(line(&text, "HEDDLE_MAX_BODY").starts_with("HEDDLE_MAX_BODY 1MB /"), "{text}");
    assert!(
        text.lines()
            .any(|line| line.contains("HEDDLE_MAX_BODY") && line.contains("heddle.toml, line 3")),
        "{text}"
    );
    assert_eq!(line(&text, "HEDDLE_TIMEZONE"), "HEDDLE_TIMEZONE UTC default");
}

#[test]
fn another_file_can_be_named_and_must_then_be_there() {
    let data = TempFolder::new("settings-named");
    let file = data.0.join("other.toml");
    std::fs::write(&file, "timezone = 'Europe/Berlin'").unwrap();
    let name = file.to_str().unwrap();
    for doctor in [
        run(&data.0, &["doctor", "--config", name], &[]),
        run(&data.0, &["doctor"], &[("HEDDLE_CONFIG", name)]),
    ] {
        assert!(
            line(&stdout_text(&doctor), "HEDDLE_TIMEZONE")
                .starts_with("HEDDLE_TIMEZONE Europe/Berlin")
        );
    }
    let missing = run(&data.0, &["list", "--config", "/nowhere/heddle.toml"], &[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(errors(&missing).contains("SETTING_INVALID"), "{}", errors(&missing));
}

#[test]
fn an_unknown_name_is_an_error_with_its_line_and_the_nearest_one() {
    let data = TempFolder::new("settings-unknown");
    std::fs::write(data.0.join("heddle.toml"), "# mine\nkeep_dyas = 3\n").unwrap();
    let refused = run(&data.0, &["serve"], &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        errors(&refused).contains(
            "line 2: keep_dyas is not a setting; did you mean keep_days? (SETTING_UNKNOWN)"
        ),
        "{}",
        errors(&refused)
    );
    std::fs::remove_file(data.0.join("heddle.toml")).unwrap();
    let refused = run(&data.0, &["serve", "--set", "prot=1"], &[]);
    assert!(
        errors(&refused).contains("did you mean port? (SETTING_UNKNOWN)"),
        "{}",
        errors(&refused)
    );
    let warned = run(&data.0, &["nodes"], &[("HEDDLE_KEEP_DYAS", "3")]);
    assert!(warned.status.success());
    assert!(
        errors(&warned)
            .contains("HEDDLE_KEEP_DYAS is not a setting; did you mean HEDDLE_KEEP_DAYS?"),
        "{}",
        errors(&warned)
    );
}

#[test]
fn a_value_that_cannot_be_used_is_named_with_where_it_stands() {
    let data = TempFolder::new("settings-invalid");
    std::fs::write(data.0.join("heddle.toml"), "\n\nport = 'many'\n").unwrap();
    let refused = run(&data.0, &["serve"], &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        errors(&refused)
            .contains("heddle.toml, line 3, is 'many', which is not a port (SETTING_INVALID)"),
        "{}",
        errors(&refused)
    );
    let refused = run(&data.0, &["serve", "--set", "port=1", "--set", "keep_days=some"], &[]);
    assert!(errors(&refused).contains("--set keep_days is 'some'"), "{}", errors(&refused));
}

#[test]
fn secrets_among_settings_are_not_shown() {
    let data = TempFolder::new("settings-secret");
    let doctor =
        run(&data.0, &["doctor"], &[("OTEL_EXPORTER_OTLP_HEADERS", "authorization=s3cret")]);
    assert!(stdout_text(&doctor).contains("(not shown)"));
    assert!(!stdout_text(&doctor).contains("s3cret") && !errors(&doctor).contains("s3cret"));
}

#[test]
fn the_page_of_settings_is_up_to_date() {
    let data = TempFolder::new("settings-page");
    let page = data.0.join("settings.md");
    assert!(run(&data.0, &["doctor", "--docs", page.to_str().unwrap()], &[]).status.success());
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    assert_eq!(
        std::fs::read_to_string(page).unwrap(),
        std::fs::read_to_string(kept).unwrap(),
        "run `cargo xtask docs`"
    );
}

#[test]
fn issue_14_05_workflows_get_an_origin_of_their_own_only_under_another_name() {
    let data = TempFolder::new("settings-origins");
    for (base, hooks) in [
        ("https://heddle.example.com", "https://heddle.example.com:8443"),
        ("http://localhost:5678", "http://LOCALHOST:5679/"),
        ("https://heddle.example.com", "hooks.example.com"),
        ("heddle.example.com", ""),
    ] {
        let refused =
            run(&data.0, &["serve"], &[("HEDDLE_BASE_URL", base), ("HEDDLE_WEBHOOK_URL", hooks)]);
        assert_eq!(refused.status.code(), Some(2), "{base} {hooks}");
        assert!(errors(&refused).contains("SETTING_INVALID"), "{}", errors(&refused));
    }
    let settings = [
        ("HEDDLE_BASE_URL", "http://127.0.0.1:5678"),
        ("HEDDLE_WEBHOOK_URL", "http://hooks.localhost:5678/"),
    ];
    let doctor = stdout_text(&run(&data.0, &["doctor"], &settings));
    assert!(
        doctor.lines().any(|line| line.contains("settings") && line.contains("ok")),
        "{doctor}"
    );
}

#[test]
fn issue_14_00_the_set_up_token_stands_where_browsers_keep_it_to_themselves() {
    let folder = TempFolder::new("settings-setup");
    let server = start_server(&folder.0.join("data"), &[], &[]);
    wait_until("the link is shown", || server.log().contains("/setup"));
    let text = server.log();
    let link = text.split_whitespace().find(|word| word.contains("/setup")).unwrap();
    assert!(link.contains("/setup#token=") && !link.contains('?'), "{link}");
}

#[test]
fn issue_14_00_a_folder_of_files_from_which_workflows_could_reach_the_data_folder_is_refused() {
    let folder = TempFolder::new("settings-overlap");
    let data = folder.0.join("data");
    std::fs::create_dir_all(data.join("binary")).unwrap();
    std::os::unix::fs::symlink(&folder.0, folder.0.join("link")).unwrap();
    let (link, inside) = (folder.0.join("link"), data.join("binary/x"));
    for root in [
        folder.0.as_path(),
        data.as_path(),
        inside.as_path(),
        link.as_path(),
        std::path::Path::new("/"),
    ] {
        let root = root.to_str().unwrap();
        let refused = run(&data, &["serve", "--port", "0"], &[("HEDDLE_FILES_ROOT", root)]);
        assert!(!refused.status.success(), "{root}");
        let told_of = errors(&refused);
        let data = data.canonicalize().unwrap();
        assert!(
            told_of.contains("SETTING_INVALID") && told_of.contains(data.to_str().unwrap()),
            "{root}: {told_of}"
        );
        let doctor = run(&data, &["doctor"], &[("HEDDLE_FILES_ROOT", root)]);
        assert!(
            stdout_text(&doctor).contains("error  files folder"),
            "{root}: {}",
            stdout_text(&doctor)
        );
    }
    // The packages keep it in the data folder, where backups find it.
    let workspace = data.join("workspace");
    let server = Server::start(&data, &[("HEDDLE_FILES_ROOT", workspace.to_str().unwrap())]);
    server.stop();
}
