//! A data folder that is not there yet: it is made without a word where people keep their own
//! things, and after a question anywhere else.

use crate::cli::{Command, DataFolder, PolicyCommand, ToolsCommand};
use anyhow::{Result, bail};
use dialoguer::Confirm;
use std::io::IsTerminal as _;
use std::path::{Component, Path, PathBuf};

const NAME_ONE: &str = "Name a data folder with --data DIR or HEDDLE_DATA.";

/// How the folder of a command is about to be made.
#[derive(Debug, PartialEq, Eq)]
enum Creation {
    /// It is there, or its place says enough.
    Fine,
    /// Somebody has named a place that may be a slip.
    Unusual,
    /// Nobody has named a place, and there is none to take.
    Homeless,
}

/// Makes sure that a command makes a data folder only where somebody wants one.
pub(super) fn confirm(command: &Command, folder: &DataFolder) -> Result<()> {
    if !makes_folder(command) {
        return Ok(());
    }
    let path = folder.path();
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let here = std::env::current_dir().ok();
    match creation(&path, folder.is_named(), home.as_deref(), here.as_deref()) {
        Creation::Fine => Ok(()),
        Creation::Homeless => {
            bail!("there is no home folder for the data folder {}. {NAME_ONE}", path.display())
        }
        Creation::Unusual if !asks() => Ok(()),
        Creation::Unusual => {
            let question = format!(
                "The data folder {} does not exist, and is neither in your home folder nor in the current one. Create it?",
                path.display()
            );
            match Confirm::new().with_prompt(question).default(false).interact() {
                Ok(true) => Ok(()),
                _ => bail!("the data folder {} was not created. {NAME_ONE}", path.display()),
            }
        }
    }
}

/// Whether somebody is there to be asked. Services and scripts have named the folder in their
/// settings, and so has whoever starts a container.
fn asks() -> bool {
    let is_container = std::process::id() == 1;
    !is_container && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn creation(path: &Path, is_named: bool, home: Option<&Path>, here: Option<&Path>) -> Creation {
    if path.exists() {
        return Creation::Fine;
    }
    if !is_named {
        // In the home folder, or in the current one where there is no other.
        return match home {
            Some(home) if !home.is_dir() => Creation::Homeless,
            _ => Creation::Fine,
        };
    }
    let Some(path) = resolved(path) else { return Creation::Unusual };
    let is_within = |folder: Option<&Path>| {
        let folder = folder.and_then(|folder| folder.canonicalize().ok());
        // Everything is in the root, which nobody keeps things in.
        folder.is_some_and(|folder| folder.parent().is_some() && path.starts_with(folder))
    };
    if is_within(home) || is_within(here) { Creation::Fine } else { Creation::Unusual }
}

/// A path that is not there yet, without links; `None` if its new part goes up again.
fn resolved(path: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(path).ok()?;
    let known = whole.ancestors().find(|ancestor| ancestor.exists())?;
    let rest = whole.strip_prefix(known).ok()?;
    let goes_up = rest.components().any(|part| part == Component::ParentDir);
    if goes_up { None } else { Some(known.canonicalize().ok()?.join(rest)) }
}

/// Whether a command makes a data folder where there is none.
fn makes_folder(command: &Command) -> bool {
    match command {
        Command::Policy(PolicyCommand::Check { .. }) => false,
        Command::Tools(ToolsCommand::Add { .. }) => true,
        Command::Tools(_) => false,
        Command::Serve(_)
        | Command::Import(_)
        | Command::List(_)
        | Command::Activate(_)
        | Command::Deactivate(_)
        | Command::Executions(_)
        | Command::ApiKeys(_)
        | Command::Credentials(_)
        | Command::Knowledge(_)
        | Command::Memory(_)
        | Command::Users(_)
        | Command::Policy(_)
        | Command::Migrate(_) => true,
        Command::Mcp(arguments) => arguments.url.is_none(),
        Command::Models(_)
        | Command::Run(_)
        | Command::Replay(_)
        | Command::Chat(_)
        | Command::Agent(_)
        | Command::Expr(_)
        | Command::Check(_)
        | Command::Export(_)
        | Command::Backup(_)
        | Command::Restore(_)
        | Command::Conformance(_)
        | Command::Nodes(_)
        | Command::Doctor(_)
        | Command::Completions(_)
        | Command::ReadPdf
        | Command::MergeSql => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_outside_of_the_home_and_the_current_folder_is_asked_about() {
        let temporary = std::env::temp_dir().canonicalize().unwrap();
        let home = temporary.join(format!("heddle-home-{}", std::process::id()));
        std::fs::create_dir_all(home.join("work")).unwrap();
        let (work, elsewhere) = (home.join("work"), temporary.join("heddle-not-there/data"));
        let named = |path: PathBuf| creation(&path, true, Some(&home), Some(&work));
        assert_eq!(named(home.join("new/data")), Creation::Fine);
        assert_eq!(named(elsewhere.clone()), Creation::Unusual);
        assert_eq!(named(home.join("..").join("heddle-not-there")), Creation::Unusual);
        assert_eq!(named(home.join("new/../../../x")), Creation::Unusual);
        assert_eq!(named(temporary.clone()), Creation::Fine, "it is there");
        assert_eq!(
            creation(&elsewhere, true, Some(&home), Some(Path::new("/"))),
            Creation::Unusual,
            "the root is no place of one's own"
        );
        std::fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn without_a_home_somebody_must_name_a_folder() {
        let gone = Path::new("/heddle-no-home");
        let path = gone.join(".heddle");
        assert_eq!(creation(&path, false, Some(gone), None), Creation::Homeless);
        assert_eq!(creation(Path::new("./.heddle-new"), false, None, None), Creation::Fine);
    }
}
