//! What is written can be read again, in every format; and what no honest file has is refused.

use super::*;
use model::{Item, Items, Object, Value, json};

fn items(list: Value) -> Items {
    list.as_array().unwrap().iter().map(|json| Item::new(json.clone())).collect()
}

fn options() -> WriteOptions {
    WriteOptions {
        with_header: true,
        compress: false,
        sheet_name: "Sheet".into(),
        delimiter: ",".into(),
    }
}

fn table_rows(data: &[u8], row_options: &RowOptions) -> Value {
    let book = read(data, false).unwrap();
    let mut found = Vec::new();
    rows(&book.sheets[0].1, row_options, |row| {
        found.push(row);
        Ok(())
    })
    .unwrap();
    Value::array(found)
}

fn with_header() -> RowOptions {
    RowOptions { header: true, with_empty: false, range: None }
}

#[test]
fn every_format_gives_back_what_was_written() {
    let data = json!([
        { "id": 1, "name": "Ann & <b>", "ok": true, "nested": { "deep": 1.5, "list": ["x", "y"] }, "empty": null },
        { "id": 2, "name": "Žluťoučký\nkůň", "ok": false, "extra": "  two  blanks " },
    ]);
    let expected = json!([
        { "id": 1, "name": "Ann & <b>", "ok": true, "nested.deep": 1.5, "nested.list.0": "x", "nested.list.1": "y" },
        { "id": 2, "name": "Žluťoučký\nkůň", "ok": false, "extra": "  two  blanks " },
    ]);
    for format in [
        SheetFormat::Csv,
        SheetFormat::Html,
        SheetFormat::Ods,
        SheetFormat::Rtf,
        SheetFormat::Xls,
        SheetFormat::Xlsx,
    ] {
        for compress in [false, true] {
            let file = write(&items(data.clone()), format, &WriteOptions { compress, ..options() })
                .unwrap();
            let mut found = table_rows(&file, &with_header());
            if format == SheetFormat::Rtf {
                // A blank at either end is part of the markup there.
                assert_eq!(found.get_path("[1].name"), expected.get_path("[1].name"), "{format:?}");
                continue;
            }
            if format == SheetFormat::Html {
                found.make_array()[1].make_object().insert("extra", "  two  blanks ");
            }
            assert_eq!(found, expected, "{format:?}");
        }
    }
}

#[test]
fn csv_is_written_as_a_spreadsheet_program_would() {
    let data = json!([{ "ID": "a,b", "n": 1_700_000_000_000_i64, "x": 0.1, "q": "say \"hi\"", "t": true, "none": null }, { "ID": "c" }]);
    let file = write(&items(data), SheetFormat::Csv, &options()).unwrap();
    assert_eq!(
        String::from_utf8(file).unwrap(),
        "\u{feff}\"ID\",n,x,q,t,none\n\"a,b\",1.7E+12,0.1,\"say \"\"hi\"\"\",TRUE,\nc,,,,,"
    );
    let bare = WriteOptions { with_header: false, delimiter: ";".into(), ..options() };
    assert_eq!(
        write(&items(json!([{ "a": 1, "b": "x;y" }])), SheetFormat::Csv, &bare).unwrap(),
        "\u{feff}1;\"x;y\"".as_bytes()
    );
    assert_eq!(write(&Items::new(), SheetFormat::Csv, &options()).unwrap(), "\u{feff}".as_bytes());
}

#[test]
fn long_texts_and_many_of_them_survive_the_old_excel_format() {
    let long = "žx".repeat(15_000);
    let many: Vec<Value> = (0..3000)
        .map(|n| json!({ "n": n, "text": format!("text number {n}"), "long": if n == 1500 { long.as_str() } else { "" } }))
        .collect();
    let file = write(&items(Value::array(many)), SheetFormat::Xls, &options()).unwrap();
    let found = table_rows(&file, &with_header());
    assert_eq!(found.as_array().unwrap().len(), 3000);
    assert_eq!(found.get_path("[1500].long"), Some(&Value::from(long)));
    assert_eq!(found.get_path("[2999].text"), Some(&json!("text number 2999")));
}

