//! Looks at a PDF before its text is read: nothing in it may call itself or unpack without end.

use flate2::read::ZlibDecoder;
use model::{Code, Object, Value};
use pdf_extract::content::Content;
use pdf_extract::{Dictionary, Document, Object as PdfObject, ObjectId, Stream};
use ports::NodeError;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::HashMap;
use std::io::Read as _;

/// What all packed parts of a file may unpack to.
const MAX_UNPACKED: u64 = 1 << 30;
/// Forms inside of forms.
const MAX_DEPTH: usize = 24;
/// How many forms a file may draw in all, each as often as it is drawn.
const MAX_FORMS: usize = 20_000;

/// Unpacks every packed part to nowhere and counts, before anybody keeps what comes out.
pub(super) fn measure(data: &[u8]) -> Result<(), NodeError> {
    // Deflate cannot do better than about 1 to 1032, so a small file cannot be a bomb.
    if (data.len() as u64).saturating_mul(1032) <= MAX_UNPACKED && !is_packed_twice(data) {
        return Ok(());
    }
    if is_packed_twice(data) {
        return Err(bomb("Part of the PDF is compressed more than once"));
    }
    let mut left = MAX_UNPACKED;
    let mut rest = data;
    while let Some(at) = find(rest, b"stream") {
        let after = rest.get(at + 6..).unwrap_or_default();
        let content =
            after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n")).unwrap_or(after);
        let mut unpacked = 0;
        if content.first().is_some_and(|first| first & 0x0f == 8) {
            let mut decoder = ZlibDecoder::new(content).take(left + 1);
            // What is damaged ends early and counts as far as it went.
            let mut buffer = [0; 16 << 10];
            while let Ok(count @ 1..) = decoder.read(&mut buffer) {
                unpacked += count as u64;
            }
        }
        left = left
            .checked_sub(unpacked)
            .ok_or_else(|| bomb("The decompressed PDF exceeds the size limit"))?;
        rest = content;
    }
    Ok(())
}

fn find(data: &[u8], word: &[u8]) -> Option<usize> {
    data.windows(word.len()).position(|window| window == word)
}

/// A filter that is applied to its own result multiplies what one of them can do.
fn is_packed_twice(data: &[u8]) -> bool {
    let mut rest = data;
    while let Some(at) = find(rest, b"/FlateDecode") {
        let after = &rest[at + 12..];
        let next: Vec<u8> =
            after.iter().copied().skip_while(u8::is_ascii_whitespace).take(12).collect();
        if next.starts_with(b"/FlateDecode")
            || next.starts_with(b"/LZWDecode")
            || next.starts_with(b"/Fl ")
        {
            return true;
        }
        rest = after;
    }
    false
}

/// Follows the forms that pages draw, and the forms that those draw.
pub(super) fn check(document: &Document) -> Result<(), NodeError> {
    let mut walk = FormWalk { document, drawn: HashMap::new(), left: MAX_FORMS };
    let empty = Dictionary::new();
    for page in document.get_pages().into_values() {
        let resources = page_resources(document, page).unwrap_or(&empty);
        let names = document
            .get_page_content(page)
            .map(|content| drawn_names(&content))
            .unwrap_or_default();
        walk.follow(&names, resources, 0)?;
    }
    Ok(())
}

/// The resources of a page, which it may have from a page group above it.
fn page_resources(document: &Document, page: ObjectId) -> Option<&Dictionary> {
    let mut fields = document.get_dictionary(page).ok()?;
    for _ in 0..MAX_DEPTH {
        if let Some(resources) = dictionary(document, fields, b"Resources") {
            return Some(resources);
        }
        fields = dictionary(document, fields, b"Parent")?;
    }
    None
}

fn dictionary<'d>(
    document: &'d Document,
    fields: &'d Dictionary,
    key: &[u8],
) -> Option<&'d Dictionary> {
    document.dereference(fields.get(key).ok()?).ok()?.1.as_dict().ok()
}

struct FormWalk<'d> {
    document: &'d Document,
    drawn: HashMap<ObjectId, Vec<Vec<u8>>>,
    left: usize,
}

