//! Reads the optional settings of file nodes, and the parameters that several of them share.

use model::{Item, Items, PairedItem, Pairs, Str, Value};
use node_api::{Ctx, NodeError, Param};

/// Optional settings of a node for one item.
#[derive(Clone, Debug)]
pub(crate) struct FileSettings(Value);

impl FileSettings {
    pub(crate) fn read(ctx: &Ctx<'_>, path: &str, item: usize) -> Result<Self, NodeError> {
        ctx.param(path, item).map(Self)
    }

    pub(crate) fn of(value: &Value) -> Self {
        Self(value.clone())
    }

    pub(crate) fn value(&self) -> &Value {
        &self.0
    }

    pub(crate) fn get(&self, path: &str) -> &Value {
        self.0.get_path(path).unwrap_or(&Value::Undefined)
    }

    /// The text of a setting; `None` if it was not added.
    pub(crate) fn present_text(&self, path: &str) -> Option<Str> {
        match self.get(path) {
            Value::Undefined | Value::Null => None,
            value => Some(value.to_js_string()),
        }
    }

    /// The text of a setting; `None` if it is empty, too.
    pub(crate) fn text(&self, path: &str) -> Option<Str> {
        self.present_text(path).filter(|text| !text.is_empty())
    }

    pub(crate) fn flag(&self, path: &str) -> bool {
        self.get(path).is_truthy()
    }

    /// Whether a setting that is on unless it is switched off was left on.
    pub(crate) fn flag_or_true(&self, path: &str) -> bool {
        self.get(path) != &Value::Bool(false)
    }

    pub(crate) fn number(&self, path: &str) -> Option<f64> {
        match self.get(path) {
            Value::Number(number) => Some(*number),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}

/// One item made from all that came in.
pub(crate) fn from_all(item: Item, count: usize) -> Item {
    item.with_pairs((0..count).map(PairedItem::new).collect::<Pairs>())
}

/// The output of a node that makes one item of all: the item, or the error in its place.
pub(crate) fn one_output(
    ctx: &Ctx<'_>,
    made: Result<Item, NodeError>,
    count: usize,
) -> Result<Vec<Items>, NodeError> {
    let item = match made {
        Ok(item) => item,
        Err(error) => ctx.failed_item(0, error)?,
    };
    Ok(vec![Items::one(from_all(item, count))])
}

/// The name of an output file field.
pub(crate) fn output_field() -> Param {
    Param::text("binaryPropertyName", "Put output file in field", "data")
        .required()
        .help("Name of the binary field for the file.")
}

/// The name of an input file field.
pub(crate) fn input_field() -> Param {
    Param::text("binaryPropertyName", "Input binary field", "data")
        .required()
        .help("Name of the binary field with the file to read.")
}

pub(crate) fn encoding_option(help: &str) -> Param {
    Param::choice("encoding", "Encoding", ENCODINGS).preset("utf8").help(help)
}

/// Encodings that have a byte order mark.
pub(crate) const MARKED: &[&str] = &["utf8", "cesu8", "ucs2"];

static ENCODINGS: &[(&str, &str)] = &[
    ("ascii", "ASCII"),
    ("base64", "Base64"),
    ("big5hkscs", "Big5 HKSCS"),
    ("binary", "Binary"),
    ("cesu8", "CESU-8"),
    ("cp437", "CP437"),
    ("cp720", "CP720"),
    ("cp737", "CP737"),
    ("cp775", "CP775"),
    ("cp850", "CP850"),
    ("cp852", "CP852"),
    ("cp855", "CP855"),
    ("cp857", "CP857"),
    ("cp858", "CP858"),
    ("cp860", "CP860"),
    ("cp861", "CP861"),
    ("cp862", "CP862"),
    ("cp863", "CP863"),
    ("cp864", "CP864"),
    ("cp865", "CP865"),
    ("cp866", "CP866"),
    ("cp869", "CP869"),
    ("cp936", "CP936"),
    ("cp949", "CP949"),
    ("cp950", "CP950"),
    ("eucjp", "EUC-JP"),
    ("gb18030", "GB18030"),
    ("gbk", "GBK"),
    ("hex", "Hex"),
    ("iso88591", "ISO-8859-1"),
    ("iso885910", "ISO-8859-10"),
    ("iso885911", "ISO-8859-11"),
    ("iso885913", "ISO-8859-13"),
    ("iso885914", "ISO-8859-14"),
    ("iso885915", "ISO-8859-15"),
    ("iso885916", "ISO-8859-16"),
    ("iso88592", "ISO-8859-2"),
    ("iso88593", "ISO-8859-3"),
    ("iso88594", "ISO-8859-4"),
    ("iso88595", "ISO-8859-5"),
    ("iso88596", "ISO-8859-6"),
    ("iso88597", "ISO-8859-7"),
    ("iso88598", "ISO-8859-8"),
    ("iso88599", "ISO-8859-9"),
    ("koi8r", "KOI8-R"),
    ("koi8u", "KOI8-U"),
    ("maccyrillic", "Mac Cyrillic"),
    ("macintosh", "Macintosh"),
    ("shiftjis", "Shift JIS"),
    ("tis620", "TIS-620"),
    ("ucs2", "UCS-2"),
    ("utf16", "UTF-16"),
    ("utf16be", "UTF-16BE"),
    ("utf32", "UTF-32"),
    ("utf32be", "UTF-32BE"),
    ("utf32le", "UTF-32LE"),
    ("utf8", "UTF-8"),
    ("windows1250", "Windows-1250"),
    ("windows1251", "Windows-1251"),
    ("windows1252", "Windows-1252"),
    ("windows1253", "Windows-1253"),
    ("windows1254", "Windows-1254"),
    ("windows1255", "Windows-1255"),
    ("windows1256", "Windows-1256"),
    ("windows1257", "Windows-1257"),
    ("windows1258", "Windows-1258"),
    ("windows874", "Windows-874"),
];
