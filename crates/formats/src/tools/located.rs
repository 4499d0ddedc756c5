//! Values with the place where they stand in the text. JSON is read as the YAML that it is.

use super::{
    MAX_MANIFEST_ALIASES, MAX_MANIFEST_BYTES, MAX_MANIFEST_DEPTH, MAX_MANIFEST_REPEATED,
    MAX_MANIFEST_VALUES, ManifestFinding,
};
use model::{Code, Object, Str, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Spanned, alias_limits, budget, options};
use std::fmt;

/// A value and its place, counted from one.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) tree: Tree,
}

#[derive(Clone, Debug)]
pub(super) enum Tree {
    Fields(Vec<(Str, Located)>),
    List(Vec<Located>),
    Scalar(Value),
}

impl Located {
    pub(super) fn to_value(&self) -> Value {
        match &self.tree {
            Tree::Scalar(value) => value.clone(),
            Tree::List(values) => Value::array(values.iter().map(Self::to_value).collect()),
            Tree::Fields(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.clone(), value.to_value()));
                Value::object(fields.collect::<Object>())
            }
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Located, ManifestFinding> {
    let finding = |line, column, problem: String| ManifestFinding {
        line,
        column,
        place: Str::new(),
        code: Code::TOOL_MANIFEST,
        problem: problem.into(),
    };
    if text.len() > MAX_MANIFEST_BYTES {
        let problem = format!(
            "the manifest has {} bytes; the limit is {MAX_MANIFEST_BYTES} (MAX_MANIFEST_BYTES)",
            text.len()
        );
        return Err(finding(1, 1, problem));
    }
    let options = options! {
        budget: budget! {
            max_depth: MAX_MANIFEST_DEPTH,
            max_nodes: MAX_MANIFEST_VALUES,
            max_events: 3 * MAX_MANIFEST_VALUES,
            max_aliases: MAX_MANIFEST_ALIASES,
            max_anchors: MAX_MANIFEST_ALIASES,
            max_documents: 1,
            enforce_alias_anchor_ratio: false,
        },
        alias_limits: alias_limits! { max_total_replayed_events: MAX_MANIFEST_REPEATED },
        with_snippet: false,
    };
    let read = || serde_saphyr::from_str_with_options::<Located>(text, options);
    let read =
        compute::for_size(text.len(), read).map_err(|busy| finding(1, 1, busy.to_string()))?;
    read.map_err(|error| {
        let at = error.location();
        let problem = error.to_string();
        let problem = problem.lines().next().unwrap_or_default().chars().take(200).collect();
        let (line, column) = at.map_or((1, 1), |at| (at.line() as usize, at.column() as usize));
        finding(line, column, problem)
    })
}

impl<'de> Deserialize<'de> for Located {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Spanned { value: tree, referenced, .. } = Spanned::<Tree>::deserialize(from)?;
        let (line, column) = (referenced.line() as usize, referenced.column() as usize);
        Ok(Self { line: line.max(1), column: column.max(1), tree })
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(flag.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar((number as f64).into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar((number as f64).into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Tree, E> {
        Ok(Tree::Scalar(number.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar(text.into()))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Tree, D::Error> {
        Tree::deserialize(from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            list.push(value);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Tree, A::Error> {
        let mut fields: Vec<(Str, Located)> = Vec::new();
        while let Some(name) = pairs.next_key::<String>()? {
            fields.push((name.into(), pairs.next_value()?));
        }
        Ok(Tree::Fields(fields))
    }
}
