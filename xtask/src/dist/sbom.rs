//! The bill of materials (CycloneDX 1.6): every crate that is linked into the binary, and every npm
//! package inside of the editor and the sandbox image. It has no time and no random number in it,
//! so that the same sources always give the same bytes.

use crate::audit::crates::{self, Crate};
use crate::audit::{licence, npm};
use anyhow::{Context as _, Result};
use base64::Engine as _;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Bill {
    pub(crate) version: String,
    pub(crate) text: String,
    pub(crate) n_components: usize,
}

pub(crate) fn make() -> Result<Bill> {
    let mut components = BTreeMap::new();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (root, version) = add_crates(&mut components, &mut edges)?;
    for (folder, part) in npm::FOLDERS {
        add_npm(folder, part, &root, &mut components, &mut edges)?;
    }
    let n_components = components.len();
    for name in components.keys() {
        edges.entry(name.clone()).or_default();
    }
    let bill = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "heddle",
                "version": version,
                "licenses": [{ "expression": "Apache-2.0" }],
            },
        },
        "components": components.into_values().collect::<Vec<Value>>(),
        "dependencies": edges.into_iter().map(|(name, needs)| json!({ "ref": name, "dependsOn": needs })).collect::<Vec<Value>>(),
    });
    Ok(Bill { version, text: serde_json::to_string_pretty(&bill)? + "\n", n_components })
}

/// The crates that `cargo build --package heddle` links for this platform: no build scripts, no
/// macros, no tests.
fn add_crates(
    components: &mut BTreeMap<String, Value>,
    edges: &mut BTreeMap<String, BTreeSet<String>>,
) -> Result<(String, String)> {
    let sums = crates::checksums()?;
    let mut above: Vec<String> = Vec::new();
    let mut root = None;
    for (depth, found) in crates::tree(&["--package", "heddle", "--edges", "normal,no-proc-macro"])?
    {
        let name = reference(&found);
        above.truncate(depth);
        match above.last() {
            Some(parent) => {
                edges.entry(parent.clone()).or_default().insert(name.clone());
                let sum = sums.get(&(found.name.clone(), found.version.clone()));
                components.entry(name.clone()).or_insert_with(|| of_crate(&name, &found, sum));
            }
            None => root = Some((name.clone(), found.version.clone())),
        }
        above.push(name);
    }
    root.context("cargo tree printed nothing")
}

fn reference(found: &Crate) -> String {
    format!("pkg:cargo/{}@{}", found.name, found.version)
}

fn of_crate(name: &str, found: &Crate, sum: Option<&String>) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": name,
        "name": found.name,
        "version": found.version,
        "licenses": [{ "expression": licence::normalized(&found.licence) }],
        "properties": [{ "name": "heddle:part", "value": "binary" }],
    });
    // Our own crates are not on crates.io, so that a name there would point at somebody else's.
    if !found.is_local {
        component["purl"] = name.into();
    }
    if let Some(sum) = sum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    component
}

fn add_npm(
    folder: &str,
    part: &str,
    root: &str,
    components: &mut BTreeMap<String, Value>,
    edges: &mut BTreeMap<String, BTreeSet<String>>,
) -> Result<()> {
    let (packages, needed) = npm::packages(folder)?;
    let by_place: BTreeMap<&str, &npm::Package> = packages
        .iter()
        .filter(|package| package.is_shipped)
        .map(|package| (package.place.as_str(), package))
        .collect();
    let top = needed.iter().filter_map(|name| find(&by_place, "", name));
    edges.entry(root.to_owned()).or_default().extend(top.map(purl));
    for package in by_place.values() {
        let name = purl(package);
        let needs = package
            .needs
            .iter()
            .filter_map(|needed| find(&by_place, &package.place, needed))
            .map(purl);
        edges.entry(name.clone()).or_default().extend(needs);
        let sum = package.integrity.strip_prefix("sha512-").unwrap_or_default();
        let sum = base64::engine::general_purpose::STANDARD
            .decode(sum)
            .with_context(|| format!("the sum of {}", package.name))?;
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        let component = json!({
            "type": "library",
            "bom-ref": name,
            "name": package.name,
            "version": package.version,
            "purl": name,
            "hashes": [{ "alg": "SHA-512", "content": sum }],
            "licenses": [{ "expression": package.licence }],
            "properties": [{ "name": "heddle:part", "value": part }],
        });
        components.entry(name).or_insert(component);
    }
    Ok(())
}

