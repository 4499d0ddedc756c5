//! Writes a WebAssembly module anew with a prepared memory as its data.

use super::guest::HeapImage;
use anyhow::{bail, ensure};
use wasm_encoder::{
    ConstExpr, DataSection, ExportKind, ExportSection, GlobalSection, GlobalType, MemorySection,
    MemoryType, Module, RawSection, ValType,
};
use wasmparser::{DataKind, ExternalKind, Parser, Payload, TypeRef};

const PAGE: usize = 65536;

/// The same code, started from `image`: memory, stack pointer, and a constant per number the
/// runtime needs to know.
pub(crate) fn with_image(original: &[u8], image: &HeapImage) -> anyhow::Result<Vec<u8>> {
    ensure!(image.memory.len().is_multiple_of(PAGE), "memory is not whole pages");
    let mut module = Module::new();
    let mut imported_globals = 0;
    for payload in Parser::new(0).parse_all(original) {
        match payload? {
            Payload::ImportSection(reader) => {
                for import in reader.clone().into_imports() {
                    imported_globals += u32::from(matches!(import?.ty, TypeRef::Global(_)));
                }
                copy(&mut module, original, 2, reader.range());
            }
            Payload::MemorySection(_) => {
                let mut memories = MemorySection::new();
                memories.memory(MemoryType {
                    minimum: (image.memory.len() / PAGE) as u64,
                    maximum: None,
                    memory64: false,
                    shared: false,
                    page_size_log2: None,
                });
                module.section(&memories);
            }
            Payload::GlobalSection(reader) => {
                ensure!(
                    reader.count() == 1 && imported_globals == 0,
                    "more globals than the stack pointer"
                );
                module.section(&globals(image));
            }
            Payload::ExportSection(reader) => {
                let mut exports = ExportSection::new();
                for export in reader {
                    let export = export?;
                    exports.export(export.name, export_kind(export.kind)?, export.index);
                }
                for (position, (name, _)) in image.constants.iter().enumerate() {
                    exports.export(name, ExportKind::Global, position as u32 + 1);
                }
                module.section(&exports);
            }
            Payload::DataCountSection { .. } => {}
            Payload::DataSection(reader) => {
                for segment in reader {
                    ensure!(
                        matches!(segment?.kind, DataKind::Active { .. }),
                        "the code copies data segments by itself"
                    );
                }
                module.section(&data(&image.memory));
            }
            Payload::StartSection { .. } => bail!("the module starts by itself"),
            Payload::TypeSection(reader) => copy(&mut module, original, 1, reader.range()),
            Payload::FunctionSection(reader) => copy(&mut module, original, 3, reader.range()),
            Payload::TableSection(reader) => copy(&mut module, original, 4, reader.range()),
            Payload::ElementSection(reader) => copy(&mut module, original, 9, reader.range()),
            Payload::CodeSectionStart { range, .. } => copy(&mut module, original, 10, range),
            _ => {}
        }
    }
    Ok(module.finish())
}

/// Where `code` differs from `base`, in pieces of a page: for each its offset, then its bytes. The
/// runtime writes them over an instance of `base`.
pub(crate) fn difference(base: &[u8], code: &[u8]) -> Vec<u8> {
    const PIECE: usize = 1024;
    let mut out = Vec::new();
    for (number, piece) in code.chunks(PIECE).enumerate() {
        let start = number * PIECE;
        if base.get(start..start + piece.len()) != Some(piece) {
            out.extend_from_slice(&(start as u32).to_le_bytes());
            out.extend_from_slice(piece);
        }
    }
    out
}

fn copy(module: &mut Module, original: &[u8], id: u8, range: std::ops::Range<usize>) {
    module.section(&RawSection { id, data: original.get(range).unwrap_or_default() });
}

fn globals(image: &HeapImage) -> GlobalSection {
    let mut globals = GlobalSection::new();
    globals.global(
        GlobalType { val_type: ValType::I32, mutable: true, shared: false },
        &ConstExpr::i32_const(image.stack_pointer),
    );
    for (_, value) in &image.constants {
        globals.global(
            GlobalType { val_type: ValType::I64, mutable: false, shared: false },
            &ConstExpr::i64_const(*value),
        );
    }
    globals
}

/// One segment from the first byte that is not zero to the last: wasmtime maps it copy-on-write.
fn data(memory: &[u8]) -> DataSection {
    let start = memory.iter().position(|byte| *byte != 0).unwrap_or(0) / PAGE * PAGE;
    let end = memory.iter().rposition(|byte| *byte != 0).map_or(start, |last| last + 1);
    let mut data = DataSection::new();
    data.active(
        0,
        &ConstExpr::i32_const(start as i32),
        memory.get(start..end).unwrap_or_default().iter().copied(),
    );
    data
}

fn export_kind(kind: ExternalKind) -> anyhow::Result<ExportKind> {
    Ok(match kind {
        ExternalKind::Func => ExportKind::Func,
        ExternalKind::Table => ExportKind::Table,
        ExternalKind::Memory => ExportKind::Memory,
        ExternalKind::Global => ExportKind::Global,
        other => bail!("an export of kind {other:?}"),
    })
}
