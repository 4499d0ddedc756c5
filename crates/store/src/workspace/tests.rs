//! Everything a path could try.

use super::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// A root with a file and a folder, beside a secret that must never be read.
struct WorkspaceFixture {
    base: PathBuf,
    files: Workspace,
}

impl WorkspaceFixture {
    fn new(name: &str) -> Self {
        let base = std::env::temp_dir().join(format!("heddle-files-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&base);
        std::fs::create_dir_all(base.join("root/sub/deep")).unwrap();
        std::fs::write(base.join("secret"), "secret").unwrap();
        for (path, text) in [
            ("a.txt", "a"),
            ("sub/b.json", "b"),
            ("sub/c.txt", "c"),
            ("sub/deep/d.json", "d"),
            (".hidden.txt", "h"),
        ] {
            std::fs::write(base.join("root").join(path), text).unwrap();
        }
        let files = Workspace::with_limits(
            base.join("root"),
            FileLimits { read_bytes: 100, write_bytes: 100, listed_entries: 50 },
        );
        Self { base, files }
    }

    fn absolute(&self, path: &str) -> String {
        self.base.canonicalize().unwrap().join(path).to_str().unwrap().to_owned()
    }

    fn code(&self, path: &str) -> Code {
        self.files.read_now(path).unwrap_err().code()
    }
}

impl Drop for WorkspaceFixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.base);
    }
}

#[tokio::test]
async fn files_are_read_written_and_appended_to() {
    let place = WorkspaceFixture::new("plain");
    assert_eq!(place.files.read("sub/b.json").await.unwrap(), "b");
    assert_eq!(place.files.read(&place.absolute("root/a.txt")).await.unwrap(), "a");
    assert_eq!(
        place.files.write("new.txt", b"one", false).await.unwrap(),
        place.absolute("root/new.txt")
    );
    place.files.write("new.txt", b"two", true).await.unwrap();
    assert_eq!(place.files.read("new.txt").await.unwrap(), "onetwo");
    place.files.write("new.txt", b"3", false).await.unwrap();
    assert_eq!(place.files.read("./new.txt").await.unwrap(), "3");
}

#[test]
fn paths_that_lead_out_are_refused_by_name() {
    let place = WorkspaceFixture::new("outside");
    let absolute = place.absolute("secret");
    let inside_out = place.absolute("root/../secret");
    for path in [
        "../secret",
        "sub/../../secret",
        "sub\\..\\..\\secret",
        "/etc/passwd",
        "/",
        &absolute,
        &inside_out,
        "a\0.txt",
        "sub/..",
        "/dev/null",
    ] {
        let error = place.files.read_now(path).unwrap_err();
        assert_eq!(error.code(), Code::FILE_OUTSIDE, "{path}: {error}");
        assert_eq!(
            place.files.write_now(path, b"x", FileAccess::Write).unwrap_err().code(),
            Code::FILE_OUTSIDE,
            "{path}"
        );
        assert_eq!(
            place.files.list_now(path).map_err(|error| error.code()),
            Err(Code::FILE_OUTSIDE),
            "{path}"
        );
        let hint = error.to_run_error("x").hint.unwrap();
        assert!(hint.contains("HEDDLE_FILES_ROOT"), "{hint}");
    }
    assert_eq!(std::fs::read_to_string(place.base.join("secret")).unwrap(), "secret");
}

#[test]
fn names_of_devices_are_refused() {
    let place = WorkspaceFixture::new("devices");
    for path in ["CON", "nul.txt", "sub/aux", "COM1", "lpt9.log", "con .txt"] {
        assert_eq!(place.code(path), Code::FILE_OUTSIDE, "{path}");
    }
    for path in ["console.txt", "community", "nullable.json"] {
        assert_eq!(place.code(path), Code::FILE_IO, "{path}");
    }
}

#[test]
fn a_missing_file_says_so_without_telling_about_the_outside() {
    let place = WorkspaceFixture::new("missing");
    let error = place.files.read_now("nowhere/x.txt").unwrap_err();
    assert_eq!(error.message(), "The file \"nowhere/x.txt\" could not be accessed.");
    assert_eq!(error.context().get("errno").and_then(|errno| errno.as_str()), Some("ENOENT"));
    assert_eq!(place.code(&place.absolute("not-there")), Code::FILE_OUTSIDE);
    assert_eq!(
        place.files.write_now("nowhere/x.txt", b"", FileAccess::Write).unwrap_err().code(),
        Code::FILE_IO
    );
    assert_eq!(
        place.files.read_now("sub").unwrap_err().message(),
        "EISDIR: illegal operation on a directory, read"
    );
}

#[test]
fn sizes_are_limited_in_both_directions() {
    let place = WorkspaceFixture::new("sizes");
    std::fs::write(place.base.join("root/big"), [0; 101]).unwrap();
    assert_eq!(place.files.read_now("big").unwrap_err().message(), "The file is too large");
    assert_eq!(
        place.files.write_now("big2", &[0; 101], FileAccess::Write).unwrap_err().message(),
        "The file is too large"
    );
    assert!(!place.base.join("root/big2").exists());
    place.files.write_now("big2", &[0; 60], FileAccess::Append).unwrap();
    assert_eq!(
        place.files.write_now("big2", &[0; 60], FileAccess::Append).unwrap_err().message(),
        "The file is too large"
    );
}

