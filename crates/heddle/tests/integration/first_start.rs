//! `heddle` alone: it starts the server, says how to set it up, and opens a browser if there is
//! somebody to see it.

use crate::support::wait_until;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use testkit::TempFolder;

/// A first start whose browser is a script that keeps the page it is given.
struct FirstStart {
    process: Child,
    log: PathBuf,
    page: PathBuf,
}

/// Whether the program has a terminal.
#[derive(PartialEq)]
enum Output {
    Terminal,
    File,
}

impl FirstStart {
    fn new(
        folder: &TempFolder,
        arguments: &str,
        output: &Output,
        settings: &[(&str, &str)],
    ) -> Self {
        let (log, page, programs) =
            (folder.0.join("log"), folder.0.join("page.html"), folder.0.join("bin"));
        std::fs::create_dir_all(&programs).unwrap();
        let browser = programs.join("xdg-open");
        let script =
            format!("#!/bin/sh\ncp \"$1\" '{0}.part' && mv '{0}.part' '{0}'\n", page.display());
        std::fs::write(&browser, script).unwrap();
        std::fs::set_permissions(&browser, PermissionsExt::from_mode(0o755)).unwrap();
        let program = env!("CARGO_BIN_EXE_heddle");
        let mut command = match output {
            Output::Terminal => {
                let mut command = Command::new("script");
                command.args(["--quiet", "--flush", "--return", "--command"]);
                command.arg(format!("exec {program} {arguments}")).arg(&log);
                command
            }
            Output::File => {
                let mut command = Command::new(program);
                command.args(arguments.split_whitespace());
                command.stderr(std::fs::File::create(&log).unwrap());
                command
            }
        };
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        command.env("PATH", path).env("DISPLAY", ":0").env_remove("SSH_CONNECTION");
        command.env("HEDDLE_DATA", folder.0.join("data")).env("HEDDLE_PORT", "0");
        // In a terminal it asks before it makes a folder that is neither here nor at home.
        command.env("TMPDIR", &folder.0).current_dir(&folder.0);
        command.envs(settings.iter().copied()).stdin(Stdio::null()).stdout(Stdio::null());
        let started = Self { process: command.spawn().unwrap(), log, page };
        wait_until("the set-up link is printed", || started.link().is_some());
        started
    }

    /// The set-up link that was printed.
    fn link(&self) -> Option<String> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let (_, rest) = log.split_once("create the owner account:")?;
        let link = rest.split_whitespace().next()?.to_owned();
        // A line that is still being written has no end.
        (link.contains("/setup#token=") && rest.trim_start().contains('\n')).then_some(link)
    }

    /// Ends the program, and says what its browser was given.
    fn stop(mut self) -> Option<String> {
        let id = self.process.id().to_string();
        // `script` has the program as its child.
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let program = children.unwrap().split_whitespace().next().map_or(id, str::to_owned);
        assert!(Command::new("kill").args(["-TERM", &program]).status().unwrap().success());
        assert!(self.process.wait().unwrap().success());
        // It stops only after it has opened what it opens; a browser may take a moment longer.
        std::thread::sleep(Duration::from_millis(300));
        std::fs::read_to_string(&self.page).ok()
    }
}

/// A test that fails leaves no server behind: without its terminal the program ends too.
impl Drop for FirstStart {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn heddle_alone_serves_and_opens_the_setup_page_in_a_terminal() {
    let folder = TempFolder::new("first-start");
    let started = FirstStart::new(&folder, "", &Output::Terminal, &[]);
    wait_until("the browser is opened", || started.page.exists());
    let link = started.link().unwrap();
    let page = started.stop().unwrap();
    assert!(page.contains(&format!("url={link}\"")), "{page} does not lead to {link}");
}

#[test]
fn no_browser_is_opened_without_a_terminal_a_display_or_the_wish() {
    let quiet = ("HEDDLE_OPEN_BROWSER", "0");
    for (index, (arguments, output, settings)) in [
        ("", Output::File, vec![]),
        ("", Output::Terminal, vec![("DISPLAY", ""), ("WAYLAND_DISPLAY", "")]),
        ("", Output::Terminal, vec![("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")]),
        ("", Output::Terminal, vec![quiet]),
        ("serve --no-open", Output::Terminal, vec![]),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = TempFolder::new(&format!("first-start-{index}"));
        let started = FirstStart::new(&folder, arguments, &output, &settings);
        assert_eq!(started.stop(), None, "case {index}");
    }
}

#[test]
fn help_lists_the_commands_and_starts_nothing() {
    let folder = TempFolder::new("first-help");
    let data = folder.0.join("data");
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let help = command.arg("--help").env("HEDDLE_DATA", &data).output().unwrap();
    let text = String::from_utf8(help.stdout).unwrap();
    assert!(help.status.success());
    for expected in ["serve ", "Start the server", "Examples:", "heddle doctor"] {
        assert!(text.contains(expected), "{text}");
    }
    assert!(!data.exists(), "a data folder was made");
}
