//! Network faults on the way of a response.

/// A fault. Those that are a matter of events mean lines in a format that has lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetFault {
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

impl NetFault {
    /// All of them, each with the numbers that a test can wait for.
    pub const ALL: &[NetFault] = &[
        NetFault::NoReply,
        NetFault::ByteEvery(20),
        NetFault::ResetAfterHeaders,
        NetFault::ResetMidToken,
        NetFault::ResetBeforeEnd,
        NetFault::SplitUtf8,
        NetFault::MixedLineEnds,
        NetFault::NoBlankLine,
        NetFault::CommentsOnly,
        NetFault::LongLine(10 << 20),
        NetFault::JoinedEvents,
        NetFault::DoneMissing,
        NetFault::DoneEarly,
        NetFault::ErrorInside200,
        NetFault::ArgumentsByByte,
        NetFault::DuplicatedIndex,
        NetFault::OutOfOrderBlocks,
        NetFault::TooMany(RetryAfter::Zero),
        NetFault::TooMany(RetryAfter::AnHour),
        NetFault::TooMany(RetryAfter::Date),
        NetFault::TooMany(RetryAfter::Garbage),
        NetFault::Unauthorized,
        NetFault::ServerError,
        NetFault::ModelGone,
        NetFault::UsageMissing,
        NetFault::UsageNegative,
    ];

    /// The fault with this name, as scripts write it: `resetMidToken`, `tooMany:anHour`,
    /// `byteEvery:1000`.
    pub fn named(name: &str) -> Option<NetFault> {
        let (name, detail) = name.split_once(':').unwrap_or((name, ""));
        Some(match name {
            "noReply" => NetFault::NoReply,
            "byteEvery" => NetFault::ByteEvery(detail.parse().unwrap_or(1_000)),
            "resetAfterHeaders" => NetFault::ResetAfterHeaders,
            "resetMidToken" => NetFault::ResetMidToken,
            "resetBeforeEnd" => NetFault::ResetBeforeEnd,
            "splitUtf8" => NetFault::SplitUtf8,
            "mixedLineEnds" => NetFault::MixedLineEnds,
            "noBlankLine" => NetFault::NoBlankLine,
            "commentsOnly" => NetFault::CommentsOnly,
            "longLine" => NetFault::LongLine(detail.parse().unwrap_or(10 << 20)),
            "joinedEvents" => NetFault::JoinedEvents,
            "doneMissing" => NetFault::DoneMissing,
            "doneEarly" => NetFault::DoneEarly,
            "errorInside200" => NetFault::ErrorInside200,
            "argumentsByByte" => NetFault::ArgumentsByByte,
            "duplicatedIndex" => NetFault::DuplicatedIndex,
            "outOfOrderBlocks" => NetFault::OutOfOrderBlocks,
            "tooMany" => NetFault::TooMany(match detail {
                "anHour" => RetryAfter::AnHour,
                "date" => RetryAfter::Date,
                "garbage" => RetryAfter::Garbage,
                _ => RetryAfter::Zero,
            }),
            "unauthorized" => NetFault::Unauthorized,
            "serverError" => NetFault::ServerError,
            "modelGone" => NetFault::ModelGone,
            "usageMissing" => NetFault::UsageMissing,
            "usageNegative" => NetFault::UsageNegative,
            _ => return None,
        })
    }

    /// The status that the answer has instead of 200.
    pub(crate) fn status(self) -> Option<u16> {
        match self {
            NetFault::TooMany(_) => Some(429),
            NetFault::Unauthorized => Some(401),
            NetFault::ServerError => Some(500),
            NetFault::ModelGone => Some(404),
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
