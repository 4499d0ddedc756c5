//! Set since version 3: fields with a type each, or JSON; and which fields of the input stay.

use super::field::{Conversion, FieldTarget, ParamSource};
use super::params;
use super::raw::RawJson;
use model::Gaps;
use node_api::prelude::*;

pub(crate) struct Set;

impl Node for Set {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.set",
            &[3.0, 3.1, 3.2, 3.3, 3.4, 3.5],
            "Edit Fields (Set)",
            "Set, add or remove fields of items",
        )
        .icon("square-pen")
        .subtitle(&["{mode=raw}JSON", "{assignments.assignments:names}", "{fields.values:names}"])
        .params(params::params())
        .hint("Use it to shape items for the next node. Values can be expressions.")
        .alias(&["edit fields", "assign", "map", "rename", "transform"])
        .repeatable()
        .example(
            "Set two fields and keep the others",
            r#"{ "includeOtherFields": true, "assignments": { "assignments": [
                    { "id": "1", "name": "user.name", "type": "string", "value": "Ada" },
                    { "id": "2", "name": "age", "type": "number", "value": "36" }] } }"#,
            r#"[{ "id": 7 }]"#,
            r#"[[{ "id": 7, "user": { "name": "Ada" }, "age": 36 }]]"#,
        )
        .example(
            "From JSON",
            r#"{ "mode": "raw", "jsonOutput": "{ \"a\": [1, 2] }" }"#,
            r#"[{ "id": 7 }]"#,
            r#"[[{ "a": [1, 2] }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let plan = ctx.prepared(|| SetPlan::new(ctx))?;
        let copies = copies(ctx)?;
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            let made = match plan.make(ctx, index, item) {
                Ok(made) => made.paired_with(index),
                Err(error) => ctx.failed_item(index, error)?,
            };
            for _ in 0..copies {
                output.push(made.clone());
            }
            output.push(made);
        }
        Ok(vec![output.finish()])
    }
}

/// Copies are for trying things out: they are only made when a person runs the workflow.
fn copies(ctx: &Ctx<'_>) -> Result<usize, NodeError> {
    if !ctx.flag("duplicateItem", 0)? || ctx.host().execution().mode != "manual" {
        return Ok(0);
    }
    Ok(ctx.number("duplicateCount", 0)?.max(0.0) as usize)
}

struct SetPlan {
    /// Absent when they depend on the item.
    settings: Option<SetSettings>,
    source: SetSource,
}

enum SetSource {
    /// All items become this one object, which they share.
    Whole(Value),
    /// One object for every item, put over what stays of it.
    Constant(Value),
    Json(RawJson),
    Fields(Vec<AssignedField>),
}

struct AssignedField {
    name: ParamSource,
    target: Option<FieldTarget>,
    kind: ParamSource,
    value: FieldValue,
}

enum FieldValue {
    /// Converted already.
    Ready(Value),
    Parameter(ParamSource),
    /// An object of an older version, with expressions inside its text.
    Object(RawJson),
}

#[derive(Clone)]
struct SetSettings {
    include: Include,
    dot_notation: bool,
    keep_files: bool,
    ignore_errors: bool,
}

#[derive(Clone)]
enum Include {
    All,
    None,
    Selected(Vec<Str>),
    Except(Vec<Str>),
}

impl SetSettings {
    fn read(ctx: &Ctx<'_>, item: usize) -> Result<Self, NodeError> {
        let include = match ctx.param("include", item)? {
            Value::Undefined => "all".into(),
            value => value.to_js_string(),
        };
        let include = if ctx.version() >= 3.3 && !ctx.flag("includeOtherFields", item)? {
            "none".into()
        } else {
            include
        };
        let list = |path: &str| -> Result<Vec<Str>, NodeError> {
            Ok(ctx.text(path, item)?.split(',').map(|name| name.trim().into()).collect())
        };
        let include = match include.as_str() {
            "all" => Include::All,
            "none" => Include::None,
            "selected" => Include::Selected(list("includeFields")?),
            "except" => Include::Except(list("excludeFields")?),
            other => {
                return Err(NodeError::parameter(
                    "include",
                    format!("The include option \"{other}\" is not known!"),
                ));
            }
        };
        let options = ctx.param("options", item)?;
        let is = |key: &str| options.get(key).is_some_and(Value::is_truthy);
        let keep_files = if ctx.version() >= 3.4 {
            !is("stripBinary") && !matches!(include, Include::None)
        } else {
            is("includeBinary")
        };
        Ok(Self {
            include,
            dot_notation: options.get("dotNotation").and_then(Value::as_bool) != Some(false),
            keep_files,
            ignore_errors: is("ignoreConversionErrors"),
        })
    }

