//! What the pages of ours that are made here may do: run and apply nothing but what stands in them,
//! by its hash.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// An inline script or style as a source in a Content-Security-Policy.
pub(crate) fn hash_of(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(digest(&SHA256, text.as_bytes())))
}

/// The style sheet of an author as it can stand in a `<style>` element: it cannot end the element,
/// and is what a browser finds there, so that its hash fits.
pub(crate) fn inside_style(css: &str) -> String {
    // Readers of HTML see one kind of line end, and no zero.
    let read = css.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
    // In CSS an escaped slash is a slash. What is put in has no `</` in it, nor does it make one
    // with what stands beside it.
    read.replace("</", "<\\/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_05_a_style_sheet_does_not_leave_its_element() {
        for css in ["</style><h1>", "<<//style><h1>", "<</</style>", "<</", "a{b:c}</", "</</</"] {
            assert!(!inside_style(css).contains("</"), "{css}");
        }
        assert_eq!(
            inside_style("@media (width <= 600px) { a { color: red } }"),
            "@media (width <= 600px) { a { color: red } }"
        );
    }

    #[test]
    fn issue_14_00_a_style_sheet_is_hashed_as_a_browser_reads_it() {
        assert_eq!(inside_style("a {\r\n}\rb {}\n\r\n\0"), "a {\n}\nb {}\n\n\u{fffd}");
        assert_eq!(inside_style("<\r/style>"), "<\n/style>");
        assert_eq!(hash_of(&inside_style("a{}\r\n")), hash_of("a{}\n"));
    }

    #[test]
    fn a_hash_is_written_as_browsers_expect_it() {
        assert_eq!(hash_of(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    }
}
