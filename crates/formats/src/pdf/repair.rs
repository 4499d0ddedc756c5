//! Puts right what is allowed in a PDF but trips the reader up, before the text is read.

use super::resolve;
use pdf_extract::{Dictionary, Document, Object as PdfObject, ObjectId};

/// Letters of one font beyond this many have no width of their own.
const MAX_WIDTHS: i64 = 200_000;

pub(super) fn repair(document: &mut Document) {
    let widths: Vec<(ObjectId, Vec<PdfObject>)> = document
        .objects
        .iter()
        .filter_map(|(id, object)| Some((*id, spelled_widths(document, object)?)))
        .collect();
    for (id, list) in widths {
        if let Ok(font) = document.get_object_mut(id).and_then(PdfObject::as_dict_mut) {
            font.set("W", list);
            if !font.has(b"FontDescriptor") {
                font.set("FontDescriptor", Dictionary::new());
            }
        }
    }
    let bare: Vec<ObjectId> =
        document.get_pages().into_values().filter(|page| !has_box(document, *page)).collect();
    for id in bare {
        if let Ok(page) = document.get_object_mut(id).and_then(PdfObject::as_dict_mut) {
            page.set("MediaBox", vec![0.into(), 0.into(), 612.into(), 792.into()]);
        }
    }
}

/// The widths of a font with each letter spelled out: the reader misreads the short form `first
/// last width`.
fn spelled_widths(document: &Document, object: &PdfObject) -> Option<Vec<PdfObject>> {
    let font = object.as_dict().ok()?;
    let kind = font.get(b"Subtype").and_then(PdfObject::as_name).ok()?;
    if !kind.starts_with(b"CIDFontType") {
        return None;
    }
    let widths = font
        .get(b"W")
        .ok()
        .map(|widths| resolve(document, widths))
        .and_then(|widths| widths.as_array().ok());
    let widths = widths.map(Vec::as_slice).unwrap_or_default();
    let mut out = Vec::with_capacity(widths.len());
    let mut rest = widths.iter().map(|width| resolve(document, width));
    let mut left = MAX_WIDTHS;
    while let Some(first) = rest.next() {
        let Ok(first) = first.as_i64() else { break };
        match rest.next() {
            Some(PdfObject::Array(list)) => {
                let list: Vec<PdfObject> =
                    list.iter().map(|width| number(resolve(document, width))).collect();
                out.extend([first.into(), list.into()]);
            }
            Some(last) => {
                let (Ok(last), Some(width)) = (last.as_i64(), rest.next()) else { break };
                let count = last.saturating_sub(first).saturating_add(1).clamp(0, left);
                left -= count;
                out.extend([first.into(), vec![number(width); count as usize].into()]);
            }
            None => break,
        }
    }
    Some(out)
}

fn number(object: &PdfObject) -> PdfObject {
    if object.as_float().is_ok() { object.clone() } else { 0.into() }
}

fn has_box(document: &Document, page: ObjectId) -> bool {
    let mut fields = document.get_dictionary(page).ok();
    for _ in 0..32 {
        let Some(dictionary) = fields else { return false };
        let found = dictionary
            .get(b"MediaBox")
            .ok()
            .map(|value| resolve(document, value))
            .and_then(|value| value.as_array().ok());
        if found.is_some_and(|sides| sides.len() == 4) {
            return true;
        }
        fields = dictionary
            .get(b"Parent")
            .ok()
            .map(|value| resolve(document, value))
            .and_then(|value| value.as_dict().ok());
    }
    false
}
