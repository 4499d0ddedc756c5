//! Items: what flows along the connections of a workflow.

mod binary;
mod list;
mod pairs;

pub use binary::Binary;
pub use list::{Items, ItemsBuilder, ResidentItems, Spill, SpillError, Spilled, WalkGuard};
pub use pairs::Pairs;

use crate::{MAX_ITEM_DEPTH, Object, Str, Value};
use std::sync::Arc;

/// One item: its JSON, its files, and where it came from. Cloning shares everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Always an object in a finished node output.
    pub json: Value,
    /// Files by property name, in order.
    pub binary: Option<Arc<Vec<(Str, Binary)>>>,
    pub paired: Pairs,
    /// Set on items that a failing node sends on instead of stopping.
    pub error: Option<Arc<ItemError>>,
}

/// The input item an output item was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairedItem {
    pub item: u32,
    /// The input the item arrived on.
    pub input: u32,
    /// The output the item really comes from, where it is not the one that fed this run.
    pub source: Option<Arc<Source>>,
}

/// An output of an earlier node run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub node: Str,
    pub output: usize,
    pub run: usize,
}

/// The error that an item carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ItemError {
    pub message: Str,
    pub description: Option<Str>,
    /// Another try would fail as well. It is not stored, since retries come first.
    pub is_final: bool,
}

impl PairedItem {
    pub fn new(item: usize) -> Self {
        Self::on_input(item, 0)
    }

    pub fn on_input(item: usize, input: usize) -> Self {
        Self { item: item as u32, input: input as u32, source: None }
    }
}

impl Item {
    pub fn new(json: impl Into<Value>) -> Self {
        Self { json: json.into(), ..Self::default() }
    }

    /// The same item said to come from input item `index`.
    pub fn paired_with(mut self, index: usize) -> Self {
        self.paired = Pairs::One(PairedItem::new(index));
        self
    }

    pub fn with_pairs(mut self, pairs: impl Into<Pairs>) -> Self {
        self.paired = pairs.into();
        self
    }

    pub fn binary(&self, property: &str) -> Option<&Binary> {
        self.binary.as_ref()?.iter().find(|(name, _)| name == property).map(|(_, binary)| binary)
    }

    /// Adds or replaces a file.
    pub fn set_binary(&mut self, property: impl Into<Str>, binary: Binary) {
        let property = property.into();
        let files = Arc::make_mut(self.binary.get_or_insert_default());
        match files.iter_mut().find(|(name, _)| *name == property) {
            Some((_, place)) => *place = binary,
            None => files.push((property, binary)),
        }
    }

    /// Takes a file away; the map itself goes with its last file.
    pub fn remove_binary(&mut self, property: &str) -> Option<Binary> {
        let files = Arc::make_mut(self.binary.as_mut()?);
        let at = files.iter().position(|(name, _)| name == property)?;
        let (_, removed) = files.remove(at);
        if files.is_empty() {
            self.binary = None;
        }
        Some(removed)
    }

    pub fn estimated_bytes(&self) -> usize {
        self.bytes_beside_json() + self.json.estimated_bytes()
    }

    /// The same; `None` if the item is nested deeper than [`MAX_ITEM_DEPTH`].
    pub fn estimated_within_depth(&self) -> Option<usize> {
        Some(self.bytes_beside_json() + self.json.estimated_within(MAX_ITEM_DEPTH)?)
    }

    fn bytes_beside_json(&self) -> usize {
        let files = self
            .binary
            .iter()
            .flat_map(|files| files.iter())
            .map(|(name, file)| name.len() + file.data.len() + 200);
        size_of::<Item>() + self.paired.heap_bytes() + files.sum::<usize>()
    }

