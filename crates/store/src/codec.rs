//! Items as bytes and back, without loss: one tag a value, lengths as varints, repeated texts by
//! number.
//!
//! JSON text would lose `undefined`, dates, `NaN` and `-0`, and takes about twice as long to read
//! back.

use crate::blobs::{FetchedFile, FileHash, FilesMark, INLINE_LIMIT, PendingFiles};
use crate::large_events::{ChunkRef, FORMAT, IN_PARTS, PartReader, STREAM_BYTES};
use crate::passthrough::InputRef;
use model::{
    Binary, DateKind, DateValue, Item, ItemError, Items, Object, PairedItem, Pairs, Source, Str,
    Value,
};
use smallvec::SmallVec;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;

const UNDEFINED: u8 = 0;
const NULL: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;
const NUMBER: u8 = 4;
const WHOLE: u8 = 5;
const NEGATIVE: u8 = 6;
const TEXT: u8 = 7;
const DATE: u8 = 8;
const LUXON: u8 = 9;
const ARRAY: u8 = 10;
const OBJECT: u8 = 11;

/// Room for so many values is made at once; a damaged length must not ask for much.
const MANY: usize = 1024;

/// Values nested deeper than this were made by nobody; the reader must not run out of stack on a
/// damaged file.
const MAX_DEPTH: usize = 4096;

pub(crate) fn encode(items: &[Item]) -> Vec<u8> {
    let mut writer =
        ItemEncoder { out: Vec::with_capacity(items.len() * 64), ..ItemEncoder::default() };
    writer.length(items.len());
    for item in items {
        writer.item(item);
    }
    writer.out
}

pub(crate) fn decode(bytes: &[u8]) -> io::Result<Vec<Item>> {
    let mut reader = ItemDecoder::new(bytes);
    let count = reader.length()?;
    let mut items = Vec::with_capacity(count.min(bytes.len()));
    for _ in 0..count {
        items.push(reader.item()?);
    }
    if !reader.is_done() {
        return Err(damaged());
    }
    Ok(items)
}

pub(crate) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the data of the run is damaged")
}

/// What the first byte of an item says.
const HAS_FILES: u8 = 1;
const HAS_ERROR: u8 = 2;
const CAME_IN: u8 = 4;

/// How a file is written: its bytes follow, or the name that it is kept under.
const HERE: u8 = 0;
const ELSEWHERE: u8 = 1;

#[derive(Default)]
pub(crate) struct ItemEncoder<'g> {
    pub(crate) out: Vec<u8>,
    names: NameTable,
    /// Takes large files; without it all of them are written here.
    files: Option<&'g mut PendingFiles>,
    /// Lists and values end once this much is written, and what was written counts as too much.
    pub(crate) most: Option<usize>,
    /// Files that came since then count as too much once they are more than go to disk at once.
    pub(crate) files_since: Option<FilesMark>,
    /// Something was left out because of one of them.
    is_cut: bool,
    /// Whether large files may be added up.
    pub(crate) haste: EncodeMode,
    /// One was not, because of it.
    is_put_off: bool,
    /// Lists that were written in parts, in order: they are named instead.
    pub(crate) lists: Option<VecDeque<Vec<ChunkRef>>>,
}

/// Whether whoever writes can wait for what takes milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EncodeMode {
    #[default]
    Blocking,
    Immediate,
}

/// Names by number, counted from one.
#[derive(Default)]
struct NameTable {
    all: SmallVec<[Str; FEW_NAMES]>,
    /// Where they stand, once they are more than a few.
    places: HashMap<Str, usize>,
    /// The place behind the name that was asked for last.
    next: usize,
}

/// So many names are found sooner by looking at each.
const FEW_NAMES: usize = 24;

impl NameTable {
    fn number_of(&mut self, name: &Str) -> Option<usize> {
        // Items of a list have the same keys in the same order.
        let place = match self.all.get(self.next) {
            Some(expected) if expected == name => self.next,
            _ if self.places.is_empty() => self.all.iter().position(|known| known == name)?,
            _ => *self.places.get(name)?,
        };
        self.next = place + 1;
        Some(self.next)
    }

    fn add(&mut self, name: &Str) {
        self.all.push(name.clone());
        self.next = self.all.len();
        if self.all.len() == FEW_NAMES + 1 {
            self.places = self.all.iter().cloned().zip(0..).collect();
        } else if self.all.len() > FEW_NAMES {
            self.places.insert(name.clone(), self.all.len() - 1);
        }
    }
}

