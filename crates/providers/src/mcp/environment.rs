//! The environment of a server's process: what the operator's file says, and a minimal `PATH`.

use super::config::ProcessConfig;

/// Where programs are looked for.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Variables that make a program run, load or trust something else than it would.
const REFUSED: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "CDPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "LUA_INIT",
];
const REFUSED_BEGINNINGS: &[&str] = &["LD_", "DYLD_", "BASH_FUNC_", "_RLD"];

/// Whether a variable may be set, or the rule against it.
pub(super) fn check_variable(name: &str) -> Result<(), String> {
    let upper = name.to_ascii_uppercase();
    let is_name = !name.is_empty()
        && !name.starts_with(|letter: char| letter.is_ascii_digit())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if !is_name {
        return Err("is not a valid name of an environment variable".to_owned());
    }
    if upper == "PATH" {
        return Err("cannot be set; list the folders in 'path'".to_owned());
    }
    let is_refused = REFUSED.contains(&upper.as_str())
        || REFUSED_BEGINNINGS.iter().any(|beginning| upper.starts_with(beginning));
    match is_refused {
        true => Err("cannot be set: it changes which code programs run".to_owned()),
        false => Ok(()),
    }
}

/// The whole environment of a process.
pub(super) fn environment(config: &ProcessConfig) -> Vec<(String, String)> {
    let mut folders = config.path.clone();
    folders.push(PATH.to_owned());
    let mut variables = config.env.clone();
    variables.push(("PATH".to_owned(), folders.join(":")));
    variables
}