    /// The item in n8n's JSON form.
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(4);
        object.insert("json", self.json.clone());
        if let Some(files) = &self.binary {
            object.insert(
                "binary",
                files
                    .iter()
                    .map(|(name, file)| (name.clone(), file.to_value()))
                    .collect::<Object>(),
            );
        }
        match &*self.paired {
            [] => {}
            [one] => {
                object.insert("pairedItem", one.to_value());
            }
            many => {
                object.insert(
                    "pairedItem",
                    Value::array(many.iter().map(PairedItem::to_value).collect()),
                );
            }
        }
        if let Some(error) = &self.error {
            let mut fields = Object::new();
            fields.insert("message", error.message.clone());
            fields.insert("description", error.description.clone());
            object.insert("error", fields);
        }
        Value::object(object)
    }

    /// Reads an item in n8n's JSON form; an object without `json` or `binary` is the JSON itself.
    pub fn from_value(value: &Value) -> Self {
        let Some(object) = value.as_object() else { return Item::new(value.clone()) };
        let json = object.get("json").filter(|json| json.is_object());
        if json.is_none() && !object.get("binary").is_some_and(Value::is_object) {
            return Item::new(value.clone());
        }
        let mut item = Item::new(json.cloned().unwrap_or_else(Value::empty_object));
        for (name, file) in
            object.get("binary").and_then(Value::as_object).into_iter().flat_map(Object::iter)
        {
            if let Some(file) = Binary::from_value(file) {
                item.set_binary(name.clone(), file);
            }
        }
        item.paired =
            object.get("pairedItem").map(PairedItem::list_from_value).unwrap_or_default().into();
        item.error = object.get("error").and_then(|error| {
            let message = error.get("message").unwrap_or(error).as_str()?;
            let description = error.get("description").and_then(Value::as_str).map(Str::from);
            Some(Arc::new(ItemError { message: message.into(), description, is_final: false }))
        });
        item
    }
}

impl PairedItem {
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(2);
        object.insert("item", self.item);
        if self.input > 0 {
            object.insert("input", self.input);
        }
        if let Some(source) = &self.source {
            object.insert("sourceOverwrite", source.to_value());
        }
        Value::object(object)
    }

    /// Reads a number, an object or a list of either.
    pub fn list_from_value(value: &Value) -> Vec<Self> {
        match value {
            Value::Array(values) => values.iter().flat_map(Self::list_from_value).collect(),
            Value::Number(_) => value.as_usize().map(Self::new).into_iter().collect(),
            Value::Object(object) => {
                let Some(item) = object.get("item").and_then(Value::as_usize) else {
                    return Vec::new();
                };
                let source =
                    object.get("sourceOverwrite").and_then(Source::from_value).map(Arc::new);
                let input = object.get("input").and_then(Value::as_usize).unwrap_or(0);
                vec![Self { source, ..Self::on_input(item, input) }]
            }
            _ => Vec::new(),
        }
    }
}

impl Source {
    /// In n8n's form; outputs and runs of 0 are left out there.
    pub fn to_value(&self) -> Value {
        let mut object = Object::with_capacity(3);
        object.insert("previousNode", self.node.clone());
        for (key, number) in [("previousNodeOutput", self.output), ("previousNodeRun", self.run)] {
            if number > 0 {
                object.insert(key, number);
            }
        }
        Value::object(object)
    }

    pub fn from_value(value: &Value) -> Option<Self> {
        let number = |key| value.get(key).and_then(Value::as_usize).unwrap_or(0);
        let node = value.get("previousNode")?.as_str()?.into();
        Some(Self { node, output: number("previousNodeOutput"), run: number("previousNodeRun") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn an_item_reads_what_it_writes() {
        let value = json!({
            "json": { "a": 1 },
            "binary": { "data": { "mimeType": "text/plain", "fileType": "text", "fileExtension": "txt", "data": "aGk=", "fileName": "a.txt", "fileSize": "2 B" } },
            "pairedItem": [{ "item": 1 }, { "item": 2, "input": 1, "sourceOverwrite": { "previousNode": "X" } }]
        });
        assert_eq!(Item::from_value(&value).to_value(), value);
    }

    #[test]
    fn a_bare_object_is_the_json_of_an_item() {
        assert_eq!(Item::from_value(&json!({ "a": 1 })), Item::new(json!({ "a": 1 })));
        assert_eq!(Item::from_value(&json!({ "json": "text" })).json, json!({ "json": "text" }));
    }
}
