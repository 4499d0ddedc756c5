//! Parameters of a node: what the form shows and what the node reads.

use model::{Object, Str, Value};
use serde::{Deserialize, Serialize};

/// One parameter. Several may share a name when different settings show different forms of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Param {
    pub name: Str,
    pub label: Str,
    pub kind: ParamKind,
    #[serde(default)]
    pub default: Value,
    #[serde(default)]
    pub help: Str,
    #[serde(default)]
    pub required: bool,
    /// All must hold for the parameter to be shown.
    #[serde(default)]
    pub show: Vec<DisplayRule>,
    /// None may hold.
    #[serde(default)]
    pub hide: Vec<DisplayRule>,
    /// The value is taken as it stands; a leading `=` has no meaning.
    #[serde(default)]
    pub no_expression: bool,
    /// Says whose calls are taken or what of them is answered. Left out it lets everybody in, so an
    /// expression must give something.
    #[serde(skip)]
    pub guards: bool,
    /// A text with expressions may leave out `=` and `$`: `{{json.user}}` is `={{ $json.user }}`.
    #[serde(skip)]
    pub takes_short_expressions: bool,
}

/// The kind of a parameter and what belongs to it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum ParamKind {
    #[default]
    Text,
    LongText,
    Secret,
    Number {
        min: Option<f64>,
        max: Option<f64>,
    },
    Flag,
    Choice {
        options: Vec<Choice>,
    },
    MultiChoice {
        options: Vec<Choice>,
    },
    Json,
    Code {
        language: Str,
    },
    DateTime,
    Color,
    /// Optional settings that a person adds one by one.
    Collection {
        params: Vec<Param>,
    },
    /// Named groups of fields (n8n's fixedCollection), each once or any number of times.
    Groups {
        groups: Vec<FieldGroup>,
        multiple: bool,
    },
    /// A thing chosen from a list, by id or by URL.
    Locator {
        modes: Vec<Str>,
    },
    /// Columns of a table with a value each.
    Mapper,
    /// Conditions joined by and/or.
    Filter,
    /// Names with a type and a value each.
    Assignments,
    /// Which credential type to use.
    CredentialKind,
    /// A text for the reader; holds no value.
    Notice,
    Hidden,
}

/// An option of a choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    pub value: Value,
    pub label: Str,
    #[serde(default)]
    pub help: Str,
}

/// A named group of fields.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldGroup {
    pub name: Str,
    pub label: Str,
    pub params: Vec<Param>,
}

/// A condition on another parameter (by path; a leading `/` starts at the top) or on `@version`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DisplayRule {
    pub param: Str,
    /// One of them must hold.
    pub any_of: Vec<RuleTest>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RuleTest {
    Is(Value),
    AtLeast(f64),
    AtMost(f64),
    Exists,
}

impl Param {
    fn new(name: &str, label: &str, kind: ParamKind, default: impl Into<Value>) -> Self {
        Self {
            name: name.into(),
            label: label.into(),
            kind,
            default: default.into(),
            ..Default::default()
        }
    }

    pub fn text(name: &str, label: &str, default: &str) -> Self {
        Self::new(name, label, ParamKind::Text, default)
    }

    pub fn long_text(name: &str, label: &str, default: &str) -> Self {
        Self::new(name, label, ParamKind::LongText, default)
    }

    pub fn secret(name: &str, label: &str) -> Self {
        Self::new(name, label, ParamKind::Secret, "")
    }

    pub fn number(name: &str, label: &str, default: impl Into<Value>) -> Self {
        Self::new(name, label, ParamKind::Number { min: None, max: None }, default)
    }

    pub fn flag(name: &str, label: &str, default: bool) -> Self {
        Self::new(name, label, ParamKind::Flag, default)
    }

    /// One of several `(value, label)` pairs; the first is the default.
    pub fn choice(name: &str, label: &str, options: &[(&str, &str)]) -> Self {
        let default = options.first().map_or("", |(value, _)| value);
        Self::new(name, label, ParamKind::Choice { options: choices(options) }, default)
    }

    pub fn multi_choice(name: &str, label: &str, options: &[(&str, &str)]) -> Self {
        Self::new(
            name,
            label,
            ParamKind::MultiChoice { options: choices(options) },
            Vec::<Value>::new(),
        )
    }

    pub fn json(name: &str, label: &str, default: &str) -> Self {
        Self::new(name, label, ParamKind::Json, default)
    }

    pub fn code(name: &str, label: &str, language: &str, default: &str) -> Self {
        Self::new(name, label, ParamKind::Code { language: language.into() }, default)
    }

    pub fn date_time(name: &str, label: &str) -> Self {
        Self::new(name, label, ParamKind::DateTime, "")
    }

    pub fn color(name: &str, label: &str, default: impl Into<Value>) -> Self {
        Self::new(name, label, ParamKind::Color, default)
    }

