//! Operations on nodes: add, update, rename, remove.

use super::draft::{DraftNode, WorkflowDraft};
use super::{OperationProblem, references};
use crate::workflow::NODE_FIELDS;
use crate::{Object, Str, Value};
use std::collections::{HashMap, HashSet};

/// How often a generator of ids may give one that is taken before we stop asking.
const MAX_ID_TRIES: usize = 16;

impl WorkflowDraft {
    pub(super) fn add_nodes(
        &mut self,
        nodes: &[Object],
        new_id: &mut dyn FnMut() -> Str,
    ) -> Result<(), OperationProblem> {
        let mut renamed: HashMap<Str, Str> = HashMap::new();
        let mut added = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mut fields = node.clone();
            let wanted = required_text(&fields, "", "name")?;
            required_text(&fields, &wanted, "type")?;
            check_fields(&fields, &wanted)?;
            let taken = self.taken();
            let id = match fields.get("id").and_then(Value::as_str) {
                Some(id) if !id.is_empty() && !taken.ids.contains(id) => Str::from(id),
                _ => (0..MAX_ID_TRIES)
                    .map(|_| new_id())
                    .find(|id| !id.is_empty() && !taken.ids.contains(id))
                    .ok_or_else(|| OperationProblem::NoFreeId { node: wanted.clone() })?,
            };
            let name = taken.free_name(&wanted);
            taken.ids.insert(id.clone());
            taken.names.insert(name.clone());
            if name != wanted {
                renamed.insert(wanted, name.clone());
            }
            fields.insert("id", id);
            fields.insert("name", name);
            for (key, default) in [
                ("typeVersion", 1.into()),
                ("position", crate::json!([0, 0])),
                ("parameters", Value::empty_object()),
            ] {
                if fields.get(key).is_none_or(Value::is_nullish) {
                    fields.insert(key, default);
                }
            }
            added.push(fields);
        }
        if !renamed.is_empty() {
            for fields in &mut added {
                references::rename(fields, &|name| renamed.get(name).cloned());
            }
        }
        self.nodes.extend(added.into_iter().map(DraftNode::added));
        self.nodes_changed = true;
        Ok(())
    }

    pub(super) fn update_node(
        &mut self,
        id: &str,
        updates: &Object,
    ) -> Result<(), OperationProblem> {
        let at = self.find(id)?;
        for field in ["name", "type"] {
            if updates.contains_key(field) {
                required_text(updates, id, field)?;
            }
        }
        if let Some(new) = updates.get("id")
            && new.as_str() != self.nodes[at].node().and_then(|node| node.id())
        {
            return Err(OperationProblem::IdFixed { node: id.into() });
        }
        check_fields(updates, id)?;
        if let Some(name) = updates.get("name").and_then(Value::as_str) {
            self.rename_node(at, name)?;
        }
        let fields = self.nodes[at].value.make_object();
        for (key, value) in updates.iter() {
            match value.is_nullish() {
                true => drop(fields.remove(key)),
                false => drop(fields.insert(key.clone(), value.clone())),
            }
        }
        self.nodes_changed = true;
        Ok(())
    }

    pub(super) fn rename_node(&mut self, at: usize, name: &str) -> Result<(), OperationProblem> {
        let old = Str::from(self.nodes[at].name());
        let id = self.nodes[at].node().and_then(|node| node.id()).unwrap_or(&old).into();
        if name.is_empty() {
            return Err(OperationProblem::FieldMissing { node: id, field: "name" });
        }
        if name == old {
            return Ok(());
        }
        if self.nodes.iter().any(|slot| slot.name() == name) {
            return Err(OperationProblem::NameTaken { node: id, name: name.into() });
        }
        // Of two nodes with one name the first is meant wherever it is mentioned.
        let is_meant =
            !old.is_empty() && self.nodes.iter().position(|slot| slot.name() == old) == Some(at);
        self.nodes[at].value.make_object().insert("name", name);
        self.nodes_changed = true;
        self.taken = None;
        if is_meant {
            self.rename_in_connections(&old, name);
            self.rename_in_data(&old, name);
            for slot in &mut self.nodes {
                references::rename_in_node(&mut slot.value, &|mentioned| {
                    (mentioned == old).then(|| name.into())
                });
            }
            let original = self.old_names.remove(&old).unwrap_or(old);
            self.old_names.insert(name.into(), original);
        }
        Ok(())
    }

    pub(super) fn remove_nodes(&mut self, ids: &[Str]) -> Result<(), OperationProblem> {
        let mut places = HashSet::new();
        for id in ids {
            places.insert(self.find(id)?);
        }
        let mut names: HashSet<Str> =
            places.iter().map(|at| Str::from(self.nodes[*at].name())).collect();
        let mut at = 0;
        self.nodes.retain(|_| {
            at += 1;
            !places.contains(&(at - 1))
        });
        self.nodes_changed = true;
        self.taken = None;
        // What a name leads to stays if another node still has it.
        for slot in &self.nodes {
            names.remove(slot.name());
        }
        self.drop_from_connections(&names);
        for name in &names {
            self.drop_from_data(name);
        }
        Ok(())
    }

    /// Data that a workflow keeps by node name: `pinData` by the name itself, `staticData` by
    /// `node:` and the name.
    fn rename_in_data(&mut self, old: &str, new: &str) {
        for (holder, old, new) in [
            ("pinData", Str::from(old), Str::from(new)),
            ("staticData", format!("node:{old}").into(), format!("node:{new}").into()),
        ] {
            if let Some(value) = self.doc.get_mut(holder)
                && value.get(&old).is_some()
            {
                value.make_object().rename(&old, new);
            }
        }
    }

    fn drop_from_data(&mut self, name: &str) {
        for (holder, key) in
            [("pinData", Str::from(name)), ("staticData", format!("node:{name}").into())]
        {
            if let Some(value) = self.doc.get_mut(holder)
                && value.get(&key).is_some()
            {
                value.make_object().remove(&key);
            }
        }
    }
}

fn required_text(
    fields: &Object,
    node: &str,
    field: &'static str,
) -> Result<Str, OperationProblem> {
    match fields.get(field) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        Some(Value::String(_) | Value::Null | Value::Undefined) | None => {
            Err(OperationProblem::FieldMissing { node: node.into(), field })
        }
        Some(other) => Err(OperationProblem::FieldKind {
            node: node.into(),
            field: field.into(),
            found: other.kind_name(),
            expected: "string".into(),
        }),
    }
}

fn check_fields(fields: &Object, node: &str) -> Result<(), OperationProblem> {
    for field in NODE_FIELDS {
        if let Some(value) = fields.get(field.name)
            && !field.accepts(value)
            // `null` says nothing where a node is added and takes the field out where one is
            // updated.
            && !value.is_nullish()
        {
            let expected = field.kinds.join(" or ").into();
            return Err(OperationProblem::FieldKind {
                node: node.into(),
                field: field.name.into(),
                found: value.kind_name(),
                expected,
            });
        }
    }
    Ok(())
}
