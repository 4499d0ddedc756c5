//! What an answer of a database may hold, counted while it is read. The rows count as what they are
//! here and not as what was sent: a row without columns takes room, and a byte of a binary column
//! becomes a value of its own.

use compute::MemoryReservation;
use model::{Object, Str, Value};
use node_api::connect::ConnectError;

/// What a row takes besides its values, and a value besides what it holds.
const ROW_BYTES: usize = 64;
const CELL_BYTES: usize = 32;
/// What a value is multiplied by that becomes a list or an object, before it does.
const NESTED: usize = 8;

/// What a text of the server becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextForm {
    Plain,
    /// Bytes, JSON or an array: a list of values, each of which takes more than the letters it is
    /// written in.
    Nested,
}

/// How much an answer holds, and may hold.
pub(super) struct ResultBudget {
    used: usize,
    limit: usize,
    /// Room for it, beside the answers of others.
    reservation: MemoryReservation,
}

impl ResultBudget {
    pub(super) fn new(limit: usize) -> Self {
        Self { used: 0, limit, reservation: MemoryReservation::default() }
    }

    /// Whether there is room to read a value of so many bytes.
    pub(super) fn expect(&self, bytes: usize, form: TextForm) -> Result<(), ConnectError> {
        let bytes = if form == TextForm::Nested { bytes.saturating_mul(NESTED) } else { bytes };
        self.check(self.used.saturating_add(bytes))
    }

    pub(super) fn take(&mut self, name: &Str, value: &Value) {
        self.used = self.used.saturating_add(CELL_BYTES + name.len() + value.estimated_bytes());
    }

    /// Counts a row whose values are counted.
    pub(super) fn end_row(&mut self) -> Result<(), ConnectError> {
        self.used = self.used.saturating_add(ROW_BYTES + size_of::<Object>());
        self.check(self.used)
    }

    /// What is done with a large answer is long work, and there has to be room for it.
    pub(super) async fn reserve(&mut self) -> Result<(), ConnectError> {
        compute::request_offload(self.used).await;
        self.reservation.grow_to(self.used).await.map_err(|full| ConnectError::Closed(full.into()))
    }

    fn check(&self, bytes: usize) -> Result<(), ConnectError> {
        if bytes > self.limit { Err(ConnectError::TooLarge { limit: self.limit }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_03_rows_without_columns_are_counted() {
        let mut account = ResultBudget::new(1 << 20);
        let n_rows = (0..1 << 20).take_while(|_| account.end_row().is_ok()).count();
        assert!(n_rows < (1 << 20) / ROW_BYTES, "{n_rows}");
    }

    #[test]
    fn issue_14_03_empty_texts_and_bytes_are_counted_as_what_they_become() {
        let mut account = ResultBudget::new(1 << 20);
        let (name, empty) = (Str::from("a"), Value::from(""));
        let row = |account: &mut ResultBudget| {
            account.take(&name, &empty);
            account.end_row()
        };
        assert!((0..1 << 20).take_while(|_| row(&mut account).is_ok()).count() < 20_000);
        let account = ResultBudget::new(1 << 20);
        assert!(account.expect(1 << 20, TextForm::Plain).is_ok());
        assert!(account.expect(1 << 18, TextForm::Nested).is_err());
    }
}