#[test]
fn issue_14_09_a_sheet_is_bounded_by_what_it_takes_in_memory() {
    let field =
        |name: String, value: Value| Value::object(Object::from_iter([(Str::from(name), value)]));
    let many = |n: usize, make: &dyn Fn(usize) -> Value| {
        (0..n).map(|at| Item::new(make(at))).collect::<Items>()
    };
    let told = |items: Items| {
        let error = write(&items, SheetFormat::Csv, &options()).unwrap_err();
        assert_eq!(error.code(), Code::INPUT_BOMB);
        error.message().to_string()
    };
    // No field in common: four million cells of which 2,001 hold something.
    assert!(told(many(2_001, &|at| field(format!("f{at}"), at.into()))).contains("4000000 cells"));
    let wide = Value::object(
        (0..16_385).map(|at| (Str::from(format!("f{at}")), Value::Null)).collect::<Object>(),
    );
    assert!(told(many(1, &|_| wide.clone())).contains("16384 columns"));
    // A long name is the beginning of every name below it.
    let zeros = Value::array(vec![Value::from(0); 1_000]);
    assert!(
        told(many(1, &|_| field("x".repeat(1 << 20), zeros.clone()))).contains("128 MB of text")
    );
    // All items share one text here, but a file does not.
    let long = Value::from("x".repeat(1 << 20));
    assert!(told(many(129, &|_| field("a".into(), long.clone()))).contains("128 MB of text"));
    // What a person would write is written.
    let honest = Value::object(
        (0..30).map(|at| (Str::from(format!("f{at}")), Value::from(at))).collect::<Object>(),
    );
    let file = write(&many(100_000, &|_| honest.clone()), SheetFormat::Csv, &options()).unwrap();
    assert_eq!(file.iter().filter(|byte| **byte == b'\n').count(), 100_000);
}

#[test]
fn a_sheet_can_be_read_without_header_in_part_and_with_empty_cells() {
    let text = b"a,b\n1,\n,\n3,4\n";
    let bare = RowOptions { header: false, with_empty: false, range: None };
    assert_eq!(table_rows(text, &bare), json!([["a", "b"], [1], [], [3, 4]]));
    assert_eq!(
        table_rows(text, &RowOptions { range: Some("1".into()), ..bare.clone() }),
        json!([[1], [], [3, 4]])
    );
    assert_eq!(
        table_rows(text, &RowOptions { range: Some("B1:B4".into()), ..bare }),
        json!([["b"], [], [], [4]])
    );
    let full = RowOptions { header: true, with_empty: true, range: None };
    assert_eq!(table_rows(text, &full), json!([{ "a": 1, "b": "" }, { "a": 3, "b": 4 }]));
}

#[test]
fn repeated_and_missing_names_are_told_apart() {
    assert_eq!(
        table_rows(b"a,a,,a\n1,2,3,4\n", &with_header()),
        json!([{ "a": 1, "a_1": 2, "__EMPTY": 3, "a_2": 4 }])
    );
}

#[test]
fn tables_of_a_page_are_sheets() {
    let page = "<html><p>x</p><TABLE border='1'><tr><th>Name</th><th colspan=2>Wide</th></tr>\
        <tr><td rowspan=2>Ann<br>Lee</td><td> 1,5 </td><td>&amp;&#65;</td></tr><tr><td>x<td>y</table><table><tr><td>second</td></tr></table>";
    let book = read(page.as_bytes(), false).unwrap();
    assert_eq!(
        book.sheets.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["Sheet1", "Sheet2"]
    );
    let bare = RowOptions { header: false, with_empty: false, range: None };
    assert_eq!(
        table_rows(page.as_bytes(), &bare),
        json!([["Name", "Wide"], ["Ann\nLee", 15, "&A"], [null, "x", "y"]])
    );
}

