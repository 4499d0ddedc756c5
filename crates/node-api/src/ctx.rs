//! What a node sees while it runs.

use crate::host::Host;
use crate::trigger::{ChunkKind, StreamChunk};
use crate::{NodeError, Outputs};
use model::{Binary, Code, Item, Items, ItemsBuilder, Object, OnError, Str, Value, from_value};
use serde::de::DeserializeOwned;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// One run of one node: its identity, its inputs, its parameters, and the world through [`Host`].
pub struct Ctx<'a> {
    node: &'a NodeInfo,
    inputs: &'a [Option<Items>],
    run_index: usize,
    host: &'a dyn Host,
}

/// Who the running node is.
#[derive(Clone, Debug, Default)]
pub struct NodeInfo {
    pub id: Str,
    pub name: Str,
    pub type_name: Str,
    pub version: f64,
    pub on_error: OnError,
    pub prepared: PreparedParams,
}

/// What a node has made of its constant parameters; see [`Ctx::prepared`].
#[derive(Default)]
pub struct PreparedParams(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Clone for PreparedParams {
    /// A copy of a node may get other parameters, so it prepares for itself.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for PreparedParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.get().is_some() { "prepared" } else { "unprepared" })
    }
}

/// A parameter that is asked for item by item; one without an expression is looked up once.
pub struct PerItemParam<'a> {
    host: &'a dyn Host,
    path: &'a str,
    resolved: Option<Value>,
}

impl PerItemParam<'_> {
    /// The value for an item; `undefined` if it is not set.
    pub fn get(&self, item: usize) -> Result<Value, NodeError> {
        match &self.resolved {
            Some(value) => Ok(value.clone()),
            None => self.host.parameter(self.path, item).map_err(|error| error.on_item(item)),
        }
    }
}

impl<'a> Ctx<'a> {
    pub fn new(
        node: &'a NodeInfo,
        inputs: &'a [Option<Items>],
        run_index: usize,
        host: &'a dyn Host,
    ) -> Self {
        Self { node, inputs, run_index, host }
    }