impl<'d> FormWalk<'d> {
    fn follow(
        &mut self,
        names: &[Vec<u8>],
        resources: &'d Dictionary,
        depth: usize,
    ) -> Result<(), NodeError> {
        if depth > MAX_DEPTH {
            return Err(bomb("The forms of the PDF are nested too deeply or contain themselves"));
        }
        let Some(objects) = dictionary(self.document, resources, b"XObject") else { return Ok(()) };
        for name in names {
            let Some((id, stream)) = objects.get(name).ok().and_then(|object| self.form(object))
            else {
                continue;
            };
            self.left =
                self.left.checked_sub(1).ok_or_else(|| bomb("The PDF draws too many forms"))?;
            let inner = dictionary(self.document, &stream.dict, b"Resources").unwrap_or(resources);
            let names = match id.and_then(|id| self.drawn.get(&id)) {
                Some(names) => names.clone(),
                None => {
                    let names = drawn_names(&stream.get_plain_content().unwrap_or_default());
                    if let Some(id) = id {
                        self.drawn.insert(id, names.clone());
                    }
                    names
                }
            };
            self.follow(&names, inner, depth + 1)?;
        }
        Ok(())
    }

    fn form(&self, object: &'d PdfObject) -> Option<(Option<ObjectId>, &'d Stream)> {
        let (id, object) = self.document.dereference(object).ok()?;
        let stream = object.as_stream().ok()?;
        let is_form = stream
            .dict
            .get(b"Subtype")
            .and_then(PdfObject::as_name)
            .is_ok_and(|kind| kind == b"Form");
        is_form.then_some((id, stream))
    }
}

/// The names behind the operator that draws an object.
fn drawn_names(content: &[u8]) -> Vec<Vec<u8>> {
    let Ok(content) = Content::decode(content) else { return Vec::new() };
    let drawn = content.operations.iter().filter(|operation| operation.operator == "Do");
    drawn
        .filter_map(|operation| operation.operands.first()?.as_name().ok().map(<[u8]>::to_vec))
        .collect()
}

/// The fields of an XMP record: a text each, a list for the authors and the subjects.
pub(super) fn metadata(xml: &str) -> Option<Object> {
    let mut reader = Reader::from_str(xml);
    let mut fields = Object::new();
    let mut path: Vec<String> = Vec::new();
    let mut text = String::new();
    let mut list: Vec<Value> = Vec::new();
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return (!fields.is_empty()).then_some(fields),
            Event::Start(tag) => {
                if path.len() > 256 {
                    return None;
                }
                path.push(tag.name().as_ref().to_lowercase());
                let is_field = path.len() >= 2 && path[path.len() - 2] == "rdf:description";
                if is_field {
                    text.clear();
                    list.clear();
                }
                if path.last().is_some_and(|name| name == "rdf:li") {
                    text.clear();
                }
            }
            Event::Text(content) => text.push_str(&content),
            Event::GeneralRef(entity) => {
                let letter = entity.resolve_char_ref().ok().flatten().map(String::from);
                text.push_str(
                    &letter
                        .or_else(|| {
                            quick_xml::escape::resolve_predefined_entity(&entity).map(str::to_owned)
                        })
                        .unwrap_or_default(),
                );
            }
            Event::End(_) => {
                let name = path.pop()?;
                if name == "rdf:li" {
                    list.push(Value::from(text.trim()));
                } else if path.last().is_some_and(|parent| parent == "rdf:description") {
                    let value = if matches!(name.as_str(), "dc:creator" | "dc:subject") {
                        Value::array(std::mem::take(&mut list))
                    } else {
                        Value::from(text.trim())
                    };
                    fields.insert(name, value);
                }
            }
            _ => {}
        }
    }
}

fn bomb(message: &str) -> NodeError {
    NodeError::new(Code::INPUT_BOMB, message)
        .hint("The file is malicious or damaged. Do not use it.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn the_record_of_properties_is_read() {
        let xml = "<x:xmpmeta><rdf:RDF><rdf:Description><dc:title><rdf:Alt><rdf:li>T &amp; x</rdf:li></rdf:Alt></dc:title>\
            <dc:creator><rdf:Seq><rdf:li>Ann</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator><xmp:CreateDate>2020</xmp:CreateDate>\
            </rdf:Description></rdf:RDF></x:xmpmeta>";
        let found = Value::object(metadata(xml).unwrap());
        assert_eq!(
            found,
            json!({ "dc:title": "T & x", "dc:creator": ["Ann", "Bob"], "xmp:createdate": "2020" })
        );
    }
}
