//! What can go wrong on the way of an answer: the list of T-NET.

/// A fault. Those that are a matter of events mean lines in a format that has lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The request is read and nothing comes.
    NoReply,
    /// One byte, a pause of so many milliseconds, the next byte.
    ByteEvery(u64),
    ResetAfterHeaders,
    /// In the middle of the event that carries the first word.
    ResetMidToken,
    /// Everything is there but the events that end the answer.
    ResetBeforeEnd,
    /// Each byte in a packet of its own, so that characters are cut.
    SplitUtf8,
    MixedLineEnds,
    NoBlankLine,
    CommentsOnly,
    /// A line of so many bytes.
    LongLine(usize),
    /// All events in one packet, with a packet border in the middle of one.
    JoinedEvents,
    DoneMissing,
    DoneEarly,
    ErrorInside200,
    /// Each byte of a tool's arguments in an event of its own.
    ArgumentsByByte,
    /// Two calls under the same index.
    DuplicatedIndex,
    /// Blocks that begin after their pieces, or a later one before an earlier one.
    OutOfOrderBlocks,
    /// Status 429 and this pause.
    TooMany(RetryAfter),
    Unauthorized,
    ServerError,
    ModelGone,
    UsageMissing,
    UsageNegative,
}

/// What the header `retry-after` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    Zero,
    AnHour,
    /// A date that is over.
    Date,
    Garbage,
}

impl Fault {
    /// All of them, each with the numbers that a test can wait for.
    pub const ALL: &[Fault] = &[
        Fault::NoReply,
        Fault::ByteEvery(20),
        Fault::ResetAfterHeaders,
        Fault::ResetMidToken,
        Fault::ResetBeforeEnd,
        Fault::SplitUtf8,
        Fault::MixedLineEnds,
        Fault::NoBlankLine,
        Fault::CommentsOnly,
        Fault::LongLine(10 << 20),
        Fault::JoinedEvents,
        Fault::DoneMissing,
        Fault::DoneEarly,
        Fault::ErrorInside200,
        Fault::ArgumentsByByte,
        Fault::DuplicatedIndex,
        Fault::OutOfOrderBlocks,
        Fault::TooMany(RetryAfter::Zero),
        Fault::TooMany(RetryAfter::AnHour),
        Fault::TooMany(RetryAfter::Date),
        Fault::TooMany(RetryAfter::Garbage),
        Fault::Unauthorized,
        Fault::ServerError,
        Fault::ModelGone,
        Fault::UsageMissing,
        Fault::UsageNegative,
    ];

    /// The fault with this name, as scripts write it: `resetMidToken`, `tooMany:anHour`,
    /// `byteEvery:1000`.
    pub fn named(name: &str) -> Option<Fault> {
        let (name, detail) = name.split_once(':').unwrap_or((name, ""));
        Some(match name {
            "noReply" => Fault::NoReply,
            "byteEvery" => Fault::ByteEvery(detail.parse().unwrap_or(1_000)),
            "resetAfterHeaders" => Fault::ResetAfterHeaders,
            "resetMidToken" => Fault::ResetMidToken,
            "resetBeforeEnd" => Fault::ResetBeforeEnd,
            "splitUtf8" => Fault::SplitUtf8,
            "mixedLineEnds" => Fault::MixedLineEnds,
            "noBlankLine" => Fault::NoBlankLine,
            "commentsOnly" => Fault::CommentsOnly,
            "longLine" => Fault::LongLine(detail.parse().unwrap_or(10 << 20)),
            "joinedEvents" => Fault::JoinedEvents,
            "doneMissing" => Fault::DoneMissing,
            "doneEarly" => Fault::DoneEarly,
            "errorInside200" => Fault::ErrorInside200,
            "argumentsByByte" => Fault::ArgumentsByByte,
            "duplicatedIndex" => Fault::DuplicatedIndex,
            "outOfOrderBlocks" => Fault::OutOfOrderBlocks,
            "tooMany" => Fault::TooMany(match detail {
                "anHour" => RetryAfter::AnHour,
                "date" => RetryAfter::Date,
                "garbage" => RetryAfter::Garbage,
                _ => RetryAfter::Zero,
            }),
            "unauthorized" => Fault::Unauthorized,
            "serverError" => Fault::ServerError,
            "modelGone" => Fault::ModelGone,
            "usageMissing" => Fault::UsageMissing,
            "usageNegative" => Fault::UsageNegative,
            _ => return None,
        })
    }

    /// The status that the answer has instead of 200.
    pub(crate) fn status(self) -> Option<u16> {
        match self {
            Fault::TooMany(_) => Some(429),
            Fault::Unauthorized => Some(401),
            Fault::ServerError => Some(500),
            Fault::ModelGone => Some(404),
            _ => None,
        }
    }
}

impl RetryAfter {
    pub(crate) fn header(self) -> &'static str {
        match self {
            RetryAfter::Zero => "0",
            RetryAfter::AnHour => "3600",
            RetryAfter::Date => "Wed, 21 Oct 2015 07:28:00 GMT",
            RetryAfter::Garbage => "in a moment",
        }
    }
}
