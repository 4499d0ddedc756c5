//! Runs nodes in a world without anybody in it, and tells where they would have gone.

use model::{Items, Object, Value, json};
use node_api::http::{Http, HttpBody, HttpError, HttpRequest, HttpResponse};
use node_api::{Ctx, DisplayRule, NodeInfo, NodeType, Param, ParamKind, RuleTest, Spec};
use node_testing::{TestHost, items};
use std::sync::{Arc, Mutex, PoisonError};

/// Parameters in which the one at this path holds a text and is shown: one form for each operation
/// of the node.
pub(crate) fn params_with(spec: &Spec, path: &str, text: &str) -> Vec<Value> {
    let mut form = Value::empty_object();
    put(&spec.params, &path.split('.').collect::<Vec<_>>(), text, form.make_object());
    let mut forms = vec![form.clone()];
    for operation in spec.params.iter().filter(|param| param.name == "operation") {
        let ParamKind::Choice { options } = &operation.kind else { continue };
        let mut with = Object::new();
        show(&spec.params, operation, &mut with);
        // An operation of something else does not read the parameter.
        if with.iter().any(|(key, value)| form.get(key).is_some_and(|set| set != value)) {
            continue;
        }
        for option in options {
            with.insert("operation", option.value.clone());
            let mut form = form.clone();
            form.make_object().extend(with.clone());
            forms.push(form);
        }
    }
    forms
}

/// Sets what the rules of a parameter look at, and the rules of that.
fn show(params: &[Param], param: &Param, form: &mut Object) {
    for DisplayRule { param, any_of } in &param.show {
        let name = param.trim_start_matches('/');
        if let (Some(RuleTest::Is(wanted)), false) = (any_of.first(), form.contains_key(name)) {
            form.insert(name, wanted.clone());
            let offers = |param: &Param| match &param.kind {
                ParamKind::Choice { options } => {
                    options.iter().any(|option| option.value == *wanted)
                }
                _ => true,
            };
            if let Some(param) = params.iter().find(|param| param.name == name && offers(param)) {
                show(params, param, form);
            }
        }
    }
}

/// Sets the parameter at a path, so that it is shown.
fn put(params: &[Param], path: &[&str], text: &str, form: &mut Object) {
    let Some((name, rest)) = path.split_first() else { return };
    let Some(param) = params.iter().find(|param| param.name == *name) else { return };
    show(params, param, form);
    let value = match &param.kind {
        ParamKind::Collection { params } => {
            let mut inner = Object::new();
            put(params, rest, text, &mut inner);
            inner.into()
        }
        ParamKind::Groups { groups, multiple } => {
            let Some((group, field)) = rest.split_first() else { return };
            let Some(group) = groups.iter().find(|known| known.name == *group) else { return };
            let mut inner = Object::new();
            put(&group.params, field.strip_prefix(&["*"]).unwrap_or(field), text, &mut inner);
            let inner = Value::from(inner);
            Object::from_iter([(
                group.name.clone(),
                if *multiple { Value::array(vec![inner]) } else { inner },
            )])
            .into()
        }
        _ => Value::from(text),
    };
    form.insert(*name, value);
}

/// The addresses that a node sends requests to, and those that it names in them.
pub(crate) async fn addresses_used(entry: &Arc<NodeType>, params: &Value) -> Vec<String> {
    let (spec, heard) = (&entry.spec, Arc::new(AddressLog::default()));
    let version = spec.newest_version();
    let mut params = params.clone();
    params.make_object().insert("modelId", json!({ "__rl": true, "mode": "id", "value": "m" }));
    let mut host = TestHost::new(spec, version, &params);
    host.http = Box::new(SharedHttp(heard.clone()));
    host.shared_http = Some(heard.clone());
    for used in &spec.credentials {
        let fields =
            json!({ "apiKey": "k", "url": "https://api.test/v1", "host": "https://api.test" });
        host.credentials.insert(used.kind.clone(), fields);
    }
    let info = NodeInfo {
        id: "1".into(),
        name: spec.name.clone(),
        type_name: spec.id.clone(),
        version,
        ..NodeInfo::default()
    };
    let inputs: Vec<Option<Items>> = vec![Some(items(&json!([{}])))];
    let ctx = Ctx::new(&info, &inputs, 0, &host);
    // How it ends does not matter.
    let _ = entry.run(&ctx, inputs[0].clone().unwrap_or_default()).await;
    heard.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[derive(Default)]
struct AddressLog(Mutex<Vec<String>>);

struct SharedHttp(Arc<AddressLog>);

#[async_trait::async_trait]
impl Http for SharedHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.0.send(request).await
    }
}

#[async_trait::async_trait]
impl Http for AddressLog {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push(request.url.trim().to_owned());
        if let HttpBody::Bytes(bytes) = &request.body {
            texts_in(
                &model::json::parse(&String::from_utf8_lossy(bytes)).unwrap_or_default(),
                &mut heard,
            );
        }
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Ok(HttpResponse {
            status: 200,
            status_text: "OK".into(),
            headers,
            body: "{}".into(),
            url: request.url,
            reservation: Default::default(),
        })
    }
}

fn texts_in(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.trim().to_owned()),
        Value::Array(values) => values.iter().for_each(|value| texts_in(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| texts_in(value, found)),
        _ => {}
    }
}
