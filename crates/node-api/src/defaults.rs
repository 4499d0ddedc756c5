//! Fills in what a workflow leaves out: n8n saves only parameters that differ from their defaults.

use crate::param::{DisplayRule, Param, ParamKind, RuleTest};
use crate::spec::{Difference, Spec};
use model::{Object, Str, Value};
use std::sync::Arc;

impl Spec {
    /// The parameters with the default of every shown parameter that was not set.
    pub fn complete(&self, version: f64, given: &Object) -> Object {
        let mut values = given.clone();
        fill(&self.params, &mut values, &ParamScope { version, top: None });
        values
    }

    /// The same as a run takes them: without those that the form does not show, which n8n leaves out
    /// as well. What says whose calls a node takes stays, whatever else is chosen, and so does all
    /// that starts a run: its address must not change with a setting beside it.
    pub fn complete_for_run(&self, version: f64, given: &Object) -> Object {
        let mut values = self.complete(version, given);
        if self.trigger.is_none() {
            leave_out_hidden(&self.params, &mut values, &ParamScope { version, top: None });
        }
        values
    }

    /// How a node with these parameters behaves otherwise than n8n's.
    pub fn differences(&self, version: f64, given: &Object) -> Vec<&str> {
        let values = self.complete(version, given);
        let place = ParamScope { version, top: None };
        let applies = |difference: &&Difference| {
            difference.when.iter().all(|rule| rule_matches(rule, &values, &place, true))
        };
        self.differs.iter().filter(applies).map(|difference| difference.how.as_str()).collect()
    }

    /// The parameters that the form shows for these values.
    pub fn shown<'s>(
        &'s self,
        version: f64,
        values: &'s Object,
    ) -> impl Iterator<Item = &'s Param> {
        self.params
            .iter()
            .filter(move |param| is_shown(param, values, &ParamScope { version, top: None }))
    }
}

/// Where in the parameters we are: rules with a leading `/` look at the top.
pub(crate) struct ParamScope<'a> {
    pub(crate) version: f64,
    pub(crate) top: Option<&'a Object>,
}