    /// Optional settings, none of them set at first.
    pub fn collection(name: &str, label: &str, params: impl IntoIterator<Item = Param>) -> Self {
        Self::new(
            name,
            label,
            ParamKind::Collection { params: params.into_iter().collect() },
            Object::new(),
        )
    }

    /// One named group of fields, each occurring once.
    pub fn group(name: &str, label: &str, groups: impl IntoIterator<Item = FieldGroup>) -> Self {
        Self::new(
            name,
            label,
            ParamKind::Groups { groups: groups.into_iter().collect(), multiple: false },
            Object::new(),
        )
    }

    /// Named groups of fields that may be repeated: the value is `{ group: [ {…}, … ] }`.
    pub fn repeated(name: &str, label: &str, groups: impl IntoIterator<Item = FieldGroup>) -> Self {
        Self::new(
            name,
            label,
            ParamKind::Groups { groups: groups.into_iter().collect(), multiple: true },
            Object::new(),
        )
    }

    pub fn locator(name: &str, label: &str, modes: &[&str]) -> Self {
        Self::new(
            name,
            label,
            ParamKind::Locator { modes: modes.iter().map(|mode| Str::from(*mode)).collect() },
            Object::new(),
        )
    }

    pub fn mapper(name: &str, label: &str) -> Self {
        Self::new(name, label, ParamKind::Mapper, Object::new())
    }

    pub fn filter(name: &str, label: &str) -> Self {
        Self::new(name, label, ParamKind::Filter, Object::new())
    }

    pub fn assignments(name: &str, label: &str) -> Self {
        Self::new(name, label, ParamKind::Assignments, Object::new())
    }

    pub fn credential_kind(name: &str, label: &str) -> Self {
        Self::new(name, label, ParamKind::CredentialKind, "")
    }

    pub fn notice(name: &str, text: &str) -> Self {
        Self { help: text.into(), ..Self::new(name, "", ParamKind::Notice, "") }
    }

    pub fn hidden(name: &str, default: impl Into<Value>) -> Self {
        Self {
            help: "Set by the editor.".into(),
            ..Self::new(name, "", ParamKind::Hidden, default)
        }
    }

    pub fn help(mut self, help: &str) -> Self {
        self.help = help.into();
        self
    }

    pub fn preset(mut self, default: impl Into<Value>) -> Self {
        self.default = default.into();
        self
    }

    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub fn raw(mut self) -> Self {
        self.no_expression = true;
        self
    }

    /// Keeps somebody or something out: an expression there that gives nothing is refused. For
    /// parameters at the top and in collections.
    pub fn guard(mut self) -> Self {
        self.guards = true;
        self
    }

    /// Takes expressions in the short form too. For parameters at the top and in collections.
    pub fn short_expressions(mut self) -> Self {
        self.takes_short_expressions = true;
        self
    }

    pub fn between(mut self, least: f64, most: f64) -> Self {
        self.kind = ParamKind::Number { min: Some(least), max: Some(most) };
        self
    }

    pub fn at_least(mut self, least: f64) -> Self {
        self.kind = ParamKind::Number { min: Some(least), max: None };
        self
    }

    /// Shown only while `param` has one of these values. Several rules must all hold.
    pub fn show<V: Into<Value> + Clone>(mut self, param: &str, values: &[V]) -> Self {
        self.show.push(DisplayRule::is(param, values));
        self
    }

    /// Not shown while `param` has one of these values.
    pub fn hide<V: Into<Value> + Clone>(mut self, param: &str, values: &[V]) -> Self {
        self.hide.push(DisplayRule::is(param, values));
        self
    }

    /// Only in this typeVersion and later ones.
    pub fn since(mut self, version: f64) -> Self {
        self.show.push(DisplayRule {
            param: "@version".into(),
            any_of: vec![RuleTest::AtLeast(version)],
        });
        self
    }

    /// Only up to and including this typeVersion.
    pub fn until(mut self, version: f64) -> Self {
        self.show.push(DisplayRule {
            param: "@version".into(),
            any_of: vec![RuleTest::AtMost(version)],
        });
        self
    }

    pub fn versions(self, versions: &[f64]) -> Self {
        self.show("@version", versions)
    }
}

impl DisplayRule {
    pub(crate) fn is<V: Into<Value> + Clone>(param: &str, values: &[V]) -> Self {
        Self {
            param: param.into(),
            any_of: values.iter().map(|value| RuleTest::Is(value.clone().into())).collect(),
        }
    }
}

impl FieldGroup {
    pub fn new(name: &str, label: &str, params: impl IntoIterator<Item = Param>) -> Self {
        Self { name: name.into(), label: label.into(), params: params.into_iter().collect() }
    }
}

fn choices(options: &[(&str, &str)]) -> Vec<Choice> {
    options
        .iter()
        .map(|(value, label)| Choice {
            value: Value::from(*value),
            label: (*label).into(),
            help: Str::new(),
        })
        .collect()
}
