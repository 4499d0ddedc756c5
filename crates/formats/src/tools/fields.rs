//! The fields of one part of a manifest, read with the place of whatever is wrong.

use super::located::{Located, Tree};
use super::{MAX_TOOL_SCHEMA_BYTES, ManifestContext, ManifestFinding};
use model::{Code, Object, Str, Value};
use ports::policy::{Pattern, Patterns, SideEffect};

/// The first problem of a part ends its reading.
pub(super) type Read<T> = Result<T, Box<ManifestFinding>>;

#[derive(Clone, Copy)]
pub(super) struct Fields<'f> {
    at: &'f Located,
    fields: &'f [(Str, Located)],
    place: &'f str,
}

pub(super) fn finding(at: &Located, place: &str, problem: impl Into<Str>) -> Box<ManifestFinding> {
    Box::new(ManifestFinding {
        line: at.line,
        column: at.column,
        place: place.into(),
        code: Code::TOOL_MANIFEST,
        problem: problem.into(),
    })
}

impl<'f> Fields<'f> {
    pub(super) fn of(at: &'f Located, place: &'f str) -> Read<Self> {
        match &at.tree {
            Tree::Fields(fields) => Ok(Self { at, fields, place }),
            _ => Err(finding(at, place, "must have fields, such as 'name: value'")),
        }
    }

    /// The same fields, for findings about another place.
    pub(super) fn at_place(self, place: &'f str) -> Self {
        Self { place, ..self }
    }

    pub(super) fn wrong(&self, problem: impl Into<Str>) -> Box<ManifestFinding> {
        finding(self.at, self.place, problem)
    }

    /// A problem with one field.
    pub(super) fn wrong_in(&self, name: &str, problem: &str) -> Box<ManifestFinding> {
        finding(self.get(name).unwrap_or(self.at), self.place, format!("'{name}' {problem}"))
    }

    pub(super) fn check_keys(&self, known: &[&str]) -> Read<()> {
        match self.fields.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, value)) => {
                let name: String = name.chars().take(60).collect();
                let problem = format!("unknown field '{name}'; known are {}", known.join(", "));
                Err(finding(value, self.place, problem))
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'f Located> {
        let found = self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        found.filter(|value| !matches!(value.tree, Tree::Scalar(Value::Null)))
    }

    pub(super) fn all(&self) -> &'f [(Str, Located)] {
        self.fields
    }

    pub(super) fn text(&self, name: &str) -> Read<Option<&'f str>> {
        match self.get(name).map(|value| &value.tree) {
            None => Ok(None),
            Some(Tree::Scalar(Value::String(text))) => Ok(Some(text)),
            Some(_) => Err(self.wrong_in(name, "must be text")),
        }
    }

    pub(super) fn required(&self, name: &str) -> Read<&'f str> {
        let text = self.text(name)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.wrong_in(name, "is missing"))
    }

    pub(super) fn flag(&self, name: &str) -> Read<bool> {
        match self.get(name).map(|value| &value.tree) {
            None => Ok(false),
            Some(Tree::Scalar(Value::Bool(flag))) => Ok(*flag),
            Some(_) => Err(self.wrong_in(name, "must be true or false")),
        }
    }

    pub(super) fn number(&self, name: &str, from: f64, to: f64) -> Read<Option<f64>> {
        match self.get(name).map(|value| &value.tree) {
            None => Ok(None),
            Some(Tree::Scalar(Value::Number(number))) if (from..=to).contains(number) => {
                Ok(Some(*number))
            }
            Some(_) if from == to => Err(self.wrong_in(name, &format!("must be {from}"))),
            Some(_) => Err(self.wrong_in(name, &format!("must be a number from {from} to {to}"))),
        }
    }

    pub(super) fn list(&self, name: &str) -> Read<Option<&'f [Located]>> {
        match self.get(name).map(|value| &value.tree) {
            None => Ok(None),
            Some(Tree::List(values)) => Ok(Some(values)),
            Some(_) => Err(self.wrong_in(name, "must be a list")),
        }
    }

    pub(super) fn fields(&self, name: &str) -> Read<Option<Self>> {
        let Some(at) = self.get(name) else { return Ok(None) };
        match &at.tree {
            Tree::Fields(fields) => Ok(Some(Self { at, fields, place: self.place })),
            _ => Err(self.wrong_in(name, "must have fields, such as 'name: value'")),
        }
    }

    /// The fields of a field as values.
    pub(super) fn object(&self, name: &str) -> Read<Object> {
        let value = self.fields(name)?.map(|fields| fields.at.to_value());
        Ok(value.as_ref().and_then(Value::as_object).cloned().unwrap_or_default())
    }

    /// Texts, or a single one.
    pub(super) fn texts(&self, name: &str) -> Read<Vec<Str>> {
        let problem = || self.wrong_in(name, "must be text, or a list of texts");
        match self.get(name).map(|value| &value.tree) {
            None => Ok(Vec::new()),
            Some(Tree::Scalar(Value::String(text))) => Ok(vec![text.clone()]),
            Some(Tree::List(values)) => values
                .iter()
                .map(|value| match &value.tree {
                    Tree::Scalar(Value::String(text)) => Ok(text.clone()),
                    _ => Err(problem()),
                })
                .collect(),
            Some(_) => Err(problem()),
        }
    }

    pub(super) fn patterns(&self, name: &str) -> Read<Patterns> {
        let texts = self.texts(name)?;
        let patterns = texts.iter().map(|text| Pattern::new(text));
        let patterns: Result<Vec<Pattern>, _> = patterns.collect();
        patterns.map(Patterns).map_err(|error| self.wrong_in(name, &format!("is wrong: {error}")))
    }

    pub(super) fn effect(&self, name: &str) -> Read<Option<SideEffect>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let found = SideEffect::from_name(text);
        found.map(Some).ok_or_else(|| self.wrong_in(name, "must be read, write, send or spend"))
    }

    /// A JSON Schema; of an object if it is for arguments.
    pub(super) fn schema(
        &self,
        name: &str,
        of_object: bool,
        context: &ManifestContext<'_>,
    ) -> Read<Option<Value>> {
        let Some(fields) = self.fields(name)? else { return Ok(None) };
        let mut schema = fields.at.to_value();
        if of_object {
            match schema.get("type").and_then(Value::as_str) {
                Some("object") => {}
                None => {
                    schema.make_object().insert("type", "object");
                }
                Some(_) => return Err(self.wrong_in(name, "must be a schema of type object")),
            }
            if schema.get("properties").is_some_and(|properties| !properties.is_object()) {
                return Err(
                    self.wrong_in(name, "needs 'properties' with a field for each argument")
                );
            }
        }
        self.check_schema(name, &schema, context)?;
        Ok(Some(schema))
    }

    pub(super) fn check_schema(
        &self,
        name: &str,
        schema: &Value,
        context: &ManifestContext<'_>,
    ) -> Read<()> {
        if model::json::to_string(schema).len() > MAX_TOOL_SCHEMA_BYTES {
            let problem = format!(
                "is a schema of more than {MAX_TOOL_SCHEMA_BYTES} bytes (MAX_TOOL_SCHEMA_BYTES)"
            );
            return Err(self.wrong_in(name, &problem));
        }
        match (context.check_schema)(schema) {
            None => Ok(()),
            Some(problem) => {
                Err(self.wrong_in(name, &format!("is not a valid JSON Schema: {problem}")))
            }
        }
    }
}
