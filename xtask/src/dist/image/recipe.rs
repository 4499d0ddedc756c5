//! What the last stage of the `Dockerfile` says about the container, so that it is said once.

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value, json};

pub(crate) struct Recipe {
    /// The `config` of an OCI image.
    pub(crate) config: Value,
    pub(crate) user: String,
    pub(crate) uid: u32,
    pub(crate) home: String,
}

/// Reads a `Dockerfile`. What only Docker knows, such as its health check, is left out.
pub(crate) fn read(text: &str) -> Result<Recipe> {
    let mut config = Map::new();
    let mut env = vec![json!("PATH=/usr/local/bin:/usr/bin:/bin")];
    let (mut user, mut uid, mut home) = (String::new(), None, String::new());
    for line in instructions(text) {
        let (name, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let list = || serde_json::from_str::<Value>(rest).context("not a list of arguments");
        match name {
            "FROM" | "COPY" | "HEALTHCHECK" => {}
            "RUN" => uid = word_after(rest, "--uid").and_then(|word| word.parse().ok()),
            "USER" => user = rest.to_owned(),
            "WORKDIR" => home = rest.to_owned(),
            "ENV" => env.extend(rest.split_whitespace().map(|pair| json!(pair))),
            "VOLUME" => drop(config.insert("Volumes".into(), json!({ rest: {} }))),
            "EXPOSE" => {
                drop(config.insert("ExposedPorts".into(), json!({ format!("{rest}/tcp"): {} })))
            }
            "STOPSIGNAL" => drop(config.insert("StopSignal".into(), json!(rest))),
            "ENTRYPOINT" => drop(config.insert("Entrypoint".into(), list()?)),
            "CMD" => drop(config.insert("Cmd".into(), list()?)),
            other => bail!("the instruction {other} of the Dockerfile is not known here"),
        }
    }
    config.insert("Env".into(), env.into());
    config.insert("User".into(), json!(user));
    config.insert("WorkingDir".into(), json!(home));
    let uid = uid.context("the Dockerfile creates no user with an id")?;
    Ok(Recipe { config: config.into(), user, uid, home })
}

/// The instructions of the last stage, each on one line.
fn instructions(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let text = lines.join("\n").replace("\\\n", " ");
    let lines: Vec<String> =
        text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    let last = lines.iter().rposition(|line| line.starts_with("FROM ")).unwrap_or(0);
    lines[last..].to_vec()
}

fn word_after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut words = text.split_whitespace();
    words.find(|found| *found == word)?;
    words.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_stage_counts_and_lines_may_be_continued() {
        let text = "FROM a AS build\nENV X=1\nFROM b\nRUN useradd --uid 7 ann\n# why\nENV A=1 \\\n    B=2\n\
                    USER ann\nWORKDIR /home\nEXPOSE 80\nENTRYPOINT [\"run\"]\n";
        let recipe = read(text).unwrap();
        assert_eq!((recipe.uid, recipe.user.as_str(), recipe.home.as_str()), (7, "ann", "/home"));
        assert_eq!(
            recipe.config["Env"],
            json!(["PATH=/usr/local/bin:/usr/bin:/bin", "A=1", "B=2"])
        );
        assert_eq!(recipe.config["ExposedPorts"], json!({ "80/tcp": {} }));
        assert_eq!(recipe.config["Entrypoint"], json!(["run"]));
    }

    #[test]
    fn an_instruction_that_is_not_known_is_not_left_out() {
        assert!(read("FROM a\nRUN useradd --uid 1 a\nSHELL [\"x\"]\n").is_err());
    }
}