    /// The part of an item that stays.
    fn retained_fields(&self, item: Item, gaps: &mut Gaps) -> Result<Item, NodeError> {
        let binary = item.binary.filter(|_| self.keep_files);
        let json = match &self.include {
            Include::All => item.json,
            Include::None => Value::empty_object(),
            Include::Selected(names) => {
                let mut kept = Value::empty_object();
                for name in names {
                    let value = if self.dot_notation {
                        item.json.get_path(name)
                    } else {
                        item.json.get(name)
                    };
                    let key = match name.rsplit_once('.') {
                        Some((_, last)) if self.dot_notation => last,
                        _ => name,
                    };
                    if let Some(value) = value {
                        FieldTarget::new(key.into(), self.dot_notation).put(
                            &mut kept,
                            value.clone(),
                            gaps,
                        )?;
                    }
                }
                kept
            }
            Include::Except(names) => {
                let mut json = item.json;
                for name in names {
                    if self.dot_notation {
                        json.remove_path(name);
                    } else {
                        json.make_object().remove(name);
                    }
                }
                json
            }
        };
        Ok(Item { json, binary, ..Item::default() })
    }
}

impl SetPlan {
    fn new(ctx: &Ctx<'_>) -> Result<Self, NodeError> {
        let changing =
            ["include", "includeOtherFields", "includeFields", "excludeFields", "options"];
        let is_fixed = !changing.iter().any(|path| ctx.host().has_expression(path));
        let settings = if is_fixed { Some(SetSettings::read(ctx, 0)?) } else { None };
        let source = if ctx.text("mode", 0)? == "raw" {
            let raw = RawJson::read(ctx, "jsonOutput")?;
            match raw.is_fixed().then(|| raw.object(ctx, 0, JSON_PLACE)) {
                Some(Ok(object)) => SetSource::Constant(object),
                _ => SetSource::Json(raw),
            }
        } else if ctx.version() >= 3.3 {
            SetSource::Fields(assignments(ctx, settings.as_ref())?)
        } else {
            SetSource::Fields(older_fields(ctx)?)
        };
        let mut plan = Self { settings, source };
        if plan.is_the_same_for_all() {
            let made = plan.make(ctx, 0, Item::default())?;
            plan.source = SetSource::Whole(made.json);
        }
        Ok(plan)
    }

    /// Nothing of the input stays and nothing depends on it.
    fn is_the_same_for_all(&self) -> bool {
        let from_nothing = self
            .settings
            .as_ref()
            .is_some_and(|settings| matches!(settings.include, Include::None));
        let is_ready = |field: &AssignedField| {
            matches!((&field.name, &field.value), (ParamSource::Fixed(_), FieldValue::Ready(_)))
        };
        from_nothing
            && match &self.source {
                SetSource::Constant(_) => true,
                SetSource::Fields(fields) => fields.iter().all(is_ready),
                SetSource::Whole(_) | SetSource::Json(_) => false,
            }
    }

    fn make(&self, ctx: &Ctx<'_>, index: usize, item: Item) -> Result<Item, NodeError> {
        let read;
        let settings = match &self.settings {
            Some(settings) => settings,
            None => {
                read = SetSettings::read(ctx, index)?;
                &read
            }
        };
        let files = item.binary.clone();
        let mut gaps = Gaps::default();
        let mut made = settings.retained_fields(item, &mut gaps)?;
        let object = match &self.source {
            SetSource::Whole(json) => {
                made.json = json.clone();
                return Ok(made);
            }
            SetSource::Constant(object) => object.clone(),
            SetSource::Json(raw) => raw.object(ctx, index, JSON_PLACE)?,
            SetSource::Fields(fields) => {
                for field in fields {
                    if field.is_file(ctx, index)? {
                        field.put_file(
                            ctx,
                            index,
                            files.as_deref().map_or(&[], Vec::as_slice),
                            &mut made,
                        )?;
                    } else {
                        field.put(ctx, index, settings, &mut made.json, &mut gaps)?;
                    }
                }
                return Ok(made);
            }
        };
        for (key, value) in object.as_object().into_iter().flat_map(Object::iter) {
            FieldTarget::new(key.clone(), settings.dot_notation).put(
                &mut made.json,
                value.clone(),
                &mut gaps,
            )?;
        }
        Ok(made)
    }
}

