//! The text of a page in reading order: a new line where the height changes, a blank where there is
//! a gap.

use pdf_extract::{Document, MediaBox, Object as PdfObject, OutputDev, OutputError, Transform};
use ports::NodeError;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A page with more text than this was made to harm.
const MAX_TEXT: usize = 64 << 20;

/// The text of one page. Where the reader fails on a page, a simpler one that knows fewer fonts has
/// a try.
pub(super) fn page(document: &Document, number: u32) -> Result<String, NodeError> {
    let mut writer = PageText::default();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        pdf_extract::output_doc_page(document, &mut writer, number)
    }));
    if matches!(outcome, Ok(Ok(()))) {
        return Ok(writer.text);
    }
    let simpler = catch_unwind(AssertUnwindSafe(|| document.extract_text(&[number])));
    match simpler {
        Ok(Ok(text)) if text.trim().len() > writer.text.trim().len() => {
            Ok(text.trim_end().to_owned())
        }
        _ if !writer.text.is_empty() => Ok(writer.text),
        Ok(Ok(text)) => Ok(text.trim_end().to_owned()),
        _ => {
            Err(NodeError::input(format!("Page {number} of the PDF is damaged and cannot be read")))
        }
    }
}

/// A text of the format: UTF-16 with a mark, UTF-8 with a mark, or its own eight-bit encoding.
pub(super) fn decode(object: &PdfObject) -> Option<String> {
    pdf_extract::decode_text_string(object).ok()
}

#[derive(Default)]
struct PageText {
    text: String,
    /// The height and the right end of the letter before.
    last: Option<(f64, f64)>,
    /// A blank that only counts if more follows on the line.
    has_blank: bool,
}

impl OutputDev for PageText {
    fn begin_page(
        &mut self,
        _: u32,
        _: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        spacing: f64,
        font_size: f64,
        letter: &str,
    ) -> Result<(), OutputError> {
        let (x, y) = (place.m31, place.m32);
        let size = font_size.abs() * place.m11.hypot(place.m12);
        let end = x + (width * font_size + spacing) * place.m11.hypot(place.m12);
        if self.text.len() > MAX_TEXT {
            return Err(OutputError::IoError(std::io::Error::other("the page has too much text")));
        }
        if letter.chars().all(char::is_whitespace) {
            self.has_blank = true;
            return Ok(());
        }
        match self.last {
            Some((last_y, _)) if (y - last_y).abs() > 0.01 => {
                self.text.push('\n');
                self.has_blank = false;
            }
            Some((_, last_end)) if self.has_blank || x - last_end > size * 0.15 => {
                self.text.push(' ')
            }
            _ => {}
        }
        self.has_blank = false;
        self.text.extend(letter.chars().filter(|letter| *letter != '\0'));
        self.last = Some((y, end));
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