impl<'g> ItemEncoder<'g> {
    /// A writer that only names large files.
    pub(crate) fn naming(files: &'g mut PendingFiles) -> Self {
        Self { files: Some(files), ..Self::default() }
    }

    /// Whether more was written than may be.
    pub(crate) fn is_too_much(&self) -> bool {
        self.is_cut || self.is_put_off || self.is_past(self.out.len())
    }

    /// Whether a large file was left out that nobody has added up yet.
    pub(crate) fn is_put_off(&self) -> bool {
        self.is_put_off
    }

    /// How many bytes of files wait to be taken along.
    pub(crate) fn file_bytes(&self) -> usize {
        self.files.as_ref().map_or(0, |files| files.new_bytes())
    }

    fn is_past(&self, length: usize) -> bool {
        self.most.is_some_and(|most| length > most)
    }
}

impl ItemEncoder<'_> {
    #[inline]
    pub(crate) fn length(&mut self, mut length: usize) {
        while length >= 0x80 {
            self.out.push(length as u8 | 0x80);
            length >>= 7;
        }
        self.out.push(length as u8);
    }

    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        if self.is_past(self.out.len() + bytes.len()) {
            self.is_cut = true;
            return;
        }
        self.out.extend_from_slice(bytes);
    }

    /// A text that is likely to come again, such as a key: in full the first time, by its number
    /// after that.
    pub(crate) fn name(&mut self, name: &Str) {
        match self.names.number_of(name) {
            Some(number) => self.length(number),
            None => {
                self.names.add(name);
                self.length(0);
                self.bytes(name.as_bytes());
            }
        }
    }

    pub(crate) fn optional(&mut self, text: Option<&Str>) {
        self.out.push(u8::from(text.is_some()));
        if let Some(text) = text {
            self.bytes(text.as_bytes());
        }
    }

    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Undefined => self.out.push(UNDEFINED),
            Value::Null => self.out.push(NULL),
            Value::Bool(flag) => self.out.push(if *flag { TRUE } else { FALSE }),
            Value::Number(number) => {
                let magnitude = number.abs();
                let is_small_whole = magnitude < 9e15
                    && magnitude.fract() == 0.0
                    && (magnitude > 0.0 || number.is_sign_positive());
                if is_small_whole {
                    self.out.push(if number.is_sign_negative() { NEGATIVE } else { WHOLE });
                    self.length(magnitude as usize);
                } else {
                    self.out.push(NUMBER);
                    self.out.extend_from_slice(&number.to_bits().to_le_bytes());
                }
            }
            Value::String(text) => {
                self.out.push(TEXT);
                self.bytes(text.as_bytes());
            }
            Value::Date(date) => {
                self.out.push(if date.kind == DateKind::Luxon { LUXON } else { DATE });
                self.out.extend_from_slice(&date.epoch_ms.to_bits().to_le_bytes());
                self.bytes(date.iso.as_bytes());
            }
            Value::Array(values) => {
                self.out.push(ARRAY);
                self.length(values.len());
                for value in values.iter() {
                    self.value(value);
                    if self.is_too_much() {
                        return;
                    }
                }
            }
            Value::Object(object) => {
                self.out.push(OBJECT);
                self.object(object);
            }
        }
    }

    pub(crate) fn object(&mut self, object: &Object) {
        self.length(object.len());
        for (key, value) in object.iter() {
            self.name(key);
            self.value(value);
            if self.is_too_much() {
                return;
            }
        }
    }

    pub(crate) fn item(&mut self, item: &Item) {
        self.item_from(item, None);
    }

    /// An item whose fields may have been written before, at a place that the reader knows too.
    pub(crate) fn item_from(&mut self, item: &Item, place: Option<InputRef>) {
        let mark = |bit: u8, is_set: bool| if is_set { bit } else { 0 };
        self.out.push(
            mark(HAS_FILES, item.binary.is_some())
                | mark(HAS_ERROR, item.error.is_some())
                | mark(CAME_IN, place.is_some()),
        );
        match place {
            Some((input, at)) => {
                self.length(input);
                self.length(at);
            }
            None => self.value(&item.json),
        }
        if self.is_too_much() {
            // Nor are its files looked at, which are added up for their names.
            return;
        }
        if let Some(files) = &item.binary {
            self.length(files.len());
            for (name, file) in files.iter() {
                self.name(name);
                self.binary(file);
                if self.is_too_much() {
                    return;
                }
            }
        }
        self.length(item.paired.len());
        for pair in item.paired.iter() {
            self.length(pair.item as usize);
            self.length(pair.input as usize);
            self.out.push(u8::from(pair.source.is_some()));
            if let Some(source) = &pair.source {
                self.name(&source.node);
                self.length(source.output);
                self.length(source.run);
            }
        }
        if let Some(error) = &item.error {
            self.bytes(error.message.as_bytes());
            self.optional(error.description.as_ref());
        }
    }

    fn binary(&mut self, file: &Binary) {
        let Binary { data, mime_type, file_name, file_extension, file_type, directory, extra } =
            file;
        match self.files.as_mut().filter(|_| data.len() > INLINE_LIMIT) {
            Some(files) if self.haste == EncodeMode::Immediate && !files.is_cheap_to_hash(data) => {
                self.is_put_off = true;
                return;
            }
            Some(files) => {
                let sum = files.add(file);
                self.is_cut |=
                    self.files_since.is_some_and(|mark| files.is_past(mark, STREAM_BYTES));
                self.out.push(ELSEWHERE);
                self.out.extend_from_slice(&sum.0);
                self.length(data.len());
            }
            None => {
                self.out.push(HERE);
                self.bytes(data);
            }
        }
        self.name(mime_type);
        for text in [file_name, file_extension, file_type, directory] {
            self.optional(text.as_ref());
        }
        self.object(extra);
    }
}

