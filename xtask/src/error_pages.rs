//! `docs/errors`: the head of each page and the index come from the table of codes, the explanation
//! below is written by people.

use anyhow::{Context, Result, bail};
use model::{Blame, Code};
use std::fmt::Write as _;
use std::path::Path;

pub(crate) const FOLDER: &str = "docs/errors";

/// Writes the heads and the index. Fails if a code has no explanation, or a page has no code.
pub(crate) fn write() -> Result<()> {
    for code in Code::ALL {
        let path = Path::new(FOLDER).join(format!("{}.md", code.name()));
        let page = std::fs::read_to_string(&path).unwrap_or_default();
        let Some(start) = page.find("\n## ") else {
            bail!("{} needs the sections 'Why it happens' and 'What to do'", path.display());
        };
        std::fs::write(&path, head(*code) + &page[start..])
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    for entry in std::fs::read_dir(FOLDER)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let code = name.strip_suffix(".md").and_then(Code::from_name);
        if code.is_none() && name != "README.md" {
            bail!("{FOLDER}/{name} explains a code that does not exist");
        }
    }
    Ok(std::fs::write(Path::new(FOLDER).join("README.md"), index())?)
}

fn head(code: Code) -> String {
    format!(
        "# {}\n\n{}\n\n**Who can fix it:** {} · **HTTP status:** {}\n",
        code.name(),
        code.summary(),
        who(code.blame()),
        code.status()
    )
}

fn index() -> String {
    let mut text = String::from(
        "# Error codes\n\nEvery error has a stable code. API responses, logs and the editor show it.\n\n\
         | Code | Who can fix it | HTTP | Meaning |\n| --- | --- | --- | --- |\n",
    );
    for code in Code::ALL {
        let (name, who) = (code.name(), who(code.blame()));
        let _ = writeln!(
            text,
            "| [{name}]({name}.md) | {who} | {} | {} |",
            code.status(),
            code.summary()
        );
    }
    text
}

fn who(blame: Blame) -> &'static str {
    match blame {
        Blame::Workflow => "workflow author",
        Blame::Caller => "caller",
        Blame::Operator => "operator",
        Blame::Upstream => "other service",
        Blame::Us => "Heddle (report a bug)",
    }
}