#[tokio::test]
async fn patterns_find_files_and_only_files() {
    let place = WorkspaceFixture::new("patterns");
    let absolute = place.absolute("root/*.txt");
    for (pattern, expected) in [
        ("*", vec!["a.txt"]),
        ("**", vec!["a.txt", "sub/b.json", "sub/c.txt", "sub/deep/d.json"]),
        ("**/*.json", vec!["sub/b.json", "sub/deep/d.json"]),
        ("sub/?.{json,txt}", vec!["sub/b.json", "sub/c.txt"]),
        ("sub", vec![]),
        ("nothing/*.txt", vec![]),
        (".*.txt", vec![".hidden.txt"]),
        ("a.txt", vec!["a.txt"]),
    ] {
        assert_eq!(place.files.list(pattern).await.unwrap(), expected, "{pattern}");
    }
    assert_eq!(place.files.list(&absolute).await.unwrap(), [place.absolute("root/a.txt")]);
    for pattern in ["/etc/*", "../*", "{..,x}/*", "/*", "/**"] {
        let code = place.files.list(pattern).await.map_err(|error| error.code());
        assert_eq!(code, Err(Code::FILE_OUTSIDE), "{pattern}");
    }
}

#[test]
fn a_pattern_over_too_many_entries_is_stopped() {
    let place = WorkspaceFixture::new("entries");
    for number in 0..60 {
        std::fs::write(place.base.join(format!("root/{number}")), "").unwrap();
    }
    assert_eq!(place.files.list_now("*").unwrap_err().code(), Code::FILE_IO);
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_may_lead_around_inside_but_not_out() {
        let place = WorkspaceFixture::new("links");
        let root = place.base.join("root");
        symlink("sub/b.json", root.join("inside")).unwrap();
        symlink(place.base.join("secret"), root.join("out")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink(place.base.join("made"), root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        assert_eq!(place.files.read_now("inside").unwrap(), "b");
        for path in ["out", "up/secret", "dangling", "loop"] {
            assert_eq!(place.code(path), Code::FILE_OUTSIDE, "{path}");
            assert_eq!(
                place.files.write_now(path, b"x", FileAccess::Write).unwrap_err().code(),
                Code::FILE_OUTSIDE,
                "{path}"
            );
        }
        assert!(!place.base.join("made").exists());
        assert_eq!(
            place.files.list_now("up/*").map_err(|error| error.code()),
            Err(Code::FILE_OUTSIDE)
        );
        assert_eq!(place.files.list_now("*").unwrap(), ["a.txt", "inside"]);
        assert_eq!(std::fs::read_to_string(place.base.join("secret")).unwrap(), "secret");
    }

    #[test]
    fn a_root_that_is_a_link_works_under_both_names() {
        let place = WorkspaceFixture::new("linked-root");
        symlink(place.base.join("root"), place.base.join("alias")).unwrap();
        let files = Workspace::new(place.base.join("alias"));
        assert_eq!(files.read_now(&place.absolute("alias/a.txt")).unwrap(), "a");
        assert_eq!(files.read_now(&place.absolute("root/a.txt")).unwrap(), "a");
    }

    #[test]
    fn a_pipe_neither_hangs_nor_opens() {
        let place = WorkspaceFixture::new("pipe");
        let pipe = place.base.join("root/pipe");
        let handle = File::open(place.base.join("root")).unwrap();
        rustix::fs::mknodat(
            &handle,
            "pipe",
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert!(pipe.exists());
        assert_eq!(place.code("pipe"), Code::FILE_OUTSIDE);
        assert!(place.files.write_now("pipe", b"x", FileAccess::Write).is_err());
    }

    // Swaps a folder for a link to the outside as fast as it can while another thread reads and
    // writes through it.
    #[test]
    fn a_folder_swapped_for_a_link_in_the_middle_gives_nothing_away() {
        let place = WorkspaceFixture::new("race");
        let (root, outside) = (place.base.join("root"), place.base.join("outside"));
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("f"), "secret").unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("real/f"), "mine").unwrap();
        symlink(&outside, root.join("link")).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    for name in ["real", "link"] {
                        let _ = std::fs::rename(root.join(name), root.join("now"));
                        let _ = std::fs::rename(root.join("now"), root.join(name));
                    }
                }
            });
            for _ in 0..3000 {
                if let Ok(data) = place.files.read_now("now/f") {
                    assert_ne!(data, "secret");
                }
                let _ = place.files.write_now("now/f", b"mine", FileAccess::Write);
            }
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(std::fs::read_to_string(outside.join("f")).unwrap(), "secret");
    }
}

#[cfg(unix)]
#[test]
fn issue_14_00_new_files_of_workflows_are_as_open_to_others_as_ever() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = WorkspaceFixture::new("modes");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    private_files::keep_new_files_private();
    let write =
        |files: &Workspace, path: &str| files.write_now(path, b"text", FileAccess::Write).unwrap();
    write(&place.files, "new.txt");
    assert_eq!(mode(&place.base.join("root/new.txt")), 0o644);
    // What somebody has chosen stays.
    std::fs::set_permissions(place.base.join("root/a.txt"), std::fs::Permissions::from_mode(0o600))
        .unwrap();
    write(&place.files, "a.txt");
    assert_eq!(mode(&place.base.join("root/a.txt")), 0o600);
    write(&Workspace::new(place.base.join("made")), "new.txt");
    assert_eq!(mode(&place.base.join("made")), 0o755);
    // A data folder is closed, and what is in it too.
    std::fs::write(place.base.join("heddle.db"), "").unwrap();
    write(&Workspace::new(place.base.join("workspace")), "new.txt");
    assert_eq!(mode(&place.base.join("workspace")), 0o700);
}