fn fill(params: &[Param], values: &mut Object, place: &ParamScope<'_>) {
    // A rule may look at a parameter whose default is filled in later, so go round until nothing
    // changes.
    for _ in 0..4 {
        let mut changed = false;
        for param in params {
            if !values.contains_key(&param.name)
                && !matches!(param.kind, ParamKind::Notice)
                && is_shown(param, values, place)
            {
                values.insert(param.name.clone(), param.default.clone());
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let top = place.top.cloned().unwrap_or_else(|| values.clone());
    let inner = ParamScope { version: place.version, top: Some(&top) };
    // Of several forms of a parameter only the shown one says what its groups hold.
    let shown: Vec<&Param> = params.iter().filter(|param| is_shown(param, values, place)).collect();
    for param in shown {
        if let ParamKind::Groups { groups, .. } = &param.kind
            && let Some(Value::Object(chosen)) = values.get_mut(&param.name)
        {
            let chosen = Arc::make_mut(chosen);
            for group in groups {
                for fields in entries_of(chosen.get_mut(&group.name)) {
                    fill(&group.params, fields, &inner);
                }
            }
        }
    }
}

fn leave_out_hidden(params: &[Param], values: &mut Object, place: &ParamScope<'_>) {
    // What is left out may be what a rule of another looks at.
    for _ in 0..4 {
        let is_hidden = |param: &&Param| {
            let same_name = || params.iter().filter(|other| other.name == param.name);
            !(param.show.is_empty() && param.hide.is_empty())
                && values.contains_key(&param.name)
                && !same_name().any(|form| form.guards || is_shown(form, values, place))
        };
        let hidden: Vec<Str> =
            params.iter().filter(is_hidden).map(|param| param.name.clone()).collect();
        if hidden.is_empty() {
            break;
        }
        for name in hidden {
            values.remove(&name);
        }
    }
    let top = place.top.cloned().unwrap_or_else(|| values.clone());
    let inner = ParamScope { version: place.version, top: Some(&top) };
    let shown: Vec<&Param> = params.iter().filter(|param| is_shown(param, values, place)).collect();
    for param in shown {
        let Some(Value::Object(chosen)) = values.get_mut(&param.name) else { continue };
        match &param.kind {
            ParamKind::Collection { params } => {
                leave_out_hidden(params, Arc::make_mut(chosen), &inner);
            }
            ParamKind::Groups { groups, .. } => {
                let chosen = Arc::make_mut(chosen);
                for group in groups {
                    for fields in entries_of(chosen.get_mut(&group.name)) {
                        leave_out_hidden(&group.params, fields, &inner);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The entries of a group, whether it is repeated or there once.
fn entries_of(group: Option<&mut Value>) -> Vec<&mut Object> {
    match group {
        Some(Value::Array(entries)) => Arc::make_mut(entries)
            .iter_mut()
            .filter_map(|entry| match entry {
                Value::Object(fields) => Some(Arc::make_mut(fields)),
                _ => None,
            })
            .collect(),
        Some(Value::Object(fields)) => vec![Arc::make_mut(fields)],
        _ => Vec::new(),
    }
}

pub(crate) fn is_shown(param: &Param, values: &Object, place: &ParamScope<'_>) -> bool {
    param.show.iter().all(|rule| rule_matches(rule, values, place, true))
        && !param.hide.iter().any(|rule| rule_matches(rule, values, place, false))
}

/// Whether a rule holds for the parameters at the top; one about an expression does.
pub(crate) fn rule_matches_at_top(rule: &DisplayRule, values: &Object, version: f64) -> bool {
    rule_matches(rule, values, &ParamScope { version, top: None }, true)
}

fn rule_matches(
    rule: &DisplayRule,
    values: &Object,
    place: &ParamScope<'_>,
    when_expression: bool,
) -> bool {
    let found;
    let value = match rule.param.strip_prefix('/') {
        _ if rule.param == "@version" => {
            found = Value::Number(place.version);
            &found
        }
        Some(path) => lookup(place.top.unwrap_or(values), path),
        None => lookup(values, &rule.param),
    };
    // What an expression will give is not known yet, so it does not hide anything.
    if value.as_str().is_some_and(|text| text.starts_with('=')) {
        return when_expression;
    }
    let fits = |value: &Value| {
        rule.any_of.iter().any(|test| match test {
            RuleTest::Is(wanted) => wanted == value,
            RuleTest::AtLeast(least) => value.as_f64().is_some_and(|number| number >= least - 1e-9),
            RuleTest::AtMost(most) => value.as_f64().is_some_and(|number| number <= most + 1e-9),
            RuleTest::Exists => !value.is_nullish(),
        })
    };
    match value {
        Value::Array(values) => values.iter().any(fits),
        value => fits(value),
    }
}

fn lookup<'v>(values: &'v Object, path: &str) -> &'v Value {
    if let Some(direct) = values.get(path) {
        return direct;
    }
    let mut keys = path.split('.');
    let first = keys.next().and_then(|key| values.get(key));
    first
        .and_then(|value| keys.try_fold(value, |value, key| value.get(key)))
        .unwrap_or(&Value::Undefined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::param::FieldGroup;
    use model::json;

    fn spec() -> Spec {
        Spec::new("test", &[1.0, 2.0], "Test", "").params([
            Param::choice("mode", "Mode", &[("a", "A"), ("b", "B")]),
            Param::number("count", "Count", 3).show("mode", &["a"]),
            Param::number("count", "Count", 7).show("mode", &["b"]),
            Param::text("late", "Late", "x").since(2.0),
            Param::repeated(
                "fields",
                "Fields",
                [FieldGroup::new("values", "Values", [Param::text("kind", "Kind", "text")])],
            ),
        ])
    }

    fn complete(version: f64, given: Value) -> Value {
        Value::object(spec().complete(version, given.as_object().unwrap()))
    }

    #[test]
    fn the_shown_form_of_a_parameter_gives_the_default() {
        assert_eq!(complete(1.0, json!({})), json!({ "mode": "a", "count": 3, "fields": {} }));
        assert_eq!(
            complete(2.0, json!({ "mode": "b" })),
            json!({ "mode": "b", "count": 7, "late": "x", "fields": {} })
        );
    }

    #[test]
    fn repeated_groups_are_filled_entry_by_entry() {
        let filled = complete(
            1.0,
            json!({ "fields": { "values": [{ "name": "q" }, { "kind": "number" }] } }),
        );
        assert_eq!(
            filled.get_path("fields.values"),
            Some(&json!([{ "name": "q", "kind": "text" }, { "kind": "number" }]))
        );
    }

    #[test]
    fn only_the_shown_form_fills_its_groups() {
        let form = |mode: &str, preset: &str| {
            let group = FieldGroup::new("values", "Values", [Param::text("kind", "Kind", preset)]);
            Param::repeated("rules", "Rules", [group]).show("mode", &[mode])
        };
        let mode = Param::choice("mode", "Mode", &[("a", "A"), ("b", "B")]);
        let spec = Spec::new("test", &[1.0], "Test", "").params([
            mode,
            form("a", "first"),
            form("b", "second"),
        ]);
        let given = json!({ "mode": "b", "rules": { "values": [{}] } });
        let filled = Value::object(spec.complete(1.0, given.as_object().unwrap()));
        assert_eq!(filled.get_path("rules.values[0].kind"), Some(&json!("second")));
    }

    #[test]
    fn a_run_takes_no_parameter_that_the_form_does_not_show() {
        let spec = Spec::new("test", &[1.0], "Test", "").params([
            Param::choice("mode", "Mode", &[("a", "A"), ("b", "B")]),
            Param::text("first", "First", "").show("mode", &["a"]),
            Param::text("second", "Second", "").show("first", &["x"]),
            Param::text("password", "Password", "").show("mode", &["a"]).guard(),
            Param::repeated(
                "fields",
                "Fields",
                [FieldGroup::new(
                    "values",
                    "Values",
                    [
                        Param::flag("renamed", "Renamed", false),
                        Param::text("name", "Name", "").show("renamed", &[true]),
                    ],
                )],
            ),
        ]);
        let given = json!({
            "mode": "b", "first": "x", "second": "y", "password": "p", "unknown": 1,
            "fields": { "values": [{ "name": "n" }, { "renamed": true, "name": "n" }] },
        });
        let taken = Value::object(spec.complete_for_run(1.0, given.as_object().unwrap()));
        let expected = json!({
            "mode": "b", "password": "p", "unknown": 1,
            "fields": { "values": [{ "renamed": false }, { "renamed": true, "name": "n" }] },
        });
        assert_eq!(taken, expected);
    }

    #[test]
    fn an_expression_hides_nothing() {
        assert_eq!(
            complete(1.0, json!({ "mode": "={{ $json.x }}" })).get("count"),
            Some(&json!(3))
        );
    }
}
