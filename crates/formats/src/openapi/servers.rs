//! Where an API is reached.

use super::MAX_SERVERS;
use super::references::{Reader, text_field};
use model::{Object, Str, Value};

const MAX_URL: usize = 2_000;
const MAX_TEXT: usize = 500;
const MAX_VARIABLES: usize = 50;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// As it is written: with `{variables}`, and maybe without a host.
    pub url: Str,
    pub description: Str,
    pub variables: Vec<ServerVariable>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerVariable {
    pub name: Str,
    pub default: Str,
    pub choices: Vec<Str>,
    pub description: Str,
}

impl Server {
    /// The address with the defaults of its variables, without a slash at its end. One without a
    /// host begins at the address of the document, if that is known.
    pub fn address(&self, document_url: Option<&str>) -> String {
        let filled = self.variables.iter().fold(self.url.to_string(), |url, variable| {
            url.replace(&format!("{{{}}}", variable.name), &variable.default)
        });
        let base = document_url.and_then(|url| url::Url::parse(url).ok());
        let full = match base {
            Some(base) if !filled.contains("://") => {
                base.join(&filled).map_or(filled, String::from)
            }
            _ => filled,
        };
        full.trim_end_matches('/').to_owned()
    }
}

pub(super) fn read<'a>(reader: &mut Reader<'a>, servers: Option<&'a Value>) -> Vec<Server> {
    let listed = servers.and_then(Value::as_array).unwrap_or_default();
    if listed.len() > MAX_SERVERS {
        reader.report(format!("Only the first {MAX_SERVERS} servers are listed"));
    }
    listed.iter().take(MAX_SERVERS).filter_map(Value::as_object).map(server).collect()
}

fn server(fields: &Object) -> Server {
    let variables = fields.get("variables").and_then(Value::as_object);
    Server {
        url: text_field(fields, "url", MAX_URL),
        description: text_field(fields, "description", MAX_TEXT),
        variables: variables
            .into_iter()
            .flat_map(Object::iter)
            .take(MAX_VARIABLES)
            .filter_map(|(name, variable)| Some(server_variable(name, variable.as_object()?)))
            .collect(),
    }
}

fn server_variable(name: &Str, fields: &Object) -> ServerVariable {
    let choices = fields.get("enum").and_then(Value::as_array).unwrap_or_default();
    ServerVariable {
        name: name.clone(),
        default: text_field(fields, "default", MAX_TEXT),
        choices: choices.iter().take(MAX_SERVERS).map(|choice| choice.to_js_string()).collect(),
        description: text_field(fields, "description", MAX_TEXT),
    }
}