/// The package that a name means from a place in the lock file: the nearest one on the way up.
fn find<'p>(
    by_place: &BTreeMap<&str, &'p npm::Package>,
    place: &str,
    name: &str,
) -> Option<&'p npm::Package> {
    let mut place = place;
    loop {
        let separator = if place.is_empty() { "" } else { "/" };
        if let Some(found) = by_place.get(format!("{place}{separator}node_modules/{name}").as_str())
        {
            return Some(found);
        }
        place = place
            .rsplit_once("node_modules/")
            .map(|(above, _)| above.trim_end_matches('/'))
            .filter(|_| !place.is_empty())?;
    }
}

/// The `@` of a scope is escaped in a package URL.
fn purl(package: &npm::Package) -> String {
    format!("pkg:npm/{}@{}", package.name.replace('@', "%40"), package.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::path::Path;

    /// Where `cargo xtask services` puts the schemas.
    const SCHEMAS: &str = "target/services/cyclonedx";

    #[test]
    fn issue_14_00_the_bill_of_materials_is_valid_cyclonedx() {
        std::env::set_current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        let bill = make().unwrap();
        let schema = |name: &str| -> Value {
            let path = Path::new(SCHEMAS).join(format!("{name}.SNAPSHOT.schema.json"));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|_| {
                panic!("{} is missing: run `cargo xtask services`", path.display())
            });
            serde_json::from_str(&text).unwrap()
        };
        let uri = |name: &str| format!("http://cyclonedx.org/schema/{name}.SNAPSHOT.schema.json");
        let registry = jsonschema::Registry::new().add(uri("spdx"), schema("spdx")).unwrap();
        let registry =
            registry.add(uri("jsf-0.82"), schema("jsf-0.82")).unwrap().prepare().unwrap();
        let validator =
            jsonschema::options().with_registry(&registry).build(&schema("bom-1.6")).unwrap();
        let value: Value = serde_json::from_str(&bill.text).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
        assert!(
            !validator.is_valid(&json!({ "bomFormat": "CycloneDX" })),
            "the schema refuses something"
        );

        // Every component has a name for scanners, a licence and a sum; ours have no sum.
        let components = value["components"].as_array().unwrap();
        let ours = |component: &Value| component["purl"].is_null();
        for component in components {
            assert!(
                component["licenses"][0]["expression"]
                    .as_str()
                    .is_some_and(|licence| !licence.is_empty()),
                "{component}"
            );
            assert_eq!(component["hashes"].is_null(), ours(component), "{component}");
        }
        let names: BTreeSet<&str> =
            components.iter().filter_map(|component| component["name"].as_str()).collect();
        for name in [
            "tokio",
            "rustls",
            "libsqlite3-sys",
            "heddle-engine",
            "react",
            "@xyflow/react",
            "luxon",
            "quickjs-wasi",
        ] {
            assert!(names.contains(name), "{name} is missing");
        }
        for name in ["cc", "serde_derive", "proptest", "vite", "xtask", "heddle-testkit"] {
            assert!(!names.contains(name), "{name} is not shipped");
        }
        // Every reference leads to a component.
        let known: HashSet<&Value> = components
            .iter()
            .chain([&value["metadata"]["component"]])
            .map(|component| &component["bom-ref"])
            .collect();
        for edge in value["dependencies"].as_array().unwrap() {
            assert!(known.contains(&edge["ref"]), "{edge}");
            assert!(
                edge["dependsOn"].as_array().unwrap().iter().all(|name| known.contains(name)),
                "{edge}"
            );
        }
        assert_eq!(bill.text, make().unwrap().text, "the same sources give the same bytes");
    }
}