pub(crate) struct ItemDecoder<'a> {
    bytes: &'a [u8],
    at: usize,
    names: Vec<Str>,
    depth: usize,
    /// Gets files that are kept elsewhere; without it there are none.
    pub(crate) fetch: Option<&'a Fetch<'a>>,
    /// What came to the step that is read.
    pub(crate) came_in: Arc<Vec<Option<Items>>>,
    /// Reads what was written in parts; without it nothing was.
    pub(crate) parts: Option<Arc<PartReader>>,
}

/// Gets a file by its sum and size.
pub(crate) type Fetch<'a> = dyn Fn(FileHash, usize) -> io::Result<FetchedFile> + 'a;

impl<'a> ItemDecoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            names: Vec::new(),
            depth: 0,
            fetch: None,
            came_in: Arc::default(),
            parts: None,
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Whether what comes next was written in parts. The marks of it are passed over; a form that
    /// is not known here is damage.
    pub(crate) fn is_in_parts(&mut self) -> io::Result<bool> {
        if self.bytes.get(self.at..).is_none_or(|rest| !rest.starts_with(&IN_PARTS)) {
            return Ok(false);
        }
        self.at += IN_PARTS.len();
        if self.byte()? == FORMAT { Ok(true) } else { Err(damaged()) }
    }

    pub(crate) fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let end = self.at.checked_add(count).ok_or_else(damaged)?;
        let taken = self.bytes.get(self.at..end).ok_or_else(damaged)?;
        self.at = end;
        Ok(taken)
    }

    pub(crate) fn byte(&mut self) -> io::Result<u8> {
        self.take(1).map(|taken| taken[0])
    }

    pub(crate) fn length(&mut self) -> io::Result<usize> {
        let mut length = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            length |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return usize::try_from(length).map_err(|_| damaged());
            }
        }
        Err(damaged())
    }

    /// A number of things that take at least a byte each, so that a damaged length cannot ask for
    /// all memory.
    pub(crate) fn count(&mut self) -> io::Result<usize> {
        let count = self.length()?;
        if count > self.bytes.len() - self.at { Err(damaged()) } else { Ok(count) }
    }

    pub(crate) fn text(&mut self) -> io::Result<Str> {
        let length = self.length()?;
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| damaged())?;
        Ok(text.into())
    }

    pub(crate) fn name(&mut self) -> io::Result<Str> {
        match self.length()? {
            0 => {
                let name = self.text()?;
                self.names.push(name.clone());
                Ok(name)
            }
            number => self.names.get(number - 1).cloned().ok_or_else(damaged),
        }
    }

    pub(crate) fn optional(&mut self) -> io::Result<Option<Str>> {
        if self.byte()? == 0 { Ok(None) } else { self.text().map(Some) }
    }

    pub(crate) fn double(&mut self) -> io::Result<f64> {
        let mut bits = [0; 8];
        bits.copy_from_slice(self.take(8)?);
        Ok(f64::from_bits(u64::from_le_bytes(bits)))
    }

    pub(crate) fn value(&mut self) -> io::Result<Value> {
        Ok(match self.byte()? {
            UNDEFINED => Value::Undefined,
            NULL => Value::Null,
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            NUMBER => Value::Number(self.double()?),
            WHOLE => Value::Number(self.length()? as f64),
            NEGATIVE => Value::Number(-(self.length()? as f64)),
            TEXT => Value::String(self.text()?),
            tag @ (DATE | LUXON) => {
                let kind = if tag == LUXON { DateKind::Luxon } else { DateKind::Js };
                let epoch_ms = self.double()?;
                Value::Date(Arc::new(DateValue { epoch_ms, iso: self.text()?, kind }))
            }
            ARRAY => {
                self.enter()?;
                let count = self.count()?;
                let mut values = Vec::with_capacity(count.min(MANY));
                for _ in 0..count {
                    values.push(self.value()?);
                }
                self.depth -= 1;
                Value::array(values)
            }
            OBJECT => {
                self.enter()?;
                let object = self.object()?;
                self.depth -= 1;
                Value::object(object)
            }
            _ => return Err(damaged()),
        })
    }

    fn enter(&mut self) -> io::Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(damaged()) } else { Ok(()) }
    }

    pub(crate) fn object(&mut self) -> io::Result<Object> {
        let count = self.count()?;
        let mut object = Object::with_capacity(count.min(MANY));
        for _ in 0..count {
            let key = self.name()?;
            let value = self.value()?;
            object.insert(key, value);
        }
        Ok(object)
    }

    pub(crate) fn item(&mut self) -> io::Result<Item> {
        let marks = self.byte()?;
        let mut item = Item::new(if marks & CAME_IN != 0 { self.came()? } else { self.value()? });
        if marks & HAS_FILES != 0 {
            let count = self.count()?;
            let mut files = Vec::with_capacity(count.min(64));
            for _ in 0..count {
                files.push((self.name()?, self.binary()?));
            }
            item.binary = Some(Arc::new(files));
        }
        let pairs = self.count()?;
        item.paired = match pairs {
            0 => Pairs::None,
            1 => Pairs::One(self.pair()?),
            _ => (0..pairs).map(|_| self.pair()).collect::<io::Result<Vec<_>>>()?.into(),
        };
        if marks & HAS_ERROR != 0 {
            let (message, description) = (self.text()?, self.optional()?);
            item.error = Some(Arc::new(ItemError { message, description, ..ItemError::default() }));
        }
        Ok(item)
    }

    /// Fields that came to the step.
    fn came(&mut self) -> io::Result<Value> {
        let (input, at) = (self.length()?, self.length()?);
        let item = self.came_in.get(input).and_then(Option::as_ref).and_then(|list| list.get(at));
        item.map(|item| item.json).ok_or_else(damaged)
    }

    fn pair(&mut self) -> io::Result<PairedItem> {
        let mut pair = PairedItem::on_input(self.length()?, self.length()?);
        if self.byte()? != 0 {
            pair.source = Some(Arc::new(Source {
                node: self.name()?,
                output: self.length()?,
                run: self.length()?,
            }));
        }
        Ok(pair)
    }

    fn binary(&mut self) -> io::Result<Binary> {
        let (data, fields) = match self.byte()? {
            HERE => {
                let length = self.length()?;
                (bytes::Bytes::copy_from_slice(self.take(length)?), Object::new())
            }
            ELSEWHERE => {
                let mut sum = [0; 32];
                sum.copy_from_slice(self.take(32)?);
                let size = self.length()?;
                match self.fetch.ok_or_else(damaged)?(FileHash(sum), size)? {
                    FetchedFile::Data(data) => (data, Object::new()),
                    FetchedFile::Fields(fields) => (bytes::Bytes::new(), fields),
                }
            }
            _ => return Err(damaged()),
        };
        let mime_type = self.name()?;
        let [file_name, file_extension, file_type, directory] =
            [self.optional()?, self.optional()?, self.optional()?, self.optional()?];
        let mut extra = self.object()?;
        extra.extend(fields);
        Ok(Binary { data, mime_type, file_name, file_extension, file_type, directory, extra })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = Str> {
        "\\PC{0,24}".prop_map(Str::from)
    }

    pub(crate) fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Undefined),
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            prop_oneof![
                any::<f64>(),
                Just(-0.0),
                Just(f64::NAN),
                (-9_007_199_254_740_993i64..9_007_199_254_740_993).prop_map(|n| n as f64)
            ]
            .prop_map(Value::Number),
            text().prop_map(Value::String),
            (any::<f64>(), text(), any::<bool>()).prop_map(|(epoch_ms, iso, luxon)| {
                let kind = if luxon { DateKind::Luxon } else { DateKind::Js };
                Value::Date(Arc::new(DateValue { epoch_ms, iso, kind }))
            }),
        ];
        leaf.prop_recursive(4, 64, 24, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::array),
                prop::collection::vec((text(), inner), 0..24)
                    .prop_map(|fields| Value::object(fields.into_iter().collect())),
            ]
        })
    }

    fn binary() -> impl Strategy<Value = Binary> {
        let texts = prop::collection::vec(prop::option::of(text()), 4);
        (
            prop::collection::vec(any::<u8>(), 0..64),
            text(),
            texts,
            prop::collection::vec((text(), value()), 0..3),
        )
            .prop_map(|(data, mime_type, texts, extra)| Binary {
                data: data.into(),
                mime_type,
                file_name: texts[0].clone(),
                file_extension: texts[1].clone(),
                file_type: texts[2].clone(),
                directory: texts[3].clone(),
                extra: extra.into_iter().collect(),
            })
    }

    pub(crate) fn item() -> impl Strategy<Value = Item> {
        let source = prop::option::of((text(), any::<usize>(), any::<usize>()));
        let pair =
            (any::<u32>(), any::<u32>(), source).prop_map(|(item, input, source)| PairedItem {
                item,
                input,
                source: source.map(|(node, output, run)| Arc::new(Source { node, output, run })),
            });
        let binary = prop::option::of(prop::collection::vec((text(), binary()), 0..3));
        let error = prop::option::of((text(), prop::option::of(text())));
        (value(), binary, prop::collection::vec(pair, 0..3), error).prop_map(
            |(json, binary, pairs, error)| Item {
                json,
                binary: binary.map(Arc::new),
                paired: pairs.into(),
                error: error.map(|(message, description)| {
                    Arc::new(ItemError { message, description, ..ItemError::default() })
                }),
            },
        )
    }

    /// A text that tells `undefined` from a missing key, `-0` from `0` and one order of keys from
    /// another.
    fn exact(items: &[Item]) -> String {
        fn value(of: &Value) -> String {
            match of {
                Value::Array(values) => {
                    format!("{:?}", values.iter().map(value).collect::<Vec<_>>())
                }
                Value::Object(fields) => object(fields),
                leaf => format!("{leaf:?}"),
            }
        }
        fn object(of: &Object) -> String {
            format!("{:?}", of.iter().map(|(key, field)| (key, value(field))).collect::<Vec<_>>())
        }
        let binary = |(name, file): &(Str, Binary)| {
            let plain = Binary { extra: Object::new(), ..file.clone() };
            format!("{name:?} {plain:?} {}", object(&file.extra))
        };
        let item = |item: &Item| {
            let files =
                item.binary.as_ref().map(|files| files.iter().map(binary).collect::<Vec<_>>());
            format!("{} {files:?} {:?} {:?}", value(&item.json), item.paired, item.error)
        };
        items.iter().map(item).collect()
    }

    proptest! {
        #[test]
        fn any_items_come_back_as_they_were(items in prop::collection::vec(item(), 0..5)) {
            let back = decode(&encode(&items)).unwrap();
            prop_assert_eq!(exact(&back), exact(&items));
        }

        #[test]
        fn damaged_bytes_are_refused_and_never_panic(items in prop::collection::vec(item(), 1..3), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = encode(&items);
            let at = at.index(bytes.len());
            let cut = decode(&bytes[..at]);
            prop_assert!(cut.is_err() || at == bytes.len());
            bytes[at] = byte;
            let _ = decode(&bytes);
        }
    }
}