const JSON_PLACE: &str = "'JSON Output'";

impl AssignedField {
    fn put(
        &self,
        ctx: &Ctx<'_>,
        index: usize,
        settings: &SetSettings,
        json: &mut Value,
        gaps: &mut Gaps,
    ) -> Result<(), NodeError> {
        let made;
        let name = match &self.name {
            ParamSource::Fixed(Value::String(name)) => name,
            part => {
                made = part.get(ctx, index)?.to_js_string();
                &made
            }
        };
        let conversion =
            Conversion { version: ctx.version(), ignore_errors: settings.ignore_errors };
        let value = match &self.value {
            FieldValue::Ready(value) => value.clone(),
            FieldValue::Parameter(part) => conversion.convert(
                ctx,
                name,
                kind_of(&self.kind.get(ctx, index)?),
                &part.get(ctx, index)?,
                index,
            )?,
            FieldValue::Object(raw) => {
                let object = raw.object_or_nothing(
                    ctx,
                    index,
                    &format!("entry \"{name}\" inside 'Fields to Set'"),
                )?;
                conversion.convert(ctx, name, "object", &object, index)?
            }
        };
        match &self.target {
            Some(target) if settings.dot_notation => target.put(json, value, gaps),
            _ => FieldTarget::new(name.clone(), settings.dot_notation).put(json, value, gaps),
        }
    }
}

impl AssignedField {
    /// Whether the field is a file of the item and not part of its JSON.
    fn is_file(&self, ctx: &Ctx<'_>, index: usize) -> Result<bool, NodeError> {
        Ok(match &self.kind {
            ParamSource::Fixed(kind) => kind_of(kind) == "binary",
            part => kind_of(&part.get(ctx, index)?) == "binary",
        })
    }

    /// Takes a file of the input by its name, or one that an expression gives whole.
    fn put_file(
        &self,
        ctx: &Ctx<'_>,
        index: usize,
        files: &[(Str, Binary)],
        made: &mut Item,
    ) -> Result<(), NodeError> {
        let name = self.name.get(ctx, index)?.to_js_string();
        let FieldValue::Parameter(part) = &self.value else { return Ok(()) };
        let value = part.get(ctx, index)?;
        let found = match value.as_str() {
            Some(wanted) => {
                files.iter().find(|(name, _)| name == wanted).map(|(_, file)| file.clone())
            }
            None => Binary::from_value(&value).filter(|file| !file.data.is_empty()),
        };
        let file = found.ok_or_else(|| {
            let wanted = value
                .as_str()
                .map_or_else(|| "the given value".to_owned(), |name| format!("'{name}'"));
            NodeError::input(format!(
                "The field '{name}' must be a file, but {wanted} is not a file of the item"
            ))
            .hint("Enter the name of a file of the item.")
            .on_item(index)
        })?;
        made.set_binary(name, file);
        Ok(())
    }
}

/// Older versions say `stringValue` where newer ones say `string`.
fn kind_of(value: &Value) -> &str {
    let kind = value.as_str().unwrap_or("string");
    kind.strip_suffix("Value").unwrap_or(kind)
}

fn assignments(
    ctx: &Ctx<'_>,
    settings: Option<&SetSettings>,
) -> Result<Vec<AssignedField>, NodeError> {
    let raw = ctx.raw_param("assignments.assignments").unwrap_or_default();
    let mut fields = Vec::new();
    for index in 0..raw.as_array().map_or(0, <[Value]>::len) {
        let place = format!("assignments.assignments[{index}]");
        let name = ParamSource::read(ctx, format!("{place}.name"))?;
        let kind = ParamSource::read(ctx, format!("{place}.type"))?;
        let value = ParamSource::read(ctx, format!("{place}.value"))?;
        let target = target(&name);
        let ready = match (&name, &kind, &value, settings) {
            // What a time without a date means depends on the day.
            (
                ParamSource::Fixed(name),
                ParamSource::Fixed(kind),
                ParamSource::Fixed(value),
                Some(settings),
            ) if !matches!(kind_of(kind), "binary" | "dateTime" | "time") => {
                let conversion =
                    Conversion { version: ctx.version(), ignore_errors: settings.ignore_errors };
                // A constant that does not fit is told for the item that meets it first.
                conversion.convert(ctx, &name.to_js_string(), kind_of(kind), value, 0).ok()
            }
            _ => None,
        };
        let value = ready.map_or(FieldValue::Parameter(value), FieldValue::Ready);
        fields.push(AssignedField { name, target, kind, value });
    }
    Ok(last_of_each_name(fields))
}

