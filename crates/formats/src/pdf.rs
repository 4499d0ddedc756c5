//! Text and properties of PDF files. The parser is not to be trusted with bad files: callers run it
//! in a process of its own, or guarded in a thread.

#[cfg(test)]
mod encryption_tests;
mod owner_password;
mod repair;
mod text;
mod validate;

use model::{Object, Str, Value};
use pdf_extract::{Dictionary, Document, LoadOptions, Object as PdfObject};
use ports::NodeError;

/// The version of the reader that n8n reports; workflows only ever show it.
const VERSION: &str = "5.4.296";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdfOptions {
    pub password: Option<Str>,
    /// None: all pages. Zero: none.
    pub max_pages: Option<usize>,
    pub join_pages: bool,
}

/// What n8n makes of a PDF: the number of pages, its properties and its text.
pub fn read(data: &[u8], options: &PdfOptions) -> Result<Object, NodeError> {
    validate::measure(data)?;
    let mut document = open(data, options.password.as_deref())?;
    validate::check(&document)?;
    repair::repair(&mut document);
    let pages = document.get_pages();
    let most = options.max_pages.unwrap_or(usize::MAX);
    let mut texts = Vec::new();
    for number in pages.keys().take(most) {
        texts.push(text::page(&document, *number)?);
    }
    let text = if options.join_pages {
        Value::from(texts.join("\n\n"))
    } else {
        Value::array(texts.into_iter().map(Value::from).collect())
    };
    let mut result = Object::new();
    result.insert("numpages", pages.len());
    result.insert("numrender", pages.len());
    result.insert("info", info(&document));
    result.insert("metadata", metadata(&document));
    result.insert("text", text);
    result.insert("version", VERSION);
    Ok(result)
}

fn open(data: &[u8], password: Option<&str>) -> Result<Document, NodeError> {
    let invalid = |error: pdf_extract::Error| {
        NodeError::input("Invalid PDF structure.").describe(error.to_string())
    };
    let closed = |error: pdf_extract::Error| match error {
        pdf_extract::Error::InvalidPassword => refused(password),
        error => invalid(error),
    };
    let password = password.filter(|password| !password.is_empty());
    let document = Document::load_mem(data).map_err(closed)?;
    // Whoever may read it without a password needs none.
    if !document.is_encrypted() {
        return Ok(document);
    }
    let Some(given) = password else { return Err(refused(None)) };
    let user = owner_password::user_password(&document, given);
    let options = LoadOptions::with_password(user.as_deref().unwrap_or(given));
    let document = Document::load_mem_with_options(data, options).map_err(closed)?;
    if document.is_encrypted() {
        return Err(refused(password));
    }
    Ok(document)
}

fn refused(password: Option<&str>) -> NodeError {
    let problem = if password.is_some() { "Incorrect Password" } else { "No password given" };
    NodeError::input(problem).hint("Set the node's Password option.")
}

fn info(document: &Document) -> Object {
    let catalog = document.catalog().ok();
    let entry = |key: &[u8]| {
        catalog.and_then(|catalog| catalog.get(key).ok()).map(|value| resolve(document, value))
    };
    let form = entry(b"AcroForm").and_then(|form| form.as_dict().ok());
    let in_form =
        |key: &[u8]| form.and_then(|form| form.get(key).ok()).map(|value| resolve(document, value));
    let has_fields = in_form(b"Fields")
        .and_then(|fields| fields.as_array().ok())
        .is_some_and(|fields| !fields.is_empty());
    let flags = in_form(b"SigFlags").and_then(|flags| flags.as_i64().ok()).unwrap_or(0);
    // Only the standard filter can be opened, and what says so is gone once it is.
    let filter = document.was_encrypted().then(|| "Standard".to_owned());
    let text_or_null = |text: Option<String>| text.map_or(Value::Null, Value::from);
    let mut info = Object::new();
    info.insert("PDFFormatVersion", document.version.as_str());
    info.insert("Language", text_or_null(entry(b"Lang").and_then(text::decode)));
    info.insert("EncryptFilterName", text_or_null(filter));
    info.insert("IsLinearized", document.objects.values().any(is_linearized));
    info.insert("IsAcroFormPresent", has_fields);
    info.insert("IsXFAPresent", in_form(b"XFA").is_some());
    info.insert("IsCollectionPresent", entry(b"Collection").is_some());
    info.insert("IsSignaturesPresent", has_fields && flags & 1 != 0);
    let told = document
        .trailer
        .get(b"Info")
        .ok()
        .map(|value| resolve(document, value))
        .and_then(|value| value.as_dict().ok());
    add_declared(document, told, &mut info);
    info
}

/// What the file says of itself. Fields that the format does not know are put together as custom
/// ones.
fn add_declared(document: &Document, told: Option<&Dictionary>, info: &mut Object) {
    const KNOWN: [&str; 9] = [
        "Title",
        "Author",
        "Subject",
        "Keywords",
        "Creator",
        "Producer",
        "CreationDate",
        "ModDate",
        "Trapped",
    ];
    let mut custom = Object::new();
    for (key, value) in told.into_iter().flat_map(Dictionary::iter) {
        let key = String::from_utf8_lossy(key).into_owned();
        let value = match resolve(document, value) {
            PdfObject::Name(name) => Value::object(Object::from_iter([(
                "name",
                String::from_utf8_lossy(name).into_owned(),
            )])),
            PdfObject::Integer(number) => Value::from(*number),
            PdfObject::Real(number) => Value::from(f64::from(*number)),
            PdfObject::Boolean(flag) => Value::from(*flag),
            value => match text::decode(value) {
                Some(text) => Value::from(text),
                None => continue,
            },
        };
        if KNOWN.contains(&key.as_str()) {
            // Texts only; a known field of another type is damaged.
            if value.is_string() || key == "Trapped" {
                info.insert(key, value);
            }
        } else {
            custom.insert(key, value);
        }
    }
    if !custom.is_empty() {
        info.insert("Custom", custom);
    }
}

/// The fields of the XMP record, by their names in small letters.
fn metadata(document: &Document) -> Value {
    let stream = document
        .catalog()
        .ok()
        .and_then(|catalog| catalog.get(b"Metadata").ok())
        .map(|value| resolve(document, value));
    let Some(stream) = stream.and_then(|stream| stream.as_stream().ok()) else {
        return Value::Undefined;
    };
    let content = stream.get_plain_content().unwrap_or_else(|_| stream.content.clone());
    validate::metadata(&String::from_utf8_lossy(&content)).map_or(Value::Undefined, Value::object)
}

fn is_linearized(object: &PdfObject) -> bool {
    object.as_dict().is_ok_and(|fields| fields.has(b"Linearized"))
}

fn resolve<'d>(document: &'d Document, object: &'d PdfObject) -> &'d PdfObject {
    document.dereference(object).map_or(object, |(_, object)| object)
}
