//! A PDF made by hand, and what could be wrong with one.

use super::*;
use model::{Code, json};

/// A file of these objects, numbered from 1; the first is the catalog.
fn pdf_of(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.5\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", number + 1).bytes());
    }
    let table = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        out.extend(format!("{place:010} 00000 n \n").bytes());
    }
    out.extend(
        format!(
            "trailer\n<< /Size {} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF",
            objects.len() + 1
        )
        .bytes(),
    );
    out
}

fn stream(fields: &str, content: &str) -> String {
    format!("<< {fields} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

fn pages(contents: &[&str], extra: &str) -> Vec<u8> {
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned()];
    let kids: Vec<String> =
        (0..contents.len()).map(|page| format!("{} 0 R", 4 + page * 2)).collect();
    objects.push(format!(
        "<< /Type /Pages /Kids [{}] /Count {} /MediaBox [0 0 600 800] >>",
        kids.join(" "),
        contents.len()
    ));
    objects.push(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    );
    for (page, content) in contents.iter().enumerate() {
        let resources = format!("<< /Font << /F1 3 0 R >> {extra} >>");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /Resources {resources} /Contents {} 0 R >>",
            5 + page * 2
        ));
        objects.push(stream("", content));
    }
    objects.push("<< /Title (A title) /Author (\\376\\377\\000\\304) /Custom (mine) >>".to_owned());
    let info = objects.len();
    pdf_of(&objects, &format!("/Info {info} 0 R"))
}

fn joined() -> PdfOptions {
    PdfOptions { join_pages: true, ..PdfOptions::default() }
}

#[tokio::test]
async fn text_comes_in_lines_and_pages_and_properties_beside_it() {
    let file = pages(
        &[
            "BT /F1 12 Tf 50 700 Td (Hello ) Tj (World ) Tj 0 -20 Td (second line) Tj ET",
            "BT /F1 12 Tf 50 700 Td (Page two) Tj ET",
        ],
        "",
    );
    let found = extract(file.clone().into(), joined()).await.unwrap();
    assert_eq!(found.get("text"), Some(&json!("Hello World\nsecond line\n\nPage two")));
    assert_eq!(found.get("numpages"), Some(&json!(2)));
    let info = found.get("info").unwrap();
    assert_eq!(info.get("Title"), Some(&json!("A title")));
    assert_eq!(info.get("Author"), Some(&json!("Ä")));
    assert_eq!(info.get("Custom"), Some(&json!({ "Custom": "mine" })));
    assert_eq!(info.get("IsLinearized"), Some(&json!(false)));
    let apart =
        extract(file.clone().into(), PdfOptions { max_pages: Some(1), ..PdfOptions::default() })
            .await
            .unwrap();
    assert_eq!(apart.get("text"), Some(&json!(["Hello World\nsecond line"])));
    let none = extract(file.into(), PdfOptions { max_pages: Some(0), ..joined() }).await.unwrap();
    assert_eq!(none.get("text"), Some(&json!("")));
}

#[tokio::test]
async fn what_is_no_pdf_says_so() {
    for data in [&b"not a pdf"[..], b"", b"%PDF-1.4\n%%EOF"] {
        let error = extract(Bytes::copy_from_slice(data), joined()).await.unwrap_err();
        assert_eq!(error.message(), "Invalid PDF structure.");
    }
}

#[tokio::test]
async fn a_form_that_draws_itself_is_refused() {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /Resources << /XObject << /X 5 0 R >> >> /Contents 4 0 R >>"
            .to_owned(),
        stream("", "/X Do"),
        stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /X 5 0 R >> >>",
            "/X Do",
        ),
    ];
    let error = extract(pdf_of(&objects, "").into(), joined()).await.unwrap_err();
    assert_eq!(error.code(), Code::INPUT_BOMB, "{error}");
    // The same by the resources of the page.
    objects[4] = stream("/Type /XObject /Subtype /Form /BBox [0 0 1 1]", "/X Do");
    assert_eq!(
        extract(pdf_of(&objects, "").into(), joined()).await.unwrap_err().code(),
        Code::INPUT_BOMB
    );
}

#[tokio::test]
async fn forms_that_multiply_are_refused() {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /Resources << /XObject << /X 5 0 R >> >> /Contents 4 0 R >>"
            .to_owned(),
        stream("", "/X Do"),
    ];
    for level in 0..8 {
        let fields = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /X {} 0 R >> >>",
            6 + level
        );
        objects.push(stream(&fields, &"/X Do ".repeat(10)));
    }
    objects.push(stream("/Type /XObject /Subtype /Form /BBox [0 0 1 1]", ""));
    assert_eq!(
        extract(pdf_of(&objects, "").into(), joined()).await.unwrap_err().code(),
        Code::INPUT_BOMB
    );
}

#[tokio::test]
async fn a_part_packed_twice_is_refused() {
    let file = pdf_of(&[stream("/Filter [/FlateDecode /FlateDecode]", "x")], "");
    assert_eq!(extract(file.into(), joined()).await.unwrap_err().code(), Code::INPUT_BOMB);
}

#[tokio::test]
async fn damaged_files_end_in_an_error_or_a_text() {
    let file = pages(&["BT /F1 12 Tf 50 700 Td (Hello) Tj ET"], "");
    for at in (0..file.len()).step_by(7) {
        let mut damaged = file.clone();
        damaged[at] ^= 0x15;
        let _ = extract(damaged.into(), joined()).await;
        let _ = extract(file[..at].to_vec().into(), joined()).await;
    }
}

#[tokio::test]
async fn widths_in_the_short_form_leave_no_gaps_between_letters() {
    let map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange \
        3 beginbfchar <0001> <0041> <0002> <0042> <0003> <0043> endbfchar endcmap end end";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        // No page says how large it is.
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>".to_owned(),
        stream("", "BT /F1 12 Tf 50 700 Td <0001> Tj 6 0 Td <0002> Tj 12 0 Td <0003> Tj ET"),
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>".to_owned(),
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /W [1 3 500 9 [250]] /DW 0 /CIDSystemInfo << >> >>".to_owned(),
        stream("", map),
    ];
    let found = extract(pdf_of(&objects, "").into(), joined()).await.unwrap();
    assert_eq!(found.get("text"), Some(&json!("AB C")));
}