fn older_fields(ctx: &Ctx<'_>) -> Result<Vec<AssignedField>, NodeError> {
    let raw = ctx.raw_param("fields.values").unwrap_or_default();
    let mut fields = Vec::new();
    for (index, entry) in raw.as_array().unwrap_or_default().iter().enumerate() {
        let place = format!("fields.values[{index}]");
        let name = ParamSource::read(ctx, format!("{place}.name"))?;
        let kind = entry.get("type").and_then(Value::as_str).unwrap_or("stringValue");
        let path = format!("{place}.{kind}");
        let is_text_with_expressions = kind == "objectValue"
            && entry.get(kind).and_then(Value::as_str).is_some_and(|text| text.starts_with('='));
        let value = if is_text_with_expressions {
            FieldValue::Object(RawJson::read(ctx, &path)?)
        } else {
            FieldValue::Parameter(ParamSource::read(ctx, path)?)
        };
        fields.push(AssignedField {
            target: target(&name),
            name,
            kind: ParamSource::Fixed(kind.into()),
            value,
        });
    }
    Ok(last_of_each_name(fields))
}

fn target(name: &ParamSource) -> Option<FieldTarget> {
    if let ParamSource::Fixed(name) = name {
        Some(FieldTarget::new(name.to_js_string(), true))
    } else {
        None
    }
}