#[test]
fn files_that_are_no_spreadsheets_say_so() {
    for (data, message) in [
        (b"%PDF-1.4".as_slice(), "PDF File is not a spreadsheet"),
        (b"\x89PNG\r\n", "PNG Image File is not a spreadsheet"),
        (b"<p>no table</p>", "Invalid HTML: could not find <table>"),
        (b"{\\rtf1 text}", "RTF missing table"),
    ] {
        assert_eq!(read(data, false).unwrap_err().message(), message);
    }
    assert!(read(b"PK\x03\x04broken", false).is_err());
    assert!(read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1broken", false).is_err());
}

fn zip_of(files: &[(&str, String)]) -> Vec<u8> {
    use std::io::Write as _;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn rows_and_cells_repeated_without_end_are_refused() {
    let document = |row: &str| {
        zip_of(&[(
            "content.xml",
            format!(
                "<office:document-content><table:table table:name=\"x\">{row}</table:table></office:document-content>"
            ),
        )])
    };
    let cells = document(
        "<table:table-row><table:table-cell table:number-columns-repeated=\"4000000000\" office:value-type=\"float\" office:value=\"1\"/></table:table-row>",
    );
    assert_eq!(read(&cells, false).unwrap_err().code(), Code::INPUT_BOMB);
    let rows = document(
        "<table:table-row table:number-rows-repeated=\"1000000\"><table:table-cell table:number-columns-repeated=\"10000\" office:value-type=\"float\" office:value=\"1\"/></table:table-row>",
    );
    assert_eq!(read(&rows, false).unwrap_err().code(), Code::INPUT_BOMB);
    let empty = document(
        "<table:table-row table:number-rows-repeated=\"4000000000\"><table:table-cell table:number-columns-repeated=\"4000000000\"/></table:table-row>",
    );
    assert_eq!(read(&empty, false).unwrap().sheets.len(), 1);
}

#[test]
fn a_far_off_cell_costs_nothing() {
    let sheet = "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><dimension ref=\"A1:XFD1048576\"/><sheetData>\
        <row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>a</t></is></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row></sheetData></worksheet>";
    let file = zip_of(&[
        ("_rels/.rels", "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>".to_owned()),
        ("[Content_Types].xml", "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>".to_owned()),
        ("xl/workbook.xml", "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>".to_owned()),
        ("xl/_rels/workbook.xml.rels", "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>".to_owned()),
        ("xl/worksheets/sheet1.xml", sheet.to_owned()),
    ]);
    let found = table_rows(&file, &with_header());
    assert_eq!(found, json!([{ "__EMPTY_16382": 1 }]));
}

#[test]
fn an_entity_bomb_inside_a_document_is_not_expanded() {
    let xml = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><office:document-content><table:table table:name=\"x\"><table:table-row><table:table-cell><text:p>&b;&b;z</text:p></table:table-cell></table:table-row></table:table></office:document-content>";
    let book = read(&zip_of(&[("content.xml", xml.to_owned())]), false).unwrap();
    assert_eq!(book.sheets[0].1.get(0, 0), Some(&SheetCell::Text("z".into())));
}

/// A caller's text becomes no formula in the workbook that somebody opens. CSV has no types;
/// there it stays as it came, as in n8n.
#[test]
fn text_that_looks_like_a_formula_stays_text() {
    let texts = [
        "=1+1",
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1+1",
        "=HYPERLINK(\"https://evil.example\")",
    ];
    let data = Value::array(texts.iter().map(|text| json!({ "text": text })).collect());
    for format in [SheetFormat::Xlsx, SheetFormat::Xls, SheetFormat::Ods] {
        let file = write(&items(data.clone()), format, &options()).unwrap();
        assert_eq!(table_rows(&file, &with_header()), data, "{format:?}");
        let plain = String::from_utf8_lossy(&file);
        assert!(!plain.contains("<f>") && !plain.contains("table:formula"), "{format:?}");
    }
}
