//! CSV text read strictly: every value is a text, and a record of another length than the header is
//! an error.

use model::{Object, Str, Value};
use ports::NodeError;

#[derive(Clone, Debug)]
pub struct CsvOptions {
    pub delimiter: Str,
    /// The first record names the fields.
    pub header: bool,
    /// Fields with an empty text are there too.
    pub with_empty: bool,
    /// Quotes inside of an unquoted field, or text behind a quoted one, are part of the value.
    pub relax_quotes: bool,
    /// Records that cannot be read are left out.
    pub skip_errors: bool,
    pub from_line: usize,
    pub max_records: Option<usize>,
}

/// Reads a text record by record.
pub struct CsvReader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    options: CsvOptions,
    line_end: Option<&'static str>,
    names: Option<Vec<Str>>,
    length: Option<usize>,
    records: usize,
    pub skipped: usize,
}

impl<'t> CsvReader<'t> {
    pub fn new(text: &'t str, options: CsvOptions) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            options,
            line_end: None,
            names: None,
            length: None,
            records: 0,
            skipped: 0,
        }
    }

    /// The next record as a value; `None` at the end. After an error there is nothing more.
    pub fn next_record(&mut self) -> Result<Option<Value>, NodeError> {
        while self.line < self.options.from_line && self.at < self.text.len() {
            self.skip_line();
        }
        loop {
            if self.options.max_records.is_some_and(|most| self.records >= most) {
                return Ok(None);
            }
            let record = match self.read_record() {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(None),
                Err(_) if self.options.skip_errors => {
                    self.skipped += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            if self.options.header && self.names.is_none() {
                self.names = Some(record.into_iter().map(Str::from).collect());
                continue;
            }
            if let Some(error) = self.check_length(record.len()) {
                if self.options.skip_errors {
                    self.skipped += 1;
                    continue;
                }
                return Err(error);
            }
            self.records += 1;
            return Ok(Some(self.value(record)));
        }
    }

    fn check_length(&mut self, length: usize) -> Option<NodeError> {
        let line = if self.at >= self.text.len() && !self.ends_with_line_end() {
            self.line
        } else {
            self.line.saturating_sub(1)
        };
        match &self.names {
            Some(names) if names.len() != length => Some(NodeError::input(format!(
                "Invalid Record Length: columns length is {}, got {length} on line {line}",
                names.len()
            ))),
            Some(_) => None,
            None => {
                let expected = *self.length.get_or_insert(length);
                (expected != length).then(|| {
                    NodeError::input(format!(
                        "Invalid Record Length: expect {expected}, got {length} on line {line}"
                    ))
                })
            }
        }
    }

    fn ends_with_line_end(&self) -> bool {
        self.text.ends_with(['\n', '\r'])
    }

    fn value(&self, record: Vec<String>) -> Value {
        let keep = |text: &String| self.options.with_empty || !text.is_empty();
        match &self.names {
            Some(names) => {
                let fields = names.iter().cloned().zip(record).filter(|(_, text)| keep(text));
                Value::object(fields.collect::<Object>())
            }
            None if self.options.with_empty => {
                Value::array(record.into_iter().map(Value::from).collect())
            }
            // Leaving fields out keeps the others at their places, so the record is an object by
            // number.
            None => {
                let fields = record.into_iter().enumerate().filter(|(_, text)| keep(text));
                Value::object(
                    fields.map(|(position, text)| (position.to_string(), text)).collect::<Object>(),
                )
            }
        }
    }

    /// The fields of the next record that is not an empty line.
    fn read_record(&mut self) -> Result<Option<Vec<String>>, NodeError> {
        let mut record: Vec<String> = Vec::new();
        let mut field = String::new();
        let mut was_quoted = false;
        let mut problem = None;
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                if record.is_empty() && field.is_empty() && !was_quoted {
                    return problem.map_or(Ok(None), Err);
                }
                record.push(field);
                return problem.map_or(Ok(Some(record)), Err);
            }
            if let Some(length) = self.line_end_at(rest) {
                self.at += length;
                self.line += 1;
                if record.is_empty() && field.is_empty() && !was_quoted && problem.is_none() {
                    continue;
                }
                record.push(field);
                return problem.map_or(Ok(Some(record)), Err);
            }
            if rest.starts_with(self.options.delimiter.as_str()) {
                self.at += self.options.delimiter.len();
                record.push(std::mem::take(&mut field));
                was_quoted = false;
                continue;
            }
            if rest.starts_with('"') {
                if field.is_empty() && !was_quoted {
                    self.at += 1;
                    was_quoted = true;
                    if let Err(error) = self.read_quoted(&mut field) {
                        problem.get_or_insert(error);
                    }
                    continue;
                }
                if !self.options.relax_quotes {
                    let place =
                        self.names.as_ref().and_then(|names| names.get(record.len())).cloned();
                    let place = place.map_or_else(
                        || record.len().to_string(),
                        |name| model::json::to_string(&Value::String(name)),
                    );
                    let value = model::json::to_string(&Value::from(field.as_str()));
                    let message = format!(
                        "Invalid Opening Quote: a quote is found on field {place} at line {}, value is {value}",
                        self.line
                    );
                    problem.get_or_insert_with(|| NodeError::input(message));
                    if !self.options.skip_errors {
                        return problem.map_or(Ok(None), Err);
                    }
                }
            }
            let taken = self.plain_length(rest);
            field.push_str(&rest[..taken]);
            self.at += taken;
        }
    }

    /// How much of the text can be taken as it stands: at least one letter, up to the next one that
    /// may mean something.
    fn plain_length(&self, rest: &str) -> usize {
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let delimiter = self.options.delimiter.chars().next().unwrap_or(',');
        rest[first..].find([delimiter, '"', '\r', '\n']).map_or(rest.len(), |at| first + at)
    }

    /// The value behind an opening quote.
    fn read_quoted(&mut self, field: &mut String) -> Result<(), NodeError> {
        let opened = self.line;
        loop {
            let rest = &self.text[self.at..];
            let Some(quote) = rest.find('"') else {
                field.push_str(rest);
                self.at = self.text.len();
                self.line += rest.matches('\n').count();
                return Err(NodeError::input(format!(
                    "Quote Not Closed: the parsing is finished with an opening quote at line {opened}"
                )));
            };
            field.push_str(&rest[..quote]);
            self.line += rest[..quote].matches('\n').count();
            self.at += quote + 1;
            let after = &self.text[self.at..];
            if after.starts_with('"') {
                field.push('"');
                self.at += 1;
                continue;
            }
            let is_end = after.is_empty()
                || after.starts_with(self.options.delimiter.as_str())
                || self.line_end_at(after).is_some();
            if is_end {
                return Ok(());
            }
            if self.options.relax_quotes {
                field.insert(0, '"');
                field.push('"');
                return Ok(());
            }
            let found = after.chars().next().unwrap_or_default();
            return Err(NodeError::input(format!(
                "Invalid Closing Quote: got \"{found}\" at line {} instead of delimiter, record delimiter, trimable character (if activated) or comment",
                self.line
            )));
        }
    }

    /// The length of a line end, if one stands here. The first one of the text decides what counts
    /// as one.
    fn line_end_at(&mut self, rest: &str) -> Option<usize> {
        if self.line_end.is_none() {
            self.line_end = ["\r\n", "\n", "\r"].into_iter().find(|end| rest.starts_with(end));
        }
        self.line_end.filter(|end| rest.starts_with(end)).map(str::len)
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        match rest.find(['\r', '\n']) {
            Some(end) => {
                self.at += end;
                let after = &self.text[self.at..];
                self.at += self.line_end_at(after).unwrap_or(1);
                self.line += 1;
            }
            None => self.at = self.text.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn options() -> CsvOptions {
        CsvOptions {
            delimiter: ",".into(),
            header: true,
            with_empty: false,
            relax_quotes: false,
            skip_errors: false,
            from_line: 1,
            max_records: None,
        }
    }

    fn read(text: &str, options: CsvOptions) -> Result<Value, NodeError> {
        let mut reader = CsvReader::new(text, options);
        let mut records = Vec::new();
        while let Some(record) = reader.next_record()? {
            records.push(record);
        }
        Ok(Value::array(records))
    }

    #[test]
    fn values_are_texts_and_empty_ones_are_left_out() {
        let text = "id,name\n1,Ann\n\n2,\"B, \"\"b\"\"\nc\"\n3,\n";
        assert_eq!(
            read(text, options()).unwrap(),
            json!([{ "id": "1", "name": "Ann" }, { "id": "2", "name": "B, \"b\"\nc" }, { "id": "3" }])
        );
        let with_empty = CsvOptions { with_empty: true, ..options() };
        assert_eq!(read("a,b\n3,\n", with_empty).unwrap(), json!([{ "a": "3", "b": "" }]));
    }

    #[test]
    fn without_a_header_records_are_told_by_number() {
        let bare = CsvOptions { header: false, ..options() };
        assert_eq!(
            read("a,,c\r\nd,e,f", bare.clone()).unwrap(),
            json!([{ "0": "a", "2": "c" }, { "0": "d", "1": "e", "2": "f" }])
        );
        assert_eq!(
            read("a,,c", CsvOptions { with_empty: true, ..bare }).unwrap(),
            json!([["a", "", "c"]])
        );
    }

    #[test]
    fn errors_say_what_and_where() {
        for (text, message) in [
            ("a,b\n1\n", "Invalid Record Length: columns length is 2, got 1 on line 2"),
            ("a,b\n1,2,3", "Invalid Record Length: columns length is 2, got 3 on line 2"),
            (
                "a,b\n1,x\"y\n",
                "Invalid Opening Quote: a quote is found on field \"b\" at line 2, value is \"x\"",
            ),
            (
                "a,b\n1,\"y\"z\n",
                "Invalid Closing Quote: got \"z\" at line 2 instead of delimiter, record delimiter, trimable character (if activated) or comment",
            ),
            (
                "a,b\n1,\"y\n",
                "Quote Not Closed: the parsing is finished with an opening quote at line 2",
            ),
        ] {
            assert_eq!(read(text, options()).unwrap_err().message(), message, "{text:?}");
        }
    }

    #[test]
    fn options_change_what_is_read() {
        let text = "skip me\na;b\n1;2\n3;4\n5;6";
        let some =
            CsvOptions { delimiter: ";".into(), from_line: 2, max_records: Some(2), ..options() };
        assert_eq!(
            read(text, some).unwrap(),
            json!([{ "a": "1", "b": "2" }, { "a": "3", "b": "4" }])
        );
        let relaxed = CsvOptions { relax_quotes: true, ..options() };
        assert_eq!(
            read("a,b\n1,x\"y\n2,\"y\"z\n", relaxed).unwrap(),
            json!([{ "a": "1", "b": "x\"y" }, { "a": "2", "b": "\"y\"z" }])
        );
        let skipping = CsvOptions { skip_errors: true, ..options() };
        assert_eq!(
            read("a,b\n1\n2,3\n4,x\"y\n5,6", skipping).unwrap(),
            json!([{ "a": "2", "b": "3" }, { "a": "5", "b": "6" }])
        );
    }

    #[test]
    fn the_first_line_end_decides() {
        assert_eq!(read("a\n1\r\n2", options()).unwrap(), json!([{ "a": "1\r" }, { "a": "2" }]));
        assert_eq!(read("a\r1\r2", options()).unwrap(), json!([{ "a": "1" }, { "a": "2" }]));
    }

    #[test]
    fn odd_text_never_panics() {
        for text in [
            "",
            "\n",
            "\"",
            "\"\"",
            ",",
            "a,b\n\"",
            "é,ü\n\"é\"x,\n",
            "\u{feff}a\n1",
            "a\r\n\r\n\r\n",
        ] {
            for relax_quotes in [false, true] {
                for skip_errors in [false, true] {
                    let _ = read(text, CsvOptions { relax_quotes, skip_errors, ..options() });
                }
            }
        }
    }
}