/// Of two fields with one name the later value wins, in the earlier one's place.
fn last_of_each_name(fields: Vec<AssignedField>) -> Vec<AssignedField> {
    let mut kept: Vec<AssignedField> = Vec::with_capacity(fields.len());
    for field in fields {
        let same = |other: &AssignedField| matches!((&other.name, &field.name), (ParamSource::Fixed(one), ParamSource::Fixed(two)) if one == two);
        match kept.iter_mut().find(|other| same(other)) {
            Some(place) => *place = field,
            None => kept.push(field),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, items, run, run_on, run_version};

    fn one(name: &str, kind: &str, value: Value) -> Value {
        json!({ "assignments": { "assignments": [{ "id": "1", "name": name, "type": kind, "value": value }] } })
    }

    #[tokio::test]
    async fn a_value_that_does_not_fit_its_type_is_refused_or_left() {
        let error = run::<Set>(one("n", "number", json!("many")), json!([{}])).await.unwrap_err();
        assert_eq!(error.message(), "'n' expects a number but we got 'many' [item 0]");
        let mut lenient = one("n", "number", json!("many"));
        lenient.set_path("options.ignoreConversionErrors", true);
        assert_eq!(run::<Set>(lenient, json!([{}])).await.unwrap(), [json!([{ "n": "many" }])]);
    }

    #[tokio::test]
    async fn values_become_the_type_of_their_field() {
        for (kind, given, wanted) in [
            ("string", json!({ "a": 1 }), json!("{\"a\":1}")),
            ("string", json!(5), json!("5")),
            ("boolean", json!("false"), json!(false)),
            ("array", json!("[1]"), json!([1])),
            ("object", json!("{\"a\":1}"), json!({ "a": 1 })),
            ("string", Value::Null, Value::Null),
        ] {
            assert_eq!(
                run::<Set>(one("x", kind, given), json!([{}])).await.unwrap(),
                [json!([{ "x": wanted }])]
            );
        }
    }

    #[tokio::test]
    async fn fields_of_the_input_stay_as_chosen() {
        let input = json!([{ "a": 1, "b": { "c": 2, "d": 3 }, "e": 4 }]);
        for (include, fields, wanted) in [
            ("all", "", json!([{ "a": 1, "b": { "c": 2, "d": 3 }, "e": 4, "x": 0 }])),
            ("selected", "a, b.c", json!([{ "a": 1, "c": 2, "x": 0 }])),
            ("except", "a,b.d", json!([{ "b": { "c": 2 }, "e": 4, "x": 0 }])),
        ] {
            let mut params = one("x", "number", json!(0));
            params.set_path("includeOtherFields", true);
            for key in ["includeFields", "excludeFields"] {
                params.set_path(key, fields);
            }
            params.set_path("include", include);
            assert_eq!(
                run_version::<Set>(3.4, params, std::slice::from_ref(&input)).await.unwrap(),
                [wanted]
            );
        }
    }

    #[tokio::test]
    async fn a_file_of_the_input_is_taken_by_its_name() {
        let input = json!([{ "json": { "a": 1 }, "binary": { "data": { "mimeType": "text/plain", "data": "aGk=", "fileName": "a.txt" } } }]);
        for version in [3.4, 3.5] {
            let params = one("copy", "binary", json!("data"));
            let host = TestHost::new(&Set::spec(), version, &params);
            let outputs =
                run_on::<Set>(&host, version, vec![items(&input)], OnError::Stop).await.unwrap();
            let made = outputs[0].first().unwrap();
            assert_eq!(made.json, json!({}));
            assert_eq!(
                made.binary("copy").map(|file| (&file.data[..], file.file_name.as_deref())),
                Some((&b"hi"[..], Some("a.txt")))
            );
            assert!(made.binary("data").is_none(), "other files stay behind");
        }
        let error = run::<Set>(one("copy", "binary", json!("nothing")), input).await.unwrap_err();
        assert_eq!(
            error.message(),
            "The field 'copy' must be a file, but 'nothing' is not a file of the item"
        );
    }

    #[tokio::test]
    async fn older_versions_have_their_own_fields() {
        let params = json!({ "fields": { "values": [
            { "name": "s", "stringValue": "x" },
            { "name": "o", "type": "objectValue", "objectValue": "={ \"a\": 1 }" },
            { "name": "f", "type": "booleanValue" }
        ] }, "include": "none" });
        let made = run_version::<Set>(3.0, params, &[json!([{ "z": 1 }])]).await.unwrap();
        assert_eq!(made, [json!([{ "s": "x", "o": { "a": 1 }, "f": true }])]);
    }

    /// A body of a hundred kilobytes must not become gigabytes of empty elements.
    #[tokio::test]
    async fn issue_14_09_the_names_in_a_json_leave_only_so_much_of_an_item_empty() {
        let raw = |object: Object| json!({ "mode": "raw", "jsonOutput": model::json::to_string(&Value::from(object)) });
        let many = (0..10_000).map(|number| (format!("a{number}[9999]"), Value::from(1))).collect();
        let error = run::<Set>(raw(many), json!([{}])).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_PARAMETER);
        assert!(
            error.message().ends_with("this path would leave more than 10000 list elements empty"),
            "{error}"
        );
        let fields: Vec<Value> = (0..2)
            .map(|n| json!({ "name": format!("a{n}[6000]"), "type": "number", "value": n }))
            .collect();
        let params = json!({ "assignments": { "assignments": fields } });
        assert_eq!(run::<Set>(params, json!([{}])).await.unwrap_err().code(), Code::NODE_PARAMETER);
        // Many fields, a list that grows, and one gap for each of many items are nothing unusual.
        let honest =
            (0..10_000).map(|number| (format!("a{number}.list[0]"), Value::from(number))).collect();
        assert_eq!(
            run::<Set>(raw(honest), json!([{}])).await.unwrap()[0].get_path("[0].a9999.list[0]"),
            Some(&json!(9_999))
        );
        let mut params = one("list[9000]", "number", json!(1));
        params.set_path("includeOtherFields", true);
        let made = run::<Set>(params, json!([{ "n": 0 }, { "n": 1 }])).await.unwrap();
        assert_eq!(made[0].get_path("[1].list[9000]"), Some(&json!(1)));
    }

    #[tokio::test]
    async fn copies_are_made_on_request() {
        let params = json!({ "duplicateItem": true, "duplicateCount": 2 });
        assert_eq!(run::<Set>(params, json!([{}])).await.unwrap(), [json!([{}, {}, {}])]);
    }
}
