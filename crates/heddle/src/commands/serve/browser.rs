//! Opens the set-up page in a browser, for a person who starts the server at this machine.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The page that leads a browser to a link. It is gone with this.
pub(super) struct RedirectPage(PathBuf);

/// Opens a link in a browser if there is somebody to see it. The link is printed as well, so that
/// nothing is said if this fails.
pub(super) fn open(link: &str) -> Option<RedirectPage> {
    if !std::io::stderr().is_terminal() || !has_display() {
        return None;
    }
    let page = RedirectPage::write(link).ok()?;
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(&page.0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = command.spawn().ok()?;
    // Somebody has to wait for it, or it stays in the list of processes.
    std::thread::spawn(move || process.wait());
    Some(page)
}

/// Whether a window would open on the screen of whoever is at the terminal.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("SSH_CONNECTION")
        && (cfg!(target_os = "macos") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
}

impl RedirectPage {
    /// All users of a machine can read the arguments of its programs, so a secret link is passed in
    /// a file that only this user can read.
    fn write(link: &str) -> std::io::Result<Self> {
        let name = format!("heddle-setup-{}.html", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = std::fs::File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        let page = Self(path);
        let link = link.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        let html = format!(
            "<!doctype html><meta charset=\"utf-8\"><title>Heddle</title>\
             <meta http-equiv=\"refresh\" content=\"0; url={link}\">\
             <a href=\"{link}\">Set up Heddle</a>\n"
        );
        file.write_all(html.as_bytes())?;
        Ok(page)
    }
}

impl Drop for RedirectPage {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