    pub fn node(&self) -> &'a NodeInfo {
        self.node
    }

    /// The node's typeVersion.
    pub fn version(&self) -> f64 {
        self.node.version
    }

    pub fn run_index(&self) -> usize {
        self.run_index
    }

    pub fn host(&self) -> &'a dyn Host {
        self.host
    }

    /// The items on one of several inputs; `None` if nothing arrived there.
    pub fn input(&self, index: usize) -> Option<&'a Items> {
        self.inputs.get(index)?.as_ref()
    }

    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// All parameters of the node for one item, read into a struct.
    pub fn params<T: DeserializeOwned>(&self, item: usize) -> Result<T, NodeError> {
        self.param_as("", item)
    }

    /// A part of the parameters for one item, read into a struct. The empty path is all of them.
    pub fn param_as<T: DeserializeOwned>(&self, path: &str, item: usize) -> Result<T, NodeError> {
        let value = self.param(path, item)?;
        from_value(&value).map_err(|problem| {
            let place = if path.is_empty() {
                "parameters".to_owned()
            } else {
                format!("parameter '{path}'")
            };
            NodeError::parameter(path, format!("The {place} is invalid: {problem}")).on_item(item)
        })
    }

    /// The parameter at a path (`options.timeout`) for one item; `undefined` if it is not set.
    pub fn param(&self, path: &str, item: usize) -> Result<Value, NodeError> {
        self.host.parameter(path, item).map_err(|error| error.on_item(item))
    }

    /// A parameter that is asked for item by item, at a path.
    pub fn per_item(&self, path: &'a str) -> PerItemParam<'a> {
        let settled =
            if self.host.has_expression(path) { None } else { self.host.parameter(path, 0).ok() };
        PerItemParam { host: self.host, path, resolved: settled }
    }

    /// The parameter as text: numbers and booleans are spelled out, nothing is the empty text.
    pub fn text(&self, path: &str, item: usize) -> Result<Str, NodeError> {
        Ok(match self.param(path, item)? {
            Value::Undefined | Value::Null => Str::new(),
            Value::String(text) => text,
            value @ (Value::Object(_) | Value::Array(_)) => model::json::to_string(&value).into(),
            value => value.to_js_string(),
        })
    }

    /// The parameter as a number; text that spells one counts, anything else is an error.
    pub fn number(&self, path: &str, item: usize) -> Result<f64, NodeError> {
        let value = self.param(path, item)?;
        let number = match &value {
            Value::Number(number) => Some(*number),
            Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| {
            let found = model::json::to_string(&value);
            NodeError::parameter(
                path,
                format!("The parameter '{path}' must be a number, but it is {found}"),
            )
            .on_item(item)
        })
    }

    /// The parameter as a yes or no, by JavaScript's truth; the text `false` counts as no.
    pub fn flag(&self, path: &str, item: usize) -> Result<bool, NodeError> {
        let value = self.param(path, item)?;
        Ok(value.as_str() != Some("false") && value.is_truthy())
    }

    /// The parameter as it stands in the workflow, expressions unevaluated.
    pub fn raw_param(&self, path: &str) -> Option<Value> {
        self.host.raw_parameter(path)
    }

    /// What `make` makes of the parameters that are the same for every item and every run. It is
    /// made once for a plan, so it may depend on nothing else: not on the items, the run or the
    /// time.
    pub fn prepared<T: Send + Sync + 'static>(
        &self,
        make: impl FnOnce() -> Result<T, NodeError>,
    ) -> Result<Arc<T>, NodeError> {
        let known =
            self.node.prepared.0.get().cloned().and_then(|known| known.downcast::<T>().ok());
        if let Some(known) = known {
            return Ok(known);
        }
        let made = Arc::new(make()?);
        // Two runs may have made it at once; either will do.
        let _ = self.node.prepared.0.set(made.clone());
        Ok(made)
    }

    /// Sends a piece of the answer to whoever waits for it or watches, such as a few words of a
    /// model. Does nothing if nobody does.
    pub async fn send_chunk(&self, kind: ChunkKind, item: usize, content: Option<Value>) {
        if !self.host.is_streaming() && !self.host.is_watched() {
            return;
        }
        let chunk = StreamChunk {
            kind,
            content,
            node_id: self.node.id.clone(),
            node_name: self.node.name.clone(),
            item,
            run_index: self.run_index,
            timestamp_ms: self.host.now_ms(),
        };
        self.host.stream(chunk).await;
    }

    /// Whether failing items are sent on instead of stopping the run.
    pub fn continues_on_fail(&self) -> bool {
        self.node.on_error != OnError::Stop
    }

    /// What stands in for an item that failed: an item with the error, or the error itself if the
    /// run is to stop. What may have happened is no failure to go on after: a person must decide
    /// about it.
    pub fn failed_item(&self, index: usize, error: NodeError) -> Result<Item, NodeError> {
        if !self.continues_on_fail()
            || self.host.is_cancelled()
            || matches!(error.code(), Code::RUN_UNCERTAIN | Code::AGENT_OUTWARD)
        {
            return Err(error.on_item(index));
        }
        let mut json = Object::from_iter([("error", error.message().clone())]);
        json.extend(error.result().iter().map(|(key, value)| (key.clone(), value.clone())));
        let mut item = Item::new(json).paired_with(index);
        item.error = Some(Arc::new(error.to_item_error()));
        Ok(item)
    }

    /// An output to put items into one by one.
    pub fn builder(&self) -> ItemsBuilder {
        ItemsBuilder::new(self.host.spill())
    }

    /// Makes one item out of each: pairs them, and turns failures into error items where the node
    /// continues on fail.
    pub fn map_items(
        &self,
        items: &Items,
        mut make: impl FnMut(usize, Item) -> Result<Item, NodeError>,
    ) -> Result<Outputs, NodeError> {
        let mut output = self.builder();
        for (index, item) in items.iter().enumerate() {
            match make(index, item) {
                Ok(made) => output.push(made.paired_with(index)),
                Err(error) => output.push(self.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }

    /// The file an item carries under a name, or an error that tells which files there are.
    pub fn binary<'i>(
        &self,
        item: &'i Item,
        index: usize,
        property: &str,
    ) -> Result<&'i Binary, NodeError> {
        item.binary(property).ok_or_else(|| {
            let there: Vec<&str> = item.binary.iter().flat_map(|files| files.iter()).map(|(name, _)| name.as_str()).collect();
            let error = match there.as_slice() {
                [] => NodeError::input(format!(
                    "This operation expects the node's input data to contain a binary file '{property}', but none was found [item {index}]"
                ))
                .describe("Make sure that the previous node outputs a binary file")
                .hint("The item has no file. Check that the previous node outputs one."),
                names => NodeError::input(format!("The item has no binary field '{property}' [item {index}]"))
                    .describe(
                        "Check that the parameter where you specified the input binary field name is correct, and that it matches a field in the binary input",
                    )
                    .hint(format!("The item has: {}.", names.join(", "))),
            };
            error.on_item(index)
        })
    }
}
