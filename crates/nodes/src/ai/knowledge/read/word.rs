//! The text of a Word document: its paragraphs, headings marked as Markdown marks them.

use formats::unpack::{UnpackLimits, unzip};
use node_api::NodeError;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

pub(super) fn text(data: &[u8], most: u64) -> Result<String, NodeError> {
    let files = unzip(data, UnpackLimits { bytes: most * 4, ..UnpackLimits::default() })?;
    let body = files
        .into_iter()
        .find(|(name, _)| name.as_str() == "word/document.xml")
        .map(|(_, content)| content);
    let body = body.ok_or_else(|| NodeError::input("The file is not a Word document"))?;
    let xml = String::from_utf8(body).map_err(|_| unreadable(&"it is not UTF-8"))?;
    let mut reader = Reader::from_str(&xml);
    let mut text = String::new();
    let mut in_text = false;
    loop {
        match reader.read_event().map_err(|error| unreadable(&error))? {
            Event::Eof => return Ok(text.trim().to_owned()),
            Event::Start(tag) if tag.name().as_ref() == "w:t" => in_text = true,
            Event::End(tag) => match tag.name().as_ref() {
                "w:t" => in_text = false,
                "w:p" => text.push_str("\n\n"),
                "w:tc" => text.push('\t'),
                _ => {}
            },
            Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                "w:tab" => text.push('\t'),
                "w:br" | "w:cr" => text.push('\n'),
                "w:pStyle" => text.push_str(&heading(&tag)),
                _ => {}
            },
            Event::Text(words) if in_text => text.push_str(&words),
            Event::GeneralRef(entity) if in_text => {
                let letter = entity.resolve_char_ref().ok().flatten().map(String::from);
                let known = letter.or_else(|| {
                    quick_xml::escape::resolve_predefined_entity(&entity).map(str::to_owned)
                });
                text.push_str(&known.unwrap_or_default());
            }
            _ => {}
        }
        if text.len() as u64 > most {
            return Err(NodeError::new(
                model::Code::INPUT_BOMB,
                format!("The document's text exceeds the limit of {most} bytes"),
            ));
        }
    }
}

/// `## ` for a paragraph with the style of a heading of the second level.
fn heading(tag: &BytesStart<'_>) -> String {
    let value = tag
        .try_get_attribute("w:val")
        .ok()
        .flatten()
        .map(|attribute| attribute.value.into_owned())
        .unwrap_or_default();
    let style = value.to_lowercase();
    match style.strip_prefix("heading").and_then(|level| level.trim().parse::<usize>().ok()) {
        Some(level @ 1..=6) => format!("{} ", "#".repeat(level)),
        _ => String::new(),
    }
}

fn unreadable(cause: &dyn std::fmt::Display) -> NodeError {
    NodeError::input(format!("The Word document cannot be read: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use zip::{ZipWriter, write::SimpleFileOptions};

    fn document(xml: &str) -> Vec<u8> {
        let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
        archive.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
        archive.write_all(xml.as_bytes()).unwrap();
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn paragraphs_headings_and_cells_become_lines() {
        let xml = r#"<w:document><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Refunds &amp; more</w:t></w:r></w:p>
            <w:p><w:r><w:t>Within </w:t></w:r><w:r><w:t>30 days</w:t><w:br/><w:t>always</w:t></w:r></w:p></w:body></w:document>"#;
        assert_eq!(
            text(&document(xml), 1000).unwrap(),
            "# Refunds & more\n\nWithin 30 days\nalways"
        );
        assert!(text(&document(xml), 10).is_err());
        assert!(text(&document("<w:p><w:t>"), 1000).is_ok());
        assert_eq!(
            text(
                &ZipWriter::new(std::io::Cursor::new(Vec::new())).finish().unwrap().into_inner(),
                10
            )
            .unwrap_err()
            .message()
            .as_str(),
            "The file is not a Word document"
        );
    }
}
