//! `heddle nodes`: lists the nodes that can run, and writes their reference pages.

use super::node_docs;
use crate::cli;
use crate::settings::Settings;
use crate::terminal::table::{Cell, ListOutput, Table};
use crate::terminal::{eprint_line, print_line};
use anyhow::{Context as _, Result};
use model::{Value, to_value};
use node_api::Spec;
use std::process::ExitCode;
use std::sync::Arc;

pub(super) fn run(arguments: &cli::NodesArgs) -> Result<ExitCode> {
    let registry = if Settings::load()?.test_nodes {
        nodes::registry_with_test_nodes()
    } else {
        nodes::registry()
    };
    let all: Vec<Arc<Spec>> = registry.all().into_iter().map(|found| found.spec.clone()).collect();
    if let Some(folder) = &arguments.docs {
        let written = node_docs::write(&all, folder)
            .with_context(|| format!("the pages could not be written to {}", folder.display()))?;
        eprint_line(&format!("{written} pages written"));
        return Ok(ExitCode::SUCCESS);
    }
    let wanted = arguments.search.as_deref().unwrap_or_default().to_lowercase();
    let fits = |spec: &Spec| {
        let words = [&spec.id, &spec.name, &spec.summary].into_iter().chain(&spec.aliases);
        words.into_iter().any(|text| text.to_lowercase().contains(&wanted))
    };
    let found: Vec<&Arc<Spec>> = all.iter().filter(|spec| fits(spec)).collect();
    if arguments.json {
        let values: Result<Vec<Value>, _> =
            found.iter().map(|spec| to_value(spec.as_ref())).collect();
        print_line(&model::json::to_string(&Value::array(
            values.context("a description could not be printed")?,
        )));
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.quiet {
        found.iter().for_each(|spec| print_line(&spec.id));
        return Ok(if found.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS });
    }
    if found.is_empty() {
        eprint_line(&format!("No node matches '{wanted}'. `heddle nodes` lists all nodes."));
        return Ok(ExitCode::from(1));
    }
    let mut table = Table::new(&["id", "versions", "summary"]);
    for spec in &found {
        let versions: Vec<String> = spec.versions.iter().map(f64::to_string).collect();
        table.row([
            Cell::text(spec.id.clone()),
            Cell::text(format!("v{}", versions.join(","))),
            Cell::text(spec.summary.clone()),
        ]);
    }
    table.print(ListOutput::default());
    eprint_line(&format!("{} entries", found.len()));
    Ok(ExitCode::SUCCESS)
}
