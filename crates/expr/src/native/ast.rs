//! What the parser makes of an expression: names are resolved, keys interned, constants ready.

use super::arithmetic::Arithmetic;
use super::regexp::RegExp;
use model::{Str, Value};
use std::sync::Arc;

#[derive(Debug)]
pub(super) enum Expr {
    Literal(Value),
    /// `$json.a.b` and its like: walked by reference, one clone at the end.
    Path {
        root: PathRoot,
        keys: Box<[Str]>,
    },
    Local(u32),
    Root(Root),
    /// A name that only the scope knows.
    Variable(Str),
    /// A global function or class as a value: `filter(Boolean)`.
    Builtin(Builtin),
    /// A template literal: texts and what stands between them.
    Template {
        texts: Box<[Str]>,
        parts: Box<[Expr]>,
    },
    RegExp(Arc<RegExp>),
    Member {
        object: Box<Expr>,
        key: Str,
        optional: bool,
    },
    Index {
        object: Box<Expr>,
        index: Box<Expr>,
        optional: bool,
    },
    /// The end of a chain with `?.` in it: a short cut inside stops here with `undefined`.
    Chain(Box<Expr>),
    Method(Box<MethodCall>),
    /// `Math.max(…)`, `JSON.parse(…)`.
    Static {
        class: Class,
        name: Str,
        args: Box<[Arg]>,
    },
    /// `parseInt(…)`, `$if(…)`, `$('Node')`.
    Call {
        function: Builtin,
        args: Box<[Arg]>,
    },
    /// A call of a function value: an arrow function on the spot or a local that holds one.
    Apply {
        function: Box<Expr>,
        args: Box<[Arg]>,
    },
    New {
        class: Class,
        args: Box<[Arg]>,
    },
    Arrow(u32),
    Array(Box<[Arg]>),
    Object(Box<[ObjectField]>),
    Unary {
        operator: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        operator: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// Arithmetic that may be worked out in a quicker way.
    Sum {
        quick: Box<Arithmetic>,
        whole: Box<Expr>,
    },
    Logical {
        operator: LogicalOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    InstanceOf {
        value: Box<Expr>,
        class: Class,
    },
    Conditional {
        test: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Sequence(Box<[Expr]>),
    /// `$input.item.json.key = value` in a Code node.
    SetField {
        key: Str,
        value: Box<Expr>,
    },
    /// `delete $input.item.json.key`.
    DeleteField(Str),
    /// Sets a local that was declared with `let`.
    Assign {
        slot: u32,
        value: Box<Expr>,
    },
}

#[derive(Debug)]
pub(super) struct MethodCall {
    pub(super) object: Expr,
    pub(super) name: Str,
    pub(super) args: Box<[Arg]>,
    /// `object?.name()`.
    pub(super) optional: bool,
    /// `object.name?.()`.
    pub(super) optional_call: bool,
    /// Texts and lists have it from JavaScript itself, and nothing else is called so.
    pub(super) is_own: bool,
    /// `list.at(position)`, which is called often.
    pub(super) is_at: bool,
    /// Whether the result may be something new, which is paid for.
    pub(super) makes_something: bool,
    /// Whether the object is a value that nothing else can see, so that `sort()` in place is
    /// unobserved.
    pub(super) fresh: bool,
}

#[derive(Debug)]
pub(super) struct Arg {
    pub(super) value: Expr,
    pub(super) spread: bool,
}

#[derive(Debug)]
pub(super) enum ObjectField {
    Named(Str, Expr),
    Computed(Expr, Expr),
    Spread(Expr),
}

/// A function of the program; its parameters and locals have slots of their own.
#[derive(Debug)]
pub(super) struct FunctionDef {
    pub(super) params: Box<[FunctionParam]>,
    pub(super) rest: Option<u32>,
    /// Whether each parameter is a name of its own, in the first of the slots, and there is nothing
    /// else to them.
    pub(super) is_plain: bool,
    pub(super) body: FunctionBody,
    /// The slots that a call of this function writes: saved before and put back after.
    pub(super) slots: std::ops::Range<u32>,
}

#[derive(Debug)]
pub(super) struct FunctionParam {
    pub(super) pattern: BindingPattern,
    pub(super) default: Option<Expr>,
}

#[derive(Debug)]
pub(super) enum BindingPattern {
    Slot(u32),
    Array(Box<[Option<FunctionParam>]>, Option<u32>),
    Object(Box<[(Str, FunctionParam)]>, Option<u32>),
}

#[derive(Debug)]
pub(super) enum FunctionBody {
    Expr(Expr),
    Block(Box<[Statement]>),
}

#[derive(Debug)]
pub(super) enum Statement {
    Declare(BindingPattern, Expr),
    If(Expr, Box<[Statement]>, Box<[Statement]>),
    Return(Option<Expr>),
    Expr(Expr),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathRoot {
    Json,
    /// `$input.item.json`, the same item.
    InputJson,
    /// `$('Node').item.json`.
    Node(Str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    Json,
    Binary,
    Input,
    OldNodes,
    PreviousNode,
    Parameter,
    RunIndex,
    ItemIndex,
    Now,
    Today,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnaryOp {
    Not,
    Minus,
    Plus,
    BitNot,
    TypeOf,
    Void,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Equal,
    NotEqual,
    Same,
    NotSame,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    ShiftRightZero,
    In,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogicalOp {
    And,
    Or,
    Coalesce,
}

macro_rules! names {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $($text:literal)|+,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name { $($variant,)* }

        impl $name {
            pub(super) fn from_name(name: &str) -> Option<Self> {
                match name { $($($text)|+ => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

names! {
    /// Functions that stand alone.
    Builtin {
        ParseInt = "parseInt",
        ParseFloat = "parseFloat",
        IsNaN = "isNaN",
        IsFinite = "isFinite",
        EncodeUri = "encodeURI",
        EncodeUriComponent = "encodeURIComponent",
        DecodeUri = "decodeURI",
        DecodeUriComponent = "decodeURIComponent",
        String = "String",
        Number = "Number",
        Boolean = "Boolean",
        Node = "$",
        Items = "$items",
        FromAi = "$fromAI" | "$fromAi" | "$fromai",
        If = "$if",
        IfEmpty = "$ifEmpty",
        Not = "$not",
        Min = "min" | "$min",
        Max = "max" | "$max",
        Average = "average" | "$average",
        NumberList = "numberList",
        Zip = "zip",
        JmesPath = "$jmespath" | "$jmesPath",
    }
}

impl Builtin {
    /// Whether the result may be something new: not a number, one of the arguments or what the
    /// scope has.
    pub(super) fn makes_something(self) -> bool {
        use Builtin::*;
        match self {
            EncodeUri | EncodeUriComponent | DecodeUri | DecodeUriComponent | Items
            | NumberList | Zip => true,
            ParseInt | ParseFloat | IsNaN | IsFinite | Number | Boolean | Not | Min | Max
            | Average => false,
            String | Node | FromAi | If | IfEmpty | JmesPath => false,
        }
    }
}

names! {
    /// Objects and classes whose functions are called by name.
    Class {
        Math = "Math",
        Json = "JSON",
        Object = "Object",
        Array = "Array",
        String = "String",
        Number = "Number",
        Date = "Date",
        DateTime = "DateTime",
        Set = "Set",
        RegExp = "RegExp",
    }
}
